"""Similarity, paraphrase, entailment and answer ranking as benchmarks: only the alignment score is used."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from forest_align.eval.extrinsic import (
    alignment_score,
    best_threshold,
    classify,
    coverage,
    pearson,
    rank,
    weighted_pearson,
)
from forest_align.eval.scores import mean
from forest_align.eval.tasks.task import Figures
from forest_align.types import Alignment

Scorer = Callable[[Sequence[Alignment]], list[Figures]]


def score_of(alignment: Alignment) -> float:
    """Share of content words aligned, of both sentences."""
    return alignment_score(alignment.source.words, alignment.target.words, alignment.words)


def coverage_of_target(alignment: Alignment) -> float:
    """Share of the target's content words that are aligned (is the hypothesis in the text)."""
    return coverage(alignment.target.words, {j for _, j in alignment.words})


def coverage_of_source(alignment: Alignment) -> float:
    """Share of the source's content words that are aligned (is the question in the answer)."""
    return coverage(alignment.source.words, {i for i, _ in alignment.words})


def similarity_scorer(sets: Sequence[str], gold: Sequence[float]) -> Scorer:
    """Pearson correlation over several sets, weighted by their sizes (Sultan et al. 2014, table 4).

    Parameters
    ----------
    sets : sequence of str
        For each pair the set it belongs to.
    gold : sequence of float
        Similarity of each pair as people judged it.
    """

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        found = [score_of(alignment) for alignment in alignments]
        by_set: dict[str, tuple[list[float], list[float]]] = {}
        for name, predicted, wanted in zip(sets, found, gold, strict=True):
            of_set = by_set.setdefault(name, ([], []))
            of_set[0].append(predicted)
            of_set[1].append(wanted)
        values = {f"pearson.{name}": 100 * pearson(*of_set) for name, of_set in by_set.items()}
        return [Figures("sts2013", {"pearson": 100 * weighted_pearson(by_set), **values}, {})]

    return score


def classification_scorer(
    table: str, labels: Sequence[bool], tuning: int, measure: Callable[[Alignment], float]
) -> Scorer:
    """Accuracy at the threshold that is best on the first ``tuning`` pairs, measured on the others.

    Parameters
    ----------
    table : str
        Name of the table.
    labels : sequence of bool
        Whether each pair is a paraphrase, or entailed.
    tuning : int
        Number of pairs to tune the threshold on.
    measure : callable
        The alignment score to use.
    """

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        scores = [measure(alignment) for alignment in alignments]
        threshold = best_threshold(scores[:tuning], labels[:tuning])
        found = classify(scores[tuning:], labels[tuning:], threshold)
        right = [
            (value >= threshold) == label
            for value, label in zip(scores[tuning:], labels[tuning:], strict=True)
        ]
        extra = {
            "precision": 100 * found.scores.precision,
            "recall": 100 * found.scores.recall,
            "f1": 100 * found.scores.f1,
            "threshold": 100 * threshold,
        }
        return [Figures.of(table, {"accuracy": mean(right)}, extra)]

    return score


def ranking_scorer(questions: Sequence[str], labels: Sequence[bool]) -> Scorer:
    """MAP and MRR of answers ranked by how much of the question they cover (Yao et al. 2013, table 5c)."""

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        found = rank(questions, [coverage_of_source(alignment) for alignment in alignments], labels)
        return [Figures.of("qa", {"map": mean(found.average_precision), "mrr": mean(found.reciprocal_rank)})]

    return score
