from __future__ import annotations

import numpy as np
import pytest

from forest_align.em.documents.constructed_documents import (
    ORDERS,
    Words,
    construct,
    constructed_corpus,
    distinct_pairs,
)


def pair(number: int) -> tuple[Words, Words]:
    return (f"left{number}", f"l{number}", "."), (f"right{number}", f"r{number}", ".")


PAIRS = [pair(k) for k in range(60)]
OTHERS = [("other", "."), ("another", ".")]


def numbers(words: Words) -> set[int]:
    """The pairs that a sentence is made of."""
    return {int(word.lstrip("lefright")) for word in words if word[:4] == "left" or word[:5] == "right"}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(5))
def test_gold_joins_sentences_made_of_one_pair(order: str, seed: int) -> None:
    found = construct(PAIRS, OTHERS, order, np.random.default_rng(seed))
    expected = {
        (i, j)
        for i, one in enumerate(found.source)
        for j, other in enumerate(found.target)
        if numbers(one) & numbers(other)
    }
    assert found.gold == expected
    assert len(expected) > 40
    # Some are left out, joined and inserted.
    assert len({i for i, _ in expected}) < len(found.source)
    assert any(len(numbers(words)) == 2 for words in (*found.source, *found.target))
    both = [*found.source, *found.target]
    assert max(map(both.count, OTHERS)) == 1


def test_orders_are_what_they_say() -> None:
    made = {order: construct(PAIRS, OTHERS, order, np.random.default_rng(1)) for order in ORDERS}
    first = [min(numbers(words)) for words in made["in order"].target if numbers(words)]
    assert first == sorted(first)
    for order in ("paragraphs", "shuffled"):
        assert sorted(made[order].target) == sorted(made["in order"].target)
    at = {words: k for k, words in enumerate(made["in order"].target)}
    steps = [
        at[two] - at[one]
        for one, two in zip(made["paragraphs"].target, made["paragraphs"].target[1:], strict=False)
        if one not in OTHERS and two not in OTHERS
    ]
    assert 0.6 < steps.count(1) / len(steps) < 1
    assert made["shuffled"].target != made["in order"].target


def test_a_corpus_has_all_orders_and_inserts_only_what_it_does_not_align() -> None:
    found = constructed_corpus(PAIRS, 20, others=[("extra",)])
    assert [one.order for one in found] == [*ORDERS] * 3
    inside = {k for one in found for words in one.source for k in numbers(words)}
    assert (
        max(one.source.count(words) + one.target.count(words) for one in found for words in one.source) == 1
    )
    aligned = {k for one in found for i, _ in one.gold for k in numbers(one.source[i])}
    assert aligned <= set(range(48))
    assert inside - set(range(48))


def test_repetitions_are_left_out() -> None:
    first = (("dogs", "bark", "at", "night"), ("dogs", "bark", "nightly"))
    again = (("loud", "dogs", "bark", "night"), ("barking",))
    other = (("cats", "sleep"), ("cats", "doze"))
    assert distinct_pairs([first, again, other, other]) == [first, other]
