"""What command lines share: a type of argument, progress bars, and messages without passwords."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar
from urllib.parse import unquote

#: Larger counts are typing errors, and overflow in some libraries.
_MOST = 2**31 - 1


def positive(text: str) -> int:
    """Parse a whole number of at least 1 and at most 2³¹ - 1, for ``type=`` of an argument."""
    if not (text.isdecimal() and len(text) <= 10 and 1 <= int(text) <= _MOST):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to {_MOST}, found {text!r}")
    return int(text)


Item = TypeVar("Item")


def counted(
    items: Iterable[Item], unit: str, *, hidden: bool = False, total: int | None = None, done: int = 0
) -> Iterator[Item]:
    """Yield the items and show their number in a bar on stderr, if that is a terminal.

    ``total`` is about the number of items, with the ``done`` ones before; the bar then estimates the time
    left.
    """
    from tqdm import tqdm

    # None: no bar unless stderr is a terminal.
    disabled = True if hidden else None
    return iter(tqdm(items, unit=f" {unit}", disable=disabled, total=total, initial=done))


def counting_bar(description: str, total: int, done: int = 0, layout: str | None = None) -> Any:
    """A bar that counts up to ``total``; work ``done`` before does not affect the estimated time left."""
    from tqdm import tqdm

    hidden = not sys.stderr.isatty()  # output goes to the same terminal
    return tqdm(total=total, initial=done, desc=description, leave=False, disable=hidden, bar_format=layout)


# Between the user's name and the host; the colon of the scheme, and of a path, is another one.
_OF_USER = re.compile(r"^(?!journal:|sqlite)[^@]*?:(?!//)(\S+)@")
_OPTION = re.compile(r"(?:pass|pwd|secret|token)\w*=([^&#\s]+)", re.IGNORECASE)


def hide_passwords(message: str, *urls: str) -> str:
    """Replace the passwords of URLs in a message by stars, as written and as decoded.

    Parameters
    ----------
    message : str
        The text.
    urls : str
        Such as ``postgresql://user:secret@host/sweeps`` or ``mysql://host/sweeps?password=secret``. Other
        texts have no passwords.

    Examples
    --------
    >>> hide_passwords("no answer from db://me:secret@host", "db://me:secret@host")
    'no answer from db://me:***@host'
    """
    secrets = [match[1] for url in urls for kind in (_OF_USER, _OPTION) for match in kind.finditer(url)]
    # Messages may hold a text as Python writes it.
    shapes = {shape for secret in secrets for shape in (secret, unquote(secret), repr(secret)[1:-1])}
    for secret in sorted(shapes, key=len, reverse=True):
        message = message.replace(secret, "***")
    return message
