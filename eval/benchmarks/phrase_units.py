"""Phrases that people marked, as benchmarks: the typed units of ETPC, and verses of two Bibles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from forest_align.alignment import Alignment, SpanPair
from forest_align.data.formats.format import PhraseUnit, SentencePair
from forest_align.eval.benchmarks.task import Figures, Files, Task, tokenized_sentences
from forest_align.eval.metrics.scores import Statistic, share
from forest_align.eval.metrics.unit_scores import (
    core_calibration_error,
    core_statistics,
    count_contradicted,
    count_left_alone,
    is_phrase_unit,
    judge_core,
    judge_unit,
)
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


def unit_scorer(gold: Sequence[Sequence[PhraseUnit]]) -> Callable[[Sequence[Alignment]], list[Figures]]:
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
) -> Callable[[Sequence[Alignment]], list[Figures]]:
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
