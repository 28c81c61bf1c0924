"""A type of argument that every command line of the package uses: a count."""

from __future__ import annotations

import argparse

#: Larger counts are typing errors, and overflow in some libraries.
_MOST = 2**31 - 1


def positive(text: str) -> int:
    """Parse a whole number of at least 1 and at most 2³¹ - 1, for ``type=`` of an argument."""
    if not (text.isdecimal() and len(text) <= 10 and 1 <= int(text) <= _MOST):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to {_MOST}, found {text!r}")
    return int(text)
