"""Training of the relation network."""

from __future__ import annotations

import numpy as np

from forest_align.aligners.phrases.relation_model import SIGNED, SYMMETRIC
from forest_align.alignment import CHUNK_RELATIONS
from forest_align.em.phrases.relation_network import ANOTHER, NO_SCORE, RelationExamples, train_relations


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
