from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from forest_align.aligners.documents import document_sentences as module
from forest_align.aligners.documents.document_sentences import (
    SentenceEncoder,
    document_sentences,
    joined_sentences,
)
from forest_align.types import InputError, Sentence, Token

from .toy_documents import document, sentence


def test_spans_lead_to_the_sentences_of_a_text() -> None:
    text = "Title\n\nMr. Smith came\nhome.  It rained!\n \t\n\n  The end. "
    read = document_sentences(text)
    texts = [sentence.text for sentence in read.sentences]
    assert texts == ["Title", "Mr. Smith came\nhome.", "It rained!", "The end."]
    assert [text[start:end] for start, end in read.spans] == texts
    for one in read.sentences:
        assert [one.text[token.start : token.end] for token in one.tokens] == list(one.words)


def test_a_blank_document_has_no_sentences() -> None:
    for text in ("", " \n\n \n"):
        read = document_sentences(text)
        assert (read.sentences, read.spans) == ((), ())


def test_given_sentences_keep_their_places() -> None:
    given = Sentence.from_words(["It", "rained", "."])
    found = document_sentences(["One. Two.", "", given])
    assert [len(one) for one in found.sentences] == [4, 0, 3]
    assert found.sentences[2] is given
    assert found.spans == ()


def test_tokens_without_offsets_get_a_text() -> None:
    (found,) = document_sentences([Sentence((Token("It"), Token("rained", tag="VBD")))]).sentences
    assert found.text == "It rained"
    assert [(token.start, token.end) for token in found.tokens] == [(0, 2), (3, 9)]
    assert found.tags == ("", "VBD")


@pytest.mark.parametrize("wrong", [3, [3], None, {"a"}])
def test_what_is_no_document_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="expected a text"):
        document_sentences(wrong)


def test_a_document_has_a_largest_number_of_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SENTENCES", 2)
    assert len(document_sentences(["a", "b"]).sentences) == 2
    with pytest.raises(InputError, match="at most 2 sentences, found 3"):
        document_sentences(["a", "b", "c"])


def test_joined_sentences_are_one_text() -> None:
    parts = document("a b", "c", "d e")
    found = joined_sentences(parts)
    assert found.text == "a b c d e"
    assert [found.text[token.start : token.end] for token in found.tokens] == list(found.words)
    assert found.starts == (2, 3)
    two = replace(parts[2], starts=(1,))
    assert joined_sentences([parts[1], two]).starts == (1, 2)
    assert found.vectors is not None
    assert np.array_equal(found.vectors[3:], parts[2].vectors)
    assert joined_sentences(parts[:1]) is parts[0]
    assert joined_sentences([sentence("a"), Sentence.from_words(["b"])]).vectors is None


def test_an_encoder_annotates_only_what_lacks_vectors() -> None:
    given, blank = sentence("a b"), Sentence((), text=" ")
    plain = document_sentences("Dogs  barked.").sentences[0]
    broken = Sentence.from_words(["word", "."] * 600)  # more words than a text of several sentences may have
    found = list(SentenceEncoder()([given, blank, plain, broken]))
    assert found[0] is given and found[1] is blank and found[3] is broken
    tokens = [(token.text, token.lemma, token.start) for token in found[2].tokens]
    assert tokens == [("Dogs", "dog", 0), ("barked", "bark", 6), (".", ".", 12)]
    assert found[2].text == "Dogs  barked."
    assert found[2].vectors is not None and len(found[2].vectors) == 3
