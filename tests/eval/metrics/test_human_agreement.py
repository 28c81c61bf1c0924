"""How well people agree on phrases: a naive second implementation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.eval.metrics.phrase_scores import human_agreement

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


def test_agreement_is_pooled_over_sentence_pairs() -> None:
    # Of three phrases of the first person two are the second's, who has these alone.
    scores = human_agreement([[{1}, {1}], [{2, 3}, {2}]])
    assert scores.precision == pytest.approx((2 / 3 + 1) / 2)
    assert scores.recall == pytest.approx((1 + 2 / 3) / 2)
