"""Brackets: by hand, against a second implementation of COLLINS.prm."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk import Tree

from forest_align.eval.metrics.bracket_scores import brackets_of, score_brackets, tags_of
from forest_align.types import InputError

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
