"""benepar without its plug-ins."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
from forest_align.parsing import span_parser
assert "benepar" not in sys.modules and "spacy" not in sys.modules
import benepar
from benepar.parse_chart import ChartParser
assert callable(benepar.Parser) and issubclass(span_parser.SpanParser, ChartParser)
"""


def test_parsing_loads_no_plug_ins_and_leaves_the_package_whole_for_others() -> None:
    subprocess.run([sys.executable, "-c", CODE], check=True)
