"""The bar of commands that work on streams: how many items are done, and how fast."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def counted(items: Iterable[Item], unit: str, *, hidden: bool = False) -> Iterator[Item]:
    """The same items; a bar on stderr, if that is a terminal, shows how many went by.

    Parameters
    ----------
    items : iterable
        Gone through once.
    unit : str
        What they are.
    hidden : bool
        Show none: what is printed goes to the same terminal.
    """
    from tqdm import tqdm

    # None: no bar unless stderr is a terminal.
    return iter(tqdm(items, unit=f" {unit}", disable=True if hidden else None))
