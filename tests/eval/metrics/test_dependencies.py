"""Head dependencies and attachment."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.eval.metrics.dependencies import head_dependencies, score_attachment
from forest_align.types import InputError, ParseForest


def test_heads_are_read_off_the_best_tree() -> None:
    # (S (NP the dog) ran): dog heads NP, ran heads S
    forest = ParseForest(
        start=np.array([0, 1, 2, 0, 0], np.int32),
        end=np.array([1, 2, 3, 2, 3], np.int32),
        labels=("DT", "NN", "VBD", "NP", "S"),
        is_constituent=np.ones(5, bool),
        head=np.array([0, 1, 2, 1, 2], np.int32),
        log_marginal=np.zeros(5),
        edges=np.array([[3, 0, 1], [4, 3, 2]], np.int32),
        edge_log_marginal=np.zeros(2),
        roots=np.array([4], np.int32),
        best_edge=np.array([-1, -1, -1, 0, 1], np.int32),
    )
    assert head_dependencies(forest) == [1, 2, -1]


@given(st.lists(st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 4)), max_size=5), max_size=5))
def test_attachment_equals_a_plain_count(sentences) -> None:
    gold = [[a for a, _ in sentence] for sentence in sentences]
    predicted = [[b for _, b in sentence] for sentence in sentences]
    tokens = [pair for sentence in sentences for pair in sentence]
    expected = sum(a == b for a, b in tokens) / len(tokens) if tokens else 1
    assert score_attachment(gold, predicted).micro().recall == pytest.approx(expected)


def test_punctuation_does_not_count_when_words_are_given() -> None:
    scores = score_attachment([[1, -1, 1]], [[1, -1, 0]], [["dogs", "bark", "!?"]])
    assert scores.micro().f1 == 1


def test_a_different_number_of_tokens_names_the_sentence() -> None:
    with pytest.raises(InputError, match="sentence 2: expected 1 heads, found 2"):
        score_attachment([[-1], [-1]], [[-1], [-1, 0]])
    with pytest.raises(InputError, match="sentence 1: expected 1 words, found 2"):
        score_attachment([[-1]], [[-1]], [["dogs", "bark"]])


def test_a_different_number_of_sentences_is_named() -> None:
    with pytest.raises(InputError, match="expected 1 sentences, one a gold sentence, found 2"):
        score_attachment([[-1]], [[-1], [-1]])
    with pytest.raises(InputError, match="expected the words of 1 sentences, found those of 0"):
        score_attachment([[-1]], [[-1]], [])
