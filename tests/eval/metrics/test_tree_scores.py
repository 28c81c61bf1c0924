"""Brackets as in evalb, attachment, and aligned dependencies."""

from __future__ import annotations

import gzip
import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk import Tree

from forest_align.alignment import Links
from forest_align.eval.benchmarks.stanford_trees import StanfordParses
from forest_align.eval.metrics.tree_scores import (
    Arc,
    brackets_of,
    head_dependencies,
    projected_pairs,
    score_attachment,
    score_brackets,
    score_projected,
    tags_of,
)
from forest_align.parsing.dependencies.typed import Dependency
from forest_align.types import InputError, ParseForest

DELETED = [",", ":", "``", "''", "."]

KEPT = ["NN", "VB", "$", "-LRB-", "HYPH"]


def tree(text: str) -> Tree:
    return Tree.fromstring(text)


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


def test_heads_are_read_off_the_best_tree() -> None:
    # (S (NP the dog) ran): dog heads NP, ran heads S
    forest = ParseForest(
        start=np.array([0, 1, 2, 0, 0], np.int32),
        end=np.array([1, 2, 3, 2, 3], np.int32),
        labels=("DT", "NN", "VBD", "NP", "S"),
        is_constituent=np.ones(5, bool),
        head=np.array([0, 1, 2, 1, 2], np.int32),
        log_marginal=np.zeros(5),
        edges=np.array([[3, 0, 1], [4, 3, 2]], np.int32),
        edge_log_marginal=np.zeros(2),
        roots=np.array([4], np.int32),
        best_edge=np.array([-1, -1, -1, 0, 1], np.int32),
    )
    assert head_dependencies(forest) == [1, 2, -1]


def test_a_different_number_of_tokens_names_the_sentence() -> None:
    with pytest.raises(InputError, match="sentence 2: expected 1 heads, found 2"):
        score_attachment([[-1], [-1]], [[-1], [-1, 0]])
    with pytest.raises(InputError, match="sentence 1: expected 1 words, found 2"):
        score_attachment([[-1]], [[-1]], [["dogs", "bark"]])


def test_a_different_number_of_sentences_is_named() -> None:
    with pytest.raises(InputError, match="expected 1 sentences, one a gold sentence, found 2"):
        score_attachment([[-1]], [[-1], [-1]])
    with pytest.raises(InputError, match="expected the words of 1 sentences, found those of 0"):
        score_attachment([[-1]], [[-1]], [])


# Unicode counts % as punctuation, but not the symbols ` $ +. A token with any letter or digit counts.
PUNCTUATION = [".", "!?", "--", "''", "—", "…", "(", "“", "%", "。"]

OTHERS = ["dog", "'s", "``", "$", "+", "3.5", "Mr.", "-LRB-", "?a", "a?"]


def test_tokens_of_punctuation_alone_do_not_count_and_those_with_any_other_character_do() -> None:
    for token in PUNCTUATION + OTHERS:
        rows = score_attachment([[1, -1]], [[-1, -1]], [[token, "dog"]]).rows.tolist()
        assert rows == ([[1, 1, 1, 1]] if token in PUNCTUATION else [[1, 2, 1, 2]]), token


TOKEN = st.tuples(st.integers(-1, 3), st.integers(-1, 3), st.sampled_from(PUNCTUATION + OTHERS))


@given(st.lists(st.lists(TOKEN, max_size=5), max_size=4))
def test_attachment_equals_a_plain_count_over_words(sentences) -> None:
    right = words = 0
    for sentence in sentences:
        for wanted, found, token in sentence:
            if token in OTHERS:
                words += 1
                right += wanted == found
    gold, predicted, tokens = ([[item[k] for item in sentence] for sentence in sentences] for k in range(3))
    scores = score_attachment(gold, predicted, tokens).micro()
    expected = right / words if words else 1
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx((expected, expected, expected))
    every = [wanted == found for sentence in sentences for wanted, found, _ in sentence]
    expected = sum(every) / len(every) if every else 1
    assert score_attachment(gold, predicted).micro().recall == pytest.approx(expected)


def test_typed_dependencies_are_read(tmp_path: Path) -> None:
    path = tmp_path / "parses.xml.gz"
    arc = '<dep type="{}"><governor idx="{}">a</governor>\n <dependent idx="{}">b</dependent></dep>\n'
    arcs = (arc.format("nsubj", 2, 1) + arc.format("root", 0, 2), "")
    text = "".join(f'<dependencies style="typed">\n{found}</dependencies>\n' for found in arcs)
    path.write_bytes(gzip.compress(text.encode()))
    parses = StanfordParses.read(path)
    assert parses.typed == ((Dependency(1, 0, "nsubj"), Dependency(-1, 1, "root")), ())
    assert parses.arcs() == [[(1, 0), (-1, 1)], []]


LINKS = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8)

# Any governor, the root too, and several governors of one word, as collapsed dependencies have them.
ARCS = st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 3)), unique=True, max_size=6)


def naive_pairs(links: set[tuple[int, int]], source: list[Arc], target: list[Arc]) -> set[tuple[Arc, Arc]]:
    """Every dependency of the one sentence with every one of the other, both ends looked up."""
    found = set()
    for governor, dependent in source:
        for other_governor, other_dependent in target:
            if governor == -1 or other_governor == -1:
                governors_match = governor == other_governor
            else:
                governors_match = (governor, other_governor) in links
            if governors_match and (dependent, other_dependent) in links:
                found.add(((governor, dependent), (other_governor, other_dependent)))
    return found


@given(LINKS, ARCS, ARCS)
def test_aligned_dependencies_equal_a_search_over_all_pairs(links, source, target) -> None:
    assert projected_pairs(links, source, target) == naive_pairs(links, source, target)


@given(st.lists(st.tuples(LINKS, LINKS, ARCS, ARCS), min_size=1, max_size=4))
def test_scores_equal_plain_means_over_pairs(corpus) -> None:
    precisions, recalls, f1s, exact = [], [], [], []
    for wanted, found, source, target in corpus:
        gold, made = (naive_pairs(links, source, target) for links in (wanted, found))
        right = len([pair for pair in made if pair in gold])
        precisions.append(right / len(made) if made else 1)
        recalls.append(right / len(gold) if gold else 1)
        both = precisions[-1] + recalls[-1]
        f1s.append(2 * precisions[-1] * recalls[-1] / both if both else 0)
        exact.append(gold == made)
    size = len(corpus)
    precision, recall = sum(precisions) / size, sum(recalls) / size
    scores = score_projected(
        [Links.of(wanted) for wanted, *_ in corpus],
        [Links.of(found) for _, found, *_ in corpus],
        [(source, target) for *_, source, target in corpus],
    )
    assert {name: statistic.value for name, statistic in scores.items()} == pytest.approx(
        {
            "precision": precision,
            "recall": recall,
            "f1": 2 * precision * recall / (precision + recall) if precision + recall else 0,
            "exact_match": sum(exact) / size,
            "pair_f1": sum(f1s) / size,
        }
    )
