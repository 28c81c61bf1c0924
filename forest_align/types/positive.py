"""A kind of argument that every command line of the package takes: a count."""

from __future__ import annotations

import argparse

#: Larger counts are slips, and more than some libraries can hold.
_MOST = 2**31 - 1


def positive(text: str) -> int:
    """A whole number from 1 on, for ``type=`` of an argument.

    Raises
    ------
    argparse.ArgumentTypeError
        If the text is no such number, or above 2³¹ - 1.
    """
    if not (text.isdecimal() and len(text) <= 10 and 1 <= int(text) <= _MOST):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to {_MOST}, found {text!r}")
    return int(text)
