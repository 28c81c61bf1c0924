from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from forest_align.aligners.documents.sentence_links import (
    CONTEXT_FEATURES,
    CONTEXT_WEIGHTS,
    LEAST_GAIN,
    OWN_FEATURES,
    OWN_WEIGHTS,
    PLACE_FEATURES,
    PLACE_WEIGHTS,
    best_links,
    context_features,
    link_probabilities,
    own_features,
    place_features,
    sentence_groups,
)
from forest_align.aligners.documents.sentence_matches import Pair, SentenceMatches
from forest_align.aligners.logistic_function import regression

from .toy_documents import document

TEXTS = [
    "the red dog barked loudly",
    "farmers sold wheat cheaply yesterday",
    "a minister resigned in Oslo",
    "nobody understood this theorem fully",
    "ships left the old harbour",
]


def links(source: list[str], target: list[str]) -> list[tuple[int, int]]:
    matches = SentenceMatches(document(*source), document(*target))
    return best_links(matches, link_probabilities(matches))


def test_there_is_a_weight_for_each_feature() -> None:
    assert len(OWN_WEIGHTS) == len(OWN_FEATURES) + 1
    assert len(CONTEXT_WEIGHTS) == len(OWN_FEATURES) + len(CONTEXT_FEATURES) + 1
    assert len(PLACE_WEIGHTS) == len(CONTEXT_WEIGHTS) + len(PLACE_FEATURES)


def test_equal_sentences_are_linked_in_any_order() -> None:
    target = [TEXTS[number] for number in (3, 0, 4, 1, 2)]
    assert links(TEXTS, target) == [(0, 1), (1, 3), (2, 4), (3, 0), (4, 2)]


def test_sentences_of_one_side_only_stay_alone() -> None:
    assert links([TEXTS[0], TEXTS[1], TEXTS[2]], [TEXTS[4], TEXTS[1], TEXTS[3]]) == [(1, 1)]


def test_a_sentence_is_linked_to_both_of_its_halves() -> None:
    whole = [f"{TEXTS[0]} {TEXTS[1]}", TEXTS[2]]
    assert links(whole, [TEXTS[0], TEXTS[2], TEXTS[1]]) == [(0, 0), (0, 2), (1, 1)]


def test_copies_are_linked_one_by_one_in_their_order() -> None:
    assert links([TEXTS[0]] * 3, [TEXTS[0]] * 3) == [(0, 0), (1, 1), (2, 2)]
    # What stands around a copy tells which one it is.
    source, target = [TEXTS[0], TEXTS[1], TEXTS[0]], [TEXTS[1], TEXTS[0]]
    assert links(source, target) == [(1, 0), (2, 1)]


def test_probabilities_do_not_depend_on_the_direction() -> None:
    source, target = document(*TEXTS[:4]), document(TEXTS[2], TEXTS[1] + " again", "a dog barked")
    one = link_probabilities(SentenceMatches(source, target))
    other = link_probabilities(SentenceMatches(target, source))
    assert {(j, i) for i, j in one} == set(other)
    for (i, j), probability in one.items():
        assert other[j, i] == pytest.approx(probability, abs=1e-4)


def test_no_candidates_no_links() -> None:
    matches = SentenceMatches(document(""), document("a"))
    assert link_probabilities(matches) == {}
    assert best_links(matches, {}) == []
    assert own_features(matches).shape == (0, 5)
    assert context_features(matches, np.zeros(0)).shape == (0, 4)


def test_the_context_of_a_pair_is_what_its_neighbours_are() -> None:
    matches = SentenceMatches(document(*TEXTS[:3]), document(*TEXTS[:3]))
    pairs = list(matches.coverage)
    probabilities = np.array([0.9 - 0.1 * i if i == j else 0.01 for i, j in pairs])
    rows = dict(zip(pairs, context_features(matches, probabilities).tolist(), strict=True))
    assert rows[1, 1][:2] == pytest.approx([0.9, 0.7])
    assert rows[0, 0][:2] == pytest.approx([0, 0.8])
    assert rows[1, 2][:2] == pytest.approx([0.9, 0])
    assert rows[1, 2][3] == pytest.approx(0.8)  # a neighbour, which may be the rest of the same sentence


def test_a_sentence_that_covers_the_same_words_is_a_rival_and_another_half_is_none() -> None:
    matches = SentenceMatches(
        document(f"{TEXTS[0]} {TEXTS[1]}"), document(TEXTS[0], TEXTS[1], TEXTS[0] + " now")
    )
    pairs = list(matches.coverage)
    rows = dict(zip(pairs, context_features(matches, np.full(len(pairs), 0.8)).tolist(), strict=True))
    assert rows[0, 0][2] == pytest.approx(0.8, abs=0.02)
    assert rows[0, 1][2] == 0


def random_matches(
    seed: int, sizes: tuple[int, int], words: int, length: int
) -> tuple[SentenceMatches, dict[Pair, float]]:
    """Two documents of so many sentences of few different words, and probabilities of their links."""
    random = np.random.default_rng(seed)
    texts = [" ".join(random.choice([f"w{k}" for k in range(words)], length)) for _ in range(sum(sizes))]
    matches = SentenceMatches(document(*texts[: sizes[0]]), document(*texts[sizes[0] :]))
    probabilities = random.uniform(0, 1, len(matches.coverage)).tolist()
    return matches, dict(zip(matches.coverage, probabilities, strict=True))


def are_rivals(matches: SentenceMatches, first: Pair, second: Pair) -> bool:
    """Whether two links cover the same part of a sentence that they share."""
    share_one = (first[0] == second[0]) != (first[1] == second[1])
    return share_one and matches.gain(first, second) < LEAST_GAIN


@pytest.mark.parametrize("seed", range(20))
def test_the_links_are_the_best_set_without_conflicts(seed: int) -> None:
    matches, probabilities = random_matches(seed, (4, 3), 12, 4)
    possible = [pair for pair, p in probabilities.items() if p >= 0.5]

    def total(pairs: tuple[Pair, ...]) -> float:
        return sum(float(np.log(probabilities[pair] / (1 - probabilities[pair]))) for pair in pairs)

    sets = [
        chosen
        for size in range(len(possible) + 1)
        for chosen in combinations(possible, size)
        if not any(are_rivals(matches, *pair) for pair in combinations(chosen, 2))
    ]
    chosen = tuple(best_links(matches, probabilities))
    assert chosen in sets
    assert total(chosen) == pytest.approx(max(map(total, sets)), abs=0.05)


def test_a_higher_threshold_leaves_links_out() -> None:
    matches = SentenceMatches(document(*TEXTS), document(*TEXTS))
    probabilities = {pair: 0.9 if pair == (0, 0) else 0.6 for pair in ((0, 0), (1, 1), (2, 3))}
    assert best_links(matches, probabilities) == [(0, 0), (1, 1), (2, 3)]
    assert best_links(matches, probabilities, 0.7) == [(0, 0)]


@pytest.mark.parametrize("seed", range(20))
def test_a_lower_threshold_keeps_all_links_of_a_higher_one(seed: int) -> None:
    matches, probabilities = random_matches(seed, (5, 5), 12, 4)
    kept: set[Pair] = set()
    for threshold in np.linspace(0.95, 0.05, 19).tolist():
        chosen = set(best_links(matches, probabilities, threshold))
        assert chosen >= kept
        assert all(probabilities[pair] >= threshold for pair in chosen)
        kept = chosen
    for pair in {pair for pair, p in probabilities.items() if 0.05 <= p < 0.5} - kept:
        assert any(are_rivals(matches, pair, other) for other in kept)


def test_copies_follow_the_sections_around_them() -> None:
    copy = "dinner is served at noon"
    source = [TEXTS[0], copy, TEXTS[1], copy, TEXTS[2], copy]
    target = [TEXTS[2], copy, TEXTS[0], copy, TEXTS[1], copy]
    assert links(source, target) == [(0, 2), (1, 3), (2, 4), (3, 5), (4, 0), (5, 1)]


def test_the_number_of_a_heading_is_the_same_in_any_notation() -> None:
    headings = ["book 2", "chapter 2 the harbour"], ["Part II", "chapter II the harbour"]
    matches = SentenceMatches(*(document(*side) for side in headings))
    assert matches.overlap[0, 0] > 0.3
    assert links(*headings)[-1] == (1, 1) and (1, 0) not in links(*headings)
    ended = SentenceMatches(document("book 2 ."), document("Part II ."))
    assert ended.overlap[0, 0] < 0.1


def test_groups_are_what_links_join() -> None:
    groups = sentence_groups([(0, 0), (0, 2), (1, 1), (2, 3), (3, 3), (4, 5), (5, 5), (5, 6)])
    assert groups == [((0,), (0, 2)), ((1,), (1,)), ((2, 3), (3,)), ((4, 5), (5, 6))]
    assert sentence_groups([(0, 1), (1, 0), (0, 0)]) == [((0, 1), (0, 1))]
    assert sentence_groups([]) == []


def test_a_regression_is_logistic() -> None:
    assert regression(np.array([[0.0], [2.0]]), (1.0, -1.0)).tolist() == pytest.approx(
        [1 / (1 + np.e), 1 / (1 + np.exp(-1))]
    )


@pytest.mark.parametrize("seed", range(10))
def test_places_are_those_of_an_enumeration(seed: int) -> None:
    size, other_size = np.random.default_rng(seed).integers(1, 7, 2).tolist()
    matches, known = random_matches(seed, (size, other_size), 6, 3)
    probabilities = np.array(list(known.values()))
    corners = {(-1, -1): 1.0, (size, other_size): 1.0}
    for (i, j), row in zip(known, place_features(matches, probabilities).tolist(), strict=True):
        closest = [0.0, 0.0]
        for (a, b), probability in {**known, **corners}.items():
            steps, other_steps = i - a, j - b
            for side, sign in enumerate((1, -1)):
                down, right = sign * steps, sign * other_steps
                if min(down, right) >= 0 and max(down, right) > 0:
                    passed = max(down, right) - (min(down, right) > 0)
                    closest[side] = max(closest[side], probability * 0.7**passed)
        others = [
            max((p for pair, p in known.items() if pair != (i, j) and pair[side] == (i, j)[side]), default=0)
            for side in (0, 1)
        ]
        expected = [*closest, closest[0] * closest[1], max(others), min(others)]
        assert row == pytest.approx(expected, abs=1e-9)


def test_no_candidates_have_no_places() -> None:
    matches = SentenceMatches(document(""), document("a"))
    assert place_features(matches, np.zeros(0)).shape == (0, len(PLACE_FEATURES))
