"""The relation model: its features, its network in both directions, its folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forest_align.aligners.contextual.pair_evidence import pair_evidence
from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.phrases.features import SpanEvidence, SpanPairIndex, span_evidence
from forest_align.aligners.phrases.related import JudgedRelations, with_relations
from forest_align.aligners.phrases.relation_model import SIGNED, SYMMETRIC, RelationModel, relation_features
from forest_align.aligners.words.candidate import link_probabilities
from forest_align.alignment import CHUNK_RELATIONS, Alignment, Links, PhrasePair
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.meaning.relation_algebra import SentenceRelations
from forest_align.types import ModelError, Node, Sentence

from .phrase_cases import pair_with_vectors, random_network

INPUTS = len(SYMMETRIC) + len(SIGNED)


def untrained() -> RelationModel:
    network = random_network(0, INPUTS, 6, len(CHUNK_RELATIONS) + 1)
    return RelationModel(network, {"made": "by chance"})


def all_pairs(phrases: SpanEvidence) -> SpanPairIndex:
    grid = np.meshgrid(np.arange(len(phrases.source)), np.arange(len(phrases.target)), indexing="ij")
    return SpanPairIndex(*(places.ravel() for places in grid))


@pytest.mark.parametrize("seed", range(8))
def test_swapped_sentences_have_the_swapped_relations(seed: int) -> None:
    source, target, candidates = pair_with_vectors(seed)
    links = link_probabilities(candidates, len(source), len(target))
    evidence = pair_evidence(source, target, load_lexicon())
    straight = span_evidence(source, target, links, evidence)
    pairs = all_pairs(straight)
    symmetric, signed = relation_features(source, target, straight, pairs)
    turned = relation_features(
        target,
        source,
        span_evidence(target, source, links.T, evidence.T),
        SpanPairIndex(pairs.target, pairs.source),
    )
    np.testing.assert_allclose(symmetric, turned[0], atol=1e-5)
    np.testing.assert_allclose(signed, -turned[1], atol=1e-5)
    model = untrained()
    one, two = model.judge(symmetric, signed), model.judge(*turned)
    np.testing.assert_allclose(one[1], two[1], atol=1e-4)
    for place, name in enumerate(CHUNK_RELATIONS):
        other = {"more specific": "more general", "more general": "more specific"}.get(name, name)
        np.testing.assert_allclose(one[0][:, place], two[0][:, CHUNK_RELATIONS.index(other)], atol=1e-4)
    np.testing.assert_allclose(one[0].sum(axis=1), 1.0)
    assert ((one[1] >= 0) & (one[1] <= 5)).all()


def test_a_saved_model_is_the_same_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    model = untrained()
    model.save(tmp_path)
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(7, len(SYMMETRIC))), rng.normal(size=(7, len(SIGNED)))
    for one, two in zip(RelationModel.load(tmp_path).judge(*rows), model.judge(*rows), strict=True):
        np.testing.assert_array_equal(one, two)
    flat = replace(model.network, scale=np.zeros(INPUTS, np.float32))
    replace(model, network=flat).save(tmp_path)
    with pytest.raises(ModelError, match="above 0"):
        RelationModel.load(tmp_path)
    model.save(tmp_path)
    card = tmp_path / "model.json"
    card.write_text(card.read_text().replace('"opposite"', '"other"'))
    with pytest.raises(ModelError, match="relations"):
        RelationModel.load(tmp_path)


@pytest.mark.parametrize(
    ("source", "target", "phrase", "wanted"),
    [
        ("He passed away .", "He died .", ("passed away", "died"), {"equivalent"}),
        ("They sold 500 cars .", "They sold 400 cars .", ("500 cars", "400 cars"), {"different"}),
        *(
            (f"{one} barked .", f"{two} barked .", (one, two), {relation})
            for one, two, relation in (
                ("The dog", "The big brown dog", "more general"),
                ("The big brown dog", "The dog", "more specific"),
            )
        ),
    ],
)
def test_the_bundled_model_knows_what_says_more(
    source: str, target: str, phrase: tuple[str, str], wanted: set[str]
) -> None:
    alignment = ForestAligner().align(source, target)
    pair = next(pair for pair in alignment.phrases if alignment.texts_of(pair) == phrase)
    assert pair.relation is not None and pair.relation.name in wanted
    assert pair.similarity is not None and (pair.similarity > 4) == ("equivalent" in wanted)


@pytest.mark.parametrize(
    ("source", "target", "relation"),
    [
        ("over Monday", "on Monday", "equivalent"),
        ("over", "on", None),
        ("on", "on", "equivalent"),
        (".", ";", None),
        ("big", "large", "equivalent"),
    ],
)
def test_function_words_that_differ_have_no_relation_alone(
    source: str, target: str, relation: str | None
) -> None:
    sides = [Sentence.from_words(text.split()) for text in (source, target)]
    whole = PhrasePair(Node(0, len(sides[0]), ""), Node(0, len(sides[1]), ""), 0.9)
    links = [(k, k) for k in range(len(sides[0]))]
    alignment = Alignment(*sides, words=Links(tuple(links)), phrases=(whole,))
    (pair,) = with_relations(alignment, JudgedRelations(SentenceRelations([], []), {})).phrases
    assert (pair.relation and pair.relation.name) == relation


def test_nothing_is_said_of_phrases_that_may_not_correspond() -> None:
    sides = [Sentence.from_words([word]) for word in ("big", "large")]
    pairs = tuple(PhrasePair(Node(0, 1, ""), Node(0, 1, ""), probability) for probability in (0.4, 0.9))
    alignment = Alignment(*sides, words=Links(((0, 0),)), phrases=pairs)
    unlikely, likely = with_relations(alignment, JudgedRelations(SentenceRelations([], []), {})).phrases
    assert unlikely.relation is None and likely.relation is not None


def test_a_phrase_whose_word_is_linked_elsewhere_is_not_equivalent() -> None:
    """*A boy is sliding, a tube*, *a sliding tube*: the link of *sliding* leads out of the tubes."""
    sides = Sentence.from_words(["sliding", "a", "tube"]), Sentence.from_words(["a", "sliding", "tube"])
    tubes = PhrasePair(Node(1, 3, "NP"), Node(0, 3, "NP"), 0.9)
    links = Links(((0, 1), (1, 0), (2, 2)))
    for outside, expected in (((), "equivalent"), (((0, 1),), None)):
        alignment = Alignment(*sides, words=links, phrases=(tubes,), outside=outside)
        (found,) = with_relations(alignment, JudgedRelations(SentenceRelations([], []), {})).phrases
        assert (found.relation and found.relation.name) == expected
