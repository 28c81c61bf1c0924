"""Evidence about how two corresponding phrases are related."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.contextual.pair_evidence import ANTONYMS, OPPOSED, QUANTITIES_FROM
from forest_align.aligners.phrases.features import (
    FEATURES,
    SIDES,
    SpanEvidence,
    SpanPairIndex,
    phrase_features,
    side_features,
)
from forest_align.lexicon.lexicon import Evidence
from forest_align.lexicon.quantities import QuantityRelation

if TYPE_CHECKING:
    from forest_align.types import Sentence

_NEGATIONS = frozenset(
    ("not", "n't", "no", "never", "without", "none", "nobody", "nothing", "neither", "nor")
)
#: Kinds of word pairs, counted inside a pair of phrases.
_WORD_PAIRS = {
    **{f"quantities: {kind.name}".lower(): int(kind) << QUANTITIES_FROM for kind in QuantityRelation},
    "antonyms": ANTONYMS,
    "opposed persons or countries": OPPOSED,
    "synonyms": int(Evidence.SYNONYM),
    "derivations": int(Evidence.DERIVATION | Evidence.SUFFIX),
    "same words": int(Evidence.IDENTICAL | Evidence.LEMMA),
}
#: Word pairs of a kind beyond this number do not count.
_MOST_PAIRS = 2.0
_KINDS = np.array(list(_WORD_PAIRS.values()), np.int32)[:, None, None]
#: Features that are the same for swapped sentences.
SYMMETRIC = (
    *FEATURES,
    *_WORD_PAIRS,
    "difference in negations",
    "names, smaller number",
    "names, difference",
    "same letters",
    "same letters but for case",
    "words without a link, smaller number",
    "words without a link, larger number",
)
#: Features that change sign for swapped sentences: source minus target.
SIGNED = (*(f"{name}, difference" for name in SIDES), "words without a link, difference")


def relation_features(
    source: Sentence, target: Sentence, phrases: SpanEvidence, pairs: SpanPairIndex
) -> tuple[np.ndarray, np.ndarray]:
    """Features of pairs of phrases. Shapes: returns float32 (K, len(SYMMETRIC)."""
    ends = start, end, first, last = phrases.ends(pairs)
    is_there = (phrases.words.evidence & _KINDS) != 0
    corners = np.zeros((len(_KINDS), len(source) + 1, len(target) + 1), np.int64)
    is_there.cumsum(axis=1).cumsum(axis=2, out=corners[:, 1:, 1:])
    counts = (
        corners[:, end, last] - corners[:, start, last] - corners[:, end, first] + corners[:, start, first]
    )
    negations = [
        _number(side, ends[at : at + 2], np.array([word.lower() in _NEGATIONS for word in side.words]))
        for at, side in ((0, source), (2, target))
    ]
    names = [
        _number(side, ends[at : at + 2], np.array([tag.startswith("NNP") for tag in side.tags]))
        for at, side in ((0, source), (2, target))
    ]
    links = phrases.words.links
    free = [
        _number(side, ends[at : at + 2], 1 - np.minimum(links.sum(axis=axis), 1.0))
        for at, side, axis in ((0, source, 1), (2, target, 0))
    ]
    one, two = source.words, target.words
    low = tuple(map(str.lower, one)), tuple(map(str.lower, two))
    spans = list(zip(*(end.tolist() for end in ends), strict=True))
    symmetric = [
        *np.minimum(counts, _MOST_PAIRS),
        np.abs(negations[0] - negations[1]),
        np.minimum(*names),
        np.abs(names[0] - names[1]),
        np.array([one[i:j] == two[k:m] for i, j, k, m in spans]),
        np.array([low[0][i:j] == low[1][k:m] for i, j, k, m in spans]),
        np.minimum(*free),
        np.maximum(*free),
    ]
    sides = side_features(phrases, pairs)
    of_phrases = phrase_features(phrases, pairs, sides)
    return (
        np.concatenate([of_phrases, np.stack(symmetric, axis=1)], axis=1, dtype=np.float32),
        np.concatenate([sides[0] - sides[1], (free[0] - free[1])[:, None]], axis=1, dtype=np.float32),
    )


def _number(sentence: Sentence, ends: tuple[np.ndarray, ...], values: np.ndarray) -> np.ndarray:
    """Sums of the words' values over spans, float64 (K,)."""
    before = np.zeros(len(sentence) + 1)
    np.cumsum(values, out=before[1:])
    found: np.ndarray = before[ends[1]] - before[ends[0]]
    return found
