"""Evidence whether two corresponding spans of sentences differ in meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.contextual.pair_evidence import ANTONYMS, OPPOSED, QUANTITIES_FROM
from forest_align.lexicon.function_words import is_content_word
from forest_align.lexicon.kinds import Evidence
from forest_align.lexicon.quantities import QuantityRelation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.aligners.phrases.word_tables import WordMatrices
    from forest_align.types import Sentence

Span = tuple[int, int]

_NEGATIONS = frozenset(
    ("not", "n't", "no", "never", "without", "none", "nobody", "nothing", "neither", "nor", "hardly")
)
_TAGS = ("NNP", "CD", "NN", "VB", "JJ", "RB", "IN", "MD")
_LEAST_LINK = 0.02
_MOST_PAIRS = 2
_WORD_PAIRS = {
    **{f"quantities: {kind.name}".lower(): int(kind) << QUANTITIES_FROM for kind in QuantityRelation},
    "antonyms": ANTONYMS,
    "opposed persons or countries": OPPOSED,
    "synonyms": int(Evidence.SYNONYM),
    "derivations": int(Evidence.DERIVATION | Evidence.SUFFIX),
    "other forms": int(Evidence.NUMBER | Evidence.ABBREVIATION | Evidence.ACRONYM | Evidence.SPELLING),
    "parts of words": int(Evidence.SUBSTRING),
    "function words": int(Evidence.PREPOSITION | Evidence.FUNCTION),
}
#: Facts about each side; the model sees the smaller and the larger value.
_SIDES = (
    *("content words without a link", "share of content words without a link", "words without a link"),
    *("other content words", "other words", "words", "least similar word", "similarity"),
    *("similarity of other words", "least similar other word", "similarity of other content words"),
    *("no other words", "weakness of links of other content words"),
    *(f"other words tagged {tag}" for tag in _TAGS),
    "names without a link",
)
#: Names of the features, in the order of the model's weights.
MEANING_FEATURES = (
    *(f"{name}, {end}" for name in _SIDES for end in ("smaller", "larger")),
    *("cosine of mean vectors", "cosine of mean vectors of other words"),
    *_WORD_PAIRS,
    *(
        "difference in negations",
        "negations on both sides",
        "same words in another order",
        "spans of the pair",
    ),
)


def meaning_features(
    source: Sentence, target: Sentence, words: WordMatrices, spans: Sequence[tuple[Span, Span]]
) -> np.ndarray:
    """Features of corresponding spans; swapped sentences have the same.

    *Other* words are those that the other span does not have; a span may be empty.

    Parameters
    ----------
    source, target : Sentence
        With tags and word vectors.
    words : WordMatrices
        What is known about their words.
    spans : sequence of ((int, int), (int, int))
        K pairs of spans.

    Returns
    -------
    numpy.ndarray
        float64, shape (K, len(MEANING_FEATURES)).
    """
    rows = []
    for one, two in spans:
        links, cosines = words.links[slice(*one), slice(*two)], words.cosines[slice(*one), slice(*two)]
        evidence = words.evidence[slice(*one), slice(*two)]
        lower = [
            [word.lower() for word in side.words[slice(*span)]]
            for side, span in ((source, one), (target, two))
        ]
        other = [_other(lower[0], lower[1]), _other(lower[1], lower[0])]
        sides = [
            _side(source, one, other[0], links, cosines),
            _side(target, two, other[1], links.T, cosines.T),
        ]
        unmatched = evidence[np.ix_(*other)]
        counts = [min(_MOST_PAIRS, np.count_nonzero(unmatched & kind)) for kind in _WORD_PAIRS.values()]
        negations = sorted(sum(word in _NEGATIONS for word in side) for side in lower)
        rows.append(
            [
                *np.sort(np.array(sides), axis=0).T.ravel(),
                _cosine(source, target, range(*one), range(*two)),
                _cosine(
                    source,
                    target,
                    [one[0] + k for k in np.flatnonzero(other[0]).tolist()] or range(*one),
                    [two[0] + k for k in np.flatnonzero(other[1]).tolist()] or range(*two),
                ),
                *counts,
                *(
                    negations[1] - negations[0],
                    negations[0],
                    sorted(lower[0]) == sorted(lower[1]),
                    len(spans),
                ),
            ]
        )
    return np.array(rows, np.float64).reshape(-1, len(MEANING_FEATURES))


def _other(words: Sequence[str], others: Sequence[str]) -> np.ndarray:
    """The words that are not among the others, and no punctuation; bool."""
    return np.array([word not in others and any(map(str.isalnum, word)) for word in words], bool)


def _side(
    sentence: Sentence, span: Span, other: np.ndarray, links: np.ndarray, cosines: np.ndarray
) -> list[float]:
    tokens = sentence.tokens[slice(*span)]
    content = np.array(
        [is_content_word(token.text) and any(map(str.isalnum, token.text)) for token in tokens], bool
    )
    mass = np.minimum(links.sum(axis=1), 1.0)
    free = (1 - mass) * content
    best = cosines.max(axis=1) if cosines.size else np.zeros(len(tokens))
    of_other, of_content = best[other], best[other & content]
    tags = [token.tag for token, is_other in zip(tokens, other, strict=True) if is_other]
    names = sum(
        is_other and value > 0.5 and token.tag.startswith("NNP")
        for token, is_other, value in zip(tokens, other, free, strict=True)
    )
    return [
        np.log1p(free.sum()),
        free.sum() / max(1, content.sum()),
        np.log1p((1 - mass).sum()),
        np.log1p((content & other).sum()),
        np.log1p(other.sum()),
        np.log1p(len(tokens)),
        best.min() if len(best) else 0.0,
        best.mean() if len(best) else 0.0,
        of_other.mean() if len(of_other) else 1.0,
        of_other.min() if len(of_other) else 1.0,
        of_content.mean() if len(of_content) else 1.0,
        float(not other.any()),
        -np.log(np.maximum(mass, _LEAST_LINK))[other & content].sum(),
        *(float(sum(tag.startswith(name) for tag in tags)) for name in _TAGS),
        float(names),
    ]


def _cosine(source: Sentence, target: Sentence, ours: Sequence[int], theirs: Sequence[int]) -> float:
    """Cosine of the mean vectors of words; 0 if there are none on a side."""
    if not len(ours) or not len(theirs):
        return 0.0
    one, two = (
        np.asarray(side.vectors)[list(words)].mean(axis=0)
        for side, words in ((source, ours), (target, theirs))
    )
    return float(one @ two) / max(float(np.linalg.norm(one) * np.linalg.norm(two)), 1e-9)
