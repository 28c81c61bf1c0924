"""Forests from trees that users have."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from nltk import Tree

from forest_align.data.trees.penn import read_trees, strip_annotations
from forest_align.parsing import (
    forest_from_bracket,
    forest_from_trees,
    sentence_from_bracket,
    sentence_from_n_best,
    with_best_tree,
)
from forest_align.parsing.forests._semantic_heads import PUNCTUATION
from forest_align.types import InputError, ParseForest, Sentence
from forest_align.types._forest_objects import check_forest

from ...places import SHARED

TREEBANKS = SHARED / "data" / "treebank"


def test_traces_function_tags_and_the_wrapper_are_stripped() -> None:
    words, forest = forest_from_bracket(
        "( (S (NP-SBJ-1 (PRP He)) (VP (VBD seemed) (S (NP (-NONE- *-1)) (VP (TO to) (VP (VB go)))))) )"
    )
    assert words == ("He", "seemed", "to", "go")
    assert forest.bracket(words) == "(S (NP (PRP He)) (VP (VBD seemed) (S (VP (TO to) (VP (VB go))))))"


def test_unary_chains_become_one_node_and_come_back() -> None:
    words, forest = forest_from_bracket("(S (VP (VP (VB go) (NP (NP (NN home))))))")
    assert [forest.labels[n] for n in forest.node_of_span(0, 2)] == ["S::VP::VP"]
    assert [forest.labels[n] for n in forest.node_of_span(1, 2)] == ["NP::NP::NN"]
    assert forest.bracket(words) == "(S (VP (VP (VB go) (NP (NP (NN home))))))"


def test_a_sentence_has_tags_offsets_and_lemmas() -> None:
    sentence = sentence_from_bracket(
        "(S (NP (NNS Dogs)) (VP (VBP bark)))", lemmatizer=lambda w, t: f"{w}/{t}"
    )
    assert sentence.tags == ("NNS", "VBP")
    assert sentence.lemmas == ("Dogs/NNS", "bark/VBP")
    assert [sentence.text[t.start : t.end] for t in sentence.tokens] == ["Dogs", "bark"]


def test_a_root_of_several_trees_stays() -> None:
    words, forest = forest_from_bracket("(TOP (NP (NN a)) (NP (NN b)))")
    assert forest.bracket(words) == "(TOP (NP (NN a)) (NP (NN b)))"
    words, forest = forest_from_trees([Tree("", [Tree("NN", ["a"]), Tree("NN", ["b"])])])
    assert forest.bracket(words) == "(TOP (NN a) (NN b))"


def test_an_n_best_list_is_weighted_by_its_scores_and_may_come_in_any_order() -> None:
    worse, better = f"{np.log(1)}\t(S (NN a) (NN b))", f"{np.log(3)}\t(NP (NN a) (NN b))"
    forest = sentence_from_n_best([worse, better]).forest
    assert forest is not None
    assert [forest.labels[root] for root in forest.roots] == ["NP", "S"]
    np.testing.assert_allclose(np.exp(forest.log_marginal[forest.roots]), [0.75, 0.25])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "one bracketed tree"),
        ("(S (NN a)", "never closed"),
        ("(S (NN a)) (S (NN b))", "found 2"),
        ("(S (-NONE- *))", "tree with words"),
        ("(S a (NN b))", "no part-of-speech tag"),
        ("(S (NN a b))", "no part-of-speech tag"),
    ],
)
def test_a_text_that_is_no_tree_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        forest_from_bracket(text)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "at least one tree"),
        (["(S (NN a))"], "log-probability, tab, tree"),
        (["x\t(S (NN a))"], "line 1: field 'log-probability': expected a finite number, found 'x'"),
        (["-1\t(S (NN a))", "nan\t(S (NN a))"], "line 2: field 'log-probability': expected a finite"),
        (["-1\t(S (NN a))", "-2\t(S (NN a)"], "line 2: field 'tree': a bracket is never closed"),
        (["-1\t(S (NN a))", "-2\t(S (NN b))"], "line 2: field 'tree': .*same words"),
        (
            ["-1\t(S (NN a))", "-2\t(S (NN a))", "-3\t(S a (NN b))"],
            "line 3: field 'tree': word 'a' has no part",
        ),
    ],
)
def test_an_n_best_list_that_is_none_is_refused(lines: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        sentence_from_n_best(lines)


@pytest.mark.parametrize("label", ["S::X", "::", "N P", "(N"])
def test_a_label_that_the_tree_of_an_alignment_could_not_be_read_with_is_refused(label: str) -> None:
    for tree in (Tree(label, [Tree("NN", ["a"]), Tree("NN", ["b"])]), Tree("NP", [Tree(label, ["a"])])):
        with pytest.raises(InputError, match="without blanks, brackets and '::'"):
            forest_from_trees([tree])


@pytest.mark.parametrize(
    ("bracket", "tags"),
    [
        ("(S (PRN (: --)) (NP (NN a) (: ;)))", (":", "NN", ":")),
        ("(: (: (: x)))", (":",)),
        ("(: (NP (: (NN a) (: b))) (: (S (: c))))", ("NN", ":", ":")),
        ("(S (A: (:B x)) (: (A: (: y))))", (":B", ":")),
    ],
)
def test_chains_of_labels_with_colons_come_back(bracket: str, tags: tuple[str, ...]) -> None:
    sentence = sentence_from_bracket(bracket)
    assert sentence.tags == tags
    assert sentence.forest is not None
    again = ParseForest.from_json(sentence.forest.to_json())
    for forest in (sentence.forest, again, with_best_tree(sentence).forest):
        assert forest is not None
        assert forest.bracket(sentence.words) == bracket
        assert str(forest.best_tree(sentence.words)) == str(Tree.fromstring(bracket))


def test_what_binarizes_a_constituent_below_a_colon_is_called_after_the_colon() -> None:
    _, forest = forest_from_bracket("(: (NP (NN a) (NN b) (NN c)))")
    assert set(forest.labels) == {"NN", ":'", ":::NP"}


def test_a_chain_that_could_be_read_as_another_is_refused() -> None:
    with pytest.raises(InputError, match="no label that ends in ':' above another, found 'A: B'"):
        forest_from_bracket("(S (A: (B x)) (NN y))")


def test_an_empty_constituent_is_refused() -> None:
    with pytest.raises(InputError, match="'NP' is empty"):
        forest_from_trees([Tree("S", [Tree("NP", []), Tree("NN", ["b"])])])


def test_log_probabilities_must_fit_the_trees() -> None:
    with pytest.raises(InputError, match="expected 1 log-probabilities"):
        forest_from_trees([Tree.fromstring("(S (NN a))")], [0.0, 1.0])
    with pytest.raises(InputError, match="expected 2 log-probabilities"):
        forest_from_trees([Tree.fromstring("(S (NN a))")] * 2, [0.0])


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_log_probabilities_must_be_finite(value: float) -> None:
    with pytest.raises(InputError, match="finite log-probabilities"):
        forest_from_trees([Tree.fromstring("(S (NN a))")] * 2, [0.0, value])


@pytest.mark.parametrize("shift", [-5000.0, 0.0, 5000.0])
def test_log_probabilities_of_any_size_are_normalised(shift: float) -> None:
    trees = [Tree.fromstring("(S (NN a) (NN b))"), Tree.fromstring("(NP (NN a) (NN b))")]
    _, forest = forest_from_trees(trees, [shift, shift + np.log(3)])
    np.testing.assert_allclose(np.exp(forest.log_marginal[forest.roots]), [0.75, 0.25])


def test_trees_of_thousands_of_levels_do_not_exhaust_the_stack() -> None:
    depth = 1500
    nested = Tree("S", [Tree("NN", ["w"])])
    for _ in range(depth):
        nested = Tree("S", [Tree("NN", ["w"]), nested])
    words, forest = forest_from_trees([nested])
    assert len(words) == depth + 1
    assert len(list(forest.derivations())) == 1
    assert forest.bracket(words).count("(S") == depth + 1
    for tree in (forest.best_tree(words), next(forest.trees())[1]):
        levels = 0
        while len(tree) == 2:
            levels, tree = levels + 1, tree[1]
        assert levels == depth


@pytest.mark.skipif(not TREEBANKS.is_dir(), reason=f"no treebanks in {TREEBANKS} (set FOREST_ALIGN_SHARED)")
@pytest.mark.parametrize(
    ("corpus", "pattern"), [("gum", "*.ptb"), ("craft", "*.tree"), ("wsj_sample", "*.mrg")]
)
def test_treebank_trees_come_back_from_their_forests_with_sane_heads(corpus: str, pattern: str) -> None:
    files = sorted((TREEBANKS / corpus).glob(pattern))
    stripped = (strip_annotations(tree) for file in files[:: len(files) // 9] for tree in read_trees(file))
    count = 0
    for tree in islice((tree for tree in stripped if tree is not None), 150):
        words, forest = forest_from_trees([tree])
        check_forest(forest)
        while tree.label() == "TOP" and len(tree) == 1:
            tree = tree[0]
        again, forest_again = forest_from_bracket(forest.bracket(words))
        assert again == words
        assert forest_again.to_json() == forest.to_json()
        assert [label for _, label in forest.best_tree(words).pos()] == [label for _, label in tree.pos()]
        assert [t.label() for t in forest.best_tree(words).subtrees()] == [t.label() for t in tree.subtrees()]
        tags = [tag for _, tag in tree.pos()]
        for node in range(len(forest)):
            inside = tags[forest.start[node] : forest.end[node]]
            if any(tag not in PUNCTUATION for tag in inside):
                assert tags[forest.head[node]] not in PUNCTUATION, forest.node(node)
        count += 1
    assert count > 100


def test_a_sentence_keeps_all_but_the_other_trees_with_its_best_tree() -> None:
    flat, deep = "(S (NP (DT a) (NN b)) (VP (VB c)))", "(S (DT a) (VP (NN b) (VP (VB c))))"
    sentence = sentence_from_n_best([f"-1.0\t{flat}", f"-0.5\t{deep}"])
    alone = with_best_tree(sentence)
    assert sentence.forest is not None and alone.forest is not None
    assert len(list(sentence.forest.trees(sentence.words, 5))) == 2
    assert alone.tokens == sentence.tokens and alone.text == sentence.text
    assert [str(tree) for _, tree in alone.forest.trees(alone.words, 5)] == [
        str(sentence.forest.best_tree(sentence.words))
    ]
    with pytest.raises(InputError, match="forest"):
        with_best_tree(Sentence.from_words(["a"]))
