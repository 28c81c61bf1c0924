"""Core scores of phrase pairs, for ETPC and for verses of two Bibles; see :mod:`.core_scores`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from forest_align.alignment import Alignment
from forest_align.data.formats.format import PhraseUnit, SentencePair
from forest_align.eval.benchmarks.reading import Files, tokenized_sentences
from forest_align.eval.benchmarks.task import Figures, Task
from forest_align.eval.metrics.core_scores import core_calibration_error, core_statistics, judge_core
from forest_align.types import InputError, Sentence

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
        [pair.id for pair in pairs], sentences, core_scorer("verses core", sentences, units_of(pairs))
    )


def is_dev_verse(name: str) -> bool:
    """Whether a verse is of a book that no model learns from; names are such as ``ROM:1:2``."""
    return name.split(":")[0] in _DEV_BOOKS


def units_of(pairs: Sequence[SentencePair]) -> list[tuple[PhraseUnit, ...]]:
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
