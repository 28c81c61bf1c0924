"""Sentences with flat trees and made-up word vectors: equal words have nearly equal ones."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import sentence_from_bracket
from forest_align.types import InputError, Sentence

TAGS = {
    **{"the": "DT", "a": "DT", "old": "JJ", "in": "IN"},
    **{"she": "PRP", "he": "PRP", "bought": "VBD", "sold": "VBD"},
}


def sentence(text: str, width: int = 24) -> Sentence:
    """A sentence of words that spaces separate: a clause whose verb phrase begins at its first verb."""
    words = text.split()
    leaves = [f"({TAGS.get(word, 'NN')} {word})" for word in words]
    verb = next((k for k, word in enumerate(words) if TAGS.get(word) == "VBD"), 0)
    tree = (
        f"(S (NP {' '.join(leaves[:verb])}) (VP {' '.join(leaves[verb:])}))"
        if verb
        else f"(S {' '.join(leaves)})"
    )
    parsed = sentence_from_bracket(tree, lemmatizer=load_lexicon().lemma)
    return replace(parsed, vectors=vectors(words, width))


def vectors(words: Sequence[str], width: int = 24) -> np.ndarray:
    rows = [np.random.default_rng(zlib.crc32(word.encode())).normal(size=width) + 0.5 for word in words]
    table = np.array(rows) + 0.05 * np.random.default_rng(len(words)).normal(size=(len(words), width))
    return (table / np.linalg.norm(table, axis=1, keepdims=True)).astype(np.float32)


class ToyParser:
    """Gives texts and lists of words such trees and vectors, by default as wide as link models expect."""

    def __init__(self, width: int = 768) -> None:
        self._width = width

    def parse_many(self, sentences: Sequence[Any], batch_size: int = 32) -> Iterator[Sentence | InputError]:
        for text in sentences:
            joined = text if isinstance(text, str) else " ".join(text)
            yield sentence(joined, self._width) if joined.strip() else InputError("the sentence is empty")

    def with_vectors(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        return [replace(one, vectors=vectors(one.words, self._width)) for one in sentences]
