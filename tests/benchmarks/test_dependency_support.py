"""Links that dependencies support, and dependencies that links align, counted by hand."""

from __future__ import annotations

import dependency_support
import pytest

from forest_align.parsing.dependencies.typed import Dependency

from ..places import SHARED

EDINBURGH = SHARED / "data" / "alignment" / "edinburgh"


def test_links_and_dependencies_are_counted() -> None:
    module = dependency_support
    # "send to scout" and "send to monitor", each below "wants".
    arcs = [Dependency(-1, 0, "root"), Dependency(0, 2, "xcomp"), Dependency(2, 1, "aux")]
    counts = module.Support()
    counts.add([(0, 0), (2, 2)], arcs, arcs)
    assert (counts.links, counts.supported) == (2, 2)
    assert dict(counts.arcs) == {"xcomp": 2, "aux": 2} and dict(counts.aligned) == {"xcomp": 2}
    # The governor of the one is linked to the dependent of the other: no dependencies are aligned.
    counts.add([(0, 2), (2, 0)], arcs, arcs)
    assert (counts.links, counts.supported) == (4, 2)
    # A type of its own does not matter, the ends do.
    other = [Dependency(-1, 0, "root"), Dependency(0, 1, "ccomp")]
    counts.add([(0, 0), (2, 1), (1, 1)], arcs, other)
    assert (counts.links, counts.supported) == (7, 4)
    assert counts.aligned == {"xcomp": 3, "ccomp": 1}
    assert counts.shares() == pytest.approx((400 / 7, 400 / 11))


@pytest.mark.skipif(not EDINBURGH.is_dir(), reason=f"needs the corpus in {EDINBURGH}")
def test_shares_of_the_corpus_are_near_those_of_the_paper(capsys: pytest.CaptureFixture[str]) -> None:
    found = dependency_support.measure(EDINBURGH, "train")
    for name, published in dependency_support.PUBLISHED.items():
        assert found[name].shares() == pytest.approx(published, abs=3)
    dependency_support.main([str(EDINBURGH)])
    assert "| sure and possible | 66% | 65% | 62% | 62% |" in capsys.readouterr().out
