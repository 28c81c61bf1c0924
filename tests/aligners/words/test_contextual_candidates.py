from __future__ import annotations

import numpy as np
import pytest

from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.words.lexical import ContextualCandidates
from forest_align.lexicon.pair_table import PairTable
from forest_align.types import InputError, Sentence

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


def candidates_of(
    table: list[list[float]],
    source: Sentence,
    target: Sentence,
    least: float,
    monkeypatch: pytest.MonkeyPatch,
) -> dict[tuple[tuple[int, int], tuple[int, int]], float]:
    aligner = ContextualAligner(ppdb=PairTable([("kicked the bucket", "died")]))
    probability = np.array(table, dtype=np.float32)
    cells = probability, np.zeros(probability.shape, dtype=np.int32)
    monkeypatch.setattr(aligner, "scored_cells", lambda source, target: cells)
    found = ContextualCandidates(aligner, minimum_score=least).candidates(source, target)
    assert list(found) == sorted(found)
    return {(c.source, c.target): c.score for c in found}


def test_words_and_groups_are_candidates_from_the_minimum_on(monkeypatch: pytest.MonkeyPatch) -> None:
    table = [[0.25, 0], [0, 0.125], [0, 0.25], [0.125, 0]]
    found = candidates_of(table, SOURCE, TARGET, 0.25, monkeypatch)
    # A group that the lexicon knows is as likely as the best of its cells.
    assert found == {((0, 1), (0, 1)): 0.25, ((1, 4), (1, 2)): 0.25, ((2, 3), (1, 2)): 0.25}
    assert set(candidates_of(table, SOURCE, TARGET, 0.3, monkeypatch)) == set()
    least = candidates_of(table, SOURCE, TARGET, 0.125, monkeypatch)
    assert set(least) == {*found, ((1, 2), (1, 2)), ((3, 4), (0, 1))}


def test_a_block_of_links_is_as_likely_as_its_cells_in_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = Sentence.from_words(["go", "x", "on"]), Sentence.from_words(["y", "continue"])
    found = candidates_of([[0, 0.75], [0, 0.5], [0, 0]], *sides, 0.05, monkeypatch)
    assert found[(0, 2), (1, 2)] == 0.625


def test_nothing_is_proposed_where_a_sentence_is_empty() -> None:
    provider = ContextualCandidates(ContextualAligner())
    assert provider.uses_vectors
    for pair in ((SOURCE, Sentence(())), (Sentence(()), TARGET), (Sentence(()), Sentence(()))):
        assert provider.candidates(*pair) == ()


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_a_minimum_that_is_no_probability_is_refused(wrong: float) -> None:
    with pytest.raises(InputError, match="expected a minimum score from 0 to 1"):
        ContextualCandidates(minimum_score=wrong)
