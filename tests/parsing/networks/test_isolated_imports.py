"""What parsing imports: single modules of benepar and nltk, and hardly more for the bundled parser."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from forest_align.parsing.networks.isolated_imports import import_isolated

WITHOUT_PLUG_INS = """
import sys
from forest_align.em.parser import _span_parser as span_parser
assert "benepar" not in sys.modules and "spacy" not in sys.modules
import benepar
from benepar.parse_chart import ChartParser
assert callable(benepar.Parser) and issubclass(span_parser.SpanParser, ChartParser)
"""

WITHOUT_TRANSFORMERS = """
import sys
import forest_align
sentence = forest_align.load_parser("en").parse("The cat sat on the mat.")
assert sentence.forest is not None
assert not {"transformers", "torch_struct", "spacy", "nltk", "scipy", "sklearn"} & set(sys.modules)
import nltk.tokenize
assert nltk.tokenize.NLTKWordTokenizer and nltk.Tree
"""

UNNEEDED = ("benepar", "transformers", "torch_struct", "spacy", "optuna", "matplotlib")
AS_IF_MISSING = f"import sys; sys.modules.update(dict.fromkeys({UNNEEDED}))\n"
# A version that cannot be used, as of another Python or another library.
AS_IF_BROKEN = f"""
import pathlib, sys, tempfile
folder = tempfile.TemporaryDirectory()
for name in {UNNEEDED}:
    pathlib.Path(folder.name, f"{{name}}.py").write_text("raise RuntimeError('a broken package')")
sys.path.insert(0, folder.name)
"""
ALIGNING = """
import sys
import forest_align
for name in ("contextual", "forest", "joint", "projection", "semi-markov", "sultan"):
    assert len(forest_align.load(name).align("He died.", "He died.").words) == 3, name
"""


def test_a_module_that_is_not_there_is_an_import_error_and_leaves_nothing_behind() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        import_isolated("no_such_package.part")
    assert "no_such_package" not in sys.modules


def run(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("code", [WITHOUT_PLUG_INS, WITHOUT_TRANSFORMERS], ids=["plug-ins", "transformers"])
def test_parsing_loads_little_and_leaves_packages_whole_for_others(code: str) -> None:
    run(code)


@pytest.mark.parametrize("before", [AS_IF_MISSING, AS_IF_BROKEN], ids=["missing", "broken"])
def test_aligners_work_without_what_only_training_and_other_parsers_need(before: str) -> None:
    run(before + ALIGNING)


def test_what_a_benepar_parser_needs_is_said_where_it_is_missing(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"benepar": {}}', encoding="utf-8")
    code = f"import forest_align\nforest_align.load_parser({str(tmp_path)!r})"
    done = subprocess.run([sys.executable, "-c", AS_IF_MISSING + code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "ModelError" in done.stderr and "pip install 'forest-align[benepar]'" in done.stderr


@pytest.mark.parametrize("before", [AS_IF_MISSING, AS_IF_BROKEN], ids=["missing", "broken"])
def test_what_is_not_needed_cannot_be_imported_in_this_test(before: str) -> None:
    code = f"{before}\nfor name in {UNNEEDED}:\n    try:\n        __import__(name)\n"
    code += "    except (ImportError, RuntimeError):\n        continue\n    raise SystemExit(name)\n"
    run(code)
