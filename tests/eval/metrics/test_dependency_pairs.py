"""Aligned dependencies: a naive second implementation of the definition of Thadani et al. (2012, §6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Links
from forest_align.eval.metrics.dependencies import Arc, projected_pairs, score_projected

LINKS = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8)
# Any governor, the root too, and several governors of one word, as collapsed dependencies have them.
ARCS = st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 3)), unique=True, max_size=6)


def naive_pairs(links: set[tuple[int, int]], source: list[Arc], target: list[Arc]) -> set[tuple[Arc, Arc]]:
    """Every dependency of the one sentence with every one of the other, both ends looked up."""
    found = set()
    for governor, dependent in source:
        for other_governor, other_dependent in target:
            if governor == -1 or other_governor == -1:
                governors_match = governor == other_governor
            else:
                governors_match = (governor, other_governor) in links
            if governors_match and (dependent, other_dependent) in links:
                found.add(((governor, dependent), (other_governor, other_dependent)))
    return found


@given(LINKS, ARCS, ARCS)
def test_aligned_dependencies_equal_a_search_over_all_pairs(links, source, target) -> None:
    assert projected_pairs(links, source, target) == naive_pairs(links, source, target)


@given(st.lists(st.tuples(LINKS, LINKS, ARCS, ARCS), min_size=1, max_size=4))
def test_scores_equal_plain_means_over_pairs(corpus) -> None:
    precisions, recalls, f1s, exact = [], [], [], []
    for wanted, found, source, target in corpus:
        gold, made = (naive_pairs(links, source, target) for links in (wanted, found))
        right = len([pair for pair in made if pair in gold])
        precisions.append(right / len(made) if made else 1)
        recalls.append(right / len(gold) if gold else 1)
        both = precisions[-1] + recalls[-1]
        f1s.append(2 * precisions[-1] * recalls[-1] / both if both else 0)
        exact.append(gold == made)
    size = len(corpus)
    precision, recall = sum(precisions) / size, sum(recalls) / size
    scores = score_projected(
        [Links.of(wanted) for wanted, *_ in corpus],
        [Links.of(found) for _, found, *_ in corpus],
        [(source, target) for *_, source, target in corpus],
    )
    assert {name: statistic.value for name, statistic in scores.items()} == pytest.approx(
        {
            "precision": precision,
            "recall": recall,
            "f1": 2 * precision * recall / (precision + recall) if precision + recall else 0,
            "exact_match": sum(exact) / size,
            "pair_f1": sum(f1s) / size,
        }
    )
