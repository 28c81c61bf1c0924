"""Where networks compute: on processors in 8-bit integers, on a GPU in 16-bit floating point."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from forest_align.parsing.device_names import check_device
from forest_align.parsing.networks.linear_layers import PROCESSOR, native_dtype
from forest_align.types import InputError

#: Subwords per batch on a processor, including padding: enough to keep two cores busy, few enough for little
#: padding and a processor's cache. With 1500, and 16384 spans at a time, aligning raw text took 10% longer.
BATCH_SUBWORDS = 700
#: The same on a GPU, which is busy only with thousands of rows. The parser takes about 1 GB of its memory.
DEVICE_BATCH_SUBWORDS = 1 << 14


@dataclass(frozen=True, slots=True)
class Device:
    """A device, and how networks use it.

    Attributes
    ----------
    place : torch.device
        The device.
    dtype : torch.dtype
        Arithmetic of the forward pass; torch.int8 means that matrices are multiplied in 8-bit integers.
    batch_subwords : int
        Subwords per batch, including padding.
    """

    place: torch.device
    dtype: torch.dtype
    batch_subwords: int


def find_device(name: str = "cpu") -> Device:
    """The device of a name: ``"cpu"``, ``"cuda"``, ``"cuda:1"``, or ``"auto"`` for a GPU if there is one.

    A GPU computes in float16, which has more digits than bfloat16: weights and states of these networks are
    far from its largest number.

    Raises
    ------
    InputError
        If the name is another one, or there is no such GPU.
    """
    check_device(name)
    count = torch.cuda.device_count() if name != "cpu" and torch.cuda.is_available() else 0
    if name == "cpu" or (name == "auto" and not count):
        return Device(PROCESSOR, native_dtype(), BATCH_SUBWORDS)
    place = torch.device("cuda" if name == "auto" else name)
    if (place.index or 0) >= count:
        built = "" if torch.version.cuda else ", and this build of torch is for processors only"
        raise InputError(
            f"there is no device {name!r}: torch finds {count} GPUs here{built}; 'cpu' and 'auto' work "
            "everywhere",
            field="device",
        )
    return Device(place, torch.float16, DEVICE_BATCH_SUBWORDS)
