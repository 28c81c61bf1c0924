"""Trees read off charts, exact probabilities of constituents, and the joined trees of texts."""

from __future__ import annotations

from itertools import islice, pairwise, product

import numpy as np
import pytest

from forest_align.cext import chart
from forest_align.data.trees.penn import read_trees
from forest_align.data.trees.treebanks import from_tree, gum_files
from forest_align.eval.metrics.scores import calibrate
from forest_align.parsing import (
    Parser,
    forest_from_bracket,
    forest_from_trees,
    load_parser,
    load_parser_for_alignment,
    sentence_from_bracket,
)
from forest_align.parsing.forests._forest_builder import Constituent
from forest_align.parsing.forests.decoding import (
    NBest,
    SpanScores,
    joined_forest,
    joined_n_best,
    log_posteriors,
    starts_of_sentences,
)
from forest_align.parsing.forests.trees import read_bracket
from forest_align.types import InputError, Node, ParseForest, Sentence, Token
from forest_align.types._forest_objects import check_forest
from forest_align.types.brackets import split_chain

from ...cext.reference import chart_reference
from ...places import SHARED
from .. import fake_scorer as fake

GUM = SHARED / "data" / "treebank" / "gum"


class FewLabels(fake.FakeScorer):
    """Charts small enough to write all their trees down."""

    def _one(self, words):
        scores = super()._one(words)
        kept = 3 if len(words) < 4 else 2
        # Higher than those of the fake scorer: words have labels of their own, too.
        return SpanScores(
            np.ascontiguousarray(scores.scores[:, :, :kept]) + np.float32(2) * (np.arange(kept) > 0),
            scores.labels[:kept],
            scores.tags,
            scores.force_root,
        )


def shares_of_all_trees(scores: SpanScores) -> dict[tuple[int, int, int], float]:
    """Probability of each labelled half-open span, label 0 being none, from every tree of a chart."""
    n, _, labels = scores.scores.shape
    trees = list(chart_reference.enumerate_trees(n, labels, scores.force_root))
    logs = np.array([sum(float(scores.scores[span]) for span in tree) for tree in trees])
    found = {(i, j + 1, label): 0.0 for i in range(n) for j in range(i, n) for label in range(labels)}
    for tree, probability in zip(trees, np.exp(logs - np.logaddexp.reduce(logs)), strict=True):
        labelled = {(i, j + 1): label for i, j, label in tree}
        for i, j, label in found:
            found[i, j, label] += probability * (labelled.get((i, j), 0) == label)
    return found


@pytest.mark.parametrize("force_root", [True, False])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_probabilities_of_spans_equal_the_shares_of_all_trees(n: int, force_root: bool) -> None:
    (scores,) = FewLabels(force_root).score([[f"w{i}" for i in range(n)]])
    expected = shares_of_all_trees(scores)
    spans = np.array(list(expected), dtype=np.int32)
    log_partition, found = log_posteriors(scores, spans)
    np.testing.assert_allclose(np.exp(found), list(expected.values()), atol=1e-6)
    best = chart.k_best(scores.scores, 10**5, force_root)[4]
    assert log_partition == pytest.approx(np.logaddexp.reduce(best), abs=1e-5)
    for start, end in {(i, j) for i, j, _ in expected}:
        inside = [k for k, (i, j, _) in enumerate(expected) if (i, j) == (start, end)]
        assert np.exp(found[inside]).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("force_root", [True, False])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("size", [1, 4])
def test_nodes_have_the_share_of_all_trees_however_few_the_forest_holds(
    n: int, force_root: bool, size: int
) -> None:
    scorer, words = FewLabels(force_root), [f"w{i}" for i in range(n)]
    (scores,) = scorer.score([words])
    expected = shares_of_all_trees(scores)
    forest = Parser(scorer, forest_size=size).parse(words).forest
    assert forest is not None
    for index in range(len(forest)):
        node = forest.node(index)
        if not node.is_constituent:
            assert np.isnan(forest.log_posterior[index])
            continue
        labels = split_chain(node.label)[:-1] if node.end - node.start == 1 else split_chain(node.label)
        chain = "::".join(label for label in labels if label != "TOP")
        share = expected[node.start, node.end, scores.labels.index(chain)]
        assert np.exp(forest.log_posterior[index]) == pytest.approx(share, abs=1e-6)


def test_scores_count_relative_to_that_of_the_empty_label() -> None:
    (scores,) = FewLabels().score([["a", "b", "c"]])
    spans = np.array(
        [(i, j, label) for i in range(3) for j in range(i + 1, 4) for label in range(3)], np.int32
    )
    expected = log_posteriors(scores, spans)
    scores.scores[...] += np.arange(9, dtype=np.float32).reshape(3, 3, 1)
    found = log_posteriors(scores, spans)
    assert found[0] == pytest.approx(expected[0], abs=1e-5)
    np.testing.assert_allclose(np.exp(found[1]), np.exp(expected[1]), atol=1e-5)


def test_forests_of_every_size_agree_on_a_node() -> None:
    words = [f"w{i}" for i in range(9)]
    found: dict[object, float] = {}
    for size in (1, 5, 40):
        forest = Parser(fake.FakeScorer(), forest_size=size).parse(words).forest
        assert forest is not None and (forest.log_posterior[forest.is_constituent] <= 0).all()
        for index, value in enumerate(forest.log_posterior.tolist()):
            if forest.is_constituent[index]:
                assert found.setdefault(forest.node(index), value) == value
    assert len(found) > 20


def test_parsers_that_are_not_asked_and_those_for_alignment_leave_them_out() -> None:
    not_asked = Parser(fake.FakeScorer(), posteriors=False)
    forests = [
        parser.parse("They won.").forest for parser in (load_parser(), load_parser_for_alignment(), not_asked)
    ]
    known = [not np.isnan(forest.log_posterior).all() for forest in forests if forest is not None]
    assert known == [True, False, False]


def test_forbidden_spans_and_high_scores_do_no_harm() -> None:
    (scores,) = FewLabels().score([["a", "b", "c"]])
    scores.scores[0, 1, 1:] = -np.inf
    scores.scores[1, 2, 1:] = 1e4
    with np.errstate(over="raise", invalid="raise"):
        _, found = log_posteriors(scores, np.array([(0, 2, 0), (1, 3, 0), (1, 3, 1), (1, 3, 2)], np.int32))
    assert np.exp(found) == pytest.approx([1.0, 0.0, 0.5, 0.5])
    assert np.isfinite(found).all()


def test_an_n_best_list_gives_its_trees_best_first() -> None:
    trees = Parser(fake.FakeScorer(), forest_size=5).n_best("They won a game.")
    assert len(trees) == 5 and all(a >= b for a, b in pairwise(trees.log_probabilities.tolist()))


def error_of_nodes(parses: list[tuple[ParseForest, set[tuple[int, int, str]]]], name: str) -> float:
    """The expected calibration error of the constituents of forests, by their whole chains of labels."""
    probabilities, right = [], []
    for forest, gold in parses:
        values = np.exp(getattr(forest, name)).tolist()
        for node, value in enumerate(values):
            start, end = int(forest.start[node]), int(forest.end[node])
            labels = split_chain(forest.labels[node])[: None if end - start > 1 else -1]
            if labels and forest.is_constituent[node]:
                probabilities.append(value)
                right.append((start, end, "::".join(labels)) in gold)
    return calibrate(probabilities, right).expected_error


@pytest.mark.skipif(not GUM.is_dir(), reason=f"no treebank in {GUM} (set FOREST_ALIGN_SHARED)")
def test_probabilities_of_nodes_are_calibrated_on_gum() -> None:
    trees = (tree for path in gum_files(GUM)["dev"] for tree in read_trees(path))
    chosen = [sentence for tree in islice(trees, 0, None, 10) if (sentence := from_tree(tree)) is not None]
    parses: list[tuple[ParseForest, set[tuple[int, int, str]]]] = []
    for gold, found in zip(chosen, load_parser().parse_many([s.words for s in chosen]), strict=True):
        assert isinstance(found, Sentence) and found.forest is not None
        parses.append((found.forest, {(first, last + 1, label) for first, last, label in gold.spans}))
    exact = error_of_nodes(parses, "log_posterior")
    assert exact < 0.03
    assert error_of_nodes(parses, "log_marginal") > 2 * exact


TREES = ["(S (NP (-LRB- -LRB-) (NN _)))", "(X (-LRB- -LRB-) (NN _))"]


@pytest.fixture
def two_trees() -> NBest:
    constituents = [
        Constituent(0, 1, "-LRB-", ()),
        Constituent(1, 2, "NN", ()),
        Constituent(0, 2, "S::NP", (0, 1)),
        Constituent(0, 2, "X", (0, 1)),
    ]
    tokens = (Token("(", "(", "-LRB-", 2, 3), Token("\N{NO-BREAK SPACE}", "", "NN", 3, 4))
    posteriors = np.array([-0.1, -0.2, -0.3, -0.4])
    return NBest(tokens, "  (\N{NO-BREAK SPACE}", constituents, [2, 3], np.log([0.6, 0.2]), posteriors)


def test_the_trees_come_with_their_log_probabilities_and_brackets_by_name(two_trees: NBest) -> None:
    assert len(two_trees) == 2
    assert two_trees.brackets() == TREES
    assert list(two_trees) == [(np.log(0.6), TREES[0]), (np.log(0.2), TREES[1])]


def test_the_forest_has_the_probabilities_of_the_list_and_of_the_chart(two_trees: NBest) -> None:
    forest = two_trees.forest()
    probabilities = dict(zip(forest.labels, np.exp(forest.log_marginal), strict=True))
    assert probabilities == pytest.approx({"-LRB-": 1, "NN": 1, "S::NP": 0.75, "X": 0.25})
    posteriors = dict(zip(forest.labels, forest.log_posterior, strict=True))
    assert posteriors == {"-LRB-": -0.1, "NN": -0.2, "S::NP": -0.3, "X": -0.4}


LEFT = "(S (NP (PRP He)) (VP (VBD left)) (. .))"
STAYED = "(S (NP (PRP She)) (VP (VBD stayed)) (. .))"
WAITED = "(S (NP (PRP They)) (VP (VBD waited)) (. .))"
TEXT = f"(TEXT {LEFT} {STAYED} {WAITED})"


def forest_of(*trees: str, probabilities: tuple[float, ...] = ()) -> ParseForest:
    return forest_from_trees(
        [read_bracket(tree) for tree in trees], np.log(probabilities) if probabilities else None
    )[1]


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
    nodes = map(joined.node, range(len(joined)))
    crossing = [node for node in nodes if any(node.start < bound < node.end for bound in (3, 6))]
    assert crossing == [Node(3, 9, "TEXT'", False, 4), Node(0, 9, "TEXT", True, 1)]


def test_sentences_keep_the_probabilities_of_their_trees() -> None:
    flat = "(X (PRP She) (VBD stayed) (. .))"
    joined = joined_forest([forest_of(LEFT), forest_of(STAYED, flat, probabilities=(0.25, 0.75))])
    check_forest(joined)
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
    combinations = (tuple(zip(*trees, strict=True)) for trees in product(*parts))
    combined = sorted(((sum(scores), " ".join(trees)) for scores, trees in combinations), reverse=True)[:6]
    assert [tree for _, tree in joined] == [f"(TEXT {trees})" for _, trees in combined]
    np.testing.assert_allclose(joined.log_probabilities, [score for score, _ in combined])
    assert joined.log_posteriors is not None and len(joined.log_posteriors) == len(joined.constituents)
    check_forest(joined.forest())


def test_combinations_far_from_the_best_are_left_out_when_asked_for() -> None:
    parser = Parser(fake.FakeScorer(), forest_size=6)
    parts = [parser.n_best("a b c"), parser.n_best("d e f")]
    every = joined_n_best(parts, "", 36, 0.0).log_probabilities
    ratio = float(np.exp(every[3] - every[0] - 1e-9))
    log_probabilities = joined_n_best(parts, "", 36, ratio).log_probabilities
    np.testing.assert_array_equal(log_probabilities, every[every >= every[0] + np.log(ratio)])
    assert 4 <= len(log_probabilities) < len(every)


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
