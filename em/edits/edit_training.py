"""Train the conventions of edits on arXivEdits.

The model is a semi-Markov model over the possible edits of each pair (Sarawagi & Cohen 2004). Where no path
of the lattice has all marked edits, it learns the path with most of them. ``--folds K`` also prints how well
held-out pairs of the train part are divided.

Examples
--------
python -m forest_align.em.recipes edits ../shared/data OUT --folds 3
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from forest_align.alignment import Alignment
from forest_align.data.corpora.edit_corpus import EditedPair, EditSpans, read_edited_pairs
from forest_align.edits import EditConventions, EditLattice, best_path, path_probabilities, possible_edits
from forest_align.eval.metrics.change_scores import edit_counts, edit_f1

#: Tuned on the train part, cross-fitted.
REGULARIZATION, LEAST = 20.0, 0.3
# Features that occur in fewer possible edits are dropped.
_RARE = 5
_STEPS = 60


class _EditExample(NamedTuple):
    """The possible edits of a pair, their features, and the marked edits."""

    lattice: EditLattice
    features: Sequence[Mapping[str, float]]
    versions: tuple[frozenset[EditSpans], ...]


def edit_examples(pairs: Iterable[EditedPair], alignments: Iterable[Alignment]) -> list[_EditExample]:
    """Make an example of each pair and its alignment."""
    examples = []
    for pair, alignment in zip(pairs, alignments, strict=True):
        _, lattice, features = possible_edits(alignment)
        examples.append(_EditExample(lattice, features, pair.versions))
    return examples


def train_conventions(
    examples: Sequence[_EditExample], *, regularization: float = REGULARIZATION, least: float = LEAST
) -> EditConventions:
    """Fit the weights by L-BFGS; an edit must be as probable as ``least`` to be worth more than nothing.

    The first version of the edits of each pair counts. The penalty is κ‖w‖²/2, with ``regularization`` as κ.
    """
    counts = Counter(name for example in examples for found in example.features for name in found)
    names = sorted(name for name, count in counts.items() if count >= _RARE)
    columns = {name: k for k, name in enumerate(names)}
    prepared = [
        (example.lattice, _matrix(example.features, columns), _marked_path(example))
        for example in examples
        if example.features
    ]

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = regularization / 2 * float(weights @ weights), regularization * weights
        for lattice, matrix, path in prepared:
            scores = matrix @ weights
            total, probabilities = path_probabilities(lattice, scores)
            value += total - scores[path].sum()
            gradient += matrix.T @ probabilities - matrix[path].sum(axis=0)
        return value, gradient

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": _STEPS})
    return EditConventions(dict(zip(names, found.x.tolist(), strict=True)), least)


def _matrix(features: Sequence[Mapping[str, float]], columns: dict[str, int]) -> np.ndarray:
    """Features as rows; float64, shape (arcs, features)."""
    matrix = np.zeros((len(features), len(columns)))
    for row, found in enumerate(features):
        for name, value in found.items():
            if name in columns:
                matrix[row, columns[name]] = value
    return matrix


def _marked_path(example: _EditExample) -> list[int]:
    """The path with most of the marked edits, and otherwise the fewest."""
    marked = example.versions[0]
    values = [1.0 if (arc.source, arc.target) in marked else -0.001 for arc in example.lattice.arcs]
    return best_path(example.lattice, values)


def choose_edits(conventions: EditConventions, example: _EditExample) -> frozenset[EditSpans]:
    """The spans of the chosen edits of an example."""
    chosen = conventions.choose(example.lattice, example.features)
    return frozenset((arc.source, arc.target) for arc, _ in chosen)


def cross_fitted_f1(examples: Sequence[_EditExample], folds: int) -> float:
    """F1 of the edits of each fold, with conventions learned from the others."""
    counts = []
    for fold in range(folds):
        learned = train_conventions([example for k, example in enumerate(examples) if k % folds != fold])
        held_out = examples[fold::folds]
        counts += [edit_counts(choose_edits(learned, example), example.versions) for example in held_out]
    return edit_f1(counts)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the recipe."""
    parser.add_argument("data", type=Path, help="folder with edits/")
    parser.add_argument("output", type=Path, help="folder to write")
    parser.add_argument("--folds", type=int, default=0, metavar="K", help="also print cross-fitted F1")


def run(options: argparse.Namespace) -> None:
    """Train and save."""
    from forest_align.aligners import load

    pairs = list(read_edited_pairs(options.data / "edits/arxivedits-train.json"))
    aligner = load("forest")
    examples = edit_examples(pairs, aligner.align_many([(pair.source, pair.target) for pair in pairs]))
    if options.folds:
        print(f"F1 of held-out pairs: {100 * cross_fitted_f1(examples, options.folds):.1f}")
    description = {"trained on": ["edits/arxivedits-train.json"], "pairs": len(pairs)}
    train_conventions(examples).save(options.output, description)
