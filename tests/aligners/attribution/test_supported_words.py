"""What the regression reads of the words of a summary."""

from __future__ import annotations

import numpy as np
import pytest

from forest_align.aligners.attribution.supported_words import (
    WORD_NUMBERS,
    WORD_WEIGHTS,
    ComparedSentence,
    support_of_words,
    word_numbers,
)
from forest_align.types import Sentence, Token

SUMMARY = Sentence(
    tuple(
        Token(text, tag=tag)
        for text, tag in (("In", "IN"), ("Rome", "NNP"), ("two", "CD"), ("dogs", "NNS"), ("barked", "VBD"))
    )
)


def compared(links: list[float], similarity: float = 0.9, words: str = "rome dog") -> ComparedSentence:
    table = np.array(links)[:, None]
    return ComparedSentence(table, table, [], np.full(5, similarity), frozenset(words.split()), True)


def numbers(*sentences: ComparedSentence) -> dict[str, list[float]]:
    return dict(zip(WORD_NUMBERS, word_numbers(SUMMARY, sentences).T.round(3).tolist(), strict=True))


def test_each_number_has_a_weight() -> None:
    assert len(WORD_WEIGHTS) == len(WORD_NUMBERS) + 1


def test_a_word_counts_by_its_best_link_in_any_sentence() -> None:
    found = numbers(compared([0.5, 0.9, 0.1, 0.9, 0.1]), compared([0.5, 0.1, 0.1, 0.1, 0.9]))
    high = round(float(np.log(9)), 3)
    assert found["link"] == [0, high, -high, high, high]
    assert found["link of a name"] == [0, high, 0, 0, 0]
    assert found["lemma of a content word"] == [0, 1, 0, 1, 0]
    assert found["content word"] == [0, 1, 1, 1, 1]
    assert found["weakest of the chunk"][:4] == [-high] * 4
    assert found["content word behind a function word"] == [high, 0, 0, 0, 0]
    assert found["sentence"] == pytest.approx([high / 2] * 5, abs=0.001)


def test_words_are_supported_by_links_and_not_by_sentences_about_something_else() -> None:
    linked, unlinked = [0.9] * 5, [0.9, 0.9, 0.001, 0.9, 0.9]
    assert support_of_words(SUMMARY, [compared(linked, words="rome two dog")]).min() > 0.5
    partly = support_of_words(SUMMARY, [compared(unlinked)])
    assert partly.argmin() == 2
    assert partly[2] < 0.5 < partly[4]
    assert support_of_words(SUMMARY, [compared(linked, similarity=0.2)]).tolist() == [0] * 5
    assert support_of_words(SUMMARY, []).tolist() == [0] * 5


def test_a_word_that_only_corresponds_to_another_value_is_not_supported() -> None:
    one = compared([0.9] * 5, words="rome two dog")
    vetoed = one.links.copy()
    vetoed[2] = 0.0
    other = ComparedSentence(one.links, vetoed, [], one.similarity, one.words, True)
    assert support_of_words(SUMMARY, [other])[2] == 0
    assert support_of_words(SUMMARY, [other, one])[2] > 0.5
