"""How probable it is that sentences of a source support the chunks of a sentence of its summary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.logistic_function import regression
from forest_align.aligners.pair import GivenChunks
from forest_align.alignment import CHUNK_RELATIONS, Span
from forest_align.lexicon.function_words import is_content_word
from forest_align.meaning.relation_algebra import DIFFERENT, OPPOSITE, SPECIFIC, STRENGTH

if TYPE_CHECKING:
    from forest_align.aligners.chunks import ChunkAligner
    from forest_align.alignment import AtomicRelation
    from forest_align.types import Sentence

#: What the regression reads of a chunk and the sentences of the source.
SUPPORT_FEATURES = ("best chunk", "other chunks", "similarity of words")
# python -m forest_align.em.recipes support ISTS; the constant comes last.
SUPPORT_WEIGHTS = (0.76, 0.48, 2.87, -2.66)
# A chunk supports another one that says the same or less.
_ENOUGH = [CHUNK_RELATIONS.index(name) for name in ("equivalent", "more general")]
_MOST_LOG_ODDS, _TINY = 8.0, 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class ChunkSupport:
    """What a sentence of a source says for each chunk of a sentence of a summary.

    Attributes
    ----------
    probability : numpy.ndarray
        float64, shape (A, B): that the chunk of the source supports the chunk of the summary.
    relation : numpy.ndarray
        int64, shape (A, B): the most probable relation of the chunk of the summary to that of the source.
    aligned : numpy.ndarray
        float64, shape (A, B): probability that the chunks correspond, whatever they say.
    """

    probability: np.ndarray
    relation: np.ndarray
    aligned: np.ndarray


def chunk_support(
    aligner: ChunkAligner,
    summary: Sentence,
    chunks: Sequence[Span],
    sources: Sequence[tuple[Sentence, Sequence[Span]]],
) -> list[ChunkSupport]:
    """Judge every chunk of a sentence with every chunk of some sentences of the source.

    Parameters
    ----------
    aligner : ChunkAligner
        Judges pairs of chunks.
    summary : Sentence
        A prepared sentence.
    chunks : sequence of (int, int)
        Its chunks; at least one.
    sources : sequence of (Sentence, chunks)
        Prepared sentences, each with at least one chunk. What one of them does not say, another one may.
    """
    if not sources:
        return []
    judged = [aligner.judge(summary, source, GivenChunks(chunks, theirs)) for source, theirs in sources]
    implied = [one.aligned * one.relations[:, :, _ENOUGH].sum(2) for one in judged]
    best = np.max([one.max(1) for one in implied], axis=0)
    similarity = similarity_of_words(summary, [source for source, _ in sources])
    # The regression is about the best chunk of the source. What is said of others falls off as they do.
    probability = regression(support_features(best, similarity), SUPPORT_WEIGHTS)
    scale = (probability / np.maximum(best, _TINY))[:, None]
    return [
        ChunkSupport(np.minimum(scale * one, 1.0), found.relations.argmax(2), found.aligned)
        for one, found in zip(implied, judged, strict=True)
    ]


def chunk_relations(
    chunks: Sequence[Span], others: Sequence[Span], known: Iterable[AtomicRelation]
) -> dict[tuple[int, int], str]:
    """The chunks of a summary that chunks of the source do not support, whatever their words have in common.

    Parameters
    ----------
    chunks, others : sequence of (int, int)
        The chunks of a sentence of the summary and of the source.
    known : iterable of AtomicRelation
        What is known about their words.

    Returns
    -------
    dict of (int, int) to str
        For pairs of chunks that something opposes, *opposite* or *different*; *more specific* if the source
        only says that something may be so.
    """
    found: dict[tuple[int, int], str] = {}
    for one in known:
        is_possible = one.relation == SPECIFIC and one.rule == "modality"
        if not (is_possible or one.relation in (DIFFERENT, OPPOSITE)):
            continue
        # *Because* is not in the chunk *of the rain*.
        near = int(one.rule == "contrast")
        for a, chunk in enumerate(chunks):
            for b, other in enumerate(others):
                if _touches(one.source, chunk) and _touches(one.target, (other[0] - near, other[1])):
                    found[a, b] = max(found.get((a, b), one.relation), one.relation, key=STRENGTH.index)
    return found


def _touches(one: Span | None, chunk: Span) -> bool:
    return one is None or (one[0] < chunk[1] and chunk[0] < one[1])


def support_features(best: np.ndarray, similarity: float) -> np.ndarray:
    """Features of each chunk of a sentence of the summary: float64, shape (A, 3).

    Parameters
    ----------
    best : numpy.ndarray
        Shape (A,): probability that the best chunk of the source corresponds and says the same or more.
    similarity : float
        From :func:`similarity_of_words`.
    """
    others = (best.sum() - best) / max(1, len(best) - 1)
    clipped = np.clip(best, _TINY, 1 - _TINY)
    log_odds = np.clip(np.log(clipped / (1 - clipped)), -_MOST_LOG_ODDS, _MOST_LOG_ODDS)
    return np.stack([log_odds, others, np.full(len(best), similarity)], axis=1)


def similarity_of_words(summary: Sentence, sources: Sequence[Sentence]) -> float:
    """Mean cosine of the content words of a sentence to their most similar words in some other sentences."""
    assert summary.vectors is not None
    theirs = np.concatenate([source.vectors for source in sources if source.vectors is not None])
    best = (summary.vectors @ theirs.T).max(1)
    content = [k for k, word in enumerate(summary.words) if is_content_word(word)]
    return float(best[content].mean() if content else best.mean())
