"""What the judge of derivations learns from, at first and from phrases of users."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forest_align.aligners.forest.aligner import bundled_model
from forest_align.aligners.forest.judge_features import JUDGE_FEATURES, DerivationPairs
from forest_align.aligners.forest.span_pairs import Rules
from forest_align.data.formats.format import PhraseUnit, SentencePair
from forest_align.em.phrases.judge_training import (
    FEWEST_PAIRS,
    JudgeExamples,
    adapted_judge,
    adapted_to_marks,
    examples_of,
    sampled_verses,
    train_judge,
)
from forest_align.types import InputError, Sentence


def test_pairs_that_differ_are_examples_with_what_people_marked_near_them() -> None:
    pair = SentencePair(
        "1",
        Sentence.from_words(list("abcdefg")),
        Sentence.from_words(list("hijklm")),
        units=(PhraseUnit((2, 3, 4), (2,), ""),),
    )
    spans = np.array([(0, 7, 0, 6), (2, 5, 2, 3), (2, 4, 2, 4), (4, 7, 2, 4), (0, 2, 0, 2)])
    differing = np.array([True, True, True, True, False])
    features = np.arange(5, dtype=np.float32)[:, None] * np.ones(len(JUDGE_FEATURES), np.float32)
    rules = Rules(spans[:0], spans[:0, 0], spans[:0, :2])
    examples = examples_of(DerivationPairs(spans, rules, (), spans, differing, spans[:0], features), pair)
    # Neither the whole sentences nor the pair whose words do not differ.
    assert examples.features[:, 0].tolist() == [1, 2, 3]
    assert examples.wanted.tolist() == [[1, 1], [0, 1], [0, 0]]


def test_a_judge_learns_which_pairs_are_marked() -> None:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(8000, len(JUDGE_FEATURES))).astype(np.float32)
    features[:, 6:] = 0.0  # what says nothing
    near = features[:, 3] > 0
    examples = JudgeExamples(features, np.stack([near & (features[:, 5] > 0), near], 1).astype(np.float32))
    probabilities = train_judge([examples]).probabilities(features.copy())
    assert ((probabilities > 0.5) == examples.wanted).mean() > 0.9


def test_verses_for_development_are_not_sampled(tmp_path: Path) -> None:
    lines = [
        {"id": f"{book}:1:{k}", "source": ["a"], "target": ["b"], "phrases": []}
        for book in ("GEN", "ROM", "1SA", "EXO")
        for k in range(2)
    ]
    path = tmp_path / "verses.jsonl.gz"
    path.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))
    names = [pair.id for pair in sampled_verses(path, None, 0)]
    assert sorted(names) == ["EXO:1:0", "EXO:1:1", "GEN:1:0", "GEN:1:1"]
    assert names[:3] == [pair.id for pair in sampled_verses(path, 3, 0)]


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
