"""Trees and forests of the sentences of a text, joined under one root."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from forest_align.parsing import Parser, forest_from_bracket, forest_from_trees, sentence_from_bracket
from forest_align.parsing.forests.decoding import joined_forest, joined_n_best, starts_of_sentences
from forest_align.parsing.forests.trees import read_bracket
from forest_align.types import InputError, ParseForest
from forest_align.types._forest_objects import check_forest

from .. import fake_scorer as fake

LEFT = "(S (NP (PRP He)) (VP (VBD left)) (. .))"
STAYED = "(S (NP (PRP She)) (VP (VBD stayed)) (. .))"
WAITED = "(S (NP (PRP They)) (VP (VBD waited)) (. .))"
TEXT = f"(TEXT {LEFT} {STAYED} {WAITED})"


def forest_of(*trees: str, probabilities: tuple[float, ...] = ()) -> ParseForest:
    return forest_from_trees(
        [read_bracket(tree) for tree in trees], np.log(probabilities) if probabilities else None
    )[1]


def nodes_of(forest: ParseForest) -> dict[tuple[int, int, str], float]:
    return {
        (int(start), int(end), label): float(np.exp(log_marginal))
        for start, end, label, log_marginal in zip(
            forest.start, forest.end, forest.labels, forest.log_marginal, strict=True
        )
    }


def test_one_sentence_is_returned_as_it_is() -> None:
    forest = forest_of(LEFT)
    assert joined_forest([forest]) is forest


def test_joined_forests_equal_the_forest_of_the_joined_tree() -> None:
    joined = joined_forest([forest_of(LEFT), forest_of(STAYED), forest_of(WAITED)])
    check_forest(joined)
    words, whole = forest_from_bracket(TEXT)
    assert joined.bracket(words) == TEXT
    assert joined.to_dict() == whole.to_dict()


def test_only_the_root_and_the_joins_of_whole_sentences_cross_a_boundary() -> None:
    joined = joined_forest([forest_of(LEFT), forest_of(STAYED), forest_of(WAITED)])
    crossing = [
        (
            *joined.node(node).span,
            joined.labels[node],
            bool(joined.is_constituent[node]),
            int(joined.head[node]),
        )
        for node in range(len(joined))
        if any(joined.start[node] < bound < joined.end[node] for bound in (3, 6))
    ]
    assert crossing == [(3, 9, "TEXT'", False, 4), (0, 9, "TEXT", True, 1)]


def test_sentences_keep_the_probabilities_of_their_trees() -> None:
    flat = "(X (PRP She) (VBD stayed) (. .))"
    joined = joined_forest([forest_of(LEFT), forest_of(STAYED, flat, probabilities=(0.25, 0.75))])
    check_forest(joined)
    found = nodes_of(joined)
    assert found[3, 6, "X"] == pytest.approx(0.75) and found[3, 6, "S"] == pytest.approx(0.25)
    assert found[0, 3, "S"] == pytest.approx(1) and found[0, 6, "TEXT"] == pytest.approx(1)
    words = ("He", "left", ".", "She", "stayed", ".")
    trees = [(np.exp(value), bracket) for value, bracket in joined.scored_brackets(words)]
    assert trees == [
        (pytest.approx(0.75), f"(TEXT {LEFT} {flat})"),
        (pytest.approx(0.25), f"(TEXT {LEFT} {STAYED})"),
    ]


def test_the_best_trees_of_a_text_are_those_of_all_combinations() -> None:
    parser = Parser(fake.FakeScorer(), forest_size=6)
    parts = [parser.n_best(words) for words in ("a b c", "d e f g", "h i")]
    joined = joined_n_best(parts, "a b c d e f g h i", 6, 0.0)
    combined = sorted(
        (
            (sum(score for score, _ in trees), " ".join(tree for _, tree in trees))
            for trees in product(*parts)
        ),
        reverse=True,
    )[:6]
    assert [tree for _, tree in joined] == [f"(TEXT {trees})" for _, trees in combined]
    np.testing.assert_allclose(joined.log_probabilities, [score for score, _ in combined])
    assert joined.log_posteriors is not None and len(joined.log_posteriors) == len(joined.constituents)
    check_forest(joined.forest())


def test_combinations_far_from_the_best_are_left_out_when_asked_for() -> None:
    parser = Parser(fake.FakeScorer(), forest_size=6)
    parts = [parser.n_best("a b c"), parser.n_best("d e f")]
    every = joined_n_best(parts, "", 36, 0.0).log_probabilities
    ratio = float(np.exp(every[3] - every[0] - 1e-9))
    found = joined_n_best(parts, "", 36, ratio).log_probabilities
    np.testing.assert_array_equal(found, every[every >= every[0] + np.log(ratio)])
    assert 4 <= len(found) < len(every)


def test_a_given_tree_with_the_label_of_a_text_has_its_sentences() -> None:
    sentence = sentence_from_bracket(TEXT)
    assert sentence.forest is not None
    assert sentence.forest.bracket(sentence.words) == TEXT
    assert sentence.starts == starts_of_sentences(sentence.forest) == (3, 6)
    assert sentence_from_bracket(LEFT).starts == ()


def test_a_given_tree_over_two_sentences_stays_as_it_is() -> None:
    tree = "(S (S (NP (PRP He)) (VP (VBD left))) (. .) (S (NP (PRP She)) (VP (VBD stayed))) (. .))"
    sentence = sentence_from_bracket(tree)
    assert sentence.starts == ()
    assert sentence.forest is not None and sentence.forest.bracket(sentence.words) == tree


def test_trees_side_by_side_are_refused_with_a_hint() -> None:
    with pytest.raises(
        InputError, match=r"expected one bracketed tree, found 2 \(.* children of one tree, \(TEXT"
    ):
        sentence_from_bracket(f"{LEFT} {STAYED}")
