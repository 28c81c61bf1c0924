"""SPADE as a benchmark: phrase alignments compared with those of annotators on gold trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from forest_align.alignment import Alignment, Span, SpanPair, project
from forest_align.data.pairs import SentencePair
from forest_align.data.trees.enju_tree import EnjuTree
from forest_align.eval.benchmarks.task import Figures
from forest_align.eval.metrics.phrase_scores import human_agreement, reachability, score_phrases
from forest_align.types import InputError

#: A phrase and the phrase aligned to it; None means null.
NullablePair = tuple[Span | None, Span | None]


@dataclass(frozen=True, slots=True)
class AnnotatedPhrases:
    """Annotations of the phrases of one pair of gold trees.

    Attributes
    ----------
    source, target : set of (int, int)
        The phrases, as half-open token spans; the phrases of a unary chain are one.
    aligned : sequence of set
        For each annotator the aligned phrases; all others are aligned to nothing.
    """

    source: AbstractSet[Span]
    target: AbstractSet[Span]
    aligned: Sequence[AbstractSet[SpanPair]]

    @classmethod
    def of(cls, pair: SentencePair) -> AnnotatedPhrases:
        """Read the annotations of a pair of annotated trees.

        Raises
        ------
        InputError
            If the pair has no trees.
        """
        source, target = pair.source_enju, pair.target_enju
        if source is None or target is None:
            raise InputError(f"pair {pair.id!r}: expected annotated trees, found none")
        return cls(_spans(source), _spans(target), pair.annotations)


def phrase_scorer(gold: Sequence[AnnotatedPhrases]) -> Callable[[Sequence[Alignment]], list[Figures]]:
    """Score phrases against annotators, reachability, and annotators against each other.

    There are two tables: ``spade`` has the aligned phrases, and ``spade with nulls`` also counts phrases
    aligned to nothing. The latter follows the evaluation that Arase and Tsujii published with their later
    aligner (2020). A system's nulls are the phrases of the gold trees that it does not align. For an aligner
    of words or short phrases, the phrases are made from its links, see :func:`linked_phrases`, and
    reachability is omitted.
    """
    aligned = [pair.aligned for pair in gold]
    judged = [[_with_nulls(one, pair) for one in pair.aligned] for pair in gold]

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        found = [linked_phrases(one, pair) for one, pair in zip(alignments, gold, strict=True)]
        with_nulls = [_with_nulls(phrases, pair) for phrases, pair in zip(found, gold, strict=True)]
        reached = {}
        if any(alignment.has_derivation for alignment in alignments):
            reached["reachability"] = 100 * reachability(alignment.root_aligned for alignment in alignments)
        figures = [
            Figures.of("spade", score_phrases(found, aligned).statistics(), reached),
            Figures.of("spade with nulls", score_phrases(with_nulls, judged).statistics(), reached),
        ]
        if aligned and len(aligned[0]) > 1:
            figures += [_people("spade people", aligned), _people("spade people with nulls", judged)]
        return figures

    return score


def linked_phrases(alignment: Alignment, judged: AnnotatedPhrases) -> set[SpanPair]:
    """Phrases of the derivation; without one, the smallest pairs of gold phrases that the links make."""
    if alignment.has_derivation or not alignment.words:
        return {(pair.source_node.span, pair.target_node.span) for pair in alignment.phrases}
    return project(judged.source, judged.target, alignment.words).sure_pairs()


def _spans(tree: EnjuTree) -> set[Span]:
    return {(node.start, node.end) for node in tree.nodes}


def _with_nulls(found: AbstractSet[SpanPair], pair: AnnotatedPhrases) -> set[NullablePair]:
    """Aligned phrases, and each unaligned phrase of the trees, paired with None."""
    source, target = {ours for ours, _ in found}, {theirs for _, theirs in found}
    nulls = {(span, None) for span in pair.source - source} | {(None, span) for span in pair.target - target}
    return {*found, *nulls}


def _people(table: str, annotations: Sequence[Sequence[AbstractSet[NullablePair]]]) -> Figures:
    people = human_agreement(annotations)
    values = {"precision": 100 * people.precision, "recall": 100 * people.recall, "f1": 100 * people.f1}
    return Figures(table, values, {}, "people, each against the others")
