"""The relation model: how two corresponding phrases are related, and how similar they are in meaning."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from forest_align.aligners.contextual.pair_evidence import ANTONYMS, OPPOSED, QUANTITIES_FROM
from forest_align.aligners.model_folder import ModelFormat
from forest_align.aligners.phrases.features import (
    FEATURES,
    SIDES,
    SpanEvidence,
    SpanPairIndex,
    phrase_features,
    side_features,
)
from forest_align.aligners.phrases.model import NetworkModel, RectifierNetwork
from forest_align.alignment import CHUNK_RELATIONS, MOST_SIMILAR, SWAPPED_RELATIONS
from forest_align.lexicon.lexicon import Evidence
from forest_align.lexicon.quantities import QuantityRelation
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
    """Features of pairs of phrases: float32 (K, len(SYMMETRIC)) and (K, len(SIGNED))."""
    ends = start, end, first, last = phrases.ends(pairs)
    is_there = (phrases.words.evidence & _KINDS) != 0
    corners = np.zeros((len(_KINDS), len(source) + 1, len(target) + 1), np.int64)
    is_there.cumsum(axis=1).cumsum(axis=2, out=corners[:, 1:, 1:])
    counts = (
        corners[:, end, last] - corners[:, start, last] - corners[:, end, first] + corners[:, start, first]
    )
    low = [tuple(map(str.lower, side.words)) for side in (source, target)]
    negations, names, free = [], [], []
    for place, side in enumerate((source, target)):
        span = ends[2 * place : 2 * place + 2]
        negations.append(_sums([word in _NEGATIONS for word in low[place]], *span))
        names.append(_sums([tag.startswith("NNP") for tag in side.tags], *span))
        free.append(_sums(1 - np.minimum(phrases.words.links.sum(axis=1 - place), 1.0), *span))
    one, two = source.words, target.words
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


def _sums(values: ArrayLike, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Sums of the words' values over spans, float64 (K,)."""
    before = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    sums: np.ndarray = before[end] - before[start]
    return sums


class RelationModel(NetworkModel):
    """A network of one hidden layer, averaged over both directions: scores of relations, a similarity."""

    FORMAT = ModelFormat(
        "relations",
        1,
        "relations.safetensors",
        RectifierNetwork.shapes(len(SYMMETRIC) + len(SIGNED), 1, len(CHUNK_RELATIONS) + 1),
        {"relations": CHUNK_RELATIONS, "features": (*SYMMETRIC, *SIGNED)},
    )

    def judge(self, symmetric: np.ndarray, signed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Judge pairs of phrases by their features.

        Returns probabilities, float64 (K, len(CHUNK_RELATIONS)), and similarities, float64 (K,). For swapped
        sentences they are the same, with *more specific* and *more general* exchanged.
        """
        straight, turned = (
            self.network.outputs(np.concatenate([symmetric, values], axis=1)).astype(np.float64)
            for values in (signed, -signed)
        )
        scores = (straight[:, :-1] + turned[:, SWAPPED_RELATIONS]) / 2
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        log_odds = np.clip((straight[:, -1] + turned[:, -1]) / 2, -30.0, 30.0)
        similarity = MOST_SIMILAR / (1 + np.exp(-log_odds))
        return odds / odds.sum(axis=1, keepdims=True), similarity
