"""What the link model says of the joint aligner's edits, against a computation word by word."""

from __future__ import annotations

import math

import numpy as np
import pytest

from forest_align.aligners.contextual.aligner import ContextualAligner, bundled_model
from forest_align.aligners.joint._link_features import LinkTable, link_table
from forest_align.aligners.joint.features import pair_edits
from forest_align.lexicon.evidence import lexical_evidence
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.types import ModelError

from .joint_sentences import sentence

ONE = "the old man bought a car in London"
TWO = "in London he bought the old car a man sold"
WIDTH = 768


def log_odds(probability: float) -> float:
    return max(-7.0, min(7.0, math.log(probability + 1e-6) - math.log(1 - probability + 1e-6)))


@pytest.fixture(scope="module")
def table() -> LinkTable:
    probability = np.random.default_rng(1).random((5, 4), dtype=np.float32) ** 4
    probability[0, 0], probability[1, 1] = 0, 1
    return LinkTable.of(probability, 0.45)


def test_word_features_are_those_of_the_cell(table: LinkTable) -> None:
    rows, columns = np.indices(table.probability.shape).reshape(2, -1)
    for i, j, found in zip(rows, columns, table.of_words(rows, columns), strict=True):
        p = float(table.probability[i, j])
        odds = log_odds(p)
        assert found == pytest.approx([odds, max(odds, 0), max(odds + 2, 0), p, float(p >= 0.45)], abs=1e-5)


@pytest.mark.parametrize("span", [(0, 1, 0, 2), (0, 3, 0, 2), (1, 3, 1, 4), (2, 5, 3, 4)])
def test_phrase_features_are_those_of_the_cells_inside(
    table: LinkTable, span: tuple[int, int, int, int]
) -> None:
    rows, columns = range(*span[:2]), range(*span[2:])
    inside = {(i, j): float(table.probability[i, j]) for i in rows for j in columns}
    odds = {cell: log_odds(p) for cell, p in inside.items()}
    best = [max(odds[i, j] for j in columns) for i in rows] + [max(odds[i, j] for i in rows) for j in columns]
    wanted = [
        sum(best) / len(best),
        sum(odds.values()) / len(odds),
        sum(odds.values()),
        sum(inside.values()),
        sum(p >= 0.45 for p in inside.values()) / len(inside),
        min(best),
    ]
    found = table.of_blocks(np.array(rows)[None, :, None], np.array(columns)[None, None, :])
    assert found[0] == pytest.approx(wanted, abs=1e-5)


def test_deletion_features_are_those_of_the_best_partner(table: LinkTable) -> None:
    for side, probability in ((0, table.probability), (1, table.probability.T)):
        for row, found in zip(probability.tolist(), table.of_deletions(side), strict=True):
            odds = max(map(log_odds, row))
            assert found == pytest.approx([odds, max(odds, 0), max(row), min(sum(row), 1)], abs=1e-5)


def test_edits_carry_what_the_contextual_aligner_finds() -> None:
    one, two = sentence(ONE, WIDTH), sentence(TWO, WIDTH)
    edits = pair_edits(one, two, load_lexicon(), longest=3, arcs=False, link_model=bundled_model())
    probability = ContextualAligner(bundled_model()).link_probabilities(one, two)
    count = len(edits.word_features)
    cells = edits.spans[:count, 0], edits.spans[:count, 2]
    assert edits.word_features[:, -2] == pytest.approx(probability[cells], abs=1e-5)
    for place, (s, e, t, f) in enumerate(edits.spans[count:].tolist()):
        assert edits.phrase_features[place, -3] == pytest.approx(probability[s:e, t:f].sum(), abs=1e-4)
    assert edits.deletions[0][:, -2] == pytest.approx(probability.max(axis=1), abs=1e-5)
    assert edits.deletions[1][:, -2] == pytest.approx(probability.max(axis=0), abs=1e-5)


@pytest.mark.parametrize("one", [ONE, "the dogs the the the a dog the"])
@pytest.mark.parametrize("two", [ONE + " the", "the dogs the the the a dog the"])
def test_the_link_model_says_the_transpose_of_swapped_sentences_to_the_last_digit(one: str, two: str) -> None:
    # Matrix products round differently on the two sides of the diagonal of the repetitive sentence.
    model, lexicon = bundled_model(), load_lexicon()
    source, target = sentence(one, WIDTH), sentence(two, WIDTH)
    there = link_table(model, source, target, lexical_evidence(source, target, lexicon))
    back = link_table(model, target, source, lexical_evidence(target, source, lexicon))
    assert np.array_equal(there.probability, back.probability.T)
    assert np.array_equal(there.log_odds, back.log_odds.T)


def test_word_vectors_of_another_size_than_the_link_model_expects_are_refused() -> None:
    with pytest.raises(ModelError, match="trained with other ones"):
        car = sentence("a car")
        pair_edits(car, car, load_lexicon(), longest=3, arcs=True, link_model=bundled_model())
