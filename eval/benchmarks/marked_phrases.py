"""Phrases that people marked, as benchmarks: the units of ETPC, verses of two Bibles, and SPADE."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path

from forest_align.alignment import Alignment, Span, SpanPair, project
from forest_align.data.formats.format import PhraseUnit, SentencePair
from forest_align.data.formats.spade import files_of_part, read_files
from forest_align.eval.benchmarks.task import Figures, Files, Scoring, Task, tokenized_sentences
from forest_align.eval.metrics.phrase_scores import (
    human_agreement,
    reachability,
    score_phrases,
    scores_of_people,
)
from forest_align.eval.metrics.scores import MatchCounts, Statistic, share
from forest_align.eval.metrics.tree_scores import head_dependencies, score_attachment, tree_heads
from forest_align.eval.metrics.unit_scores import (
    core_calibration_error,
    core_statistics,
    count_contradicted,
    count_left_alone,
    is_phrase_unit,
    judge_core,
    judge_unit,
)
from forest_align.parsing.forests.trees import forest_from_enju
from forest_align.types import InputError, Sentence

#: The types whose units are one table together; each of them has a table of its own, too.
_SUBSTITUTION = "substitution"
_OTHERS = "other types"
_FOUND = ("exact", "near", "linked", "clean")


def etpc_task(files: Files, split: str) -> Task:
    """Make the ETPC task.

    Raises InputError if a pair cannot be read or has no phrases of people: names it.
    """
    pairs = files.pairs()
    units = _units_of(pairs)
    sentences = tokenized_sentences(pairs)
    by_type, by_core = unit_scorer(units), core_scorer("etpc core", sentences, units)
    return Task([pair.id for pair in pairs], sentences, lambda found: [*by_type(found), *by_core(found)])


def unit_scorer(gold: Sequence[Sequence[PhraseUnit]]) -> Scoring:
    """Score phrases by units with several words on a side; see :mod:`forest_align.eval.metrics.unit_scores`.

    There is a table ``etpc`` of all substitutions, one of each type of substitution, and one of the units of
    all other types. The first also has the shares of added and deleted words that are left alone, and of
    reported phrase pairs that no unit contradicts. An aligner without phrases has no such pairs.
    """
    types = sorted({unit.type for units in gold for unit in units if is_phrase_unit(unit)})
    substitutions = [name for name in types if _SUBSTITUTION in name.lower()]
    tables = {"etpc": substitutions} | {f"etpc {name}": [name] for name in substitutions}
    if others := [name for name in types if name not in substitutions]:
        tables[f"etpc {_OTHERS}"] = others

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        phrases = [_phrases(alignment) for alignment in alignments]
        judged = [
            [(unit.type, judge_unit(unit, pairs, alignment.words)) for unit in units if is_phrase_unit(unit)]
            for alignment, pairs, units in zip(alignments, phrases, gold, strict=True)
        ]
        found = []
        for table, its in tables.items():
            of_table = [[one for name, one in units if name in its] for units in judged]
            sizes = [len(units) for units in of_table]
            statistics = {
                name: share([sum(getattr(one, name) for one in units) for units in of_table], sizes)
                for name in _FOUND
            }
            if table == "etpc":
                statistics |= _others(alignments, phrases, gold)
            found.append(Figures.of(table, statistics, {"units": sum(sizes)}))
        return found

    return score


def _phrases(alignment: Alignment) -> set[SpanPair]:
    return {(pair.source_node.span, pair.target_node.span) for pair in alignment.phrases}


def _others(
    alignments: Sequence[Alignment], phrases: Sequence[set[SpanPair]], gold: Sequence[Sequence[PhraseUnit]]
) -> dict[str, Statistic]:
    alone = [
        count_left_alone(units, alignment.words) for alignment, units in zip(alignments, gold, strict=True)
    ]
    kept = [count_contradicted(pairs, units) for pairs, units in zip(phrases, gold, strict=True)]
    found = {"left_alone": share(*zip(*alone, strict=True))}
    if any(total for _, total in kept):
        found["phrase_precision"] = share(*zip(*kept, strict=True))
    return found


#: Books of the verses that no model learns from.
_DEV_BOOKS = ("1SA", "ROM")


def verses_task(files: Files, split: str) -> Task:
    """Make the task of verses: the books :data:`_DEV_BOOKS` for ``dev``, all others for ``train``.

    Raises InputError if a pair cannot be read or has no phrases of people: names it.
    """
    pairs = [pair for pair in replace(files, limit=None).pairs() if is_dev_verse(pair.id) == (split == "dev")]
    if not pairs:
        raise InputError(f"expected verses of the part {split}, found none", file=str(files.paths[0]))
    pairs = pairs[: files.limit]
    sentences = tokenized_sentences(pairs)
    return Task(
        [pair.id for pair in pairs], sentences, core_scorer("verses core", sentences, _units_of(pairs))
    )


def is_dev_verse(name: str) -> bool:
    """Whether a verse is of a book that no model learns from; names are such as ``ROM:1:2``."""
    return name.split(":")[0] in _DEV_BOOKS


def _units_of(pairs: Sequence[SentencePair]) -> list[tuple[PhraseUnit, ...]]:
    """What people marked in each pair. Raises InputError if a pair has no phrases of people: names it."""
    units = []
    for pair in pairs:
        if pair.units is None:
            raise pair.located(InputError(f"pair {pair.id!r}: expected phrases, found none", field="phrases"))
        units.append(pair.units)
    return units


def core_scorer(
    table: str, sentences: Sequence[tuple[Sentence, Sentence]], gold: Sequence[Sequence[PhraseUnit]]
) -> Scoring:
    """Score phrases by units, in one table."""

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        findings = [
            judge_core(
                (source.words, target.words),
                units,
                {(one.source_node.span, one.target_node.span): one.probability for one in alignment.phrases},
            )
            for (source, target), units, alignment in zip(sentences, gold, alignments, strict=True)
        ]
        extra = {
            "core_error": 100 * core_calibration_error(findings),
            "core_pairs": float(sum(len(one.near) for one in findings)),
            "units": float(sum(one.units for one in findings)),
        }
        return [Figures.of(table, core_statistics(findings), extra)]

    return score


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
        spans = [{(node.start, node.end) for node in tree.nodes} for tree in (source, target)]
        heads = [head_dependencies(forest_from_enju(tree)[0]) for tree in (source, target)]
        return cls(spans[0], spans[1], pair.annotations, (heads[0], heads[1]))


def phrase_scorer(gold: Sequence[AnnotatedPhrases]) -> Scoring:
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
        statistics = (
            score_phrases(found, aligned).statistics(),
            score_phrases(with_nulls, judged).statistics(),
        )
        figures = [
            Figures.of(table, of_table | attached, reached)
            for table, of_table in zip(("spade", "spade with nulls"), statistics, strict=True)
        ]
        if aligned and len(aligned[0]) > 1:
            figures += [*_people("spade people", aligned), *_people("spade people with nulls", judged)]
        return figures

    return score


def linked_phrases(alignment: Alignment, judged: AnnotatedPhrases) -> set[SpanPair]:
    """Phrases of the derivation; without one, the smallest pairs of gold phrases that the links make."""
    if alignment.has_derivation or not alignment.words:
        return _phrases(alignment)
    return project(judged.source, judged.target, alignment.words).sure_pairs()


def _with_nulls(found: AbstractSet[SpanPair], pair: AnnotatedPhrases) -> set[_NullablePair]:
    """Aligned phrases, and each unaligned phrase of the trees, paired with None."""
    source, target = {ours for ours, _ in found}, {theirs for _, theirs in found}
    nulls = {(span, None) for span in pair.source - source} | {(None, span) for span in pair.target - target}
    return {*found, *nulls}


def _attachment(alignments: Sequence[Alignment], gold: Sequence[AnnotatedPhrases]) -> Statistic:
    """UAS of the chosen trees; a pair without them has no token attached."""
    rows = []
    for alignment, pair in zip(alignments, gold, strict=True):
        words = alignment.source.words, alignment.target.words
        trees = zip((alignment.source_tree, alignment.target_tree), words, strict=True)
        # -2 is no token and no root: nothing is attached.
        found = [tree_heads(tree) if tree else [-2] * len(side) for tree, side in trees]
        rows.append(score_attachment(pair.heads, found, words).rows.sum(axis=0).tolist())
    return MatchCounts.of(rows).micro_statistics()["recall"]


def _people(table: str, annotations: Sequence[Sequence[AbstractSet[_NullablePair]]]) -> list[Figures]:
    """Inter-annotator agreement: the mean, then one row per annotator."""
    rows = {"people, each against the others": human_agreement(annotations)}
    rows |= {f"annotator {k}": scores for k, scores in enumerate(scores_of_people(annotations), start=1)}
    names = ("precision", "recall", "f1")
    return [
        Figures(table, {name: 100 * getattr(scores, name) for name in names}, {}, label)
        for label, scores in rows.items()
    ]


def spade_files(data: Path, split: str) -> list[Path]:
    """The files of a part of SPADE; see :func:`files_of_part`."""
    return [path for pair in files_of_part(data, split) for path in pair]


def spade_task(files: Files, split: str) -> Task:
    """Make the SPADE task; the files are those of source and target of each pair in turn."""
    sides = list(zip(files.paths[::2], files.paths[1::2], strict=True))[: files.limit]
    read = [pair for source, target in sides for pair in read_files(source, target)]
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
    ids = [pair.id for pair in pairs]
    return Task(ids, tokenized_sentences(pairs), phrase_scorer(judged), skipped=skipped)


def _judged_by(people: int, pair: SentencePair) -> AnnotatedPhrases:
    count = len(pair.annotations)
    if not count or count != people:
        raise pair.located(InputError(f"pair {pair.id!r}: expected {people or 1} annotators, found {count}"))
    return AnnotatedPhrases.of(pair)
