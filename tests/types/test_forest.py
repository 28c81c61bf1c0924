"""Forests: enumeration of their trees, probabilities, navigation, JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk import Tree

from forest_align.parsing import forest_from_bracket, forest_from_trees
from forest_align.types import InputError, ParseForest
from forest_align.types._forest_objects import check_forest

WORDS = ["I", "saw", "the", "man", "with", "it", "."]
HIGH = "(S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN man)) (PP (IN with) (NP (PRP it)))) (. .))"
LOW = "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT the) (NN man)) (PP (IN with) (NP (PRP it))))) (. .))"
ODD = "(S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN man) (PP (IN with) (NP (PRP it))))) (. .))"


def forest_of(*brackets: str, logs: list[float] | None = None) -> ParseForest:
    return forest_from_trees([Tree.fromstring(bracket) for bracket in brackets], logs)[1]


def test_a_forest_is_shown_by_its_size() -> None:
    shown = repr(forest_of("(S (NP (PRP They)) (VP (VBD won)))"))
    assert shown == "<ParseForest over 2 tokens: 3 nodes, 1 hyperedges>"


@st.composite
def random_trees(draw: st.DrawFn) -> list[str]:
    """Some trees over the same few words, with labels that make coordinations and chains."""
    n = draw(st.integers(1, 6))
    tags = ["NN", "VBD", "CC", "IN", ",", "JJ"]

    def build(i: int, j: int) -> str:
        if j - i == 1:
            leaf = f"({draw(st.sampled_from(tags))} w{i})"
            return f"(NP {leaf})" if draw(st.booleans()) else leaf
        parts = draw(st.integers(2, min(3, j - i)))
        cuts = sorted(draw(st.permutations(range(i + 1, j)))[: parts - 1])
        inside = " ".join(build(a, b) for a, b in zip([i, *cuts], [*cuts, j], strict=True))
        label = draw(st.sampled_from(["NP", "VP", "S"]))
        return f"(S ({label} {inside}))" if draw(st.booleans()) else f"({label} {inside})"

    return [build(0, n) for _ in range(draw(st.integers(1, 4)))]


def all_derivations(forest: ParseForest, node: int) -> list[tuple[float, frozenset[int]]]:
    """Every choice of edges below a node with its probability, by brute force."""
    if not forest.edges_of(node):
        return [(1.0, frozenset())]
    derivations = []
    for edge in forest.edges_of(node):
        _, left, right = forest.edges[edge]
        share = np.exp(forest.edge_log_marginal[edge] - forest.log_marginal[node])
        below = product(all_derivations(forest, left), all_derivations(forest, right))
        derivations += [(share * p * q, frozenset({edge}) | a | b) for (p, a), (q, b) in below]
    return derivations


@given(brackets=random_trees())
def test_every_tree_of_a_forest_is_enumerated_once_best_first(brackets: list[str]) -> None:
    forest = forest_of(*brackets)
    roots = np.exp(forest.log_marginal[forest.roots])
    expected: dict[tuple[int, frozenset[int]], float] = {}
    for root, probability in zip(forest.roots.tolist(), roots / roots.sum(), strict=True):
        for share, edges in all_derivations(forest, root):
            expected[root, edges] = probability * share
    derivations = list(forest.derivations())
    assert len(derivations) == len(expected)
    logs = [derivation.log_probability for derivation in derivations]
    assert all(a >= b - 1e-12 for a, b in pairwise(logs))
    for derivation, log in zip(derivations, logs, strict=True):
        key = (derivation.root, frozenset(derivation.edges.values()))
        assert np.exp(log) == pytest.approx(expected.pop(key))
        assert forest.log_probability(derivation.root, derivation.edges) == pytest.approx(log)
    assert sum(np.exp(logs)) == pytest.approx(1.0)


@given(brackets=random_trees(), seed=st.integers(0, 99))
def test_marginals_are_sums_over_the_trees_given(brackets: list[str], seed: int) -> None:
    logs = np.random.default_rng(seed).normal(size=len(brackets)).tolist()
    forest = forest_of(*brackets, logs=logs)
    check_forest(forest)
    probabilities = np.exp(logs) / np.exp(logs).sum()
    nodes: dict[Any, float] = {}
    edges: dict[Any, float] = {}
    for bracket, probability in zip(brackets, probabilities, strict=True):
        alone = forest_of(bracket)
        for node in range(len(alone)):
            nodes[alone.node(node)] = nodes.get(alone.node(node), 0.0) + probability
        for edge in alone.edges:
            key = tuple(alone.node(x) for x in edge)
            edges[key] = edges.get(key, 0.0) + probability
    assert dict(zip(map(forest.node, range(len(forest))), np.exp(forest.log_marginal), strict=True)) == (
        pytest.approx(nodes)
    )
    named_edges = [tuple(map(forest.node, edge)) for edge in forest.edges]
    assert dict(zip(named_edges, np.exp(forest.edge_log_marginal), strict=True)) == pytest.approx(edges)


@given(brackets=random_trees(), seed=st.integers(0, 99))
def test_marginals_are_sums_over_the_trees_of_the_forest(brackets: list[str], seed: int) -> None:
    logs = np.random.default_rng(seed).normal(size=len(brackets)).tolist()
    forest = forest_of(*brackets, logs=logs)
    nodes, edges = np.zeros(len(forest)), np.zeros(len(forest.edges))
    for derivation in forest.derivations():
        probability = np.exp(derivation.log_probability)
        used = list(derivation.edges.values())
        edges[used] += probability
        nodes[[derivation.root, *forest.edges[used, 1:].ravel()]] += probability
    np.testing.assert_allclose(nodes, np.exp(forest.log_marginal))
    np.testing.assert_allclose(edges, np.exp(forest.edge_log_marginal))


@given(brackets=random_trees(), seed=st.integers(0, 99))
def test_the_best_tree_is_the_most_probable_tree_given(brackets: list[str], seed: int) -> None:
    logs = np.random.default_rng(seed).normal(size=len(brackets)).tolist()
    words, forest = forest_from_trees([Tree.fromstring(bracket) for bracket in brackets], logs)
    assert forest.bracket(words) == brackets[int(np.argmax(logs))]
    assert str(forest.best_tree(words)) == str(Tree.fromstring(brackets[int(np.argmax(logs))]))


def test_a_number_of_trees_is_understood_with_and_without_words() -> None:
    forest = forest_of(HIGH, LOW)
    assert len(list(forest.trees(1))) == len(list(forest.trees(k=1))) == 1
    assert len(list(forest.trees(WORDS, 1))) == len(list(forest.trees(WORDS, k=1))) == 1
    assert [score for score, _ in forest.trees(2)] == [score for score, _ in forest.trees(WORDS, 2)]


def test_node_of_span_gives_the_most_probable_first_and_nothing_for_other_spans() -> None:
    forest = forest_of("(S (NN a) (NN b))", "(NP (NN a) (NN b))", logs=[-1.0, -0.1])
    assert [forest.labels[n] for n in forest.node_of_span(0, 2)] == ["NP", "S"]
    assert forest.labels[forest.roots[0]] == "NP"
    assert forest.node_of_span(0, 3) == ()


def test_ancestors_are_the_nodes_above_in_some_tree() -> None:
    forest = forest_of(HIGH, LOW)
    for node in range(len(forest)):
        above = set(forest.ancestors(node).tolist())
        expected = {
            parent
            for parent, left, right in forest.edges.tolist()
            if left == node or right == node or left in above or right in above
        }
        assert above == expected
    assert len(forest.ancestors(int(forest.roots[0]))) == 0


def test_a_phrase_of_the_forest_can_be_written_alone() -> None:
    forest = forest_of(LOW)
    best = forest.best_derivation()
    (phrase,) = forest.node_of_span(2, 6)
    alone = type(best)(phrase, best.edges)
    assert forest.bracket(WORDS, alone) == "(NP (NP (DT the) (NN man)) (PP (IN with) (NP (PRP it))))"


def test_brackets_in_words_come_out_by_name_and_go_back_in() -> None:
    words, forest = forest_from_bracket("(NP (-LRB- -LRB-) (NN a\\/b) (-RRB- -RRB-))")
    assert words == ("(", "a/b", ")")
    assert forest.bracket(words) == "(NP (-LRB- -LRB-) (NN a/b) (-RRB- -RRB-))"
    assert forest_from_bracket(forest.bracket(["(", "x)y", ")"]))[0] == ("(", "x)y", ")")


def test_a_bracket_needs_as_many_words_as_the_forest_has() -> None:
    with pytest.raises(InputError, match="covers 7 tokens, found 1"):
        forest_of(HIGH).bracket(["I"])


@given(brackets=random_trees(), seed=st.integers(0, 99))
@settings(max_examples=30)
def test_json_round_trips_exactly(brackets: list[str], seed: int) -> None:
    forest = forest_of(*brackets, logs=np.random.default_rng(seed).normal(size=len(brackets)).tolist())
    again = ParseForest.from_json(json.loads(json.dumps(forest.to_json())))
    assert again.to_json() == forest.to_json()
    assert again.start.dtype == forest.start.dtype
    assert again.edges.shape == forest.edges.shape
    assert again.labels == forest.labels


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("version", 2),
        ("start", None),
        ("start", "x"),
        ("start", [0.5] * 13),
        ("start", [True] * 13),
        ("start", [10**12] * 13),
        ("start", [-(2**63)] * 13),
        ("start", [[1], [1, 2]]),
        ("start", [0]),
        ("labels", [3] * 13),
        ("labels", []),
        ("is_constituent", [1] * 13),
        ("log_marginal", [float("nan")] * 13),
        ("edges", [[1, 2]]),
        ("edges", [[99, 0, 1]]),
        ("edges", [[7, -1, 1]]),
        ("edges", [[10**12, 0, 1]]),
        ("edges", [[0, 0, -(2**31) - 1]]),
        ("edge_log_marginal", [0.0]),
        ("roots", []),
        ("roots", [99]),
        ("best_edge", [99] * 13),
        ("log_posterior", [0.0]),
        ("log_posterior", [-0.5] * 13),
        ("log_posterior", ["x"] * 13),
    ],
)
def test_a_damaged_forest_is_refused_with_the_field(field: str, value: Any) -> None:
    data = forest_of(HIGH).to_json()
    assert len(data["start"]) == 13, "the cases are written for a forest of this size"
    if value is None:
        del data[field]
    else:
        data[field] = value
    with pytest.raises(InputError) as caught:
        ParseForest.from_json(data)
    assert caught.value.field is not None


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (("labels", 0), "", "labels[0]"),
        (("labels", 0), "N P", "labels[0]"),
        (("labels", 12), "(", "labels[12]"),
        (("labels", 12), "NP)", "labels[12]"),
        (("labels", 7), "::", "labels[7]"),
        (("is_constituent", 0), False, "is_constituent"),
        (("is_constituent", 12), False, "is_constituent"),
        (("is_constituent", 12), 1, "is_constituent[12]"),
        (("start", 1), True, "start[1]"),
        (("edges", 1, 0), True, "edges[1][0]"),
        (("roots", 0), True, "roots[0]"),
        (("log_marginal", 3), True, "log_marginal[3]"),
        (("log_marginal", 3), None, "log_marginal[3]"),
        (("log_marginal", 3), -0.5, "edge_log_marginal"),
        (("log_marginal", 12), -0.5, "edge_log_marginal"),
        (("edge_log_marginal", 0), -0.5, "edge_log_marginal"),
    ],
)
def test_what_no_tree_could_be_made_of_is_refused_with_its_field(
    path: tuple[Any, ...], value: Any, field: str
) -> None:
    data = forest_of(HIGH).to_dict()
    inner: Any = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    with pytest.raises(InputError) as caught:
        ParseForest.from_dict(data, "forest")
    assert caught.value.field == f"forest.{field}"


HALF = float(np.log(0.5))


@pytest.mark.parametrize(
    ("changes", "field", "expected"),
    [
        ({"start": [-1, 1, 2, 0, 0]}, "end", "spans start < end from 0"),
        ({"end": [1, 1, 3, 2, 3]}, "end", "spans start < end from 0"),
        ({"head": [0, 0, 2, 1, 2]}, "head", "inside its span"),
        ({"head": [0, 1, 2, 1, 3]}, "head", "inside its span"),
        ({"log_marginal": [0, 0, 0, 0, 0.5]}, "log_marginal", "at most 0"),
        ({"edge_log_marginal": [0, 0.5]}, "edge_log_marginal", "at most 0"),
        ({"log_posterior": [0.5, None, None, None, None]}, "log_posterior", "at most 0"),
        # Children that begin, meet or end in the wrong place; the same edge twice; edges in another order.
        ({"edges": [[3, 0, 1], [4, 1, 2]]}, "edges", "side by side"),
        ({"edges": [[3, 0, 1], [4, 0, 2]]}, "edges", "side by side"),
        ({"edges": [[3, 0, 1], [4, 0, 1]]}, "edges", "side by side"),
        (
            {
                "edges": [[3, 0, 1], [3, 0, 1], [4, 3, 2]],
                "edge_log_marginal": [HALF, HALF, 0],
                "best_edge": [-1, -1, -1, 0, 2],
            },
            "edges",
            "without duplicates",
        ),
        ({"edges": [[4, 3, 2], [3, 0, 1]], "best_edge": [-1, -1, -1, 1, 0]}, "edges", "ascending order"),
        (
            {"edges": [[4, 3, 2]], "edge_log_marginal": [0], "best_edge": [-1, -1, -1, -1, 0]},
            "edges",
            "an edge below every node of several tokens",
        ),
        ({"roots": [4, 3]}, "roots", "cover the whole sentence"),
        ({"roots": [4, 2]}, "roots", "cover the whole sentence"),
        ({"roots": [4, 4]}, "roots", "every root once"),
        ({"best_edge": [-1, -1, -1, 1, 1]}, "best_edge", "edges of the node itself"),
        ({"best_edge": [-1, -1, -1, 0, -1]}, "best_edge", "a choice at every inner node"),
        ({"best_edge": [-1, -1, -1, -1, 1]}, "best_edge", "a choice at every inner node"),
        # A hundredth off is no rounding.
        ({"edge_log_marginal": [-0.01, 0]}, "edge_log_marginal", "below each node to equal its own"),
        ({"log_marginal": [-0.01, 0, 0, 0, 0]}, "edge_log_marginal", "above each node to equal its own"),
        # Shorter spans come first.
        (
            {
                "start": [0, 1, 0, 2, 0],
                "end": [1, 2, 2, 3, 3],
                "labels": ["DT", "NN", "NP", "VP::VBD", "S"],
                "head": [0, 1, 1, 2, 2],
                "edges": [[2, 0, 1], [4, 2, 3]],
                "best_edge": [-1, -1, 0, -1, 1],
            },
            "start",
            "bottom-up order",
        ),
    ],
)
def test_each_rule_of_a_forest_is_checked_and_named(
    changes: dict[str, Any], field: str, expected: str
) -> None:
    data = forest_of("(S (NP (DT the) (NN cat)) (VP (VBD sat)))").to_dict()
    assert data["edges"] == [[3, 0, 1], [4, 3, 2]] and data["best_edge"] == [-1, -1, -1, 0, 1]
    with pytest.raises(InputError, match=expected) as caught:
        ParseForest.from_dict({**data, **changes})
    assert caught.value.field == field


def test_trees_share_all_probability_whatever_the_roots_have() -> None:
    data = forest_of("(S (NN a) (NN b))", "(NP (NN a) (NN b))", logs=[0.0, float(np.log(3))]).to_dict()
    for name in ("log_marginal", "edge_log_marginal"):
        data[name] = [value - 0.7 for value in data[name]]
    forest = ParseForest.from_dict(data)
    logs = [derivation.log_probability for derivation in forest.derivations()]
    np.testing.assert_allclose(np.exp(logs), [0.75, 0.25])
    assert forest.best_derivation().log_probability == pytest.approx(logs[0])


def test_exact_probabilities_are_kept_in_json_and_unknown_ones_are_null() -> None:
    plain = forest_of(HIGH)
    assert np.isnan(plain.log_posterior).all() and "log_posterior" not in plain.to_dict()
    values = np.where(plain.is_constituent, -0.25, np.nan)
    forest = replace(plain, log_posterior=values)
    data = json.loads(json.dumps(forest.to_dict(), allow_nan=False))
    assert data["log_posterior"].count(None) == (~plain.is_constituent).sum() > 0
    np.testing.assert_array_equal(ParseForest.from_dict(data).log_posterior, values)
    with pytest.raises(ValueError, match="read-only"):
        forest.log_posterior[0] = 0


def test_very_improbable_trees_keep_finite_marginals() -> None:
    # Two trees share an improbable phrase: its logarithm is cut off, and so are those of its edges.
    forest = forest_of(HIGH, LOW, ODD, logs=[0.0, -5000.0, -5000.0])
    assert np.isfinite(forest.log_marginal).all()
    (phrase,) = forest.node_of_span(2, 6)
    assert len(forest.edges_of(phrase)) == 2
    check_forest(forest)
