"""The real kernel as a training problem: events, scores, and all that the result depends on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from forest_align.aligners.forest.options import ForestOptions
from forest_align.aligners.forest.phrase_evidence import LinkEvidence, PhraseEvidence
from forest_align.aligners.forest.prepared_pair import PreparedPair
from forest_align.aligners.words.candidate import Candidate

from .test_planted_forests import FEATURE_IDS, planted_pairs, problem_of, start_weights


def test_the_score_is_the_sum_of_the_events_used_and_the_penalties() -> None:
    pairs, pair_rows, _ = planted_pairs(12)
    pairs = [replace(pair, options=ForestOptions()) for pair in pairs]
    made = problem_of(pairs, pair_rows, null_penalty=1.0, noncompositional=False)
    logs = made.table.log_probabilities(start_weights())
    for number, pair in enumerate(made.pairs):
        expected = made.expect(number, logs)
        alignment = made.align(number, logs)
        # With µ_n = 1 each pair costs one, and each null word another one.
        penalties = len(alignment.source) + expected.null_words
        assert expected.log_score == pytest.approx(logs[expected.events].sum() - penalties)
        assert expected.reached and expected.words == 2 * pair.source.token_count


def test_a_pair_whose_roots_are_not_aligned_counts_for_nothing() -> None:
    (pair,), pair_rows, _ = planted_pairs(1)
    nothing = np.zeros(0, np.int32)
    without = replace(pair, base_source=nothing, base_target=nothing, base_log_prior=np.zeros(0))
    made = problem_of([without], pair_rows)
    expectations = made.expect(0, made.table.log_probabilities(start_weights()))
    assert (expectations.events.tolist(), expectations.log_score, expectations.reached) == ([], 0.0, False)
    assert expectations.words == 2 * pair.source.token_count


def test_whatever_the_result_depends_on_is_part_of_the_fingerprint() -> None:
    pairs, pair_rows, _ = planted_pairs(3)
    first, tree, rows = pairs[0], pairs[0].source, pair_rows[0]
    links = LinkEvidence.of([Candidate((0, 1), (0, 1), 0.7)], tree.token_count, tree.token_count)
    base = {name: getattr(first, name) for name in ("base_source", "base_target", "base_log_prior")}
    weighted = ForestOptions(phrase_weight=1.0)
    phrases = PhraseEvidence(np.array([[0, 2, 0, 2]], np.int32), np.zeros(1))
    other_pairs = [
        replace(first, source=replace(tree, edge_log_marginal=tree.edge_log_marginal - 1)),
        replace(first, target=replace(first.target, log_marginal=first.target.log_marginal - 1)),
        replace(first, source_class=np.roll(first.source_class, 1)),
        replace(first, target_class=np.roll(first.target_class, 1)),
        replace(first, base_source=first.base_source[::-1].copy()),
        replace(first, base_target=np.roll(first.base_target, 1)),
        replace(first, base_log_prior=first.base_log_prior - 1),
        replace(first, **{name: values[1:] for name, values in base.items()}),
        replace(first, links=links),
        replace(first, options=ForestOptions(tree_weight=0.5)),
        replace(first, phrases=phrases, options=weighted),
        replace(first, phrases=replace(phrases, log_odds=np.ones(1)), options=weighted),
    ]

    def fingerprint(pair: PreparedPair, first_rows: np.ndarray, ids: np.ndarray = FEATURE_IDS) -> str:
        return problem_of([pair, *pairs[1:]], [first_rows, *pair_rows[1:]], ids).fingerprint

    found = [fingerprint(pair, rows) for pair in (first, *other_pairs)]
    found += [fingerprint(first, rows[::-1].copy()), fingerprint(first, rows, FEATURE_IDS[::-1].copy())]
    assert len(set(found)) == len(found)
