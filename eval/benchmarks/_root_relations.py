"""SICK and PAWS as benchmarks: the relation of two whole sentences against what people say about the pair."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from itertools import islice

import numpy as np

from forest_align.alignment import Alignment
from forest_align.eval.benchmarks._applications import paraphrase_use
from forest_align.eval.benchmarks.reading import Files, tokenized_sentences
from forest_align.eval.benchmarks.task import Figures, Task
from forest_align.eval.metrics.ranking import area
from forest_align.eval.metrics.scores import Statistic, ratio_statistics, safe_divide, share
from forest_align.types import InputError

_ENTAILMENT, _CONTRADICTION, _NEUTRAL = "ENTAILMENT", "CONTRADICTION", "NEUTRAL"
_JUDGEMENTS = "entailment_judgment"
# What each relation of the whole sentences says; nothing is said where it is unknown.
_SAYS = {"equivalent": _ENTAILMENT, "more specific": _ENTAILMENT, "opposite": _CONTRADICTION}


def sick_task(files: Files, split: str) -> Task:
    """Make the task of SICK (Marelli et al. 2014): entailment, contradiction or neutral.

    Raises InputError if a pair cannot be read, or there are no judgements.
    """
    pairs = files.pairs(columns=("sentence_A", "sentence_B"))
    path = files.paths[0]
    with path.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        if _JUDGEMENTS not in (rows.fieldnames or ()):
            raise InputError(f"expected a column {_JUDGEMENTS}, found {rows.fieldnames}", file=str(path))
        judgements = [row[_JUDGEMENTS] for row in islice(rows, len(pairs))]
    return Task([pair.id for pair in pairs], tokenized_sentences(pairs), entailment_scorer(judgements))


def entailment_scorer(judgements: Sequence[str]) -> Callable[[Sequence[Alignment]], list[Figures]]:
    """Score root relations: one table, ``sick``.

    A root relation *opposite* says contradiction, *equivalent* and *more specific* say entailment, and any
    other, or none, neutral. Precision, recall and F1 are those of contradictions. ``denied`` is the share of
    entailments that are called opposite or different.
    """
    wanted = np.array(judgements)

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        relations = [one.root_relation for one in alignments]
        said = np.array([_SAYS.get(one, _NEUTRAL) for one in relations])
        is_denied = np.isin(relations, ("opposite", "different"))
        statistics = _detection(said == _CONTRADICTION, wanted == _CONTRADICTION)
        entailed = wanted == _ENTAILMENT
        statistics |= {
            "entailment.f1": _detection(said == _ENTAILMENT, entailed)["f1"],
            "denied": share(is_denied & entailed, entailed),
            "accuracy": share(said == wanted, np.ones(len(wanted))),
        }
        return [Figures.of("sick", statistics)]

    return score


def paws_task(files: Files, split: str) -> Task:
    """Make the task of PAWS (Zhang et al. 2019): paraphrases among pairs of nearly the same words.

    Raises InputError if a pair cannot be read or has no label: names it.
    """
    pairs = files.pairs(columns=("sentence1", "sentence2"))
    for pair in pairs:
        if pair.label is None:
            raise pair.located(InputError(f"pair {pair.id!r}: expected a label, found none", field="label"))
    labels = [bool(pair.label) for pair in pairs]
    return Task([pair.id for pair in pairs], tokenized_sentences(pairs), paraphrase_scorer(labels))


def paraphrase_scorer(labels: Sequence[bool]) -> Callable[[Sequence[Alignment]], list[Figures]]:
    """Score root relations, of which *equivalent* says paraphrase, and paraphrase probabilities.

    ``false`` is the share of other pairs that are called equivalent, and ``auc`` how often a paraphrase has a
    higher probability than another pair.
    """
    wanted = np.array(labels, bool)

    def of_probabilities(scores: Sequence[float]) -> Figures:
        return Figures.of("paws", {}, {"auc": area(scores, wanted)})

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        said = np.array([one.root_relation == "equivalent" for one in alignments])
        statistics = _detection(said, wanted) | {"false": share(said & ~wanted, ~wanted)}
        return [Figures.of("paws", statistics), *paraphrase_use(of_probabilities)(alignments)]

    return score


def _detection(said: np.ndarray, wanted: np.ndarray) -> dict[str, Statistic]:
    """Precision, recall and F1 of pairs that are said to be of a class."""
    rows = np.stack([said & wanted, said, wanted], axis=1).astype(float)
    return ratio_statistics(
        rows,
        lambda sums: (
            safe_divide(sums[..., 0], sums[..., 1]),
            safe_divide(sums[..., 0], sums[..., 2]),
        ),
    )
