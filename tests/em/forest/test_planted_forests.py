"""Training finds the probabilities that packed forests were made from, not being told which tree is right."""

from __future__ import annotations

import numpy as np
import pytest

from forest_align.em.forest._trainer import train
from forest_align.em.forest.problem import AlignmentProblem
from forest_align.em.forest.state import TrainingSettings

from .planted_forests import CATEGORIES, NULL, PLANTED, RANKS, planted_problem

SETTINGS = TrainingSettings(epochs=8, batch_size=0, regularization=0.01)


def start_weights() -> np.ndarray:
    """Null is unlikely, the rest alike."""
    weights = np.zeros((CATEGORIES + 1, CATEGORIES + 1))
    weights[:, NULL] = weights[NULL, :] = -2.0
    return weights.ravel()


def associations(weights: np.ndarray) -> np.ndarray:
    """Weights less the means of rows and columns: log odds ratios, the same in both directions."""
    return weights - weights.mean(0) - weights.mean(1, keepdims=True) + weights.mean()


def right_trees(problem: AlignmentProblem, right: list[set[tuple[int, int]]], weights: np.ndarray) -> float:
    """Share of the pairs in which the alignment is over the tree that the pair was made from."""
    logs = problem.table.log_probabilities(weights)
    found = 0
    for number, (pair, spans) in enumerate(zip(problem.pairs, right, strict=True)):
        nodes = problem.align(number, logs).source
        found += set(zip(pair.source.start[nodes], pair.source.end[nodes], strict=True)) <= spans
    return found / problem.pair_count


def test_planted_probabilities_are_recovered_from_packed_forests() -> None:
    problem, right = planted_problem(300)
    assert np.mean([len(pair.source.edges) / (pair.source.token_count - 1) for pair in problem.pairs]) > 2
    state = train(problem, SETTINGS, start_weights())
    weights = state.weights.reshape(CATEGORIES + 1, CATEGORIES + 1)[:NULL, :NULL]
    assert associations(weights) == pytest.approx(associations(np.log(PLANTED)), abs=0.2)
    assert state.history[-1].reachability == 1 and state.history[-1].null_share < 0.02
    before, after = (right_trees(problem, right, found) for found in (start_weights(), state.weights))
    assert before == pytest.approx(RANKS[0], abs=0.1) and after > before + 0.1
    objectives = [report.objective for report in state.history]
    assert (np.diff(objectives) >= -1e-6).all()
