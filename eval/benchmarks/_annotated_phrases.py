"""SPADE as a benchmark: phrases against those of several annotators. Unusable pairs are skipped and named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from forest_align.alignment import Alignment, Span, SpanPair, project
from forest_align.data.formats.spade import files_of_part, read_files
from forest_align.data.pairs import SentencePair
from forest_align.data.trees.enju import EnjuTree
from forest_align.eval.benchmarks.task import Figures, Files, Task, tokenized_sentences
from forest_align.eval.metrics.phrase_scores import (
    human_agreement,
    reachability,
    score_phrases,
    scores_of_people,
)
from forest_align.eval.metrics.scores import MatchCounts, Statistic
from forest_align.eval.metrics.tree_scores import head_dependencies, score_attachment, tree_heads
from forest_align.parsing.forests.trees import forest_from_enju
from forest_align.types import InputError

#: A phrase and the phrase aligned to it; None means null.
_NullablePair = tuple[Span | None, Span | None]


@dataclass(frozen=True, slots=True)
class AnnotatedPhrases:
    """Annotations of the phrases of one pair of gold trees."""

    source: AbstractSet[Span]  # half-open token spans; those of a unary chain are one
    target: AbstractSet[Span]
    aligned: Sequence[AbstractSet[SpanPair]]  # per annotator; other phrases are aligned to nothing
    heads: tuple[Sequence[int], Sequence[int]]  # of each token, see head_dependencies

    @classmethod
    def of(cls, pair: SentencePair) -> AnnotatedPhrases:
        """Read the annotations of a pair of annotated trees. Raises InputError if the pair has no trees."""
        source, target = pair.source_enju, pair.target_enju
        if source is None or target is None:
            raise InputError(f"pair {pair.id!r}: expected annotated trees, found none")
        return cls(_spans(source), _spans(target), pair.annotations, (_heads(source), _heads(target)))


def phrase_scorer(gold: Sequence[AnnotatedPhrases]) -> Callable[[Sequence[Alignment]], list[Figures]]:
    """Score phrases against annotators, reachability, and annotators against each other.

    There are two tables: ``spade`` has the aligned phrases, and ``spade with nulls`` also counts phrases
    aligned to nothing. The latter follows the evaluation that Arase and Tsujii published with their later
    aligner (2020). A system's nulls are the phrases of the gold trees that it does not align. For an aligner
    of words or short phrases, the phrases are made from its links, see :func:`linked_phrases`, and
    reachability is omitted. UAS compares the trees that an aligner chose with the gold trees.
    """
    aligned = [pair.aligned for pair in gold]
    judged = [[_with_nulls(one, pair) for one in pair.aligned] for pair in gold]

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        found = [linked_phrases(one, pair) for one, pair in zip(alignments, gold, strict=True)]
        with_nulls = [_with_nulls(phrases, pair) for phrases, pair in zip(found, gold, strict=True)]
        reached = {}
        attached: dict[str, Statistic] = {}
        if any(alignment.has_derivation for alignment in alignments):
            reached["reachability"] = 100 * reachability(alignment.root_aligned for alignment in alignments)
            attached["uas"] = _attachment(alignments, gold)
        figures = [
            Figures.of("spade", score_phrases(found, aligned).statistics() | attached, reached),
            Figures.of(
                "spade with nulls", score_phrases(with_nulls, judged).statistics() | attached, reached
            ),
        ]
        if aligned and len(aligned[0]) > 1:
            figures += [*_people("spade people", aligned), *_people("spade people with nulls", judged)]
        return figures

    return score


def linked_phrases(alignment: Alignment, judged: AnnotatedPhrases) -> set[SpanPair]:
    """Phrases of the derivation; without one, the smallest pairs of gold phrases that the links make."""
    if alignment.has_derivation or not alignment.words:
        return {(pair.source_node.span, pair.target_node.span) for pair in alignment.phrases}
    return project(judged.source, judged.target, alignment.words).sure_pairs()


def _spans(tree: EnjuTree) -> set[Span]:
    return {(node.start, node.end) for node in tree.nodes}


def _with_nulls(found: AbstractSet[SpanPair], pair: AnnotatedPhrases) -> set[_NullablePair]:
    """Aligned phrases, and each unaligned phrase of the trees, paired with None."""
    source, target = {ours for ours, _ in found}, {theirs for _, theirs in found}
    nulls = {(span, None) for span in pair.source - source} | {(None, span) for span in pair.target - target}
    return {*found, *nulls}


def _heads(tree: EnjuTree) -> list[int]:
    return head_dependencies(forest_from_enju(tree)[0])


def _attachment(alignments: Sequence[Alignment], gold: Sequence[AnnotatedPhrases]) -> Statistic:
    """UAS of the chosen trees; a pair without them has no token attached."""
    rows = []
    for alignment, pair in zip(alignments, gold, strict=True):
        sides = zip(
            pair.heads,
            (alignment.source_tree, alignment.target_tree),
            (alignment.source.words, alignment.target.words),
            strict=True,
        )
        found = [(wanted, _found_heads(tree, words), words) for wanted, tree, words in sides]
        counts = score_attachment(*(list(column) for column in zip(*found, strict=True)))
        rows.append(counts.rows.sum(axis=0).tolist())
    return MatchCounts.of(rows).micro_statistics()["recall"]


def _found_heads(tree: str, words: Sequence[str]) -> list[int]:
    # -2 is no token and no root: nothing is attached.
    return tree_heads(tree) if tree else [-2] * len(words)


def _people(table: str, annotations: Sequence[Sequence[AbstractSet[_NullablePair]]]) -> list[Figures]:
    """A row of the annotators' means, and one for each, against the pairs of the others."""
    rows = [("people, each against the others", human_agreement(annotations))]
    rows += [(f"annotator {k}", one) for k, one in enumerate(scores_of_people(annotations), start=1)]
    return [
        Figures(
            table,
            {"precision": 100 * one.precision, "recall": 100 * one.recall, "f1": 100 * one.f1},
            {},
            name,
        )
        for name, one in rows
    ]


def spade_files(data: Path, split: str) -> list[Path]:
    """The files of a part of SPADE; see :func:`files_of_part`."""
    return [path for pair in files_of_part(data, split) for path in pair]


def spade_task(files: Files, split: str) -> Task:
    """Make the SPADE task; the files are those of source and target of each pair in turn."""
    both = list(zip(files.paths[::2], files.paths[1::2], strict=True))[: files.limit]
    read = [pair for source, target in both for pair in read_files(source, target)]
    pairs, judged, skipped = [], [], []
    people = max((len(pair.annotations) for pair in read if isinstance(pair, SentencePair)), default=0)
    for pair in read:
        try:
            if isinstance(pair, InputError):
                raise pair
            judged.append(_judged_by(people, pair))
            pairs.append(pair)
        except InputError as error:
            skipped.append(error)
    if not pairs:
        raise skipped[0] if skipped else InputError("expected sentence pairs, found none")
    return Task(
        [pair.id for pair in pairs], tokenized_sentences(pairs), phrase_scorer(judged), skipped=skipped
    )


def _judged_by(people: int, pair: SentencePair) -> AnnotatedPhrases:
    found = len(pair.annotations)
    if not found or found != people:
        raise pair.located(InputError(f"pair {pair.id!r}: expected {people or 1} annotators, found {found}"))
    return AnnotatedPhrases.of(pair)
