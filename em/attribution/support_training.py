r"""Fit the regression that says how probable a sentence supports a chunk, and print cross-fitted figures.

The chunks are those of iSTS. A chunk is supported if the other sentence has a chunk that is equivalent or
says more. A fifth of all pairs are made of sentences of two pairs; nothing supports their chunks. The model
of chunks is trained without the fold that it judges, and so is the regression::

    python -m forest_align.em.recipes support DATA/ists

The baseline is the mean link probability of the content words of a chunk. Its threshold is the best one on
the very chunks of the table.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch

from forest_align.aligners.attribution.chunk_support import SUPPORT_FEATURES, support_features
from forest_align.aligners.chunks.chunk_model import ChunkJudgement
from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.logistic_function import regression
from forest_align.alignment import CHUNK_RELATIONS
from forest_align.em.attribution.support_examples import SupportExample, read_support_examples
from forest_align.em.chunks.chunk_training import FOLDS, SETS, ChunkSettings, fit_chunks, folds_of
from forest_align.em.fitting.logistic import fit_logistic
from forest_align.eval.metrics.calibration_error import calibrate

_RIDGE = 1.0
_EQUAL, _SPECIFIC, _GENERAL = (
    CHUNK_RELATIONS.index(name) for name in ("equivalent", "more specific", "more general")
)


def table_of(example: SupportExample, judged: ChunkJudgement) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, labels and baseline of all chunks of a pair, those of the second sentence last."""
    implied = [
        judged.aligned * (judged.relations[:, :, _EQUAL] + judged.relations[:, :, other])
        for other in (_GENERAL, _SPECIFIC)
    ]
    features = [
        support_features(one.max(1), similarity)
        for one, similarity in zip((implied[0], implied[1].T), example.similarity, strict=True)
    ]
    return np.concatenate(features), np.concatenate(example.supported()), np.concatenate(example.linked)


def cross_fitted_tables(
    examples: Sequence[SupportExample], settings: ChunkSettings
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """What :func:`table_of` gives for each example, by a model of chunks trained without its fold."""
    folds, found = folds_of([one.chunks for one in examples]), {}
    for fold in range(FOLDS):
        training = [
            one.chunks for one, place in zip(examples, folds, strict=True) if place != fold and one.is_pair
        ]
        model = fit_chunks(training, settings)
        for k in np.flatnonzero(folds == fold).tolist():
            found[k] = table_of(examples[k], model.judge(examples[k].chunks.features))
    return [found[k] for k in range(len(examples))]


def area(scores: np.ndarray, right: np.ndarray) -> float:
    """Area under the ROC curve: how often a supported chunk scores above an unsupported one, in percent."""
    order = np.sort(scores[~right])
    below, equal_or_below = (np.searchsorted(order, scores[right], side=side) for side in ("left", "right"))
    return float(50 * (below + equal_or_below).mean() / len(order))


def unsupported_f1(scores: np.ndarray, right: np.ndarray, threshold: float) -> float:
    """F1 of finding the unsupported chunks, in percent."""
    found = scores < threshold
    return float(200 * (found & ~right).sum() / max(1, found.sum() + (~right).sum()))


def rows(
    examples: Sequence[SupportExample], tables: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]]
) -> Iterator[str]:
    """The table of cross-fitted figures."""
    folds = folds_of([one.chunks for one in examples])
    probabilities: list[np.ndarray] = [np.zeros(0)] * len(examples)
    for fold in range(FOLDS):
        inside = [table for table, place in zip(tables, folds, strict=True) if place != fold]
        weights = fit(inside).tolist()
        for k in np.flatnonzero(folds == fold).tolist():
            probabilities[k] = regression(tables[k][0], weights)
    yield "| chunks of | chunks | supported | AUC of links | AUC | F1 of links | F1 | calibration error |"
    yield "|---" * 8 + "|"
    names = [*dict.fromkeys(one.chunks.set for one in examples), "pairs", "all"]
    choices: list[Callable[[SupportExample], bool]] = [
        *((lambda one, name=name: one.is_pair and one.chunks.set == name) for name in names[:-2]),
        lambda one: one.is_pair,
        lambda one: True,
    ]
    for name, is_chosen in zip(names, choices, strict=True):
        own = [k for k, one in enumerate(examples) if is_chosen(one)]
        right = np.concatenate([tables[k][1] for k in own])
        links = np.concatenate([tables[k][2] for k in own])
        found = np.concatenate([probabilities[k] for k in own])
        best = max(unsupported_f1(links, right, at) for at in np.arange(0.05, 1, 0.05).tolist())
        cells = [
            f"{len(right)}",
            f"{right.mean():.3f}",
            f"{area(links, right):.1f}",
            f"{area(found, right):.1f}",
            f"{best:.1f}",
            f"{unsupported_f1(found, right, 0.5):.1f}",
            f"{calibrate(found, right).expected_error:.3f}",
        ]
        yield f"| {name} | {' | '.join(cells)} |"


def fit(tables: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> np.ndarray:
    """Weights of the regression, float64 (4,), the constant last."""
    features, right = (np.concatenate([table[k] for table in tables]) for k in (0, 1))
    assert features.shape[1] == len(SUPPORT_FEATURES)
    return fit_logistic(features, right, ridge=_RIDGE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the recipe."""
    parser.add_argument("data", type=Path, help="folder of STSint.input.*.wa and their files of chunks")
    parser.add_argument("--limit", type=int, help="use only the first pairs of each file")


def run(options: argparse.Namespace) -> None:
    """Fit and print."""
    torch.set_num_threads(1)
    words = ContextualAligner()
    examples = [
        one
        for name in SETS
        for one in read_support_examples(options.data / f"STSint.input.{name}.wa", words, options.limit)
    ]
    tables = cross_fitted_tables(examples, ChunkSettings())
    print("\n".join(rows(examples, tables)))
    print(f"SUPPORT_WEIGHTS = ({', '.join(f'{weight:.2f}' for weight in fit(tables))})")
