"""Logistic regressions, and folds that share no sentence."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from forest_align.em.contextual import training as script
from forest_align.em.fitting.cross_fitting import fit_logistic, folds_of, sentence_key


def loss(found: np.ndarray, inputs: np.ndarray, labels: np.ndarray, ridge: float) -> float:
    logits = inputs @ found[:-1] + found[-1]
    return float(np.logaddexp(0, np.where(labels, -logits, logits)).sum() + ridge / 2 * found @ found)


numbers = st.floats(-3, 3, allow_nan=False, width=32)


@given(arrays(np.float64, (6, 2), elements=numbers), arrays(np.bool_, 6), st.sampled_from([0.1, 2.0]))
def test_no_coefficient_can_be_moved_to_a_lower_loss(
    inputs: np.ndarray, labels: np.ndarray, ridge: float
) -> None:
    weights = fit_logistic(inputs, labels, ridge=ridge)
    best = loss(weights, inputs, labels, ridge)
    for place in range(3):
        for step in (-1e-3, 1e-3):
            moved = weights.copy()
            moved[place] += step
            assert loss(moved, inputs, labels, ridge) > best


def test_the_share_is_found_where_inputs_say_nothing() -> None:
    weights = fit_logistic(np.zeros((400, 1)), np.arange(400) % 4 == 0, ridge=1e-6)
    assert weights == pytest.approx([0.0, np.log(1 / 3)])


def test_labels_that_a_line_tells_apart_leave_coefficients_finite() -> None:
    weights = fit_logistic(np.array([[-1.0], [1.0]]), np.array([False, True]), ridge=1e-3)
    assert np.isfinite(weights).all() and weights[0] > 3


def test_log_odds_beyond_the_limit_count_as_the_limit() -> None:
    inputs, labels = np.array([[-1.0], [1.0]]), np.array([False, True])
    weights = fit_logistic(inputs, labels, ridge=1.0, limit=0.5)
    # Both labels pull at the coefficient with what their probability at the limit lacks of 1.
    assert weights == pytest.approx([2 / (1 + np.exp(0.5)), 0.0])


def test_case_and_punctuation_make_no_other_sentence() -> None:
    assert sentence_key(("They", "won", ",", "3", "-", "0", ".")) == "they won 3 0"
    assert sentence_key(("they", "won", "3", "0")) == "they won 3 0"
    assert sentence_key(("the", "U.S.", "did", "n't", "...")) == "the u.s. did n't"


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")), max_size=12))
def test_pairs_that_share_a_sentence_are_in_one_fold(pairs: list[tuple[str, str]]) -> None:
    found = folds_of(pairs)
    for one, fold in zip(pairs, found, strict=True):
        for other, its_fold in zip(pairs, found, strict=True):
            assert fold == its_fold or not set(one) & set(other)


def test_pairs_without_common_sentences_are_spread_over_the_folds() -> None:
    pairs = [(f"source {number}", f"target {number}") for number in range(9)]
    assert folds_of(pairs) == [0, 1, 2] * 3
    # At second hand: the third pair joins the first two.
    assert folds_of([("a", "b"), ("c", "d"), ("b", "c"), ("e", "f")]) == [0, 0, 0, 1]


def example(corpus: str, fold: int, *sentences: str) -> Any:
    return SimpleNamespace(corpus=corpus, fold=fold, sentences=sentences, is_altered=False)


def test_nothing_is_learned_that_another_corpus_is_measured_on() -> None:
    examples = [
        *(example("mtref", 0, "a", "b"), example("mtref", 1, "c", "d"), example("mtref", 2, "t", "e")),
        *(example("edinburgh", 0, "f", "g"), example("edinburgh", 1, "x", "h")),
        *(example("mtref dev", -1, "x", "y"), example("mtref dev", -1, "a", "z")),
    ]
    tests = {"edinburgh": {"t", "f"}}
    learned, measured = script.split(examples, tests, None, ())
    # "t" is in the test part of Edinburgh++, "x" in the dev part of MTRef; a corpus's own parts stay.
    assert [e.sentences for e in learned] == [("a", "b"), ("c", "d"), ("f", "g")]
    assert [e.corpus for e in measured] == ["mtref dev", "mtref dev"]
    learned, measured = script.split(examples, tests, 1, ())
    assert [e.sentences for e in learned] == [("a", "b"), ("f", "g")]
    assert [e.sentences for e in measured][:2] == [("c", "d"), ("x", "h")]
    learned, measured = script.split(examples, tests, None, ("mtref",))
    assert [e.sentences for e in learned] == [("f", "g")]
    assert len(measured) == 5
