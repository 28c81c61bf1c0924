"""SPADE as a benchmark: phrase alignments on gold trees, compared with three annotators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet

from forest_align.eval.constituents import SpanPair
from forest_align.eval.phrases import human_agreement, reachability, score_phrases
from forest_align.eval.tasks.task import Figures
from forest_align.types import Alignment


def phrase_scorer(
    gold: Sequence[Sequence[AbstractSet[SpanPair]]],
) -> Callable[[Sequence[Alignment]], list[Figures]]:
    """Phrases against annotators, reachability, and the annotators against each other.

    Parameters
    ----------
    gold : sequence of sequence of set
        For each pair the alignments of each annotator, as pairs of spans.
    """

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        predicted = [
            {(pair.source_node.span, pair.target_node.span) for pair in alignment.phrases}
            for alignment in alignments
        ]
        reached = 100 * reachability(alignment.root_aligned for alignment in alignments)
        figures = [
            Figures.of("spade", score_phrases(predicted, gold).statistics(), {"reachability": reached})
        ]
        if len(gold[0]) > 1:
            people = human_agreement(gold)
            values = {
                "precision": 100 * people.precision,
                "recall": 100 * people.recall,
                "f1": 100 * people.f1,
            }
            figures.append(Figures("spade people", values, {}, "people, each against the others"))
        return figures

    return score
