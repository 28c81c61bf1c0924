"""Chunks that people aligned as examples of support, in their own pair and beside a strange sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from forest_align.aligners.attribution.chunk_support import similarity_of_words
from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.alignment import CHUNK_RELATIONS
from forest_align.data.formats.format import SentencePair
from forest_align.em.chunks.chunk_examples import ChunkExample, chunk_example, pairs_with_chunks
from forest_align.lexicon.function_words import is_content_word
from forest_align.types import InputError, Sentence

# After so many pairs comes one made of strange sentences: of so many sentences the most similar one.
# With more of them, probabilities of chunks of real pairs are too low.
_PAIRS, _OTHERS = 4, 20
_EQUAL, _SPECIFIC, _GENERAL = (
    CHUNK_RELATIONS.index(name) for name in ("equivalent", "more specific", "more general")
)


@dataclass(frozen=True, slots=True, eq=False)
class SupportExample:
    """Two sentences with chunks.

    Attributes
    ----------
    chunks : ChunkExample
        The pair; of a pair made of two unrelated sentences no chunk is aligned.
    is_pair : bool
        False if the sentences are of two pairs.
    similarity : tuple of float
        Similarity of the words of the first sentence to the second, and the other way round.
    linked : tuple of numpy.ndarray
        For each side and each of its chunks the mean link probability of its content words.
    """

    chunks: ChunkExample
    is_pair: bool
    similarity: tuple[float, float]
    linked: tuple[np.ndarray, np.ndarray]

    def supported(self) -> tuple[np.ndarray, np.ndarray]:
        """Whether the other sentence has a chunk that says the same or more: bool, shapes (A,) and (B,)."""
        relations = self.chunks.relations
        of_first = (relations == _EQUAL) | (relations == _GENERAL)
        of_second = (relations == _EQUAL) | (relations == _SPECIFIC)
        return of_first.any(1), of_second.any(0)


def read_support_examples(
    path: Path, words: ContextualAligner, limit: int | None = None
) -> list[SupportExample]:
    """Read a ``.wa`` file; after every fourth pair comes its first sentence with the second of another one.

    Parameters
    ----------
    path : Path
        With the files of chunks beside it.
    words : ContextualAligner
        Prepares sentences and links their words.
    limit : int, optional
        Read so many pairs at most.

    Raises
    ------
    InputError
        If a pair cannot be read, or its chunks are missing.
    """
    pairs = list(pairs_with_chunks(path))[:limit]
    sentences = _prepared([side for pair in pairs for side in (pair.source, pair.target)], words)
    random = np.random.default_rng(0)
    found = []
    for k, pair in enumerate(pairs):
        first, second = sentences[2 * k], sentences[2 * k + 1]
        found.append(_example(path.name, pair, first, second, words, is_pair=True))
        # Neighbours: they stay in one fold with the pair.
        if k % _PAIRS < _PAIRS - 1:
            continue
        near = [other for other in range(max(0, k - 60), min(len(pairs), k + 61)) if other != k]
        some = random.permutation(near)[:_OTHERS].tolist()
        chosen = max(some, key=lambda other: similarity_of_words(first, [sentences[2 * other + 1]]))
        strange = replace(
            pair, target=pairs[chosen].target, target_chunks=pairs[chosen].target_chunks, chunks=()
        )
        found.append(_example(path.name, strange, first, sentences[2 * chosen + 1], words, is_pair=False))
    return found


def _prepared(sentences: Sequence[Sentence], words: ContextualAligner) -> list[Sentence]:
    found = []
    for one in words.prepare(sentences):
        if isinstance(one, InputError):
            raise one
        found.append(one)
    return found


def _example(
    name: str,
    pair: SentencePair,
    source: Sentence,
    target: Sentence,
    words: ContextualAligner,
    *,
    is_pair: bool,
) -> SupportExample:
    example = chunk_example(name, pair, source, target, words)
    linked = words.link_probabilities(source, target)
    sides = (
        (source, example.chunks.source, linked.max(1)),
        (target, example.chunks.target, linked.max(0)),
    )
    first, second = (
        np.array([_mean_of_content(sentence, span, best) for span in spans])
        for sentence, spans, best in sides
    )
    similarity = similarity_of_words(source, [target]), similarity_of_words(target, [source])
    return SupportExample(example, is_pair, similarity, (first, second))


def _mean_of_content(sentence: Sentence, span: tuple[int, int], best: np.ndarray) -> float:
    inside = range(*span)
    content = [k for k in inside if is_content_word(sentence.words[k])] or list(inside)
    return float(best[content].mean())
