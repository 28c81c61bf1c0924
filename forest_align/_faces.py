"""Public faces of packages: names that are imported on first use (PEP 562).

A face names what a package offers to others. Importing a face must not import what it names: ``--help``
would wait for it, and ``import forest_align`` must never import torch.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def lazy_face(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make ``__getattr__`` and ``__dir__`` of a package.

    ``homes`` has the names that each module defines, with blanks between them.

    Examples
    --------
    >>> getattribute, names = lazy_face("example", {"forest_align.alignment": "Links SummarySpan"})
    >>> getattribute("Links").__name__, names()
    ('Links', ['Links', 'SummarySpan'])
    """
    home_of = homes_by_name(homes)

    def attribute(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(home_of[name]), name)

    return attribute, lambda: sorted(home_of)


def homes_by_name(homes: Mapping[str, str]) -> dict[str, str]:
    """The module of each name."""
    return {name: module for module, names in homes.items() for name in names.split()}
