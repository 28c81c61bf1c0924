"""Similarity, paraphrase, entailment and answer ranking as benchmarks, from alignment scores alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from forest_align.alignment import Alignment
from forest_align.eval.benchmarks.task import Figures, Similarities
from forest_align.eval.metrics.classification import best_threshold, classify
from forest_align.eval.metrics.correlation import pearson, weighted_pearson
from forest_align.eval.metrics.coverage import coverage, mutual_coverage, weighted_coverage
from forest_align.eval.metrics.ranking import rank
from forest_align.eval.metrics.scores import mean

#: Computes figures from one score a pair.
Scorer = Callable[[Sequence[float]], Figures]

#: The sentences that must be covered: 0 is the source, 1 the target.
Side = tuple[int, ...]

#: Both (for paraphrases), the target (whether the text contains the hypothesis), the source (whether the
#: answer contains the question).
BOTH, SOURCE, TARGET = (0, 1), (0,), (1,)


def naive_use(scorer: Scorer, side: Side) -> Callable[[Sequence[Alignment]], list[Figures]]:
    """Score by the share of aligned content words, as Sultan et al. (2014, §4.2) do."""

    def score_of(alignment: Alignment) -> float:
        words = alignment.source.words, alignment.target.words
        aligned = {i for i, _ in alignment.words}, {j for _, j in alignment.words}
        if side == BOTH:
            return mutual_coverage(words, aligned)
        (which,) = side
        return coverage(words[which], aligned[which])

    return lambda alignments: [scorer([score_of(one) for one in alignments])]


def decoding_use(scorer: Scorer) -> Callable[[Sequence[Alignment]], list[Figures]]:
    """Score by the aligner's own normalised score, as Yao et al. (2013, §5) do.

    There are no figures for an aligner without scores. A pair that could not be aligned gets the lowest score
    of all.
    """
    return lambda alignments: _figures(scorer, [one.decoding_score for one in alignments], "decoding score")


def paraphrase_use(scorer: Scorer) -> Callable[[Sequence[Alignment]], list[Figures]]:
    """Score by the probability that the sentences are paraphrases; as :func:`decoding_use` otherwise."""
    return lambda alignments: _figures(
        scorer, [one.paraphrase_probability for one in alignments], "paraphrase probability"
    )


def _figures(scorer: Scorer, found: Sequence[float | None], use: str) -> list[Figures]:
    """The figures of scores that a pair may lack; none if all do."""
    known = [value for value in found if value is not None]
    if not known:
        return []
    scores = [min(known) if value is None else value for value in found]
    return [replace(scorer(scores), use=use)]


def weighted_use(
    scorer: Scorer, side: Side, weights: Mapping[str, float]
) -> Callable[[Sequence[Alignment], Sequence[Similarities]], list[Figures]]:
    """Weigh content words by their rarity, and links by their probability and the words' similarity.

    A content word of weight w whose links have probability p and similarity s earns max w · p · s. The score
    is the sum of these values, divided by the sum of all weights. Links without probabilities have p = 1.
    """

    def score_of(alignment: Alignment, similarities: Similarities) -> float:
        links = alignment.words
        words = alignment.source.words, alignment.target.words
        probabilities = links.scores or (1.0,) * len(links)
        total = 0.0
        for which in side:
            credits: dict[int, float] = {}
            for link, p, s in zip(links, probabilities, similarities, strict=True):
                credits[link[which]] = max(credits.get(link[which], 0.0), p * s)
            total += weighted_coverage(words[which], credits, weights)
        return total / len(side)

    def score(alignments: Sequence[Alignment], similarities: Sequence[Similarities]) -> list[Figures]:
        scores = [score_of(*one) for one in zip(alignments, similarities, strict=True)]
        return [replace(scorer(scores), use="weighted")]

    return score


def similarity_scorer(sets: Sequence[str], gold: Sequence[float]) -> Scorer:
    """Pearson correlation over several sets, weighted by their sizes (Sultan et al. 2014, table 4)."""

    def figures(scores: Sequence[float]) -> Figures:
        values = {}
        for name in dict.fromkeys(sets):
            of_set = [k for k, its_set in enumerate(sets) if its_set == name]
            values[f"pearson.{name}"] = 100 * pearson([scores[k] for k in of_set], [gold[k] for k in of_set])
        return Figures.of("sts2013", {"pearson": weighted_pearson(sets, scores, gold)}, values)

    return figures


def classification_scorer(table: str, labels: Sequence[bool], tuning: int) -> Scorer:
    """Accuracy at the threshold that is best on the first ``tuning`` pairs, measured on the others."""

    def figures(scores: Sequence[float]) -> Figures:
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
        return Figures.of(table, {"accuracy": mean(right)}, extra)

    return figures


def ranking_scorer(questions: Sequence[str], labels: Sequence[bool]) -> Scorer:
    """MAP and MRR of ranked answers (Yao et al. 2013, table 5c)."""

    def figures(scores: Sequence[float]) -> Figures:
        found = rank(questions, scores, labels)
        return Figures.of("qa", {"map": mean(found.average_precision), "mrr": mean(found.reciprocal_rank)})

    return figures
