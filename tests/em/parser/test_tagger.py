"""The script that trains the tagger, on a treebank where letter case and vectors tell the tags."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from forest_align.data.trees.treebanks import TreebankSentence
from forest_align.em.parser import tagger as script

WORDS = ("the", "cat", "saw", "Rose", "rose", "-LRB-")
TAGS = ("DT", "NN", "VBD", "NNP", "NN", "-LRB-")


class Vectors:
    """As the bundled ones: of the words as they are written, in lower case."""

    def __call__(self, sentences: Sequence[Sequence[str]]) -> list[np.ndarray]:
        numbers = {word: number for number, word in enumerate(("the", "cat", "saw", "rose", "("))}
        return [np.eye(5, dtype=np.float32)[[numbers[word.lower()] for word in words]] for words in sentences]


def test_vectors_and_letter_case_are_learned() -> None:
    random = np.random.default_rng(0)
    sentences = []
    for _ in range(600):
        chosen = [0, *random.integers(len(WORDS), size=8)]
        words, tags = (tuple(every[number] for number in chosen) for every in (WORDS, TAGS))
        sentences.append(TreebankSentence(words, tags, ()))
    names = tuple(sorted(set(TAGS)))
    tagger = script.fit(script.words_of(sentences, names, Vectors()), names, seed=0)
    assert script.accuracy(tagger, sentences, Vectors(), lower=False) == 1
    # In lower case Rose is taken for a rose, and all else for what it is.
    roses = sum(sentence.words.count("Rose") for sentence in sentences)
    expected = 1 - roses / sum(map(len, sentences))
    assert script.accuracy(tagger, sentences, Vectors(), lower=True) == pytest.approx(expected)
