"""What the regression reads of the words of a summary, and its chunks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from forest_align.aligners.attribution.supported_words import (
    WORD_NUMBERS,
    WORD_WEIGHTS,
    ComparedSentence,
    chunk_spans,
    support_of_words,
    word_numbers,
)
from forest_align.types import Sentence

SUMMARY = Sentence.from_words(["In", "Rome", "two", "dogs", "barked"], ["IN", "NNP", "CD", "NNS", "VBD"])


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


@pytest.mark.parametrize(
    ("tagged", "expected"),
    [
        ("a/DT man/NN is/VBZ riding/VBG a/DT horse/NN in/IN the/DT park/NN ./.",
         ["a man", "is riding", "a horse", "in the park"]),
        ("the/DT recently/RB elected/VBN mayor/NN of/IN Oslo/NNP will/MD probably/RB visit/VB us/PRP",
         ["the recently elected mayor", "of Oslo", "will probably visit", "us"]),
        ("profits/NNS ,/, which/WDT rose/VBD 5/CD %/NN ,/, did/VBD n't/RB surprise/VB",
         ["profits", "which", "rose", "5 %", "did n't surprise"]),
        ("she/PRP gave/VBD him/PRP a/DT very/RB old/JJ book/NN and/CC left/VBD",
         ["she", "gave", "him", "a very old book", "left"]),
        ("he/PRP wants/VBZ to/TO go/VB to/TO New/NNP York/NNP",
         ["he", "wants to go", "to New York"]),
        ("$/$ 5/CD ,/, Oslo/NNP 's/POS harbour/NN", ["$ 5", "Oslo 's harbour"]),
        ("it/PRP is/VBZ very/RB happy/JJ", ["it", "is", "very happy"]),
        ("!/. ,/,", []),
        ("", []),
    ],
)  # fmt: skip
def test_chunks_of_a_tagged_sentence(tagged: str, expected: list[str]) -> None:
    words, tags = zip(*(item.rsplit("/", 1) for item in tagged.split()), strict=True) if tagged else ((), ())
    assert [" ".join(words[start:end]) for start, end in chunk_spans(tags, words)] == expected


def test_chunks_do_not_overlap_and_hold_every_word_with_a_letter() -> None:
    text = "When , in 1990 , the `` old '' firm 's sales ( 5 % ) fell sharply , nobody but Ann cared ."
    tags = "WRB , IN CD , DT `` JJ '' NN POS NNS -LRB- CD NN -RRB- VBD RB , NN CC NNP VBD ."
    words = text.split()
    spans = chunk_spans(tags.split(), words)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    inside = {word for span in spans for word in range(*span)}
    assert {words[k] for k in range(len(words)) if k not in inside} == {",", "``", "''", "(", ")", "but", "."}
