"""Progress bars on stderr, hidden if it is not a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

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
