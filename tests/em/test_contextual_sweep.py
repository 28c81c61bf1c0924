"""What the sweep varies in the contextual aligner."""

from __future__ import annotations

from forest_align.aligners.contextual import ContextualAligner
from forest_align.aligners.contextual_parameters import PublishedParameters
from forest_align.em.contextual_sweep import contextual_space, contextual_start
from forest_align.lexicon.pair_table import PairTable


def test_the_threshold_of_cosines_is_searched_where_vectors_stand_in_for_a_table() -> None:
    aligner = ContextualAligner(variant="published")
    assert set(contextual_space(aligner)) == {"ppdb_similarity", "word_weight", "cosine"}
    assert contextual_start(aligner)["cosine"] == PublishedParameters().cosine


def test_the_start_has_the_aligner_s_own_values_even_if_these_are_outside_of_the_search() -> None:
    aligner = ContextualAligner(variant="published").with_values({"ppdb_similarity": 0.05, "cosine": 0.95})
    assert contextual_start(aligner) == {"ppdb_similarity": 0.05, "word_weight": 0.9, "cosine": 0.95}
    space = contextual_space(aligner)
    assert (space["ppdb_similarity"].low, space["cosine"].high) == (0.05, 0.95)


def test_with_a_table_the_parameters_are_those_of_the_paper() -> None:
    aligner = ContextualAligner(variant="published", ppdb=PairTable([("car", "automobile")]))
    assert set(contextual_space(aligner)) == {"ppdb_similarity", "word_weight"}
