"""Brackets: by hand, against a second implementation of COLLINS.prm; the oracle against all trees."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk import Tree

from forest_align.eval.metrics.bracket_scores import brackets_of, oracle_brackets, score_brackets, tags_of
from forest_align.types import InputError, ParseForest

DELETED = [",", ":", "``", "''", "."]

KEPT = ["NN", "VB", "$", "-LRB-", "HYPH"]


def tree(text: str) -> Tree:
    return Tree.fromstring(text)


@pytest.mark.parametrize("tag", DELETED)
def test_words_with_a_tag_of_punctuation_are_taken_out(tag: str) -> None:
    gold = tree(f"(S (NP ({tag} x) (NN a)) (X ({tag} y)) (VP (VB b)))")
    assert dict(brackets_of(gold)) == {("S", 0, 2): 1, ("NP", 0, 1): 1, ("VP", 1, 2): 1}
    assert score_brackets([gold], [gold]).tags.tolist() == [[2, 2]]


LABELS = st.sampled_from(["A", "B", "A-SBJ", "A=1", "B-TMP=2", "B|A", "PRT", "ADVP", "ADVP-TMP", "S1", "TOP"])


@st.composite
def trees(draw, length: int) -> Tree:
    """A tree over words with tags of all kinds, traces among them."""

    def build(start: int, end: int) -> Tree:
        if end - start == 1:
            node = Tree(draw(st.sampled_from(DELETED + KEPT)), [f"w{start}"])
        else:
            cut = draw(st.integers(start + 1, end - 1))
            node = Tree(draw(LABELS), [build(start, cut), build(cut, end)])
        for label in draw(st.lists(LABELS, max_size=2)):
            trace = [Tree("A", [Tree("-NONE-", ["*"])])] if draw(st.booleans()) else []
            node = Tree(label, [*trace, node])
        return node

    return Tree("TOP", [build(0, length)])


def naive_brackets(node: Tree, deleted: set[int]) -> list[tuple[str, tuple[int, ...]]]:
    """Label and kept words of each node, words numbered from left to right without the traces."""
    numbers = itertools.count()
    found = []

    def walk(node: Tree) -> list[int]:
        if isinstance(node[0], str):
            return [] if node.label() == "-NONE-" else [next(numbers)]
        words = [word for child in node for word in walk(child)]
        label = re.split("[-=|]", node.label())[0]
        left = tuple(word for word in words if word not in deleted)
        if left and label not in ("TOP", "S1"):
            found.append(({"PRT": "ADVP"}.get(label, label), left))
        return words

    walk(node)
    return found


@given(st.lists(st.integers(1, 5).flatmap(lambda n: st.tuples(trees(n), trees(n))), min_size=1, max_size=3))
def test_all_figures_equal_a_naive_implementation(pairs) -> None:
    matched = found = wanted = exact = right_tags = words = 0
    for gold, predicted in pairs:
        tags = tags_of(gold)
        deleted = {word for word, tag in enumerate(tags) if tag in DELETED}
        ours, theirs = naive_brackets(gold, deleted), naive_brackets(predicted, deleted)
        exact += sorted(ours) == sorted(theirs)
        wanted, found = wanted + len(ours), found + len(theirs)
        for bracket in theirs:
            if bracket in ours:
                ours.remove(bracket)
                matched += 1
        for word, (one, other) in enumerate(zip(tags, tags_of(predicted), strict=True)):
            words += word not in deleted
            right_tags += word not in deleted and one == other
    result = score_brackets([gold for gold, _ in pairs], [predicted for _, predicted in pairs])
    assert result.scores.precision == pytest.approx(matched / found if found else 1)
    assert result.scores.recall == pytest.approx(matched / wanted if wanted else 1)
    assert result.exact_match == pytest.approx(exact / len(pairs))
    assert result.tagging_accuracy == pytest.approx(right_tags / words if words else 1)


GOLD = "(TOP (S (NP-SBJ (DT The) (NN dog)) (VP (VBD ran) (PRT (RP off))) (. .)))"


@st.composite
def plain_trees(draw, length: int) -> Tree:
    tags = st.sampled_from(["NN", "VB", ",", "."])

    def build(start: int, end: int) -> Tree:
        if end - start == 1:
            node = Tree(draw(tags), [f"w{start}"])
        else:
            cut = draw(st.lists(st.integers(start + 1, end - 1), min_size=1, max_size=2, unique=True))
            edges = [start, *sorted(cut), end]
            node = Tree(draw(st.sampled_from("AB")), [build(*span) for span in itertools.pairwise(edges)])
        for label in draw(st.lists(st.sampled_from(["A", "PRT", "ADVP"]), max_size=2)):
            node = Tree(label, [node])
        return node

    return Tree("TOP", [build(0, length)])


def test_scores_of_one_attachment_error_by_hand() -> None:
    predicted = tree("(S (NP (DT The) (NN dog)) (VP (VBD ran)) (ADVP (IN off)) (. .))")
    result = score_brackets([tree(GOLD)], [predicted])
    assert (result.scores.precision, result.scores.recall) == (0.75, 0.75)
    assert result.tagging_accuracy == 0.75
    assert result.exact_match == 0


def test_a_different_number_of_words_is_an_error_that_names_the_tree() -> None:
    trees_ = [tree(GOLD), tree("(NP (NN a))")]
    with pytest.raises(InputError, match="tree 2: expected 1 words, found 2"):
        score_brackets(trees_, [tree(GOLD), tree("(NP (NN a) (NN b))")])
    with pytest.raises(InputError, match="expected 2 trees"):
        score_brackets(trees_, [tree(GOLD)])


@pytest.mark.parametrize("text", ["(S (NP dogs) bark)", "(NP the (NN dog))", "(NP the dog)"])
def test_a_word_without_a_tag_is_named_with_its_tree(text: str) -> None:
    word = "bark" if "bark" in text else "the"
    good = tree("(S (NP (NNS dogs)) (VP (VBP bark)))")
    for gold, predicted in (([good, tree(text)], [good, good]), ([good, good], [good, tree(text)])):
        with pytest.raises(InputError, match=f"tree 2: expected a tag above every word, found '{word}'"):
            score_brackets(gold, predicted)
    with pytest.raises(InputError, match=f"^expected a tag above every word, found '{word}'"):
        brackets_of(tree(text))


def forest_of(leaves: list[str], inner: list[tuple[int, int, str]], edges_wanted: Iterable) -> ParseForest:
    """A forest with one leaf a token and inner nodes in the given order; edges by node positions."""
    length = len(leaves)
    nodes = [(i, i + 1, leaf) for i, leaf in enumerate(leaves)] + inner
    edges = sorted(edges_wanted)
    size = len(nodes)
    return ParseForest(
        start=np.array([n[0] for n in nodes], np.int32),
        end=np.array([n[1] for n in nodes], np.int32),
        labels=tuple(n[2] for n in nodes),
        is_constituent=np.array([not n[2].endswith("'") for n in nodes]),
        head=np.zeros(size, np.int32),
        log_marginal=np.zeros(size),
        edges=np.array(edges, np.int32).reshape(-1, 3),
        edge_log_marginal=np.zeros(len(edges)),
        roots=np.array([k for k, n in enumerate(nodes) if n[1] - n[0] == length], np.int32),
        best_edge=np.full(size, -1, np.int32),
    )


@st.composite
def forests(draw) -> ParseForest:
    length = draw(st.integers(1, 5))
    labels = st.sampled_from(["A", "B", "A::B", "A'"])
    inner = []
    for width in range(2, length + 1):
        for start in range(length - width + 1):
            chosen = draw(st.lists(labels, min_size=1, max_size=2, unique=True))
            inner += [(start, start + width, label) for label in chosen]
    leaves = draw(st.lists(st.sampled_from(["NN", "A::NN"]), min_size=length, max_size=length))
    nodes = [(i, i + 1, "") for i in range(length)] + inner
    edges = set()
    for parent, (start, end, _) in enumerate(nodes):
        if end - start == 1:
            continue
        options = [
            (parent, a, b)
            for a, b in itertools.product(range(len(nodes)), repeat=2)
            if nodes[a][0] == start and nodes[a][1] == nodes[b][0] and nodes[b][1] == end
        ]
        edges |= set(draw(st.lists(st.sampled_from(options), min_size=1, max_size=3)))
    return forest_of(leaves, inner, edges)


def all_trees(forest: ParseForest, node: int) -> list[list[int]]:
    below = [(int(a), int(b)) for parent, a, b in forest.edges if parent == node]
    if not below:
        return [[node]]
    return [
        [node, *left, *right]
        for a, b in below
        for left in all_trees(forest, a)
        for right in all_trees(forest, b)
    ]


@given(forests(), st.data())
def test_the_oracle_is_the_best_of_all_trees(forest, data) -> None:
    gold = data.draw(plain_trees(int(forest.end.max())))
    # Punctuation goes: nodes of one tree, above each other, may then have the same span.
    kept = [tag not in {",", "."} for _, tag in gold.pos()]
    wanted = brackets_of(gold)

    def f1(nodes: list[int]) -> float:
        found: Counter = Counter()
        for n in nodes:
            start, end = sum(kept[: forest.start[n]]), sum(kept[: forest.end[n]])
            if forest.is_constituent[n] and start < end:
                for label in [part for part in forest.labels[n].split("::") if part != "NN"]:
                    found[label, start, end] += 1
        return 2 * (found & wanted).total() / max(found.total() + wanted.total(), 1)

    best = max(f1(nodes) for root in forest.roots for nodes in all_trees(forest, int(root)))
    right, found, same, total = oracle_brackets(forest, gold)
    assert 2 * right / max(found + total, 1) == pytest.approx(best)
    assert (same, total) == (right, wanted.total())


def test_a_gold_bracket_is_found_once_though_a_full_stop_is_inside_and_outside() -> None:
    # (A (A (NN a) (NN b)) (. .)) or (A (B (NN a) (NN b)) (. .)); the gold tree has one A.
    nodes = [(0, 2, "A"), (0, 2, "B"), (0, 3, "A")]
    forest = forest_of(["NN", "NN", "."], nodes, [(3, 0, 1), (4, 0, 1), (5, 3, 2), (5, 4, 2)])
    assert oracle_brackets(forest, tree("(A (B (NN a) (NN b)) (. .))")) == (2, 2, 2, 2)
    assert oracle_brackets(forest, tree("(A (NN a) (NN b) (. .))")) == (1, 2, 1, 1)


def test_the_oracle_refuses_a_gold_tree_of_another_length() -> None:
    forest = forest_of(["NN"], [], [])
    with pytest.raises(InputError, match="over 2 words, found 1"):
        oracle_brackets(forest, tree("(NP (NN a) (NN b))"))
