"""Sentences are made from tokens, a forest and vectors, in that order."""

from __future__ import annotations

import numpy as np
import pytest

from forest_align.parsing.trees import forest_from_bracket
from forest_align.types import InputError, Sentence, Token


def test_a_sentence_is_made_from_tokens_forest_and_vectors_in_this_order() -> None:
    words, forest = forest_from_bracket("(NP (DT the) (NN cat))")
    vectors = np.eye(2, dtype=np.float32)
    sentence = Sentence(tuple(map(Token, words)), forest, vectors, text="the  cat")
    assert sentence.forest is forest
    assert sentence.vectors is vectors
    assert sentence.text == "the  cat"


def test_the_raw_text_is_given_by_keyword_only() -> None:
    with pytest.raises(TypeError):
        Sentence((Token("cat"),), None, None, "cat")  # type: ignore[misc]


def test_a_text_is_not_taken_for_its_characters() -> None:
    with pytest.raises(InputError, match=r"expected words, found the text 'He died\.'"):
        Sentence.from_words("He died.")


def test_every_word_needs_a_tag_if_any_has_one() -> None:
    assert Sentence.from_words(["He", "died"], ["PRP", "VBD"]).tags == ("PRP", "VBD")
    for tags in (["PRP"], ["PRP", "VBD", "."]):
        with pytest.raises(InputError, match=f"expected 2 tags, one a word, found {len(tags)}"):
            Sentence.from_words(["He", "died"], tags)


def test_forest_and_vectors_are_those_of_the_tokens() -> None:
    words, forest = forest_from_bracket("(NP (DT the) (NN cat))")
    tokens = tuple(map(Token, (*words, "sat")))
    with pytest.raises(InputError, match="the forest covers 2 tokens, the sentence has 3"):
        Sentence(tokens, forest)
    with pytest.raises(InputError, match="expected 3 word vectors, one a token, found 2"):
        Sentence(tokens, vectors=np.eye(2, dtype=np.float32))
