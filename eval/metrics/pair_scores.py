"""Scores of sentence pairs, and how they are judged: by thresholds, correlation with people, and ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import comb, log

import numpy as np

from forest_align.eval.metrics.scores import Scores, Statistic, harmonic_mean, mean, safe_divide
from forest_align.lexicon.tables import FUNCTION_WORDS, is_content_word
from forest_align.types import InputError


def coverage(words: Sequence[str], aligned: AbstractSet[int]) -> float:
    """Share of the content words of one sentence that are aligned, in [0, 1]; 0 if the sentence is empty.

    A sentence without content words is judged by all its words. A link to any word counts.
    """
    content = _content(words)
    return sum(k in aligned for k in content) / len(content) if content else 0.0


def mutual_coverage(
    sentences: tuple[Sequence[str], Sequence[str]], aligned: tuple[AbstractSet[int], AbstractSet[int]]
) -> float:
    """Number of aligned content words, normalised by both sentences' numbers of content words (0 if empty).

    "The proportion of content words aligned in the two sentences (by normalizing with the harmonic mean of
    their number of content words)" (Sultan et al. 2014, §4.2.1). With one-to-one links of content words, this
    is the mean of their :func:`coverage`. Otherwise the mean of the two numbers counts, and the result may
    exceed 1.
    """
    content = [_content(words) for words in sentences]
    counts = [len(places) for places in content]
    both = sum(place in side for places, side in zip(content, aligned, strict=True) for place in places)
    return float(both / 2 / harmonic_mean(*counts)) if all(counts) else 0.0


def weighted_coverage(
    words: Sequence[str], credits: Mapping[int, float], weights: Mapping[str, float]
) -> float:
    """Coverage in [0, 1] that weights words by rarity and by the similarity of their aligned words.

    ``credits`` are qualities in [0, 1] by index, ``weights`` are by lower-cased word, see
    :func:`document_frequency_weights`.
    """
    content = _content(words)
    weight = [weights[words[k].lower()] for k in content]
    if not sum(weight):
        weight = [1.0] * len(content)
    got = sum(each * credits.get(k, 0.0) for k, each in zip(content, weight, strict=True))
    return got / sum(weight) if content else 0.0


def document_frequency_weights(sentences: Iterable[Sequence[str]]) -> dict[str, float]:
    """Inverse document frequency of lower-cased words: ln (N + 1) / (n + 1) for n of N sentences.

    A sentence that occurs several times counts once.
    """
    different = {tuple(sentence) for sentence in sentences}
    counts = Counter(word for sentence in different for word in {word.lower() for word in sentence})
    return {word: log((len(different) + 1) / (count + 1)) for word, count in counts.items()}


def _content(words: Sequence[str]) -> list[int]:
    found = [k for k, word in enumerate(words) if is_content_word(word, FUNCTION_WORDS)]
    return found or list(range(len(words)))


@dataclass(frozen=True, slots=True)
class _Classification:
    """Accuracy, and precision, recall and F1 of the positive class."""

    accuracy: float
    scores: Scores
    threshold: float


def best_threshold(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """Threshold with the highest accuracy when items with a score at or above it are positive.

    Thresholds between two neighbouring scores are half-way; of equally good ones the lowest is chosen. Raises
    InputError if there are no items, or scores and labels differ in length.
    """
    if not len(scores) or len(scores) != len(labels):
        raise InputError(
            f"expected as many scores as labels, at least one, found {len(scores)} and {len(labels)}"
        )
    values, positive = np.asarray(scores, float), np.asarray(labels, bool)
    distinct = np.unique(values)
    candidates = np.concatenate([[distinct[0]], (distinct[:-1] + distinct[1:]) / 2, [np.inf]])
    order = np.argsort(values, kind="stable")
    below = np.searchsorted(values[order], candidates, side="left")
    positives_below = np.concatenate([[0], np.cumsum(positive[order])])[below]
    right = (below - positives_below) + (positive.sum() - positives_below)
    return float(candidates[np.argmax(right)])


def classify(scores: Sequence[float], labels: Sequence[bool], threshold: float) -> _Classification:
    """Classify items with a score at or above the threshold as positive, and compare with the labels.

    Raises InputError if scores and labels differ in length.
    """
    if len(scores) != len(labels):
        raise InputError(f"expected {len(labels)} scores, one a label, found {len(scores)}")
    predicted, positive = np.asarray(scores, float) >= threshold, np.asarray(labels, bool)
    both = float((predicted & positive).sum())
    precision, recall = safe_divide(both, predicted.sum()), safe_divide(both, positive.sum())
    of_positive = Scores.of(float(precision), float(recall))
    return _Classification(mean(predicted == positive).value, of_positive, threshold)


def pearson(first: Sequence[float], second: Sequence[float]) -> float:
    """Correlation of two series; 0 if one of them is constant. Raises InputError if they differ in length."""
    if len(first) != len(second):
        raise InputError(f"expected {len(first)} scores, one an item, found {len(second)}")
    return pearson_statistic(first, second).value


def pearson_statistic(first: Sequence[float] | np.ndarray, second: Sequence[float] | np.ndarray) -> Statistic:
    """Correlation as a function of sums, ready for significance tests.

    Both series are first standardised to mean 0 and variance 1, which does not change the correlation.
    Rounding errors then do not depend on the mean or the scale.
    """
    a, b = _standard(first), _standard(second)
    return Statistic(np.stack([np.ones_like(a), a, b, a * a, b * b, a * b], axis=1), _pearson_of_sums)


def _pearson_of_sums(sums: np.ndarray) -> np.ndarray:
    n, a, b, aa, bb, ab = np.moveaxis(sums, -1, 0)
    spread = (n * aa - a * a) * (n * bb - b * b)
    # After rounding, a constant series can have a spread of about 1e-16 of its size.
    is_constant = spread <= 1e-12 * (n * aa) * (n * bb)
    return safe_divide(n * ab - a * b, np.sqrt(np.where(is_constant, 0, spread)), when_empty=0.0)


def weighted_pearson(
    sets: Sequence[Hashable], predicted: Sequence[float], gold: Sequence[float]
) -> Statistic:
    """Average the correlations of several sets, weighted by their sizes (*SEM 2013 STS).

    Scores are standardised to mean 0 and variance 1 within each set, so that the randomization test may swap
    those of two systems.
    """
    names = list(dict.fromkeys(sets))
    rows = np.zeros((len(sets), len(names), 6))
    for place, name in enumerate(names):
        of_set = np.array([its_set == name for its_set in sets])
        a, b = (np.asarray(values, float)[of_set] for values in (predicted, gold))
        rows[of_set, place] = pearson_statistic(a, b).contributions

    def of_sums(sums: np.ndarray) -> np.ndarray:
        by_set = sums.reshape(*sums.shape[:-1], len(names), 6)
        sizes = by_set[..., 0]
        return safe_divide((sizes * _pearson_of_sums(by_set)).sum(-1), sizes.sum(-1), when_empty=0.0)

    return Statistic(rows.reshape(len(sets), 6 * len(names)), of_sums)


def _standard(series: Sequence[float] | np.ndarray) -> np.ndarray:
    """Values standardised to mean 0 and variance 1; all 0 if the series is constant."""
    values = np.asarray(series, float)
    if not len(values) or values.min() == values.max():
        return np.zeros_like(values)
    centred = values - values.mean()
    result: np.ndarray = centred / centred.std()
    return result


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Ranking of candidate answers over Q questions: two figures, each float64 (Q,)."""

    average_precision: np.ndarray
    reciprocal_rank: np.ndarray


def rank(questions: Sequence[Hashable], scores: Sequence[float], labels: Sequence[bool]) -> Ranking:
    """Rank the candidates of each question by score; raises InputError if the sequences differ in length.

    Questions without a right or without a wrong candidate are skipped, as in the literature since Wang et al.
    2007. Candidates with equal scores are in random order, and the figures are the exact expectations over it
    (McSherry and Najork 2008). Files often list right answers first, so a fixed order would reward ties.
    """
    if not len(questions) == len(scores) == len(labels):
        raise InputError(
            f"expected one score and one label a candidate, found {len(questions)} candidates, "
            f"{len(scores)} scores and {len(labels)} labels"
        )
    groups: dict[Hashable, list[tuple[float, bool]]] = {}
    for question, score, label in zip(questions, scores, labels, strict=True):
        groups.setdefault(question, []).append((score, bool(label)))
    ties = [_ties(group) for group in groups.values() if 0 < sum(label for _, label in group) < len(group)]
    return Ranking(
        np.array([_expected_average_precision(group) for group in ties]),
        np.array([_expected_reciprocal_rank(group) for group in ties]),
    )


def area(scores: Sequence[float] | np.ndarray, labels: Sequence[bool] | np.ndarray) -> float:
    """Area under the ROC curve: how often a right item scores above a wrong one, in percent; ties count half.

    50 if there are no right or no wrong items.
    """
    values, right = np.asarray(scores, float), np.asarray(labels, bool)
    wrong = np.sort(values[~right])
    if not len(wrong) or not right.any():
        return 50.0
    below, not_above = (wrong.searchsorted(values[right], side=side) for side in ("left", "right"))
    return float(50 * (below + not_above).mean() / len(wrong))


def _ties(group: Iterable[tuple[float, bool]]) -> list[tuple[int, int]]:
    """Size and number of right candidates of each set of equal scores, best score first."""
    by_score: dict[float, tuple[int, int]] = {}
    for score, label in group:
        size, right = by_score.get(score, (0, 0))
        by_score[score] = (size + 1, right + label)
    return [by_score[score] for score in sorted(by_score, reverse=True)]


def _expected_average_precision(ties: Sequence[tuple[int, int]]) -> float:
    total, above, right_above = 0.0, 0, 0
    for size, right in ties:
        for place in range(1, size + 1):
            others = (place - 1) * (right - 1) / (size - 1) if size > 1 else 0.0
            total += right / size * (right_above + others + 1) / (above + place)
        above, right_above = above + size, right_above + right
    return total / right_above


def _expected_reciprocal_rank(ties: Sequence[tuple[int, int]]) -> float:
    above = 0
    for size, right in ties:
        if right:
            ways = comb(size, right)
            places = range(1, size - right + 2)
            return sum(comb(size - place, right - 1) / ways / (above + place) for place in places)
        above += size
    return 0.0
