"""Which pairs views show, and in which order."""

from __future__ import annotations

from forest_align.alignment import Alignment, PhrasePair
from forest_align.alignment._shown_pairs import numbers_of, shown_pairs
from forest_align.types import Node, Sentence

Spans = tuple[tuple[int, int], tuple[int, int]]

WORDS = Sentence.from_words(list("abcd"))


def pair(spans: Spans, constituents: bool = True) -> PhrasePair:
    return PhrasePair(Node(*spans[0], "X", constituents), Node(*spans[1], "X", constituents), 1.0)


def shown(*pairs: PhrasePair) -> list[Spans]:
    alignment = Alignment(WORDS, WORDS, phrases=pairs, root_aligned=True)
    return [(one.source_node.span, one.target_node.span) for one in shown_pairs(alignment)]


def test_pairs_come_in_the_order_of_source_then_target_the_longest_first() -> None:
    ordered: list[Spans] = [
        ((0, 4), (0, 4)),
        ((0, 2), (0, 3)),
        ((0, 2), (0, 2)),
        ((0, 2), (2, 4)),
        ((0, 1), (0, 1)),
        ((1, 3), (0, 1)),
    ]
    assert shown(*map(pair, reversed(ordered))) == ordered


def test_a_part_is_shown_only_where_no_other_pair_lies_inside() -> None:
    part = pair(((1, 3), (1, 3)), False)
    assert shown(part, pair(((0, 4), (0, 4)))) == [((0, 4), (0, 4)), ((1, 3), (1, 3))]
    # Words at either end of it, the words in the middle, the same words with others: all lie inside.
    for inside in ((1, 2), (2, 3), (1, 3)):
        assert ((1, 3), (1, 3)) not in shown(part, pair((inside, (0, 1))))
    for beside in ((0, 2), (2, 4), (0, 1), (3, 4)):
        assert ((1, 3), (1, 3)) in shown(part, pair((beside, (0, 1))))


def test_pairs_with_more_than_a_word_on_either_side_are_numbered() -> None:
    pairs = [
        pair(spans) for spans in (((0, 1), (0, 1)), ((0, 1), (1, 3)), ((1, 2), (3, 4)), ((1, 4), (0, 1)))
    ]
    assert numbers_of(pairs) == {1: 0, 3: 1}
