"""Labelled attachment of typed dependencies, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from nltk import Tree

from forest_align.eval.benchmarks.stanford_trees import StanfordParses
from forest_align.eval.metrics.dependencies import Attachment
from forest_align.parsing.dependencies.typed import Dependency

TREE = "(S (NP (NNP Tom)) (VP (VBZ likes) (S (VP (TO to) (VP (VB eat) (PP (IN in) (NP (NNP LA))))))))"
# As derived, but that LA hangs on the first verb.
OTHER = (
    Dependency(1, 0, "nsubj"),
    Dependency(-1, 1, "root"),
    Dependency(3, 2, "aux"),
    Dependency(1, 3, "xcomp"),
    Dependency(1, 4, "prep"),
    Dependency(4, 5, "pobj"),
)


def test_collapsed_dependencies_are_compared_by_governor_and_type() -> None:
    counts = Attachment()
    counts.add(Tree.fromstring(TREE), OTHER)
    assert counts.wanted == {"nsubj": 1, "root": 1, "aux": 1, "xcomp": 1, "prep_in": 1, "xsubj": 1}
    assert counts.found == counts.wanted and counts.right["prep_in"] == 0
    assert counts.scores(["prep_in"]).f1 == 0 and counts.scores(["xsubj", "xcomp"]).f1 == 1
    assert counts.scores().recall == counts.scores().precision == pytest.approx(3 / 4)
    assert counts.scores(["agent"]).recall == counts.scores(["agent"]).precision == 0


def test_typed_dependencies_are_read(tmp_path: Path) -> None:
    path = tmp_path / "parses.xml"
    arc = '<dep type="{}"><governor idx="{}">a</governor>\n <dependent idx="{}">b</dependent></dep>\n'
    arcs = (arc.format("nsubj", 2, 1) + arc.format("root", 0, 2), "")
    text = "".join(f'<dependencies style="typed">\n{found}</dependencies>\n' for found in arcs)
    path.write_text(text, encoding="utf-8")
    found = StanfordParses.read(path).dependencies()
    assert found == [(Dependency(1, 0, "nsubj"), Dependency(-1, 1, "root")), ()]
