"""Sentences are made from tokens, a forest and vectors, in that order."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_align.parsing.forests.trees import forest_from_bracket
from forest_align.types import InputError, Sentence, Token

texts = st.text(max_size=6)


@st.composite
def tokens(draw: st.DrawFn) -> Token:
    start, end = sorted(draw(st.tuples(st.integers(0, 99), st.integers(0, 99))))
    offsets = (start, end) if draw(st.booleans()) else (-1, -1)
    return Token(draw(texts), draw(texts), draw(texts), *offsets)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({}, "tokens[2].text"),
        ({"text": 3}, "tokens[2].text"),
        ({"text": "a", "tag": []}, "tokens[2].tag"),
        ({"text": "a", "start": True, "end": 1}, "tokens[2].start"),
        ({"text": "a", "start": 3, "end": 1}, "tokens[2].start"),
        ({"text": "a", "start": 0}, "tokens[2].start"),
        ("a", "tokens[2]"),
    ],
)
def test_a_wrong_token_is_refused_with_its_field(values: Any, field: str) -> None:
    with pytest.raises(InputError) as caught:
        Token.from_dict(values, "tokens[2]")
    assert caught.value.field == field


@given(st.lists(st.tuples(tokens(), st.sampled_from(["NP", "VP"])), min_size=1, max_size=5), st.booleans())
@settings(deadline=None)  # nltk is imported once
def test_a_sentence_comes_back_from_json_with_its_forest(parts: list[Any], has_forest: bool) -> None:
    leaves = " ".join(f"({label} (NN x))" for _, label in parts)
    forest = forest_from_bracket(f"(S {leaves})")[1] if has_forest else None
    sentence = Sentence(tuple(token for token, _ in parts), forest, text=" " * 99)
    again = Sentence.from_json(sentence.to_json())
    assert (again.tokens, again.text) == (sentence.tokens, sentence.text)
    assert again.to_dict() == sentence.to_dict() and (again.forest is not None) == has_forest
    assert "forest" not in sentence.to_dict(forest=False)
    assert Sentence.from_dict(sentence.to_dict(), forest=False).forest is None


def test_a_wrong_sentence_is_refused_with_file_line_and_field() -> None:
    values = Sentence(tuple(map(Token, "ab")), forest_from_bracket("(S (NN a) (NN b))")[1]).to_dict()
    values["forest"]["labels"][0] = "("
    with pytest.raises(
        InputError, match=r"x.jsonl:4: field 'forest.labels\[0\]': expected a chain of labels"
    ):
        Sentence.from_json(json.dumps(values), file="x.jsonl", line=4)


@pytest.mark.parametrize(
    ("vectors", "found"),
    [
        (np.ones(2), r"one of shape \(2,\)"),
        (np.ones((2, 3, 4)), r"one of shape \(2, 3, 4\)"),
        (np.array(3.0), r"one of shape \(\)"),
        ([[1.0, 0.0], [0.0, 1.0]], "list"),
    ],
)
def test_vectors_that_are_no_table_are_refused(vectors: Any, found: str) -> None:
    message = rf"field 'vectors': expected an array of shape \(2, dimension\), found {found}"
    with pytest.raises(InputError, match=message):
        Sentence(tuple(map(Token, "ab")), vectors=vectors)


@pytest.mark.parametrize("wrong", [3, None, float("nan"), b"died"])
def test_what_is_no_text_is_no_word_and_no_tag(wrong: Any) -> None:
    with pytest.raises(InputError, match=r"expected words, found the text 'He died\.'"):
        Sentence.from_words("He died.")
    with pytest.raises(InputError, match=f"^field 'words': expected words, found {wrong!r} among them$"):
        Sentence.from_words(["He", wrong])
    with pytest.raises(InputError, match=f"^field 'tags': expected tags, found {wrong!r} among them$"):
        Sentence.from_words(["He", "died"], ["PRP", wrong])
    with pytest.raises(InputError, match=r"^field 'tags': expected tags, found the text 'NN'$"):
        Sentence.from_words(["He", "died"], "NN")


def test_every_word_needs_a_tag_if_any_has_one() -> None:
    assert Sentence.from_words(["He", "died"], ["PRP", "VBD"]).tags == ("PRP", "VBD")
    for tags in (["PRP"], ["PRP", "VBD", "."]):
        with pytest.raises(InputError, match=f"expected 2 tags, one per word, found {len(tags)}"):
            Sentence.from_words(["He", "died"], tags)


@pytest.mark.parametrize("text", ["He  died", "He died ", "", "Died he"])
def test_without_offsets_they_are_unknown_where_the_text_is_not_the_words_joined_by_blanks(text: str) -> None:
    sentence = Sentence.from_dict({"tokens": ["He", "died"], "text": text})
    assert sentence.text == text and sentence.words == ("He", "died")
    assert {(token.start, token.end) for token in sentence.tokens} == {(-1, -1)}


@given(st.lists(texts, max_size=4), texts)
def test_offsets_come_back_whatever_the_text_is(words: list[str], before: str) -> None:
    usual = Sentence.from_words(words)
    shifted = [
        Token(one.text, start=one.start + len(before), end=one.end + len(before)) for one in usual.tokens
    ]
    sentence = Sentence(tuple(shifted), text=before + usual.text)
    assert Sentence.from_json(sentence.to_json()).tokens == sentence.tokens


def test_json_keeps_characters_but_for_halves_of_surrogate_pairs_which_no_file_can_hold() -> None:
    assert '"ä 🙂"' in Sentence.from_words(["ä", "🙂"]).to_json()
    sentence = Sentence.from_words(["ä", "\ud83d"])
    written = sentence.to_json().encode("utf-8")
    assert Sentence.from_json(written.decode("utf-8")).words == sentence.words


def test_forest_and_vectors_follow_the_tokens_and_have_as_many() -> None:
    words, forest = forest_from_bracket("(NP (DT the) (NN cat))")
    vectors = np.eye(2, dtype=np.float32)
    sentence = Sentence(tuple(map(Token, words)), forest, vectors, text="the  cat")
    assert sentence.forest is forest and sentence.vectors is vectors and sentence.text == "the  cat"
    tokens = tuple(map(Token, (*words, "sat")))
    with pytest.raises(InputError, match="the forest covers 2 tokens, the sentence has 3"):
        Sentence(tokens, forest)
    with pytest.raises(InputError, match="expected 3 word vectors, one per token, found 2"):
        Sentence(tokens, vectors=vectors)


@pytest.mark.parametrize("tokens", [("cat", "dog"), "cat", (Token("cat"), "dog")])
def test_words_in_the_place_of_tokens_are_refused(tokens: Any) -> None:
    with pytest.raises(
        InputError, match=r"'tokens': expected Tokens, found .*; Sentence.from_words takes words"
    ):
        Sentence(tokens)


def test_the_sentences_of_a_text_are_spans_of_its_tokens_and_survive_json() -> None:
    tokens = Sentence.from_words(["He", "left", ".", "She", "stayed", "."]).tokens
    text = Sentence(tokens, text="He left . She stayed .", starts=(3,))
    assert text.sentences == ((0, 3), (3, 6))
    assert text.to_dict()["sentences"] == [[0, 3], [3, 6]]
    assert Sentence.from_json(text.to_json()).starts == (3,)


@pytest.mark.parametrize("starts", [(0,), (2,), (1, 1), (-1,), (3,)])
def test_starts_outside_of_the_tokens_are_refused(starts: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="'starts': expected ascending tokens inside of 2"):
        Sentence(Sentence.from_words(["a", "b"]).tokens, starts=starts)


@pytest.mark.parametrize("spans", [[[0, 1]], [[0, 1], [2, 3]], [[0, 0], [0, 3]], [[1, 3]], [[0, 2], [1, 3]]])
def test_spans_of_sentences_that_leave_gaps_are_refused(spans: list[list[int]]) -> None:
    with pytest.raises(InputError, match="'sentences': expected spans that follow each other"):
        Sentence.from_dict({"tokens": ["a", "b", "c"], "sentences": spans})


def test_places_of_tokens_are_kept_if_they_are_in_the_text_and_made_otherwise() -> None:
    placed = Sentence.from_words(["a", "cat"])
    assert placed.with_offsets() is placed
    for tokens, text in (
        ((Token("a"), Token("cat")), "a   cat"),
        ((Token("a", start=2, end=3), Token("cat", start=0, end=3)), "cat a"),
        ((Token("a", start=0, end=1), Token("cat", start=2, end=9)), "a cat"),
        ((Token("a", start=0, end=1), Token("cat", start=2, end=5)), ""),
    ):
        found = Sentence(tokens, text=text).with_offsets()
        assert found.text == "a cat"
        assert [(token.start, token.end) for token in found.tokens] == [(0, 1), (2, 5)]
