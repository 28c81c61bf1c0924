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

    Parameters
    ----------
    package : str
        Name of the package, for messages.
    homes : Mapping[str, str]
        Public name -> module that defines it.

    Examples
    --------
    >>> getattribute, names = lazy_face("example", {"Links": "forest_align.alignment"})
    >>> getattribute("Links").__name__, names()
    ('Links', ['Links'])
    """

    def attribute(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(homes[name]), name)

    def names() -> list[str]:
        return sorted(homes)

    return attribute, names
