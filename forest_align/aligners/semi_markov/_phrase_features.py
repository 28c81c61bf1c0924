"""Phrase pairs that may be aligned as wholes, and their features (Yao et al. 2013, §3.3 and §3.4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forest_align.aligners.semi_markov._sentence_arrays import (
    CHUNK_TYPES,
    CONTENT,
    FUNCTION,
    PUNCTUATION,
    LatticeSentence,
)
from forest_align.aligners.semi_markov._word_features import WordPairs, shifted
from forest_align.types.spans import inside_sentences

if TYPE_CHECKING:
    from forest_align.lexicon.groups import Group

# Phrases of this many words or more have one size in the features.
_LONG = 3
_SIZES = tuple((a, b) for a in range(1, _LONG + 1) for b in range(1, _LONG + 1) if a > 1 or b > 1)
# Kinds of lexical groups; paraphrases of the user count as additional synonyms.
_GROUPS = {"acronym": 0, "collocation": 1, "ppdb": 1, "joined": 2}
_GROUP_FEATURES = ("acronym", "synonyms", "joined")
#: Features of a phrase pair; each has a weight in each of :data:`PHRASE_CLASSES`. Those "by length" are
#: multiplied by the length of the longer phrase, so that phrases can compete with their own words.
PHRASE_FEATURES = (
    "bias",
    *(f"{a} to {b}" for a, b in _SIZES),
    "same words by length",
    "alike words by length",
    "Dice by length",
    "every source word the same",
    "every target word the same",
    "every source word alike",
    "every target word alike",
    "content words of source without match",
    "content words of target without match",
    "function words of source without match",
    "function words of target without match",
    "punctuation of source without match",
    "punctuation of target without match",
    "same words in order",
    "all the same words in order",
    "all alike words in order",
    "same tags in order by length",
    "source is a chunk",
    "target is a chunk",
    "both are chunks",
    "chunks of one type",
    "chunks of the same words in order",
    "chunk boundaries inside source",
    "chunk boundaries inside target",
    *(f"{name} by length" for name in _GROUP_FEATURES),
    "distance from diagonal by length",
    "same at left",
    "same at right",
    "same on both sides",
    "first words the same",
    "last words the same",
    "source words the same as others outside",
    "target words the same as others outside",
)
#: Kinds of phrase pairs.
PHRASE_CLASSES = ("longer source", "longer target", "equally long")
#: Pairs of chunk types: of phrases in general, then of phrases of the same words in the same order.
CHUNK_PAIRS = 2 * len(CHUNK_TYPES) ** 2


@dataclass(frozen=True, slots=True, eq=False)
class PhrasePairs:
    """Phrase pairs that share a word or have similar words; at least one phrase has two words or more."""

    spans: np.ndarray  # int32, shape (k, 4): source start and end, target start and end
    features: np.ndarray  # float32, shape (features, k): PHRASE_FEATURES
    classes: np.ndarray  # int64, shape (k,): indices in PHRASE_CLASSES
    chunks: np.ndarray  # int64, shape (k,): the pair of chunk types, of CHUNK_PAIRS

    @classmethod
    def of(
        cls,
        source: LatticeSentence,
        target: LatticeSentence,
        words: WordPairs,
        groups: Iterable[Group] = (),
    ) -> PhrasePairs:
        """Find the phrase pairs and compute their features."""
        longest = len(source.chunks), len(target.chunks)
        short = [
            group
            for group in groups
            if all(
                end - start <= most
                for (start, end), most in zip((group.source, group.target), longest, strict=True)
            )
        ]
        spans = inside_sentences(_possible(words.known, short, longest), source.starts, target.starts)
        return cls(spans, *_features(source, target, words, spans, short))


def _possible(anchors: np.ndarray, groups: Iterable[Group], longest: tuple[int, int]) -> np.ndarray:
    """Spans of several words with an anchor inside, and of groups, int32 (k, 4), sorted by start."""
    rows, columns = anchors.shape
    highest, widest = longest
    possible = np.zeros((rows, columns, highest, widest), dtype=bool)
    tall = anchors
    for height in range(1, min(highest, rows) + 1):
        # Whether there is an anchor in this many rows, then in that many columns of them.
        tall = tall[: rows - height + 1] | anchors[height - 1 :]
        wide = tall
        for width in range(1, min(widest, columns) + 1):
            wide = wide[:, : columns - width + 1] | tall[:, width - 1 :]
            if height > 1 or width > 1:
                possible[: rows - height + 1, : columns - width + 1, height - 1, width - 1] = wide
    for source, target, _ in groups:
        size = source[1] - source[0], target[1] - target[0]
        if size != (1, 1):
            possible[source[0], target[0], size[0] - 1, size[1] - 1] = True
    start, first, more, wider = np.nonzero(possible)
    return np.stack([start, start + more + 1, first, first + wider + 1], axis=1).astype(np.int32)


class _Sizes(NamedTuple):
    """Where phrase pairs begin and end and how long they are, int64, shapes (k,)."""

    start: np.ndarray
    end: np.ndarray
    first: np.ndarray
    last: np.ndarray
    size: np.ndarray
    width: np.ndarray
    longer: np.ndarray

    @classmethod
    def of(cls, spans: np.ndarray) -> _Sizes:
        start, end, first, last = spans.T.astype(np.int64)
        size, width = end - start, last - first
        return cls(start, end, first, last, size, width, np.maximum(size, width))


def _features(
    source: LatticeSentence,
    target: LatticeSentence,
    words: WordPairs,
    spans: np.ndarray,
    groups: Iterable[Group],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, classes and pairs of chunk types."""
    at = _Sizes.of(spans)
    longest = len(source.chunks), len(target.chunks)
    ours = _covered(source, words, (at.start, at.end, at.first, at.width), longest[1], transposed=False)
    theirs = _covered(target, words, (at.first, at.last, at.start, at.size), longest[0], transposed=True)
    equal = at.size == at.width
    tables = words.same, words.known, source.tags[:, None] == target.tags
    in_order, known, tags = (
        _diagonals(table, len(source.chunks))[at.size - 1, at.start, at.first] * equal for table in tables
    )
    every = in_order == at.longer
    middle, other_middle = (at.start + at.end) / (2 * len(source)), (at.first + at.last) / (2 * len(target))
    # Chunk types of the phrases; 0 if a phrase is not a chunk.
    left, right = source.chunks[at.size - 1, at.start], target.chunks[at.width - 1, at.first]
    features = np.zeros((len(PHRASE_FEATURES), len(spans)), dtype=np.float32)
    features[0] = 1
    size, width = np.minimum(at.size, _LONG), np.minimum(at.width, _LONG)
    features[(size - 1) * _LONG + width - 1, np.arange(len(spans))] = 1
    begin = 1 + len(_SIZES)
    for rows in (
        _of_matches(at, ours, theirs),
        (in_order, every, known == at.longer, tags),
        _of_chunk_types(left, right, every),
        _of_boundaries(at, source, target),
        _of_groups(at, spans, groups),
        [at.longer * np.abs(middle - other_middle)],
        _of_surroundings(at, words.same),
        (ours[6], theirs[6]),
    ):
        features[begin : begin + len(rows)] = rows
        begin += len(rows)
    types = len(CHUNK_TYPES)
    return features, np.where(equal, 2, at.size < at.width), (every * types + left) * types + right


def _of_matches(at: _Sizes, ours: np.ndarray, theirs: np.ndarray) -> list[np.ndarray]:
    """How many words of one phrase have a counterpart in the other, from rows of :func:`_covered`."""
    total = (at.size + at.width).astype(np.float32)
    return [
        *(at.longer / total * (ours[:3] + theirs[:3])),
        ours[0] == at.size,
        theirs[0] == at.width,
        ours[0] + ours[1] >= at.size,
        theirs[0] + theirs[1] >= at.width,
        *(row for both in zip(ours[3:6], theirs[3:6], strict=True) for row in both),
    ]


def _of_chunk_types(left: np.ndarray, right: np.ndarray, every: np.ndarray) -> list[np.ndarray]:
    """Whether the phrases are chunks, and of one type; ``every``: all their words are the same."""
    both = (left > 0) & (right > 0)
    return [left > 0, right > 0, both, both & (left == right), both & every]


def _of_boundaries(at: _Sizes, source: LatticeSentence, target: LatticeSentence) -> list[np.ndarray]:
    """How many chunks begin inside the phrases."""
    inside, others = _boundaries(source), _boundaries(target)
    return [inside[at.end - 1] - inside[at.start], others[at.last - 1] - others[at.first]]


def _of_groups(at: _Sizes, spans: np.ndarray, groups: Iterable[Group]) -> np.ndarray:
    """Whether the lexicon pairs the phrases, by length."""
    rows = np.zeros((len(_GROUP_FEATURES), len(spans)), dtype=np.float32)
    for group in groups:
        paired = phrases_of(group, spans)
        rows[_GROUPS[group.kind], paired] = at.longer[paired]
    return rows


def phrases_of(group: Group, spans: np.ndarray) -> np.ndarray:
    """Which of k phrase pairs, int32 (k, 4), are those of a lexical group: bool (k,)."""
    return np.asarray((spans == (*group.source, *group.target)).all(1))


def _of_surroundings(at: _Sizes, same: np.ndarray) -> list[np.ndarray]:
    """Same words just outside and at the edges."""
    around = np.zeros((same.shape[0] + 2, same.shape[1] + 2), dtype=bool)
    around[1:-1, 1:-1] = same
    left, right = around[at.start, at.first], around[at.end + 1, at.last + 1]
    return [left, right, left & right, same[at.start, at.first], same[at.end - 1, at.last - 1]]


def _boundaries(view: LatticeSentence) -> np.ndarray:
    """For each word, how many chunks or words outside chunks begin after the first word and up to it."""
    return np.concatenate([[0], (np.diff(view.inside) != 0).cumsum()])


def _diagonals(table: np.ndarray, longest: int) -> np.ndarray:
    """Sums over the diagonals of each length (less 1) that begin at a cell, float32 (longest, n, m)."""
    sums = np.empty((longest, *table.shape), dtype=np.float32)
    sums[0] = table
    for step in range(1, longest):
        sums[step] = sums[step - 1] + shifted(table, -step)
    return sums


def _covered(
    view: LatticeSentence,
    words: WordPairs,
    places: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    longest: int,
    *,
    transposed: bool,
) -> np.ndarray:
    """Counterparts of the words of one phrase in the other, float32, shape (7, k).

    The first three rows: number of words with the same word there, number with a similar word, sum of the
    best Dice. The next three: content words, function words and punctuation without either. The last row:
    words for which the same word is only outside. ``places``: start and end of the phrase, start and width,
    up to ``longest``, of the other.
    """
    start, end, first, width = places
    tables = np.array([words.same, words.known, words.dice], dtype=np.float32)
    tables = tables.transpose(0, 2, 1) if transposed else tables
    _, rows, columns = tables.shape
    kinds = (view.kinds == np.array((CONTENT, FUNCTION, PUNCTUATION))[:, None])[:, :, None]
    elsewhere = tables[0].max(1, keepdims=True)
    sums = np.zeros((7, longest, rows + 1, columns), dtype=np.float32)
    wide = tables.copy()
    for more in range(longest):
        if more:
            np.maximum(wide[:, :, :-more], tables[:, :, more:], out=wide[:, :, :-more])
        table = sums[:, more, 1:]
        table[:3] = wide
        table[1] -= wide[0]
        np.multiply(kinds, 1 - wide[1], out=table[3:6])
        np.subtract(elsewhere, wide[0], out=table[6])
    np.cumsum(sums, axis=2, out=sums)
    flat, row = sums.reshape(7, -1), (width - 1) * (rows + 1)
    return flat.take((row + end) * columns + first, axis=1) - flat.take(
        (row + start) * columns + first, axis=1
    )
