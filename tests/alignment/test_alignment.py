"""What users do with an alignment: swap it, keep its probable parts, show it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given

from forest_align.alignment import Alignment, Links, PhrasePair
from forest_align.types import InputError, Node, Sentence

from .random_alignments import alignments, contents


def in_order(alignment: Alignment) -> Alignment:
    """The same with phrases sorted."""
    others = tuple(map(in_order, alignment.alternatives))
    return replace(alignment, phrases=tuple(sorted(alignment.phrases, key=repr)), alternatives=others)


@given(alignments())
def test_swapping_twice_changes_nothing_but_the_order_of_phrases(alignment: Alignment) -> None:
    once, twice = alignment.swap(), alignment.swap().swap()
    assert contents(in_order(twice)) == contents(in_order(alignment))
    assert {(j, i) for i, j in once.words} == set(alignment.words)
    spans = [pair.source_node.span for pair in once.phrases]
    order = [end - start if alignment.has_derivation else end for start, end in spans]
    assert order == sorted(order)


def test_an_alignment_is_shown_in_one_line_and_printed_for_people() -> None:
    sentence = Sentence.from_words(["They", "won"])
    alignment = Alignment(sentence, sentence, Links.of([(0, 0)]), id="p1")
    assert repr(alignment) == "<Alignment of 'They won' and 'They won': 1 links, 0 phrases>"
    assert repr(Alignment.failed("no")) == "<Alignment of '' and '': error 'no'>"
    title, *_, last = alignment.to_text(everything=True).splitlines()
    assert str(alignment) == alignment.to_text().rstrip("\n")
    assert (title, last.split()) == ("pair p1", ["words", "They–They"])


def test_seen_from_the_other_side_evidence_stays_with_its_link_and_phrases_come_bottom_up() -> None:
    words = Sentence.from_words(["a", "b"])
    spans = (((0, 2), (1, 2)), ((1, 2), (0, 2)), ((0, 1), (0, 1)))
    alignment = Alignment(
        words,
        words,
        Links.of([(0, 1), (1, 0)], scores=[0.25, 0.5]),
        tuple(PhrasePair(Node(*one, "X"), Node(*two, "X"), 1.0) for one, two in spans),
        word_evidence=(("first",), ("second",)),
    )
    swapped = alignment.swap()
    assert (swapped.words.pairs, swapped.words.scores) == (((0, 1), (1, 0)), (0.5, 0.25))
    assert swapped.word_evidence == (("second",), ("first",))
    # A phrase comes after those that end before it, and after those inside of it.
    assert [pair.source_node.span for pair in swapped.phrases] == [(0, 1), (1, 2), (0, 2)]


def test_what_is_less_probable_goes_and_words_without_a_link_are_unaligned_then() -> None:
    words = Sentence.from_words(list("abcd"))
    spans = {((0, 1), (0, 1)): 0.5, ((1, 3), (1, 2)): 0.2, ((0, 4), (0, 4)): 0.4}
    links = [(0, 0), (1, 1), (2, 1), (2, 3)]
    alignment = Alignment(
        words,
        words,
        Links.of(links, scores=[0.5, 0.49, 0.9, 0.1], sure=[True, True, False, True]),
        tuple(PhrasePair(Node(*one, "X"), Node(*two, "X"), p) for (one, two), p in spans.items()),
        unaligned_source=((3, 4),),
        unaligned_target=((2, 3),),
        root_aligned=True,
        word_evidence=(("first",), ("second",), ("third",), ()),
    )
    found = alignment.above(0.5)
    assert found.words == Links.of([(0, 0), (2, 1)], scores=[0.5, 0.9], sure=[True, False])
    assert found.word_evidence == (("first",), ("third",))
    assert found.phrases == alignment.phrases[:1] and not found.root_aligned
    assert (found.unaligned_source, found.unaligned_target) == (((1, 2), (3, 4)), ((2, 4),))
    assert alignment.above(0.4).root_aligned
    without = replace(alignment, words=Links.of([(0, 0)]), word_evidence=())
    assert without.above(1).words == without.words
    for probability in (-0.1, 1.1, math.nan):
        with pytest.raises(InputError, match="'probability'"):
            alignment.above(probability)


def test_improbable_outermost_pairs_go_and_what_they_contain_stays() -> None:
    words = Sentence.from_words(["a", "b", "c", "d", "e"])
    spans = {(0, 5): 0.1, (0, 4): 0.3, (0, 2): 0.8, (0, 1): 0.2, (2, 4): 0.6}
    phrases = tuple(PhrasePair(Node(*span, "X"), Node(*span, "X"), p) for span, p in spans.items())
    alignment = Alignment(words, words, phrases=phrases, root_aligned=True)
    found = alignment.in_parts()
    assert [pair.source_node.span for pair in found.phrases] == [(0, 2), (0, 1), (2, 4)]
    assert not found.root_aligned and alignment.in_parts(0.05) == alignment
    assert alignment.in_parts(0.2).phrases == phrases[1:]
    assert alignment.in_parts(1.0).phrases == () and alignment.in_parts(0.7).phrases == phrases[2:4]
    with pytest.raises(InputError, match="'probability'"):
        alignment.in_parts(2)


def test_phrases_are_rows_of_a_table() -> None:
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    source, target = Sentence.from_words(["They", "won"]), Sentence.from_words(["They", "prevailed"])
    phrases = (
        PhrasePair(Node(0, 1, "NP"), Node(0, 1, "NP"), 0.9),
        PhrasePair(Node(1, 2, "VP"), Node(1, 2, "VP"), 0.8),
        PhrasePair(Node(0, 2, "S"), Node(0, 2, "S"), 0.7),
    )
    frame = Alignment(source, target, Links.of([(0, 0), (1, 1)]), phrases).phrases_to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame[frame.differs].source) == ["won"] and list(frame.probability) == [0.7, 0.9, 0.8]
    assert list(frame.target) == ["They prevailed", "They", "prevailed"]
    assert list(frame.source_spans) == [((0, 2),), ((0, 1),), ((1, 2),)]
