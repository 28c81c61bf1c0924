"""Spans in which two sentences differ, measured as in dissimilar span detection (Miguel Lozano et al. 2026).

Each sentence is judged by itself. The wanted and the found spans are paired so that the sum of the distances
of their ends is least. If there are more of one kind, some of them remain alone. A pair of spans scores by
the words that they share: precision is their share of the found span, recall that of the wanted span.
Punctuation does not count, and the order of the words makes no difference. A span that remains alone scores
0. The score of a sentence is the mean over its pairs of spans and lone spans. It is 1 if there are neither
wanted nor found spans. The score of a corpus is the mean over all sentences.

The published program differs in two details. It finds a repeated word of the found span in the same word of
the wanted span each time, so its recall can exceed 1. Its tokens come from NLTK.
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Sequence

import numpy as np

from forest_align.alignment import Span
from forest_align.eval.metrics.scores import Scores, Statistic, mean, safe_divide, share


def score_sentence(words: Sequence[str], wanted: Sequence[Span], found: Sequence[Span]) -> Scores:
    """Precision, recall and F1 of the differing spans of one sentence: means over spans, F1 that of the F1s.

    Spans are half-open and do not overlap.
    """
    size = max(len(wanted), len(found))
    if not size:
        return Scores(1.0, 1.0, 1.0)
    scores = [
        _score_words(_counted(words, ours), _counted(words, theirs))
        for ours, theirs in _paired(wanted, found)
    ]
    return Scores(
        sum(one.precision for one in scores) / size,
        sum(one.recall for one in scores) / size,
        sum(one.f1 for one in scores) / size,
    )


def _paired(wanted: Sequence[Span], found: Sequence[Span]) -> list[tuple[Span, Span]]:
    """Pair as many spans as possible, so that the sum of the distances of their ends is least.

    Spans that do not overlap are then paired in their order, so each prefix has a best pairing.
    """
    if len(wanted) > len(found):
        return [(ours, theirs) for theirs, ours in _paired(found, wanted)]
    fewer, more = sorted(wanted), sorted(found)
    # For each number of spans of the longer list: cost and pairs of the spans of the shorter list so far.
    best: list[tuple[int, list[tuple[Span, Span]]]] = [(0, [])] * (len(more) + 1)
    for count, one in enumerate(fewer, start=1):
        row = best[:count]
        for place in range(count, len(more) + 1):
            other = more[place - 1]
            cost, pairs = best[place - 1]
            cost += abs(one[0] - other[0]) + abs(one[1] - other[1])
            if place > count and row[place - 1][0] <= cost:
                row.append(row[place - 1])
            else:
                row.append((cost, [*pairs, (one, other)]))
        best = row
    return best[-1][1]


def _counted(words: Sequence[str], span: Span) -> Counter[str]:
    return Counter(word for word in words[slice(*span)] if not is_ascii_punctuation(word))


def is_ascii_punctuation(word: str) -> bool:
    """Whether a token has no character other than ASCII punctuation."""
    return all(character in string.punctuation for character in word)


def _score_words(wanted: Counter[str], found: Counter[str]) -> Scores:
    if not wanted and not found:
        return Scores(1.0, 1.0, 1.0)
    if not wanted or not found:
        return Scores(0.0, 0.0, 0.0)
    shared = (wanted & found).total()
    return Scores.of(shared / found.total(), shared / wanted.total())


def difference_statistics(
    scores: Sequence[tuple[Scores, Scores]], differs: Sequence[bool]
) -> dict[str, Statistic]:
    """The figures of a corpus by name, with ``same.f1`` and ``different.f1`` without and with spans."""
    means = {
        name: np.array([sum(getattr(one, name) for one in pair) / 2 for pair in scores])
        for name in ("precision", "recall", "f1")
    }
    chosen = np.asarray(differs, bool)
    return {name: mean(values) for name, values in means.items()} | {
        "same.f1": share(np.where(chosen, 0, means["f1"]), ~chosen),
        "different.f1": share(np.where(chosen, means["f1"], 0), chosen),
    }


def unsupported_statistics(wanted: Sequence[np.ndarray], found: Sequence[np.ndarray]) -> dict[str, Statistic]:
    """Precision, recall and F1 by name: means over claims, whose unsupported words are bool (n,) each.

    A claim without found words has a precision of 0, unless it has no wanted ones either.
    """
    scores = []
    for ours, theirs in zip(wanted, found, strict=True):
        both, is_right = float((ours & theirs).sum()), float(not ours.any() and not theirs.any())
        precision, recall = (float(safe_divide(both, one.sum(), is_right)) for one in (theirs, ours))
        scores.append(Scores.of(precision, recall))
    return {name: mean([getattr(one, name) for one in scores]) for name in ("precision", "recall", "f1")}
