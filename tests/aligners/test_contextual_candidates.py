from __future__ import annotations

import numpy as np
import pytest

from forest_align.aligners.contextual import ContextualAligner
from forest_align.aligners.contextual_candidates import ContextualCandidates
from forest_align.lexicon.pair_table import PairTable
from forest_align.types import Sentence

SOURCE = Sentence.from_words(["He", "kicked", "the", "bucket"], ["PRP", "VBD", "DT", "NN"])
TARGET = Sentence.from_words(["He", "died"], ["PRP", "VBD"])


@pytest.mark.parametrize(
    ("linked", "kinds", "score"),
    [(0.75, ("block", "collocation", "ppdb"), 0.75), (0.25, ("collocation", "ppdb"), 0.25)],
)
def test_a_pair_of_spans_has_all_that_speaks_for_it(
    linked: float, kinds: tuple[str, ...], score: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    aligner = ContextualAligner(ppdb=PairTable([("kicked the bucket", "died")]))
    probability = np.array([[0.9, 0], [0, linked], [0, linked], [0, linked]])
    evidence = np.zeros((4, 2), dtype=np.int32)
    monkeypatch.setattr(aligner, "scored_cells", lambda source, target: (probability, evidence))
    found = {(c.source, c.target): c for c in ContextualCandidates(aligner).candidates(SOURCE, TARGET)}
    group = found[(1, 4), (1, 2)]
    assert (group.evidence, group.score) == (kinds, score)
    assert found[(0, 1), (0, 1)].evidence == ("context",)


def test_a_group_below_the_minimum_is_no_candidate_whatever_speaks_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    aligner = ContextualAligner(ppdb=PairTable([("kicked the bucket", "died")]))
    nothing = np.full((4, 2), 0.01), np.zeros((4, 2), dtype=np.int32)
    monkeypatch.setattr(aligner, "scored_cells", lambda source, target: nothing)
    assert ContextualCandidates(aligner).candidates(SOURCE, TARGET) == ()
