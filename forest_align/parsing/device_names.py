"""Names of devices, checked without torch, which loads slowly."""

from __future__ import annotations

import re

from forest_align.types import InputError

_NAME = re.compile(r"cpu|auto|cuda(:\d{1,3})?")


def check_device(name: str) -> str:
    """Return the name of a device: ``"cpu"``, ``"cuda"``, ``"cuda:N"`` or ``"auto"``."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InputError(f"expected cpu, cuda, cuda:N or auto, found {name!r}", field="device")
    return name
