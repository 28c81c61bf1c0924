"""Sentences with word vectors that depend on the word alone, for tests without a model."""

from __future__ import annotations

import hashlib

import numpy as np

from forest_align.types import Sentence


def vector(word: str) -> np.ndarray:
    """The vector of a word, of unit length; different words are nearly orthogonal."""
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
    found = np.random.default_rng(seed).normal(size=64).astype(np.float32)
    return np.asarray(found / np.linalg.norm(found))


def sentence(text: str) -> Sentence:
    """A sentence of words with blanks between them; an empty text gives one without vectors."""
    if not text:
        return Sentence(())
    plain = Sentence.from_words(text.split())
    return Sentence(
        plain.tokens, vectors=np.stack([vector(word.lower()) for word in plain.words]), text=plain.text
    )


def document(*texts: str) -> list[Sentence]:
    return [sentence(text) for text in texts]
