"""Evidence that two chunks correspond, and how: numbers for every pair of chunks of two sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from forest_align.aligners.contextual.features import DIRECTIONS
from forest_align.aligners.contextual.pair_evidence import ANTONYMS, OPPOSED, QUANTITIES_FROM
from forest_align.alignment import Span
from forest_align.lexicon.lexicon import Evidence
from forest_align.lexicon.quantities import QuantityRelation
from forest_align.lexicon.tables import is_content_word
from forest_align.types import Sentence

_SAME = int(Evidence.IDENTICAL | Evidence.LEMMA)
_RELATED = int(
    Evidence.SPELLING
    | Evidence.NUMBER
    | Evidence.ABBREVIATION
    | Evidence.SYNONYM
    | Evidence.DERIVATION
    | Evidence.SUFFIX
    | Evidence.SUBSTRING
    | Evidence.ACRONYM
)
_EQUAL_QUANTITY = int(QuantityRelation.SAME) << QUANTITIES_FROM
_OTHER_QUANTITY = int(QuantityRelation.OTHER) << QUANTITIES_FROM
_KINDS = ("preposition", "verb", "noun", "other")
_COVERED = ("links", "cosines", "same words", "related words", "links of all words")
_SIDES = ("source", "target")
# How the vectors of two chunks, along one direction, are combined: alike in both orders.
_COMBINED = ("difference", "product", "sum")

#: Names of the features. Those of one side come in pairs, first the source's.
CHUNK_FEATURES: tuple[str, ...] = (
    *(f"{side} covered by {what}" for what in _COVERED for side in _SIDES),
    *(f"{side} linked elsewhere" for side in _SIDES),
    *(f"{side} coverage above rivals" for side in _SIDES),
    *(f"{side} best coverage" for side in _SIDES),
    *(f"{side} content words" for side in _SIDES),
    *(f"{side} words without link" for side in _SIDES),
    *(f"{side} words" for side in _SIDES),
    *(f"{side} is {kind}" for kind in _KINDS for side in _SIDES),
    *(f"{side} cosine above rivals" for side in _SIDES),
    "cosine of means",
    "strongest link",
    "link of heads",
    "cosine of heads",
    "same head",
    "link of first words",
    "opposed words",
    "equal quantity",
    "other quantity",
    "same words in all",
    "same kind",
    "distance",
    "chunks before covered",
    "chunks after covered",
    *(
        f"{how} of {what} along direction {k}"
        for how in _COMBINED
        for what in ("means", "heads")
        for k in range(1, DIRECTIONS + 1)
    ),
)


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One sentence and its chunks."""

    spans: Sequence[Span]
    # content, words: float64, shape (A, n): each chunk's weights of its essential words, and of all its
    # words; they add up to 1. Essential are the content words, or all words of a chunk without any.
    content: np.ndarray
    words: np.ndarray
    # counts, lengths: float64, shape (A,): numbers of essential words and of words
    counts: np.ndarray
    lengths: np.ndarray
    # heads, firsts: int64, shape (A,): the last essential word, and the first word
    heads: np.ndarray
    firsts: np.ndarray
    kinds: np.ndarray  # int64, shape (A,): index in _KINDS
    means: np.ndarray  # float64, shape (A, D): unit vectors along the means of the essential words' vectors
    # float64, shape (A, 2 · DIRECTIONS): mean vector and head's vector along the directions
    along: np.ndarray
    forms: Sequence[tuple[str, ...]]  # The lower-cased words of each chunk

    @classmethod
    def of(cls, sentence: Sentence, spans: Sequence[Span], directions: np.ndarray) -> _Side:
        words = np.zeros((len(spans), len(sentence)))
        content = np.zeros_like(words)
        for row, (start, end) in enumerate(spans):
            words[row, start:end] = 1
            essential = [k for k in range(start, end) if is_content_word(sentence.words[k])]
            content[row, essential or slice(start, end)] = 1
        counts, lengths = content.sum(axis=1), words.sum(axis=1)
        assert sentence.vectors is not None
        vectors = np.asarray(sentence.vectors, np.float64)
        means = content @ vectors
        heads = np.array([np.flatnonzero(row)[-1] for row in content], np.int64)
        along = np.hstack([means / counts[:, None], vectors[heads]]).reshape(len(spans), 2, -1) @ directions
        return cls(
            spans,
            content / counts[:, None],
            words / lengths[:, None],
            counts,
            lengths,
            heads,
            np.array([start for start, _ in spans], np.int64),
            np.array([_kind(sentence, span) for span in spans], np.int64),
            means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12),
            along.reshape(len(spans), -1),
            [tuple(word.lower() for word in sentence.words[start:end]) for start, end in spans],
        )


def _kind(sentence: Sentence, span: Span) -> int:
    tags = [sentence.tokens[k].tag or "" for k in range(*span)]
    if tags[0] in ("IN", "TO") and not any(tag.startswith("VB") for tag in tags):
        return 0
    if any(tag.startswith("VB") or tag == "MD" for tag in tags):
        return 1
    return 2 if any(tag.startswith(("NN", "PRP", "CD")) for tag in tags) else 3


def chunk_features(
    source: Sentence,
    target: Sentence,
    chunks: tuple[Sequence[Span], Sequence[Span]],
    probability: np.ndarray,
    evidence: np.ndarray,
    directions: np.ndarray,
) -> np.ndarray:
    """The features of every pair of chunks.

    For swapped sentences, the table is transposed and the features of the two sides change places, see
    :func:`swapped_features`.

    Shapes: ``probability`` float32 (n, m); ``evidence`` int32 (n, m); ``directions`` float32 (D, DIRECTIONS);
    returns float32 (A, B, F).
    """
    ours, theirs = _Side.of(source, chunks[0], directions), _Side.of(target, chunks[1], directions)
    assert source.vectors is not None and target.vectors is not None
    links = probability.astype(np.float64)
    cosines = np.clip(np.asarray(source.vectors @ target.vectors.T, np.float64), 0, 1)
    covered = [
        *_coverage(links, ours, theirs),
        *_coverage(cosines, ours, theirs),
        *_coverage((evidence & _SAME != 0).astype(float), ours, theirs),
        *_coverage((evidence & _RELATED != 0).astype(float), ours, theirs),
        *_coverage(links, ours, theirs, of_all=True),
    ]
    both = covered[0] + covered[1]
    means = ours.means @ theirs.means.T
    shape = both.shape
    parts = [
        *covered,
        *_elsewhere(links, ours, theirs),
        covered[0] - _best_other(covered[0]),
        covered[1] - _best_other(covered[1].T).T,
        np.broadcast_to(covered[0].max(axis=1)[:, None], shape),
        np.broadcast_to(covered[1].max(axis=0), shape),
        *_of_sides(np.log(ours.counts), np.log(theirs.counts), shape),
        (1 - covered[0]) * ours.counts[:, None],
        (1 - covered[1]) * theirs.counts,
        *_of_sides(np.log(ours.lengths), np.log(theirs.lengths), shape),
        *(
            part
            for kind in range(len(_KINDS))
            for part in _of_sides(ours.kinds == kind, theirs.kinds == kind, shape)
        ),
        means - _best_other(means),
        means - _best_other(means.T).T,
        means,
        _strongest(links, ours, theirs),
        links[np.ix_(ours.heads, theirs.heads)],
        cosines[np.ix_(ours.heads, theirs.heads)],
        evidence[np.ix_(ours.heads, theirs.heads)] & _SAME != 0,
        links[np.ix_(ours.firsts, theirs.firsts)],
        _strongest(evidence & (ANTONYMS | OPPOSED) != 0, ours, theirs),
        _strongest(evidence & _EQUAL_QUANTITY != 0, ours, theirs),
        _strongest(evidence & _OTHER_QUANTITY != 0, ours, theirs),
        np.array([[one == other for other in theirs.forms] for one in ours.forms]),
        ours.kinds[:, None] == theirs.kinds,
        np.abs(_places(len(ours.spans))[:, None] - _places(len(theirs.spans))),
        _shifted(both, 1),
        _shifted(both, -1),
    ]
    table = np.stack([np.broadcast_to(part, shape) for part in parts], axis=2)
    one, other = ours.along[:, None], theirs.along[None]
    return np.concatenate([table, np.abs(one - other), one * other, one + other], axis=2).astype(np.float32)


def swapped_features(features: np.ndarray) -> np.ndarray:
    """The features of swapped chunk pairs: (..., F) with the two sides in each other's places."""
    found = features.copy()
    paired = 2 * sum(1 for name in CHUNK_FEATURES if name.startswith("source "))
    found[..., 0:paired:2], found[..., 1:paired:2] = features[..., 1:paired:2], features[..., 0:paired:2]
    return found


def _per_chunk(table: np.ndarray, side: _Side, reduce: Callable[..., np.ndarray] = np.max) -> np.ndarray:
    """Best value of each row within each chunk of the columns' side, (n, B)."""
    return np.stack([reduce(table[:, start:end], axis=1) for start, end in side.spans], axis=1)


def _coverage(
    table: np.ndarray, ours: _Side, theirs: _Side, of_all: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Mean best value of each chunk's words in each chunk of the other side: (A, B) for both sides."""
    rows, columns = (side.words if of_all else side.content for side in (ours, theirs))
    return rows @ _per_chunk(table, theirs), (columns @ _per_chunk(table.T, ours)).T


def _elsewhere(links: np.ndarray, ours: _Side, theirs: _Side) -> tuple[np.ndarray, np.ndarray]:
    """Mean best value of each chunk's words outside each chunk of the other side."""
    return (
        ours.content @ _best_other(_per_chunk(links, theirs)),
        (theirs.content @ _best_other(_per_chunk(links.T, ours))).T,
    )


def _best_other(table: np.ndarray) -> np.ndarray:
    """For each cell the highest other value in its row; 0 without another."""
    if table.shape[1] < 2:
        return np.zeros_like(table)
    best = table.argmax(axis=1)
    rows = np.arange(len(table))
    others = table.copy()
    others[rows, best] = -np.inf
    found: np.ndarray = np.repeat(table[rows, best][:, None], table.shape[1], axis=1)
    found[rows, best] = others.max(axis=1)
    return found


def _strongest(table: np.ndarray, ours: _Side, theirs: _Side) -> np.ndarray:
    return _per_chunk(_per_chunk(table, theirs).T, ours).T


def _of_sides(ours: np.ndarray, theirs: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    return np.broadcast_to(ours[:, None], shape), np.broadcast_to(theirs, shape)


def _places(count: int) -> np.ndarray:
    return (np.arange(count) + 0.5) / count


def _shifted(table: np.ndarray, step: int) -> np.ndarray:
    """For each cell the value one cell before (1) or after (-1) it in both directions; 0 beyond the edge."""
    found = np.zeros_like(table)
    if step > 0:
        found[1:, 1:] = table[:-1, :-1]
    else:
        found[:-1, :-1] = table[1:, 1:]
    return found
