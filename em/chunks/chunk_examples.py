"""Reads aligned chunks of interpretable STS as examples for the chunk model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from forest_align.aligners.chunks.chunk_aligner import word_based_features
from forest_align.aligners.chunks.related_chunks import RELATION_OF_TYPE
from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.pair import GivenChunks
from forest_align.alignment import CHUNK_RELATIONS, Span
from forest_align.data.formats.format import ChunkLink, SentencePair
from forest_align.data.pairs import read_pairs
from forest_align.types import InputError, Sentence

_AT_ONCE = 64


@dataclass(frozen=True, slots=True, eq=False)
class ChunkExample:
    """A pair of sentences to learn from."""

    set: str
    source: tuple[str, ...]
    target: tuple[str, ...]
    chunks: GivenChunks  # The A and B chunks
    gold: Sequence[ChunkLink]  # The aligned chunks as the file has them
    features: np.ndarray  # float32, shape (A, B, F)
    # relations, similarities: int64, shape (A, B): index of the relation, and similarity 1 to 5, of aligned
    # chunks; -1 for others
    relations: np.ndarray
    similarities: np.ndarray


def read_chunk_examples(paths: Sequence[Path], words: ContextualAligner) -> list[ChunkExample]:
    """Read ``.wa`` files with the files of chunks beside them; an InputError names a pair without chunks."""
    found = []
    for path in paths:
        pairs = list(pairs_with_chunks(path))
        for start in range(0, len(pairs), _AT_ONCE):
            batch = pairs[start : start + _AT_ONCE]
            sentences = words.prepare([side for pair in batch for side in (pair.source, pair.target)])
            for pair, source, target in zip(batch, sentences[::2], sentences[1::2], strict=True):
                for side in (source, target):
                    if isinstance(side, InputError):
                        raise pair.located(side)
                assert isinstance(source, Sentence) and isinstance(target, Sentence)
                found.append(chunk_example(path.name, pair, source, target, words))
    return found


def pairs_with_chunks(path: Path) -> Iterator[SentencePair]:
    """The pairs of a ``.wa`` file; one that cannot be read, or has no chunks, raises an InputError."""
    for pair in read_pairs(path, "ists"):
        if isinstance(pair, InputError):
            raise pair
        if not (pair.source_chunks and pair.target_chunks):
            raise pair.located(InputError(f"pair {pair.id!r}: expected its chunks in the files beside"))
        yield pair


def chunk_example(
    name: str, pair: SentencePair, source: Sentence, target: Sentence, words: ContextualAligner
) -> ChunkExample:
    """An example from a pair, its prepared sentences, and an aligner of words."""
    chunks = GivenChunks(pair.source_chunks, pair.target_chunks)
    relations = np.full((len(chunks.source), len(chunks.target)), -1, np.int64)
    similarities = relations.copy()
    for link in pair.chunks or ():
        relation = _relation(link.type)
        if not (link.source and link.target) or relation is None:
            continue
        for row in _touched(chunks.source, link.source):
            for column in _touched(chunks.target, link.target):
                relations[row, column] = CHUNK_RELATIONS.index(relation)
                similarities[row, column] = int(link.score) if link.score.isdecimal() else 5
    return ChunkExample(
        name,
        source.words,
        target.words,
        chunks,
        pair.chunks or (),
        word_based_features(words, source, target, chunks),
        relations,
        np.where(relations >= 0, np.clip(similarities, 1, 5), -1),
    )


def _relation(type: str) -> str | None:
    """The relation of a type such as ``SPE1_FACT``; None if it names none."""
    return next((RELATION_OF_TYPE[part] for part in type.split("_") if part in RELATION_OF_TYPE), None)


def _touched(spans: Sequence[Span], tokens: Sequence[int]) -> list[int]:
    return [k for k, (start, end) in enumerate(spans) if any(start <= token < end for token in tokens)]
