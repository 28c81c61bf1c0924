"""The parts of benepar that are used here, imported without its plug-ins for nltk and spaCy.

The plug-ins, which ``import benepar`` loads, bring in spaCy and take longer than the parser itself.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec, module_from_spec
from types import ModuleType


def _import_parts(*names: str) -> list[ModuleType]:
    """Import modules of the package without running the package's own code, unless it has run already.

    Whoever imports benepar later gets the whole package, with these modules in it.
    """
    if "benepar" in sys.modules:
        return [importlib.import_module(f"benepar.{name}") for name in names]
    spec = find_spec("benepar")
    if spec is None:
        raise ModuleNotFoundError("No module named 'benepar'", name="benepar")
    sys.modules["benepar"] = module_from_spec(spec)
    try:
        return [importlib.import_module(f"benepar.{name}") for name in names]
    finally:
        del sys.modules["benepar"]


_nkutil, _parse_chart, _ptb_unescape = _import_parts("nkutil", "parse_chart", "ptb_unescape")

HParams = _nkutil.HParams
ChartParser = _parse_chart.ChartParser
ptb_unescape = _ptb_unescape.ptb_unescape
guess_space_after = _ptb_unescape.guess_space_after

__all__ = ["ChartParser", "HParams", "guess_space_after", "ptb_unescape"]
