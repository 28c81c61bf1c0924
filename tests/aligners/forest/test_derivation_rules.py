"""The rules of derivations, against a plain reading of their definition."""

from __future__ import annotations

import numpy as np
import pytest

from forest_align.aligners.forest.derivation_rules import MOST_WORDS, derivation_rules

Span = tuple[int, int]

#: *he is composed of ten teams* ↔ *he has ten teams*
WHOLE, HE, VERB_PHRASE, TEAMS = (0, 6, 0, 4), (0, 1, 0, 1), (1, 6, 1, 4), (4, 6, 2, 4)


def rules(*pairs: tuple[int, int, int, int]) -> dict[tuple[int, ...], tuple[int, list[int]]]:
    found = derivation_rules(np.array(pairs, np.int64).reshape(-1, 4))
    spans = list(map(tuple, found.spans.tolist()))
    assert len(set(spans)) == len(spans)
    return dict(zip(spans, zip(found.whole.tolist(), found.removed.tolist(), strict=True), strict=True))


def test_a_pair_less_a_pair_at_its_edges_is_a_rule() -> None:
    found = rules(WHOLE, HE, VERB_PHRASE, TEAMS)
    assert found[1, 4, 1, 2] == (2, [3, -1])
    assert found[0, 4, 0, 2] == (0, [3, -1])
    # What is a pair of the derivation is no rule.
    assert VERB_PHRASE not in found


def test_a_pair_less_two_pairs_at_its_edges_is_a_rule_even_where_their_order_differs() -> None:
    found = rules((0, 6, 0, 6), (4, 6, 0, 2), (0, 2, 4, 6))
    assert found == {(2, 4, 2, 4): (0, [2, 1]), (0, 4, 2, 6): (0, [1, -1]), (2, 6, 0, 4): (0, [2, -1])}


def test_no_pairs_have_no_rules() -> None:
    assert rules() == {}


def nested_pairs(seed: int) -> list[tuple[int, int, int, int]]:
    """Pairs of the nodes of two random binary trees, some of whose children are swapped."""
    random = np.random.default_rng(seed)
    pairs: list[tuple[int, int, int, int]] = []

    def divide(source: Span, target: Span) -> None:
        pairs.append((*source, *target))
        if min(source[1] - source[0], target[1] - target[0]) < 2:
            return
        cuts = [int(random.integers(one[0] + 1, one[1])) for one in (source, target)]
        ours = [(source[0], cuts[0]), (cuts[0], source[1])]
        theirs = [(target[0], cuts[1]), (cuts[1], target[1])]
        for one, two in zip(ours, theirs[:: random.choice([1, -1])], strict=True):
            if random.random() < 0.8:
                divide(one, two)

    divide((0, int(random.integers(3, 12))), (0, int(random.integers(3, 12))))
    return [pair for k, pair in enumerate(pairs) if k == 0 or random.random() < 0.8]


def lies_in(inner: tuple[int, ...], outer: tuple[int, ...]) -> bool:
    return all(outer[k] <= inner[k] and inner[k + 1] <= outer[k + 1] for k in (0, 2))


def remainder(whole: tuple[int, ...], removed: list[tuple[int, ...]]) -> tuple[int, ...] | None:
    """The words of a pair less those of others, if they are a span on both sides."""
    ends: list[int] = []
    for k in (0, 2):
        if not all(one[k] == whole[k] or one[k + 1] == whole[k + 1] for one in removed):
            return None
        words = set(range(*whole[k : k + 2])).difference(*(range(*one[k : k + 2]) for one in removed))
        if not words or max(words) - min(words) + 1 != len(words):
            return None
        ends += [min(words), max(words) + 1]
    return tuple(ends)


@pytest.mark.parametrize("seed", range(15))
def test_rules_are_those_of_the_definition(seed: int) -> None:
    pairs = nested_pairs(seed)
    expected: set[tuple[int, ...]] = set()
    for whole in pairs:
        inside = [one for one in pairs if one != whole and lies_in(one, whole)]
        smaller = [one for one in inside if one[:2] != whole[:2] and one[2:] != whole[2:]]
        ways = [[one] for one in smaller]
        ways += [
            [one, two]
            for one in smaller
            for two in smaller
            if one[1] < two[0] and (one[3] < two[2] or two[3] < one[2])
        ]
        expected |= {found for way in ways if (found := remainder(whole, way)) is not None}
    several = {one for one in expected if 1 < max(one[1] - one[0], one[3] - one[2]) <= MOST_WORDS}
    assert rules(*pairs).keys() == several - set(pairs)
