"""The functions behind methods of alignments whose packages lie above this one; imported on first use.

The test of the layers knows these names, and allows them here alone.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

_HOME_OF = {"differences_of": "forest_align.differences", "edits_of": "forest_align.edits"}


def function_of(name: str) -> Callable[..., Any]:
    """The function behind a method of an alignment; its package is imported on first use."""
    found: Callable[..., Any] = getattr(importlib.import_module(_HOME_OF[name]), name)
    return found
