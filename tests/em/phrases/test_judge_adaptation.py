"""What a judge learns from marked phrases of users."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from forest_align.aligners.forest.aligner import bundled_model
from forest_align.aligners.forest.judge_features import JUDGE_FEATURES
from forest_align.em.phrases.judge_adaptation import FEWEST_PAIRS, adapted_judge, adapted_to_marks
from forest_align.em.phrases.judge_training import JudgeExamples, train_judge
from forest_align.types import InputError


def _examples(seed: int, *, mark_column: int) -> JudgeExamples:
    features = np.random.default_rng(seed).normal(size=(3000, len(JUDGE_FEATURES))).astype(np.float32)
    features[:, 6:] = 0.0
    wanted = features[:, [mark_column] * 2] > 0
    return JudgeExamples(features, wanted.astype(np.float32))


def test_a_judge_learns_what_others_mark_and_the_start_is_not_changed() -> None:
    start = train_judge([_examples(0, mark_column=3)])
    theirs = _examples(1, mark_column=4)
    before = start.probabilities(theirs.features)
    adapted = adapted_judge(start, [theirs])
    unseen = _examples(2, mark_column=4)
    right = [((one.probabilities(unseen.features) > 0.5) == unseen.wanted).mean() for one in (start, adapted)]
    assert right[0] < 0.6 and right[1] > 0.8
    assert np.array_equal(start.probabilities(theirs.features), before)
    assert adapted.card["adapted to"] == {"pairs": 1, "phrase pairs": 3000}


def test_models_without_a_judge_and_few_pairs_are_refused() -> None:
    model = bundled_model()
    with pytest.raises(InputError, match="expected a model with a judge"):
        adapted_to_marks(replace(model, judge=None), [], parser="en")
    with pytest.raises(InputError, match=f"at least {FEWEST_PAIRS} pairs with marked phrases, found 0"):
        adapted_to_marks(model, [], parser="en")


def test_a_judge_without_examples_stays_as_it_is() -> None:
    start = bundled_model().judge
    assert start is not None
    none = JudgeExamples(np.zeros((0, len(JUDGE_FEATURES)), np.float32), np.zeros((0, 2), np.float32))
    assert adapted_judge(start, [none]) is start
