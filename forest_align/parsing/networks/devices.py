"""Where networks compute: on processors in 8-bit integers, on a GPU in 16-bit floating point."""

from __future__ import annotations

import re
from dataclasses import dataclass

from forest_align.types import InputError

_NAME = re.compile(r"cpu|auto|cuda(:\d{1,3})?")


def check_device(name: str) -> str:
    """Return the name of a device: ``"cpu"``, ``"cuda"``, ``"cuda:N"`` or ``"auto"``."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InputError(f"expected cpu, cuda, cuda:N or auto, found {name!r}", field="device")
    return name


# Subwords per batch on a processor: few enough for its cache.
_BATCH_SUBWORDS = 700
#: The same on a GPU, which is busy only with thousands of rows. The parser takes about 1 GB of its memory.
DEVICE_BATCH_SUBWORDS = 1 << 14


@dataclass(frozen=True, slots=True)
class Device:
    """A device, and how networks use it."""

    place: str  # The device, as torch names it
    # Arithmetic of the forward pass: `"int8"`, which needs no torch and is for processors only, or a
    # floating-point type of torch, such as `"float32"`
    dtype: str
    batch_subwords: int  # Subwords per batch, including padding

    @property
    def is_integer(self) -> bool:
        """Whether matrices are multiplied in 8-bit integers."""
        return self.dtype == "int8"


#: Floating point on a processor, with which integers are compared.
EXACT = Device("cpu", "float32", _BATCH_SUBWORDS)


def find_device(name: str = "cpu") -> Device:
    """The device of a name: ``"cpu"``, ``"cuda"``, ``"cuda:1"``, or ``"auto"`` for a GPU if there is one.

    A GPU computes in float16, which has more digits than bfloat16: weights and states of these networks are
    far from its largest number.
    """
    if check_device(name) == "cpu":
        return Device("cpu", "int8", _BATCH_SUBWORDS)
    try:
        import torch  # takes seconds, and processors need none of it
    except ModuleNotFoundError:
        if name == "auto":
            return find_device("cpu")
        message = f"the device {name!r} needs torch, which is not installed; 'cpu' and 'auto' work everywhere"
        raise InputError(message, field="device") from None

    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if name == "auto" and not count:
        return find_device("cpu")
    place = torch.device("cuda" if name == "auto" else name)
    if (place.index or 0) >= count:
        built = "" if torch.version.cuda else ", and this build of torch is for processors only"
        there = f"there is no device {name!r}: torch finds {count} GPUs here{built}"
        raise InputError(f"{there}; 'cpu' and 'auto' work everywhere", field="device")
    return Device(str(place), "float16", DEVICE_BATCH_SUBWORDS)
