"""Imports single modules of packages whose ``__init__`` would load much more and take seconds.

``import benepar`` loads plug-ins and, with them, spaCy. ``import nltk`` loads all of nltk, and SciPy and
scikit-learn if they are installed.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec, module_from_spec
from types import ModuleType


def import_isolated(name: str) -> ModuleType:
    """Import a module without running the code of its packages, unless this has already run.

    A later import of those packages loads them completely, with this module in them.

    Raises ModuleNotFoundError if there is no such module.
    """
    parts = name.split(".")
    packages = [".".join(parts[:size]) for size in range(1, len(parts))]
    missing = [package for package in packages if package not in sys.modules]
    try:
        for package in missing:
            spec = find_spec(package)
            if spec is None:
                raise ModuleNotFoundError(f"No module named {package!r}", name=package)
            sys.modules[package] = module_from_spec(spec)
        return importlib.import_module(name)
    finally:
        for package in missing:
            sys.modules.pop(package, None)
