"""Tagged sentences with word vectors that are made of their words, for tests of the paraphrase model."""

from __future__ import annotations

import zlib

import numpy as np

from forest_align.alignment import Links
from forest_align.types import Sentence, Token


def sentence(tagged: str) -> Sentence:
    """A sentence from ``word/TAG word/TAG``; equal words have equal vectors."""
    pairs = [token.rsplit("/", 1) for token in tagged.split()]
    rows = [np.random.default_rng(zlib.crc32(word.lower().encode())).normal(size=16) for word, _ in pairs]
    vectors = np.array([row / np.linalg.norm(row) for row in rows], dtype=np.float32)
    return Sentence(tuple(Token(word, "", tag) for word, tag in pairs), None, vectors)


def links(text: str) -> Links:
    """Links such as ``0-0 1-2``, all with probability 1."""
    pairs = Links.from_pharaoh(text).pairs
    return Links.of(pairs, scores=[1.0] * len(pairs))
