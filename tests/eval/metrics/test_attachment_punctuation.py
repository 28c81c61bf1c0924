"""Attachment without punctuation: which tokens count, and a naive second implementation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.eval.metrics.dependencies import score_attachment

# Unicode counts % as punctuation, but not the symbols ` $ +. A token with any letter or digit counts.
PUNCTUATION = [".", "!?", "--", "''", "—", "…", "(", "“", "%", "。"]
OTHERS = ["dog", "'s", "``", "$", "+", "3.5", "Mr.", "-LRB-", "?a", "a?"]


@pytest.mark.parametrize("token", PUNCTUATION)
def test_tokens_of_punctuation_alone_do_not_count(token: str) -> None:
    assert score_attachment([[1, -1]], [[-1, -1]], [[token, "dog"]]).rows.tolist() == [[1, 1, 1, 1]]


@pytest.mark.parametrize("token", OTHERS)
def test_tokens_with_any_other_character_count(token: str) -> None:
    assert score_attachment([[1, -1]], [[-1, -1]], [[token, "dog"]]).rows.tolist() == [[1, 2, 1, 2]]


TOKEN = st.tuples(st.integers(-1, 3), st.integers(-1, 3), st.sampled_from(PUNCTUATION + OTHERS))


@given(st.lists(st.lists(TOKEN, max_size=5), max_size=4))
def test_attachment_equals_a_plain_count_over_words(sentences) -> None:
    right = words = 0
    for sentence in sentences:
        for wanted, found, token in sentence:
            if token in OTHERS:
                words += 1
                right += wanted == found
    gold, predicted, tokens = ([[item[k] for item in sentence] for sentence in sentences] for k in range(3))
    scores = score_attachment(gold, predicted, tokens).micro()
    expected = right / words if words else 1
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx((expected, expected, expected))
