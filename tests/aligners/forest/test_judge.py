"""Rules of derivations against a plain reading of their definition, and the pairs that a judge chooses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forest_align.aligners.forest.aligner import ForestAligner, bundled_model
from forest_align.aligners.forest.judge import OUTPUTS, JudgeModel, chosen_pairs
from forest_align.aligners.forest.judge_features import JUDGE_FEATURES, DerivationPairs
from forest_align.aligners.forest.legitimacy import alignment_violations
from forest_align.aligners.forest.span_pairs import MOST_WORDS, Rules, derivation_rules
from forest_align.types import ModelError

from ..phrases.phrase_cases import pair_with_vectors, random_model, random_network

# Seven words beside six: the whole, a verb phrase, and two rules of it, of which the second is across.
SPANS = [(0, 7, 0, 6), (2, 7, 2, 6), (2, 5, 2, 4), (4, 7, 2, 4)]


def random_judge(seed: int) -> JudgeModel:
    return JudgeModel(random_network(seed, len(JUDGE_FEATURES), 7, 5, len(OUTPUTS)), {"made": "by chance"})


def aligner_with(seed: int, judge: JudgeModel | None) -> ForestAligner:
    """The bundled aligner with a phrase-pair model of random weights, and this judge."""
    model = replace(bundled_model(), relations=None, phrases=random_model(seed), judge=judge)
    return ForestAligner(model, paraphrases=False)


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
    before, after = (
        aligner_with(seed, judge).align_candidates(source, target, candidates)
        for judge in (None, random_judge(seed))
    )
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
        found += aligner_with(seed, random_judge(seed)).align_candidates(*pair_with_vectors(seed)).phrases
    rules = [pair for pair in found if pair.is_rule]
    assert len(rules) > 10
    assert not any(pair.constituents for pair in rules)
    assert not any("/" in pair.source_node.label for pair in found if not pair.is_rule)


def test_further_pairs_share_a_phrase_with_a_pair_of_the_derivation_or_fit_in() -> None:
    shared = 0
    for seed in range(30):
        aligner, pair = aligner_with(seed, None), pair_with_vectors(seed)
        own = {
            (phrases.source_node.span, phrases.target_node.span)
            for phrases in aligner.align_candidates(*pair).phrases
        }
        pairs = aligner.pairs_to_judge(*pair)
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


Span = tuple[int, int]
#: *he is composed of ten teams* ↔ *he has ten teams*
WHOLE, HE, VERB_PHRASE, TEAMS = (0, 6, 0, 4), (0, 1, 0, 1), (1, 6, 1, 4), (4, 6, 2, 4)


def rules(*pairs: tuple[int, int, int, int]) -> dict[tuple[int, ...], tuple[int, list[int]]]:
    found = derivation_rules(np.array(pairs, np.int64).reshape(-1, 4))
    spans = list(map(tuple, found.spans.tolist()))
    assert len(set(spans)) == len(spans)
    return dict(zip(spans, zip(found.whole.tolist(), found.removed.tolist(), strict=True), strict=True))


def test_a_pair_less_a_pair_at_its_edges_is_a_rule() -> None:
    found = rules(WHOLE, HE, VERB_PHRASE, TEAMS)
    assert found[1, 4, 1, 2] == (2, [3, -1])
    assert found[0, 4, 0, 2] == (0, [3, -1])
    # What is a pair of the derivation is no rule.
    assert VERB_PHRASE not in found


def test_a_pair_less_two_pairs_at_its_edges_is_a_rule_even_where_their_order_differs() -> None:
    found = rules((0, 6, 0, 6), (4, 6, 0, 2), (0, 2, 4, 6))
    assert found == {(2, 4, 2, 4): (0, [2, 1]), (0, 4, 2, 6): (0, [1, -1]), (2, 6, 0, 4): (0, [2, -1])}


def test_no_pairs_have_no_rules() -> None:
    assert rules() == {}


def nested_pairs(seed: int) -> list[tuple[int, int, int, int]]:
    """Pairs of the nodes of two random binary trees, some of whose children are swapped."""
    random = np.random.default_rng(seed)
    pairs: list[tuple[int, int, int, int]] = []

    def divide(source: Span, target: Span) -> None:
        pairs.append((*source, *target))
        if min(source[1] - source[0], target[1] - target[0]) < 2:
            return
        cuts = [int(random.integers(one[0] + 1, one[1])) for one in (source, target)]
        ours = [(source[0], cuts[0]), (cuts[0], source[1])]
        theirs = [(target[0], cuts[1]), (cuts[1], target[1])]
        for one, two in zip(ours, theirs[:: random.choice([1, -1])], strict=True):
            if random.random() < 0.8:
                divide(one, two)

    divide((0, int(random.integers(3, 12))), (0, int(random.integers(3, 12))))
    return [pair for k, pair in enumerate(pairs) if k == 0 or random.random() < 0.8]


def lies_in(inner: tuple[int, ...], outer: tuple[int, ...]) -> bool:
    return all(outer[k] <= inner[k] and inner[k + 1] <= outer[k + 1] for k in (0, 2))


def remainder(whole: tuple[int, ...], removed: list[tuple[int, ...]]) -> tuple[int, ...] | None:
    """The words of a pair less those of others, if they are a span on both sides."""
    ends: list[int] = []
    for k in (0, 2):
        if not all(one[k] == whole[k] or one[k + 1] == whole[k + 1] for one in removed):
            return None
        words = set(range(*whole[k : k + 2])).difference(*(range(*one[k : k + 2]) for one in removed))
        if not words or max(words) - min(words) + 1 != len(words):
            return None
        ends += [min(words), max(words) + 1]
    return tuple(ends)


@pytest.mark.parametrize("seed", range(15))
def test_rules_are_those_of_the_definition(seed: int) -> None:
    pairs = nested_pairs(seed)
    expected: set[tuple[int, ...]] = set()
    for whole in pairs:
        inside = [one for one in pairs if one != whole and lies_in(one, whole)]
        smaller = [one for one in inside if one[:2] != whole[:2] and one[2:] != whole[2:]]
        ways = [[one] for one in smaller]
        ways += [
            [one, two]
            for one in smaller
            for two in smaller
            if one[1] < two[0] and (one[3] < two[2] or two[3] < one[2])
        ]
        expected |= {found for way in ways if (found := remainder(whole, way)) is not None}
    several = {one for one in expected if 1 < max(one[1] - one[0], one[3] - one[2]) <= MOST_WORDS}
    assert rules(*pairs).keys() == several - set(pairs)
