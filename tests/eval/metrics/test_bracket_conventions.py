"""What COLLINS.prm leaves out of brackets, case by case and in a naive second implementation."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk import Tree

from forest_align.eval.metrics.bracket_scores import brackets_of, score_brackets, tags_of

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
