"""Features of pairs of phrases of several words, and of deletions of phrases: fit, size and structure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.contextual.features import BASE_FEATURES
from forest_align.aligners.joint._link_features import LINK_PHRASE_FEATURES
from forest_align.aligners.span_nodes import constituents_of
from forest_align.lexicon.lexicon import SAME_LEMMA
from forest_align.types.spans import SpanSums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.aligners.contextual.features import SentenceFeatures
    from forest_align.aligners.joint._link_features import LinkTable
    from forest_align.lexicon.groups import Group
    from forest_align.parsing.dependencies.typed import Dependency
    from forest_align.types import Sentence

_SIZES = ((1, 2), (1, 3), (2, 2), (2, 3), (3, 3))
_GROUPS = ("acronym", "collocation", "joined")
# Paraphrases of the user count as additional synonyms.
_AS_GROUP = {"acronym": "acronym", "collocation": "collocation", "ppdb": "collocation", "joined": "joined"}
#: Features of a pair of phrases, one of which has several words. *Best inside* is a mean over the words of
#: both phrases: for each word, the largest value that it has with a word of the other phrase.
PHRASE_FEATURES = (
    *(f"best inside: {name.replace('projected', 'centred')}" for name in BASE_FEATURES),
    "a pair of phrases",
    *(f"{a} and {b} words" for a, b in _SIZES),
    "longer phrases",
    "number of words",
    "difference in words",
    "both constituents",
    "one constituent",
    "cosine of phrases",
    "cosine of phrases over 0.4",
    "cosine of phrases less best inside",
    "cosine of phrases, centred",
    "least cosine of a word inside",
    "nearer words outside",
    "cosine of heads",
    "centred cosine of heads",
    "words equal in order",
    "words equal elsewhere",
    "difference in content words",
    "one content word each",
    "no content word in one phrase",
    "no content word in either",
    "punctuation inside",
    *(f"known as {kind}" for kind in _GROUPS),
    *LINK_PHRASE_FEATURES,
)


def phrase_features(
    spans: np.ndarray,
    source: Sentence,
    target: Sentence,
    sides: tuple[SentenceFeatures, SentenceFeatures],
    base: np.ndarray,
    evidence: np.ndarray,
    arcs: Sequence[Sequence[Dependency]],
    groups: Sequence[Group],
    links: LinkTable | None = None,
) -> np.ndarray:
    """Features of phrase pairs.

    Shapes: ``spans`` int32 (P, 4); ``base`` float32 (n, m, K); ``evidence`` int32 (n, m); returns float32 (P,
    len(PHRASE_FEATURES).
    """
    features = np.zeros((len(spans), len(PHRASE_FEATURES)), np.float32)
    if not len(spans):
        return features
    cosine, centred = sides[0].vectors @ sides[1].vectors.T, sides[0].projected @ sides[1].projected.T
    within = _fill_blocks(features, spans, base, cosine, evidence, links)
    heads = _heads(spans[:, :2], arcs[0], len(source)), _heads(spans[:, 2:], arcs[1], len(target))
    constituents = _are_constituents(spans[:, :2], source) + _are_constituents(spans[:, 2:], target)
    whole = _phrase_cosines(sides[0].vectors, sides[1].vectors, spans)
    shorter = np.minimum(*_lengths(spans))
    columns = [
        *_of_sizes(spans),
        *(constituents == 2, constituents == 1),
        *(whole, np.maximum(whole - 0.4, 0), whole - features[:, 0]),
        _phrase_cosines(sides[0].projected, sides[1].projected, spans),
        *(within[:, 0], within[:, 1], cosine[heads], centred[heads]),
        *(within[:, 2] / shorter, (within[:, 3] - within[:, 2]) / shorter),
        *_of_kinds(spans, sides),
    ]
    first, end = len(BASE_FEATURES), len(BASE_FEATURES) + len(columns)
    features[:, first:end] = np.stack(columns, axis=1)
    for group in groups:
        same = (spans == (*group.source, *group.target)).all(axis=1)
        features[same, end + _GROUPS.index(_AS_GROUP[group.kind])] = 1
    return features


def _fill_blocks(
    features: np.ndarray,
    spans: np.ndarray,
    base: np.ndarray,
    cosine: np.ndarray,
    evidence: np.ndarray,
    links: LinkTable | None,
) -> np.ndarray:
    """Fill in the values of the words inside, one phrase size at a time; return :func:`_within` (P, 4)."""
    lengths = _lengths(spans)
    same = (evidence & SAME_LEMMA) != 0
    inside = len(BASE_FEATURES)
    within = np.zeros((len(spans), 4), np.float32)
    for size in sorted(set(zip(*(length.tolist() for length in lengths), strict=True))):
        chosen = np.flatnonzero((lengths[0] == size[0]) & (lengths[1] == size[1]))
        rows = spans[chosen, 0, None] + np.arange(size[0])
        columns = spans[chosen, 2, None] + np.arange(size[1])
        cells = rows[:, :, None], columns[:, None, :]
        block = base[..., :inside][cells]
        features[chosen, :inside] = (block.max(axis=2).mean(axis=1) + block.max(axis=1).mean(axis=1)) / 2
        within[chosen] = _within(cosine, same, cells, rows, columns)
        if links is not None:
            features[chosen, -len(LINK_PHRASE_FEATURES) :] = links.of_blocks(*cells)
    return within


def _lengths(spans: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return spans[:, 1] - spans[:, 0], spans[:, 3] - spans[:, 2]


def _of_sizes(spans: np.ndarray) -> list[np.ndarray]:
    """A constant, the sizes of both phrases, their sum and difference."""
    a, b = _lengths(spans)
    shorter, longer = np.minimum(a, b), np.maximum(a, b)
    sizes = [(shorter == one) & (longer == other) for one, other in _SIZES]
    return [np.ones(len(spans)), *sizes, longer > 3, (a + b) / 4, np.abs(a - b) / 2]


def _of_kinds(spans: np.ndarray, sides: tuple[SentenceFeatures, SentenceFeatures]) -> list[np.ndarray]:
    """How many content words the phrases have, and whether they have punctuation."""
    contents = _counts(sides[0].kinds == 0, spans[:, :2]), _counts(sides[1].kinds == 0, spans[:, 2:])
    marks = _counts(sides[0].kinds == 2, spans[:, :2]) + _counts(sides[1].kinds == 2, spans[:, 2:])
    fewer, more = np.minimum(*contents), np.maximum(*contents)
    return [
        np.abs(contents[0] - contents[1]) / 2,
        (contents[0] == 1) & (contents[1] == 1),
        (fewer == 0) & (more > 0),
        more == 0,
        marks > 0,
    ]


def _within(
    cosine: np.ndarray,
    same: np.ndarray,
    cells: tuple[np.ndarray, np.ndarray],
    rows: np.ndarray,
    columns: np.ndarray,
) -> np.ndarray:
    """Smallest best cosine, how much nearer words outside are, words equal in order, words equal at all."""
    block, equal = cosine[cells], same[cells]
    best = np.concatenate([block.max(axis=2), block.max(axis=1)], axis=1)
    overall = np.concatenate([cosine.max(axis=1)[rows], cosine.max(axis=0)[columns]], axis=1)
    depth = min(equal.shape[1:])
    forwards = sum(equal[:, step, step] for step in range(depth))
    backwards = sum(equal[:, -1 - step, -1 - step] for step in range(depth))
    at_all = np.minimum(equal.any(axis=2).sum(axis=1), equal.any(axis=1).sum(axis=1))
    in_order = np.minimum(np.maximum(forwards, backwards), at_all)
    return np.stack([best.min(axis=1), (overall - best).mean(axis=1), in_order, at_all], axis=1)


def _phrase_cosines(one: np.ndarray, other: np.ndarray, spans: np.ndarray) -> np.ndarray:
    """Cosine of the summed vectors of both phrases of each pair."""
    sums = [np.concatenate([np.zeros((1, v.shape[1]), v.dtype), np.cumsum(v, axis=0)]) for v in (one, other)]
    s, e, t, f = spans.T
    dot = SpanSums(sums[0] @ sums[1].T).between(s, e, t, f)
    return dot / np.maximum(_norms(sums[0], s, e) * _norms(sums[1], t, f), 1e-9)


def _norms(sums: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Length of the summed vectors of each span."""
    products = sums @ sums.T
    squares = np.diag(products)
    return np.sqrt(np.maximum(squares[starts] + squares[ends] - 2 * products[starts, ends], 0))


def _heads(spans: np.ndarray, arcs: Sequence[Dependency], length: int) -> np.ndarray:
    """The first word of each span with its governor outside the span; else the first word of the span."""
    governor = np.full(length, -1)
    known = np.zeros(length, dtype=bool)
    for arc in arcs:
        governor[arc.dependent], known[arc.dependent] = arc.governor, True
    heads = spans[:, 0].copy()
    longest = int((spans[:, 1] - spans[:, 0]).max())
    for offset in reversed(range(longest)):
        word = np.minimum(spans[:, 0] + offset, length - 1)
        above = governor[word]
        is_head = known[word] & (word < spans[:, 1]) & ((above < spans[:, 0]) | (above >= spans[:, 1]))
        heads = np.where(is_head, word, heads)
    return heads


def _counts(marked: np.ndarray, spans: np.ndarray) -> np.ndarray:
    sums = np.concatenate([[0], np.cumsum(marked)])
    return sums[spans[:, 1]] - sums[spans[:, 0]]


def _are_constituents(spans: np.ndarray, sentence: Sentence) -> np.ndarray:
    """1 for each span that is a constituent of the best tree, else 0."""
    size = len(sentence) + 1
    constituents = np.zeros((size, size), dtype=np.int8)
    constituents[tuple(np.array(list(constituents_of(sentence))).T)] = 1
    return constituents[spans[:, 0], spans[:, 1]]


#: Features of the deletion of a phrase of two words or more.
DELETED_PHRASE_FEATURES = (
    "deletion of two words",
    "deletion of three words",
    "deletion of more words",
    "deletion of a constituent",
    "deletion without content words",
    "deletion of several content words",
    "punctuation inside the deletion",
    "cosine of the nearest word to the deletion",
    "the same word is there as in the deletion",
)


def deleted_phrases(lengths: tuple[int, int], longest: int) -> np.ndarray:
    """All phrases of 2 to ``longest`` words of two sentences: int32 (K, 3), side (0 or 1), start and end."""
    phrases = [
        (side, start, start + size)
        for side, length in enumerate(lengths)
        for size in range(2, min(longest, length) + 1)
        for start in range(length - size + 1)
    ]
    return np.array(phrases, np.int32).reshape(-1, 3)


def deleted_phrase_features(
    phrases: np.ndarray,
    sentences: tuple[Sentence, Sentence],
    sides: tuple[SentenceFeatures, SentenceFeatures],
    cosine: np.ndarray,
    same: np.ndarray,
) -> np.ndarray:
    """Features of deletions of phrases.

    Shapes: ``phrases`` int32 (K, 3); returns float32 (K, len(DELETED_PHRASE_FEATURES).
    """
    features = np.zeros((len(phrases), len(DELETED_PHRASE_FEATURES)), np.float32)
    constituents = [set(constituents_of(sentence)) for sentence in sentences]
    kinds = [side.kinds for side in sides]
    nearest, is_there = ([table.max(axis=1 - side) for side in (0, 1)] for table in (cosine, same))
    for row, (side, start, end) in zip(features, phrases.tolist(), strict=True):
        content = int((kinds[side][start:end] == 0).sum())
        row[min(end - start, 4) - 2] = 1
        row[3:] = (
            (start, end) in constituents[side],
            content == 0,
            content > 1,
            (kinds[side][start:end] == 2).any(),
            nearest[side][start:end].max(),
            is_there[side][start:end].any(),
        )
    return features
