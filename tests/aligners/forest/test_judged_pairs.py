"""Pairs and rules that a judge of random weights chooses on random sentences, and choices made by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from forest_align.aligners.forest.aligner import ForestAligner, bundled_model
from forest_align.aligners.forest.derivation_rules import Rules
from forest_align.aligners.forest.judge import OUTPUTS, JudgeModel
from forest_align.aligners.forest.judge_features import JUDGE_FEATURES, DerivationPairs
from forest_align.aligners.forest.judged_pairs import chosen_pairs
from forest_align.aligners.forest.legitimacy import alignment_violations
from forest_align.aligners.phrases.rectifier import RectifierNetwork
from forest_align.types import ModelError

from ..phrases.phrase_cases import pair_with_vectors, random_model

# Seven words beside six: the whole, a verb phrase, and two rules of it, of which the second is across.
SPANS = [(0, 7, 0, 6), (2, 7, 2, 6), (2, 5, 2, 4), (4, 7, 2, 4)]


def random_judge(seed: int) -> JudgeModel:
    rng = np.random.default_rng(seed)
    sizes = (len(JUDGE_FEATURES), 7, 5, len(OUTPUTS))
    layers = [
        (
            rng.normal(size=(one, two)).astype(np.float32) / np.float32(one**0.5),
            rng.normal(size=two).astype(np.float32),
        )
        for one, two in pairwise(sizes)
    ]
    ones = np.ones(len(JUDGE_FEATURES), np.float32)
    return JudgeModel(RectifierNetwork(0.3 * ones, 0.5 * ones, layers), {"made": "by chance"})


def choose(near: list[float], changed: list[tuple[int, ...]] = []) -> tuple[list[int], list[int]]:  # noqa: B006
    """The places of the pairs that are reported, and of those of them that repeat a smaller difference."""
    rules = Rules(np.array(SPANS[2:]), np.array([1, 1]), np.full((2, 2), -1))
    pairs = DerivationPairs(
        np.array(SPANS),
        rules,
        (),
        np.array(SPANS[:2]),
        np.ones(4, bool),
        np.array(changed, np.int64).reshape(-1, 4),
        np.zeros((4, len(JUDGE_FEATURES)), np.float32),
    )
    whole = np.array([True, False, False, False])
    chosen, repeating = chosen_pairs(pairs, np.stack([np.zeros(4), near], axis=1), whole)
    return np.flatnonzero(chosen).tolist(), np.flatnonzero(chosen & repeating & ~whole).tolist()


def test_of_rules_across_each_other_the_more_probable_one_is_reported() -> None:
    assert choose([0, 0, 0.5, 0.6]) == ([0, 1, 3], [1])
    assert choose([0, 0, 0.6, 0.5]) == ([0, 1, 2], [1])


def test_the_smallest_differing_pair_is_left_out_if_it_is_improbable() -> None:
    assert choose([0, 0.5, 0, 0]) == ([0, 1], [])
    assert choose([0, 0.1, 0, 0]) == ([0], [])
    # Words that differ inside make it one that repeats their difference.
    assert choose([0, 0.1, 0, 0], [(5, 6, 4, 5)]) == ([0, 1], [1])


@pytest.mark.parametrize("seed", range(12))
def test_what_is_reported_is_legitimate_whatever_the_judge_says(seed: int) -> None:
    source, target, candidates = pair_with_vectors(seed)
    model = replace(bundled_model(), relations=None, phrases=random_model(seed), judge=None)
    before = ForestAligner(model, paraphrases=False).align_candidates(source, target, candidates)
    judged = ForestAligner(replace(model, judge=random_judge(seed)), paraphrases=False)
    after = judged.align_candidates(source, target, candidates)
    assert alignment_violations(before) == []
    assert alignment_violations(after) == []
    assert after.words == before.words
    own = {(pair.source_node, pair.target_node) for pair in before.phrases}
    assert all(
        (pair.source_node, pair.target_node) in own or pair.constituents or pair.is_rule
        for pair in after.phrases
    )
    assert after.root_aligned == before.root_aligned
    assert type(after).from_json(after.to_json()).to_dict() == after.to_dict()


def test_rules_are_reported_on_random_sentences_with_slashed_categories() -> None:
    found = []
    for seed in range(40):
        source, target, candidates = pair_with_vectors(seed)
        model = replace(bundled_model(), relations=None, phrases=random_model(seed), judge=random_judge(seed))
        found += ForestAligner(model, paraphrases=False).align_candidates(source, target, candidates).phrases
    rules = [pair for pair in found if pair.is_rule]
    assert len(rules) > 10
    assert not any(pair.constituents for pair in rules)
    assert not any("/" in pair.source_node.label for pair in found if not pair.is_rule)


def test_further_pairs_share_a_phrase_with_a_pair_of_the_derivation_or_fit_in() -> None:
    shared = 0
    for seed in range(30):
        source, target, candidates = pair_with_vectors(seed)
        model = replace(bundled_model(), relations=None, phrases=random_model(seed), judge=None)
        aligner = ForestAligner(model, paraphrases=False)
        own = {
            (pair.source_node.span, pair.target_node.span)
            for pair in aligner.align_candidates(source, target, candidates).phrases
        }
        pairs = aligner.pairs_to_judge(source, target, candidates)
        assert pairs is not None
        for ours, theirs in pairs.further:
            assert (ours.span, theirs.span) not in own
            assert ours.is_constituent and theirs.is_constituent
            shared += any((ours.span == one[0]) != (theirs.span == one[1]) for one in own)
    assert shared > 10


def test_a_judge_is_read_as_it_was_written(tmp_path: Path) -> None:
    judge = random_judge(0)
    judge.save(tmp_path)
    features = np.random.default_rng(1).normal(size=(5, len(JUDGE_FEATURES))).astype(np.float32)
    read = JudgeModel.load(tmp_path)
    assert (read.probabilities(features) == judge.probabilities(features)).all()
    assert read.card == {"made": "by chance"}
    (tmp_path / "judge.safetensors").unlink()
    with pytest.raises(ModelError, match=r"judge\.safetensors"):
        JudgeModel.load(tmp_path)
