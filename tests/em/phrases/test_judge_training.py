"""What the judge of derivations learns from."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np

from forest_align.aligners.forest.judge_features import JUDGE_FEATURES, DerivationPairs
from forest_align.aligners.forest.span_pairs import Rules
from forest_align.data.formats.format import PhraseUnit, SentencePair
from forest_align.em.phrases.judge_training import JudgeExamples, examples_of, sampled_verses, train_judge
from forest_align.types import Sentence


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
    found = examples_of(DerivationPairs(spans, rules, (), spans, differing, spans[:0], features), pair)
    # Neither the whole sentences nor the pair whose words do not differ.
    assert found.features[:, 0].tolist() == [1, 2, 3]
    assert found.wanted.tolist() == [[1, 1], [0, 1], [0, 0]]


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
