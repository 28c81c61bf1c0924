"""Dependencies that word links align."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from forest_align.alignment import Links
from forest_align.eval.benchmarks.stanford_trees import StanfordParses
from forest_align.eval.metrics.dependencies import projected_pairs, score_projected

# "She saw him" and "him saw she": the verb governs the two others and is the root.
ARCS = [(1, 0), (-1, 1), (1, 2)]


def test_two_dependencies_are_aligned_if_both_their_ends_are() -> None:
    assert projected_pairs([(0, 2), (1, 1)], ARCS, ARCS) == {((1, 0), (1, 2)), ((-1, 1), (-1, 1))}
    assert projected_pairs([(0, 2), (2, 0)], ARCS, ARCS) == set()
    assert projected_pairs([(0, 0), (0, 2), (1, 1)], ARCS, ARCS) == {
        ((1, 0), (1, 0)),
        ((1, 0), (1, 2)),
        ((-1, 1), (-1, 1)),
    }


def test_a_word_may_depend_on_several() -> None:
    both = [(1, 0), (2, 0)]
    linked = {(arc, other) for arc in both for other in both if arc == other}
    assert projected_pairs([(0, 0), (1, 1), (2, 2)], both, both) == linked


def test_scores_are_means_over_pairs() -> None:
    gold = [Links.from_pharaoh("0-0 1-1 2-2"), Links.from_pharaoh("1-1")]
    found = [Links.from_pharaoh("0-0 1-1"), Links.from_pharaoh("1-1")]
    scores = score_projected(gold, found, [(ARCS, ARCS)] * 2)
    assert scores["precision"].value == 1
    assert scores["recall"].value == pytest.approx((2 / 3 + 1) / 2)
    assert scores["pair_f1"].value == pytest.approx((0.8 + 1) / 2)
    assert scores["exact_match"].value == 0.5


def test_dependencies_are_read_from_the_stanford_parses(tmp_path: Path) -> None:
    path = tmp_path / "parses.xml.gz"
    arc = '<dep type="x">\n<governor idx="{}">a</governor>\n<dependent idx="{}">b</dependent>\n</dep>\n'
    one = arc.format(2, 1) + arc.format(0, 2)
    with gzip.open(path, "wt") as file:
        file.write(
            f'<s id="1"><dependencies style="typed">\n{one}</dependencies></s>\n'
            '<s id="2"><dependencies style="typed">\n</dependencies></s>\n'
        )
    assert StanfordParses.read(path).arcs() == [[(1, 0), (-1, 1)], []]
