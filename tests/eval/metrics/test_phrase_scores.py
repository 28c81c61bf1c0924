"""Phrases against annotators: the protocol by hand and as plain set arithmetic."""

from __future__ import annotations

import itertools
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.eval.metrics.phrase_scores import human_agreement, score_phrases
from forest_align.types import InputError

PHRASES = st.sets(st.integers(0, 5))

GOLD_OF_THREE = st.lists(st.tuples(PHRASES, PHRASES, PHRASES, PHRASES), min_size=1, max_size=4)


def test_one_pair_and_two_annotators_by_hand() -> None:
    scores = score_phrases([{1, 2, 9}], [[{1, 2, 3}, {1, 3, 4}]]).scores
    assert scores.precision == pytest.approx(2 / 3)  # 1 and 2 are in the union
    assert scores.recall == 0.5  # of the agreed 1 and 3


@given(GOLD_OF_THREE)
def test_scores_equal_the_formulas_of_the_paper(corpus) -> None:
    predicted, gold = [pair[0] for pair in corpus], [list(pair[1:]) for pair in corpus]
    recalls, precisions = [], []
    for a, b in itertools.combinations(range(3), 2):
        agreed = sum(len(g[a] & g[b]) for g in gold)
        found = sum(len(h & g[a] & g[b]) for h, g in zip(predicted, gold, strict=True))
        recalls.append(found / agreed if agreed else 1)
        total = sum(map(len, predicted))
        right = sum(len(h & (g[a] | g[b])) for h, g in zip(predicted, gold, strict=True))
        precisions.append(right / total if total else 1)
    result = score_phrases(predicted, gold)
    assert result.scores.recall == pytest.approx(mean(recalls))
    assert result.scores.precision == pytest.approx(mean(precisions))
    assert result.statistics()["f1"].value == pytest.approx(result.scores.f1)


def test_people_are_measured_against_the_others() -> None:
    gold = [[{1, 2}, {1, 3}, {1}]]
    scores = human_agreement(gold)
    assert scores.recall == 1  # every two others agree on 1, which everybody has
    assert scores.precision == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)
    with pytest.raises(InputError, match="two annotators or more, found 1"):
        human_agreement([[{1}]])


def test_a_missing_annotator_is_an_error_that_names_the_pair() -> None:
    with pytest.raises(InputError, match="pair 2: expected 2 annotators, found 1"):
        score_phrases([set(), set()], [[{1}, {1}], [{1}]])
    with pytest.raises(InputError, match="pair 2: expected 1 annotators, found 2"):
        score_phrases([set(), set()], [[{1}], [{1}, {1}]])
    with pytest.raises(InputError, match="phrases of 2 pairs, found 1"):
        score_phrases([set()], [[{1}], [{1}]])


SETS = st.sets(st.integers(0, 5), max_size=4)

# Two to four people, the same number for each sentence pair.
CORPUS = st.integers(2, 4).flatmap(
    lambda people: st.lists(st.lists(SETS, min_size=people, max_size=people), min_size=1, max_size=4)
)


def naive_agreement(corpus: list[list[set[int]]]) -> tuple[float, float]:
    """Each person in turn is the system; every two of the others are the gold. One other is gold alone."""
    people = range(len(corpus[0]))
    of_people = []
    for person in people:
        golds = [(a, b) for a in people for b in people if a < b and person not in (a, b)]
        if not golds:
            golds = [(other, other) for other in people if other != person]
        of_golds = []
        for a, b in golds:
            acceptable = proposed = found = agreed = 0
            for sets in corpus:
                for item in sets[person]:
                    proposed += 1
                    acceptable += item in sets[a] or item in sets[b]
                for item in sets[a]:
                    agreed += item in sets[b]
                    found += item in sets[b] and item in sets[person]
            of_golds.append((acceptable / proposed if proposed else 1, found / agreed if agreed else 1))
        of_people.append([sum(column) / len(golds) for column in zip(*of_golds, strict=True)])
    precision, recall = (sum(column) / len(of_people) for column in zip(*of_people, strict=True))
    return precision, recall


@given(CORPUS)
def test_agreement_equals_a_naive_implementation(corpus) -> None:
    precision, recall = naive_agreement(corpus)
    scores = human_agreement(corpus)
    assert (scores.precision, scores.recall) == pytest.approx((precision, recall))
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0
    assert scores.f1 == pytest.approx(f1)
