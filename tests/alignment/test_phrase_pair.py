"""Two phrases that correspond: their JSON, and which of them views show in which order."""

from __future__ import annotations

from hypothesis import given

from forest_align.alignment import RELATION_NAMES, Alignment, Links, PhrasePair, PhraseRelation
from forest_align.alignment._shown_pairs import core_places, ordered_pairs
from forest_align.types import Node, Sentence

from .random_alignments import phrase_pairs


@given(phrase_pairs(9, 9))
def test_a_pair_comes_back_from_json(pair: PhrasePair) -> None:
    swapped = pair.swap()
    assert PhrasePair.from_dict(pair.to_dict(), "", 9, 9) == pair
    assert PhrasePair.from_dict(swapped.to_dict(), "", 9, 9) == swapped
    assert (swapped.source_node, swapped.target_node) == (pair.target_node, pair.source_node)
    values = pair.probability, pair.compositional, swapped.relation, pair.similarity
    assert swapped == PhrasePair(pair.target_node, pair.source_node, *values)
    assert swapped.swap() == pair


def test_what_one_side_says_more_the_other_says_less() -> None:
    swapped = [PhraseRelation(name, 0.5, ("number",)).swap() for name in RELATION_NAMES]
    names = ("equivalent", "more general", "more specific", "similar", "related", "opposite", "different")
    assert tuple(relation.name for relation in swapped) == names
    assert {(relation.probability, relation.changes) for relation in swapped} == {(0.5, ("number",))}


Spans = tuple[tuple[int, int], tuple[int, int]]

WORDS = Sentence.from_words(list("abcd"))


def pair(spans: Spans) -> PhrasePair:
    return PhrasePair(Node(*spans[0], "X"), Node(*spans[1], "X"), 1.0)


def spans_of(pairs: list[PhrasePair]) -> list[Spans]:
    return [(one.source_node.span, one.target_node.span) for one in pairs]


def test_pairs_come_in_the_order_of_source_then_target_the_longest_first() -> None:
    ordered: list[Spans] = [
        ((0, 4), (0, 4)),
        ((0, 2), (0, 3)),
        ((0, 2), (0, 2)),
        ((0, 2), (2, 4)),
        ((0, 1), (0, 1)),
        ((1, 3), (0, 1)),
    ]
    alignment = Alignment(WORDS, WORDS, phrases=tuple(map(pair, reversed(ordered))))
    assert spans_of(ordered_pairs(alignment)) == ordered


def aligned(source: str, target: str, links: list[tuple[int, int]], *spans: Spans) -> Alignment:
    both = (Sentence.from_words(side.split()) for side in (source, target))
    return Alignment(*both, Links.of(links), tuple(map(pair, spans)))


def core(source: str, target: str, links: list[tuple[int, int]], *spans: Spans) -> list[Spans]:
    alignment = aligned(source, target, links, *spans)
    pairs = ordered_pairs(alignment)
    return spans_of([pairs[place] for place in core_places(alignment, pairs)])


WHOLE: Spans = ((0, 3), (0, 3))


def test_the_smallest_pair_of_different_words_is_core_and_no_pair_of_the_same_words() -> None:
    smaller: Spans = ((2, 3), (2, 3))
    same: Spans = ((0, 2), (0, 2))
    links = [(0, 0), (1, 1), (2, 2)]
    assert core("The cat sat", "the cat slept", links, WHOLE, same, smaller) == [smaller]
    assert core("The cat sat", "the cat sat", links, WHOLE, same, smaller) == []
    assert core("The cat sat", "the cat slept", links, WHOLE, same) == [WHOLE]


def test_words_that_are_left_over_make_no_difference_but_their_order_does() -> None:
    assert core("big cats sit", "cats sit now", [(1, 0), (2, 1)], WHOLE) == []
    assert core("now cats sit", "cats sit now", [(0, 2), (1, 0), (2, 1)], WHOLE) == [WHOLE]


def test_a_larger_pair_is_core_where_a_link_of_its_own_differs() -> None:
    smaller: Spans = ((2, 3), (2, 3))
    links = [(0, 0), (1, 1), (2, 2)]
    assert core("two cats sat", "some cats slept", links, WHOLE, smaller) == [WHOLE, smaller]
    # Words of a smaller pair that are linked to others too belong to that pair.
    assert core("the cats sat", "the sat slept", [(0, 0), (2, 1), (2, 2)], WHOLE, smaller) == [smaller]
