"""The forms in which callers may pass pairs, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from forest_align.aligners.pair import Pair, pair_of
from forest_align.alignment import Links
from forest_align.types import InputError, Sentence

ONE, TWO = Sentence.from_words(["a", "b"]), Sentence.from_words(["c", "d"])


@pytest.mark.parametrize("wrong", ["c", [(0, 1)], 1, ((0, 1), (1, 2), 0.9)])
def test_what_are_no_links_are_refused_as_such(wrong: Any) -> None:
    with pytest.raises(InputError, match="expected Links or a sequence of Candidate, found"):
        pair_of((ONE, TWO, wrong))


@pytest.mark.parametrize("wrong", ["ab", ("a",), ("a", "b", Links(), "d"), None, ONE])
def test_what_is_no_pair_is_refused_as_such(wrong: Any) -> None:
    with pytest.raises(InputError, match="expected a pair of sentences"):
        pair_of(wrong)


def test_two_or_three_parts_make_a_pair() -> None:
    links = Links.of([(0, 1)])
    assert pair_of((ONE, "c d")) == Pair(ONE, "c d") == pair_of((ONE, "c d", None))
    assert pair_of((ONE, TWO, links)) == Pair(ONE, TWO, links)


def test_a_document_of_spacy_is_a_sentence_with_its_tokens_tags_and_sentences() -> None:
    spacy = pytest.importorskip("spacy", reason="needs the extra [spacy]")
    document = spacy.blank("en")("He died.  She \n lived.")
    for token, tag in zip(document, ("PRP", "VBD", ".", "_SP", "PRP", "_SP", "VBD", "."), strict=True):
        token.tag_, token.is_sent_start = tag, token.i in (0, 3)  # as some models do, at the blank
    pair = Pair(document, "x")
    assert isinstance(pair.source, Sentence)
    assert pair.source.words == ("He", "died", ".", "She", "lived", ".")
    assert pair.source.tags == ("PRP", "VBD", ".", "PRP", "VBD", ".")
    assert (pair.source.text, pair.source.starts) == (document.text, (3,))
    for token in pair.source.tokens:
        assert document.text[token.start : token.end] == token.text
    again = pair_of((pair.source, document)).target
    assert isinstance(again, Sentence) and again.to_dict() == pair.source.to_dict()
