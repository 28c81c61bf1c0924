"""Training through the real kernel, on synthetic trees whose alignment is known."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from forest_align.aligners.forest.options import ForestOptions
from forest_align.aligners.forest.phrase_evidence import LinkEvidence, PhraseEvidence
from forest_align.aligners.forest.prepared_pair import PreparedPair
from forest_align.aligners.words.candidate import Candidate
from forest_align.em.forest._trainer import train
from forest_align.em.forest.problem import AlignmentProblem, build_problem
from forest_align.em.forest.state import TrainingSettings
from forest_align.types import ParseForest

CATEGORIES = 3
NULL = CATEGORIES
FEATURES = (CATEGORIES + 1) ** 2
PLANTED = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.3, 0.3, 0.4]])
OPTIONS = ForestOptions(beam=1000, generation_gap=6).search_options()


def random_tree(random: np.random.Generator, length: int) -> ParseForest:
    """A random binary tree."""
    nodes = [(1, i, i + 1, ()) for i in range(length)]

    def split(start: int, end: int) -> tuple[int, int]:
        if end - start > 1:
            middle = int(random.integers(start + 1, end))
            nodes.append((end - start, start, end, (split(start, middle), split(middle, end))))
        return start, end

    split(0, length)
    nodes.sort(key=lambda node: node[:3])
    number = {(start, end): index for index, (_, start, end, _) in enumerate(nodes)}
    edges = [
        [number[s, e], *(number[child] for child in children)] for _, s, e, children in nodes if children
    ]
    best_edge = [-1] * length + list(range(len(edges)))
    start, end = (np.array([node[k] for node in nodes], np.int32) for k in (1, 2))
    zeros = np.zeros(len(nodes))
    return ParseForest(
        start,
        end,
        ("X",) * len(nodes),
        np.ones(len(nodes), bool),
        start,
        zeros,
        np.array(edges, np.int32).reshape(-1, 3),
        np.zeros(len(edges)),
        np.array([len(nodes) - 1], np.int32),
        np.array(best_edge, np.int32),
    )


def synthetic_pairs(count: int) -> tuple[list[PreparedPair], list[np.ndarray]]:
    """Pairs of equal trees; each target node has a category drawn for that of the source node."""
    random = np.random.default_rng(23)
    pairs, pair_rows = [], []
    for _ in range(count):
        tree = random_tree(random, int(random.integers(3, 7)))
        source = random.integers(CATEGORIES, size=len(tree))
        target = np.array([random.choice(CATEGORIES, p=PLANTED[category]) for category in source])
        sides = [np.unique(side, return_inverse=True) for side in (source, target)]
        (source_kinds, source_class), (target_kinds, target_class) = sides
        rows = (
            np.append(source_kinds, NULL)[:, None] * (CATEGORIES + 1) + np.append(target_kinds, NULL)[None, :]
        )
        leaves = np.arange(tree.token_count, dtype=np.int32)
        pairs.append(
            PreparedPair(
                tree,
                tree,
                source_class.astype(np.int32),
                target_class.astype(np.int32),
                leaves,
                leaves,
                np.zeros(len(leaves)),
            )
        )
        pair_rows.append(rows.astype(np.int32))
    return pairs, pair_rows


def problem(count: int, **options: Any) -> AlignmentProblem:
    offsets, features = np.arange(FEATURES + 1), np.arange(FEATURES, dtype=np.int32)
    every = [OPTIONS._replace(**options)] * count
    return build_problem(*synthetic_pairs(count), offsets, features, FEATURES, every)


def start_weights() -> np.ndarray:
    """Null is unlikely, the rest alike."""
    weights = np.zeros((CATEGORIES + 1, CATEGORIES + 1))
    weights[:, NULL] = weights[NULL, :] = -2.0
    return weights.ravel()


def test_the_score_is_the_sum_of_the_events_used_and_the_penalties() -> None:
    made = problem(12, null_penalty=1.0, noncompositional=False)
    logs = made.table.log_probabilities(start_weights())
    for number, pair in enumerate(made.pairs):
        expected = made.expect(number, logs)
        found = made.align(number, logs)
        # With µ_n = 1 each pair costs one, and each null word another one.
        penalties = len(found.source) + expected.null_words
        assert expected.log_score == pytest.approx(logs[expected.events].sum() - penalties)
        assert expected.reached and expected.words == 2 * pair.source.token_count


def test_a_pair_whose_roots_are_not_aligned_counts_for_nothing() -> None:
    (pair,), pair_rows = synthetic_pairs(1)
    nothing = np.zeros(0, np.int32)
    without = replace(pair, base_source=nothing, base_target=nothing, base_log_prior=np.zeros(0))
    offsets, features = np.arange(FEATURES + 1), np.arange(FEATURES, dtype=np.int32)
    made = build_problem([without], pair_rows, offsets, features, FEATURES, [OPTIONS])
    found = made.expect(0, made.table.log_probabilities(start_weights()))
    assert (found.events.tolist(), found.log_score, found.reached) == ([], 0.0, False)
    assert found.words == 2 * pair.source.token_count


def test_the_objective_never_falls_on_full_batches() -> None:
    settings = TrainingSettings(epochs=5, batch_size=0, regularization=0.1)
    state = train(problem(40), settings, start_weights())
    objectives = [report.objective for report in state.history]
    assert all(later >= earlier - 1e-6 for earlier, later in pairwise(objectives))
    assert objectives[-1] > objectives[0] + 1
    assert state.history[-1].reachability == 1


def test_planted_category_probabilities_are_recovered() -> None:
    made = problem(300, generation_gap=1, null_penalty=2.0)
    state = train(made, TrainingSettings(epochs=3, batch_size=100, regularization=0.01), start_weights())
    weights = state.weights.reshape(CATEGORIES + 1, CATEGORIES + 1)[:NULL, :NULL]
    probability = np.exp(weights) / np.exp(weights).sum(1, keepdims=True)
    assert probability == pytest.approx(PLANTED, abs=0.06)
    assert state.history[-1].null_share < 0.02


def test_whatever_the_result_depends_on_is_part_of_the_fingerprint() -> None:
    pairs, pair_rows = synthetic_pairs(3)
    offsets, features = np.arange(FEATURES + 1), np.arange(FEATURES, dtype=np.int32)
    first, tree, rows = pairs[0], pairs[0].source, pair_rows[0]
    other_tree = replace(tree, edge_log_marginal=tree.edge_log_marginal - 1)
    links = LinkEvidence.of([Candidate((0, 1), (0, 1), 0.7)], tree.token_count, tree.token_count)
    some = np.arange(1, len(first.base_source))
    phrases = PhraseEvidence(np.array([[0, 2, 0, 2]], np.int32), np.zeros(1))
    other_pairs = [
        replace(first, source=other_tree),
        replace(first, target=replace(tree, log_marginal=tree.log_marginal - 1)),
        replace(first, source_class=first.source_class[::-1].copy()),
        replace(first, base_source=first.base_source[::-1].copy()),
        replace(first, base_target=first.base_target[::-1].copy()),
        replace(first, base_log_prior=first.base_log_prior - 1),
        replace(
            first,
            base_source=first.base_source[some],
            base_target=first.base_target[some],
            base_log_prior=first.base_log_prior[some],
        ),
        replace(first, target_class=first.target_class[::-1].copy()),
        replace(first, links=links),
        replace(first, options=ForestOptions(tree_weight=1.0)),
        replace(first, phrases=phrases, options=ForestOptions(phrase_weight=1.0)),
        replace(
            first, phrases=replace(phrases, log_odds=np.ones(1)), options=ForestOptions(phrase_weight=1.0)
        ),
    ]
    other_rows = [rows[::-1].copy()]

    def fingerprint(pair: PreparedPair, first_rows: np.ndarray, ids: np.ndarray = features) -> str:
        made = [pair, *pairs[1:]], [first_rows, *pair_rows[1:]]
        return build_problem(*made, offsets, ids, FEATURES, [OPTIONS]).fingerprint

    found = [fingerprint(pair, rows) for pair in (first, *other_pairs)]
    found += [fingerprint(first, first_rows) for first_rows in other_rows]
    found.append(fingerprint(first, rows, features[::-1].copy()))
    assert len(set(found)) == len(found)
