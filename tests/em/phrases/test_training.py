"""The scripts that make the models of phrases: what they learn from, what they write, what they maximize."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from forest_align.aligners.forest.aligner import bundled_model
from forest_align.aligners.phrases.features import FEATURES, ProposedPairs
from forest_align.aligners.phrases.model import PhraseModel
from forest_align.aligners.phrases.relation_model import SIGNED, SYMMETRIC, RelationModel
from forest_align.aligners.words.candidate import link_probabilities
from forest_align.alignment import CHUNK_RELATIONS
from forest_align.data.formats.format import ChunkLink, MarkedSpans, SentencePair
from forest_align.em import recipes
from forest_align.em.phrases import relation_training, training, tuning
from forest_align.em.phrases.examples import (
    KEPT,
    POSSIBLE,
    SURE,
    UNKNOWN,
    WANTED_OF_POSSIBLE,
    WRONG,
    LabelledPair,
    PhraseExamples,
    examples_of,
    joined,
)
from forest_align.em.phrases.relation_training import ANOTHER, NO_SCORE, RelationExamples, train_relations
from forest_align.lexicon.evidence import word_evidence
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.types import Sentence

from ...aligners.phrases.phrase_cases import pair_with_vectors


def labelled(seed: int, corpus: str) -> LabelledPair:
    source, target, candidates = pair_with_vectors(seed)
    proposed = ProposedPairs.of(
        source,
        target,
        link_probabilities(candidates, len(source), len(target)),
        word_evidence(source, target, load_lexicon()),
    )
    labels = np.random.default_rng(seed).choice([WRONG, SURE, POSSIBLE, UNKNOWN], len(proposed))
    return LabelledPair(corpus, proposed, labels)


@pytest.mark.parametrize("corpus", ["etpc", "mtref"])
def test_all_right_pairs_are_examples_a_sample_of_wrong_ones_and_no_unknown_one(corpus: str) -> None:
    random = np.random.default_rng(0)
    parts = [labelled(seed, corpus) for seed in range(60)]
    found = joined([examples_of(part, random) for part in parts])
    labels = np.concatenate([part.labels for part in parts])
    counts = {label: int((labels == label).sum()) for label in (WRONG, SURE, POSSIBLE)}
    assert (found.wanted == 1).sum() == counts[SURE]
    assert (found.wanted == np.float32(WANTED_OF_POSSIBLE)).sum() == counts[POSSIBLE]
    wrong = found.wanted == 0
    assert 0.15 < wrong.sum() / counts[WRONG] < 0.35
    assert found.weight[wrong].tolist() == [1 / KEPT] * wrong.sum() and (found.weight[~wrong] == 1).all()
    assert (found.convention == (corpus != "etpc")).all()


def test_training_writes_a_model_and_one_without_each_fold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(data: Path, corpus: str, parser: str, cache: Path) -> Iterator[LabelledPair]:
        return (labelled(seed, corpus) for seed in range(8))

    monkeypatch.setattr(training, "read_labelled", read)
    assert recipes.main(["phrases", "data", str(tmp_path), "--cache", "cache", "--folds"]) == 0
    whole = PhraseModel.load(tmp_path)
    folds = [PhraseModel.load(tmp_path / f"fold-{fold}") for fold in range(training.FOLDS)]
    assert whole.card["pairs"] == 8 * 5 and whole.card["held-out fold"] is None
    # Of eight pairs of two corpora, folds 0 to 2 hold out two each, the others one.
    assert [model.card["pairs"] for model in folds] == [36, 36, 36, 38, 38]
    assert len({model.fingerprint for model in (whole, *folds)}) == 6


def test_chunks_and_marked_spans_say_how_phrases_are_related() -> None:
    source, target = Sentence.from_words(["a", "big", "dog"]), Sentence.from_words(["the", "dog", "barks"])
    chunks = (
        ChunkLink((0, 1, 2), (0, 1), "SPE1", "4"),
        ChunkLink((0, 2), (0, 1), "EQUI", "5"),
        ChunkLink((1,), (), "NOALI", "NIL"),
        ChunkLink((2,), (1,), "SIMI_FACT", "NIL"),
    )
    pair = SentencePair("1", source, target, chunks=chunks, marked=(MarkedSpans((2, 9), (0, 7), False),))
    parsed: Any = SimpleNamespace(pair=pair, source=source, target=target)
    found = [
        (one.source, one.target, one.relation, one.score) for one in relation_training.gold_relations(parsed)
    ]
    specific, similar = CHUNK_RELATIONS.index("more specific"), CHUNK_RELATIONS.index("similar")
    assert found == [
        ((0, 3), (0, 2), specific, 4.0),
        ((2, 3), (1, 2), similar, NO_SCORE),
        ((1, 3), (0, 2), ANOTHER, NO_SCORE),
    ]


def test_relations_are_measured_on_held_out_pairs_and_the_model_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = toy()
    parts = [
        ("headlines", type(whole)(*(getattr(whole, name)[k : k + 30] for name in whole.__dataclass_fields__)))
        for k in range(0, 300, 30)
    ]
    monkeypatch.setattr(relation_training, "read_relations", lambda *given: iter(parts))
    assert recipes.main(["relations", "data", str(tmp_path), "--cache", "cache", "--folds", "2"]) == 0
    head, _, row = capsys.readouterr().out.splitlines()
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert head.startswith("| held-out pairs of") and cells[:2] == ["headlines", "300"]
    assert float(cells[3]) > float(cells[2])  # better than the most frequent relation
    assert RelationModel.load(tmp_path).card["phrase pairs"] == 300


def test_the_search_for_options_begins_inside_its_ranges_and_with_what_was_chosen_by_hand() -> None:
    bundled = bundled_model()
    assert tuning.starting_options(bundled) is bundled.phrase_options
    assert tuning.first_trial(tuning.starting_options(bundled)) == {
        name: getattr(bundled.phrase_options, name) for name in tuning.SPACE
    }
    # Without options for phrases, the weight of the phrase-pair model is 0, which has no logarithm.
    first = tuning.starting_options(replace(bundled, phrase_options=None))
    for name, value in tuning.BY_HAND.items():
        assert getattr(first, name) == value == getattr(bundled.phrase_options, name)
    found = tuning.first_trial(first)
    assert found["phrase_weight"] == 1.0
    assert found["null_penalty"] == bundled.options.null_penalty != bundled.phrase_options.null_penalty


def test_the_goal_rises_with_what_is_found_and_falls_with_what_is_lost() -> None:
    before = {"exact": 20.0, "near": 60.0, "phrase_precision": 98.5}
    for name in tuning.LINKED_DEV:
        before |= {f"{name} constituents": 92.0, f"{name} words": 90.0}
    at_all = tuning.goal(before, before)
    for name in ("exact", "near", "mtref constituents", "wiki words"):
        assert tuning.goal({**before, name: before[name] + 1}, before) > at_all
    assert tuning.goal({**before, "phrase_precision": 99.5}, before) == at_all
    assert tuning.goal({**before, "phrase_precision": 97.0}, before) == pytest.approx(
        at_all - tuning.OF_PRECISION
    )
    lost = {**before, "mtref constituents": 91.0}
    assert at_all - tuning.goal(lost, before) > tuning.OF_LOSS


def two_conventions(count: int = 4000) -> PhraseExamples:
    """Pairs are right if the sum of two features is above a bound, which depends on the convention."""
    rng = np.random.default_rng(3)
    features = rng.normal(size=(count, len(FEATURES))).astype(np.float32)
    marked = rng.random(count) < 0.5
    right = features[:, 0] + features[:, 5] > np.where(marked, -1.0, 1.0)
    return PhraseExamples(
        features,
        right.astype(np.float32),
        np.ones(count, np.float32),
        np.where(marked, 0.0, 1.0).astype(np.float32),
    )


def test_the_network_learns_both_conventions_and_keeps_one() -> None:
    examples = two_conventions()
    sums = examples.features[:, 0] + examples.features[:, 5]
    for convention, bound in ((0.0, -1.0), (1.0, 1.0)):
        found = training.train_network(examples, convention).log_odds(examples.features) > 0
        assert (found == (sums > bound)).mean() > 0.88  # 0.48 with the other convention


def toy() -> RelationExamples:
    """The sign of one feature tells which side says more, another one whether they mean the same."""
    rng = np.random.default_rng(1)
    symmetric = rng.normal(size=(900, len(SYMMETRIC))).astype(np.float32)
    signed = rng.normal(size=(900, len(SIGNED))).astype(np.float32)
    specific, general = CHUNK_RELATIONS.index("more specific"), CHUNK_RELATIONS.index("more general")
    relations = np.where(symmetric[:, 0] > 0, 0, np.where(signed[:, 0] > 0, specific, general))
    scores = np.where(symmetric[:, 0] > 0, 5.0, 2.0).astype(np.float32)
    return RelationExamples(symmetric, signed, relations, scores)


def test_directions_and_similarities_are_learned() -> None:
    examples = toy()
    probabilities, similarity = train_relations(examples).judge(examples.symmetric, examples.signed)
    assert (probabilities.argmax(axis=1) == examples.relations).mean() > 0.9
    assert np.corrcoef(similarity, examples.scores)[0, 1] > 0.8


def test_pairs_known_only_to_differ_are_learned_without_a_relation_or_score() -> None:
    examples = toy()
    other = np.where(examples.relations == 0, 0, ANOTHER)
    unknown = RelationExamples(
        examples.symmetric, examples.signed, other, np.full(len(other), NO_SCORE, np.float32)
    )
    probabilities, _ = train_relations(unknown).judge(examples.symmetric, examples.signed)
    assert ((probabilities[:, 0] > 0.5) == (other == 0)).mean() > 0.9


def test_swapping_twice_changes_nothing() -> None:
    examples = toy()
    again = examples.swapped.swapped
    np.testing.assert_array_equal(again.relations, examples.relations)
    np.testing.assert_array_equal(again.signed, examples.signed)
    assert (examples.swapped.relations != examples.relations).any()
