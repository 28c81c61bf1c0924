"""Scores of what two sentences do not share: edits, differing spans, and unsupported words.

*Edits*. An edit is right if both of its spans are marked as one edit, so that its type is right too: a
replacement has words on both sides, a deletion and an insertion on one. Precision, recall and F1 are over all
edits of a corpus. Where annotators accept several ways to divide the changes, the best one for the system
counts.

*Differing spans* are measured as in dissimilar span detection (Miguel Lozano et al. 2026). Each sentence is
judged by itself. The wanted and the found spans are paired so that the sum of the distances of their ends is
least. If there are more of one kind, some of them remain alone. A pair of spans scores by the words that they
share: precision is their share of the found span, recall that of the wanted span. Punctuation does not count,
and the order of the words makes no difference. A span that remains alone scores 0. The score of a sentence is
the mean over its pairs of spans and lone spans. It is 1 if there are neither wanted nor found spans. The
score of a corpus is the mean over all sentences.

The published program differs in two details. It finds a repeated word of the found span in the same word of
the wanted span each time, so its recall can exceed 1. Its tokens come from NLTK.
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from forest_align.alignment import Span
from forest_align.eval.metrics.scores import Scores, Statistic, mean, safe_divide, share

#: The two spans of an edit; None where it has no words.
Spans = tuple[Span | None, Span | None]
# Whether an edit of each type has words of the source, and of the target.
_FIGURES = ("precision", "recall", "f1")
_EDIT_TYPES = {"replace": (True, True), "delete": (True, False), "insert": (False, True)}


def edit_counts(found: AbstractSet[Spans], versions: Collection[AbstractSet[Spans]]) -> tuple[int, int, int]:
    """Numbers of edits of a pair that are right, found and wanted."""
    return _counts(found, _closest_version(found, versions))


def _counts(found: AbstractSet[Spans], wanted: AbstractSet[Spans]) -> tuple[int, int, int]:
    return len(found & wanted), len(found), len(wanted)


def _closest_version(
    found: AbstractSet[Spans], versions: Collection[AbstractSet[Spans]]
) -> AbstractSet[Spans]:
    """The version of the marked edits with the highest F1; the first of equally good ones."""
    return max(versions, key=lambda wanted: _edit_f1(np.array(_counts(found, wanted))))


def edit_f1(counts: Sequence[tuple[int, int, int]]) -> float:
    """F1 of a corpus from the counts of its pairs; 1 if there are no edits at all."""
    return float(_edit_f1(np.sum(counts, axis=0))) if counts else 1.0


def edit_statistics(
    found: Sequence[AbstractSet[Spans]], versions: Sequence[Collection[AbstractSet[Spans]]]
) -> dict[str, Statistic]:
    """The figures of a corpus by name.

    ``precision``, ``recall`` and ``f1`` of edits, the ``f1`` of each type, and ``exact``, the share of pairs
    all of whose edits are right.
    """
    pairs = [(ours, _closest_version(ours, theirs)) for ours, theirs in zip(found, versions, strict=True)]
    rows = np.array([_counts(*pair) for pair in pairs], float).reshape(-1, 3)
    statistics = {
        "precision": share(rows[:, 0], rows[:, 1]),
        "recall": share(rows[:, 0], rows[:, 2]),
        "f1": Statistic(rows, _edit_f1),
    }
    for name, sides in _EDIT_TYPES.items():
        of_type = [
            [
                {edit for edit in edits if (edit[0] is not None, edit[1] is not None) == sides}
                for edits in pair
            ]
            for pair in pairs
        ]
        rows = np.array([_counts(*pair) for pair in of_type], float).reshape(-1, 3)
        statistics[f"{name}.f1"] = Statistic(rows, _edit_f1)
    return statistics | {"exact": mean([ours == wanted for ours, wanted in pairs])}


def _edit_f1(sums: np.ndarray) -> np.ndarray:
    return safe_divide(2 * sums[..., 0], sums[..., 1] + sums[..., 2])


def score_sentence(words: Sequence[str], wanted: Sequence[Span], found: Sequence[Span]) -> Scores:
    """Precision, recall and F1 of the differing spans of one sentence: means over spans, F1 that of the F1s.

    Spans are half-open and do not overlap.
    """
    size = max(len(wanted), len(found))
    if not size:
        return Scores(1.0, 1.0, 1.0)
    counted = [
        [Counter(word for word in words[slice(*span)] if not is_ascii_punctuation(word)) for span in pair]
        for pair in _paired(wanted, found)
    ]
    scores = [_score_words(*pair) for pair in counted]
    return Scores(*(sum(getattr(one, name) for one in scores) / size for name in _FIGURES))


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
        name: np.array([sum(getattr(one, name) for one in pair) / 2 for pair in scores]) for name in _FIGURES
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
    return {name: mean([getattr(one, name) for one in scores]) for name in _FIGURES}
