"""Forests from trees that users and corpora have: in brackets, and Enju's."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from nltk import Tree

from forest_align.data.formats.format import SentencePair
from forest_align.data.trees.enju import parse_enju, read_enju
from forest_align.data.trees.penn import read_trees, strip_annotations
from forest_align.parsing import (
    forest_from_bracket,
    forest_from_enju,
    forest_from_trees,
    sentence_from_bracket,
    sentence_from_enju,
    sentence_from_n_best,
    with_best_tree,
)
from forest_align.parsing.forests._semantic_heads import PUNCTUATION
from forest_align.parsing.forests.trees import with_given_trees
from forest_align.types import InputError, ParseForest, Sentence, Token
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
        (["-1\t(S (NN a))"] * 2 + ["-3\t(S a (NN b))"], "line 3: field 'tree': word 'a' has no part"),
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


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.0, 1.0, 2.0], "expected 2 log-probabilities"),
        ([0.0], "expected 2 log-probabilities"),
        *(([0.0, value], "finite log-probabilities") for value in (np.inf, -np.inf, np.nan)),
    ],
)
def test_log_probabilities_must_fit_the_trees_and_be_finite(values: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        forest_from_trees([Tree.fromstring("(S (NN a))")] * 2, values)


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


DOGS = "(S (NP (NNS Dogs)) (VP (VBD barked)))"
FLAT = "(X (NNS Dogs) (VBD barked))"
RAW = Sentence((), text="Dogs  barked")
ENJU = """<sentence id="s" parse_status="success"><cons id="c" cat="S" sem_head="t"><tok id="t" pos="NN"
base="tree">trees</tok></cons></sentence>"""


def test_trees_become_the_forest_with_their_scores() -> None:
    pair = SentencePair("1", RAW, RAW, source_trees=((DOGS, np.log(0.2)), (FLAT, np.log(0.6))))
    source, target = with_given_trees(pair)
    assert target is RAW
    assert source.forest is not None
    assert [source.forest.labels[root] for root in source.forest.roots] == ["X", "S"]
    np.testing.assert_allclose(np.exp(source.forest.log_marginal[source.forest.roots]), [0.75, 0.25])
    assert source.lemmas == ("dog", "bark") and source.tags == ("NNS", "VBD")


def test_tokens_that_came_with_the_trees_keep_what_they_have() -> None:
    tokens = (Token("Dogs", "hound", "", 0, 4), Token("barked", "", "VBN", 6, 12))
    pair = SentencePair("1", RAW, Sentence(tokens, text="Dogs  barked"), target_trees=((DOGS, 0.0),))
    _, target = with_given_trees(pair)
    assert target.tokens == (Token("Dogs", "hound", "NNS", 0, 4), Token("barked", "bark", "VBN", 6, 12))
    assert target.text == "Dogs  barked"
    assert target.forest is not None and target.forest.bracket(target.words) == DOGS


def test_the_sentences_of_a_text_are_those_of_its_tree() -> None:
    raw = Sentence.from_words(["Dogs", "barked", "Dogs", "barked"])
    pair = SentencePair("1", raw, RAW, source_trees=((f"(TEXT {DOGS} {FLAT})", 0.0),))
    assert with_given_trees(pair)[0].sentences == ((0, 2), (2, 4))


@pytest.mark.parametrize("side", ["source", "target"])
@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ("(S (NNS Dogs)", "never closed"),
        ("(S (NNS Dogs) barked)", "no part-of-speech tag"),
        ("(S (NNS Cats) (VBD barked))", "over the tokens 'Dogs barked', found one over 'Cats barked'"),
    ],
)
def test_a_tree_that_does_not_fit_is_named_with_its_side(side: str, tree: str, message: str) -> None:
    words = Sentence.from_words(["Dogs", "barked"])
    trees = {"source": ((DOGS, 0.0),), "target": ((DOGS, 0.0),), side: ((tree, 0.0),)}
    pair = SentencePair("1", words, words, source_trees=trees["source"], target_trees=trees["target"])
    with pytest.raises(InputError, match=message) as caught:
        with_given_trees(pair)
    assert caught.value.field == f"{side} tree"


def test_trees_of_enju_come_first() -> None:
    (tree,) = parse_enju(ENJU)
    pair = SentencePair("1", RAW, RAW, source_trees=((DOGS, 0.0),), source_enju=tree, target_enju=tree)
    for sentence in with_given_trees(pair):
        assert sentence.lemmas == ("tree",)
        assert sentence.forest is not None and sentence.forest.labels == ("S::NN",)


SAMPLE = SHARED / "data" / "spade_sample"

MATS = """<sentence id="s0" parse_status="success"><cons id="c0" cat="S" sem_head="c2"><cons id="c1" cat="NP"
sem_head="c9"><cons id="c9" cat="NX" sem_head="t0"><tok id="t0" pos="NNS" base="cat">Cats</tok></cons></cons>
<cons id="c2" cat="VP" sem_head="c4"><cons id="c3" cat="VX" sem_head="t1"><tok id="t1"
pos="MD" base="may">may</tok></cons>
<cons id="c4" cat="VP" sem_head="t2"><tok id="t2" pos="VB" base="SLEEP">sleep</tok></cons></cons>
</cons>.</sentence>"""


def test_the_tree_is_kept_as_it_is_with_its_semantic_heads() -> None:
    (tree,) = parse_enju(MATS)
    forest, numbers = forest_from_enju(tree)
    check_forest(forest)
    assert forest.bracket(["Cats", "may", "sleep"]) == (
        "(S (NP (NX (NNS Cats))) (VP (VX (MD may)) (VP (VB sleep))))"
    )
    assert forest.is_constituent.all()
    assert forest.head[forest.roots[0]] == 2
    by_id = {node.id: number for node, number in zip(tree.nodes, numbers, strict=True)}
    assert by_id["c1"] == by_id["c9"]
    assert forest.labels[by_id["c1"]] == "NP::NX::NNS"
    assert forest.node(by_id["c2"]).span == (1, 3)


def test_a_chain_over_a_colon_is_kept_and_one_that_could_be_read_as_another_refused() -> None:
    (tree,) = parse_enju(MATS.replace('pos="NNS"', 'pos=":"').replace('cat="NX"', 'cat=":"'))
    sentence = sentence_from_enju(tree)
    assert sentence.forest is not None
    assert sentence.forest.bracket(sentence.words).startswith("(S (NP (: (: Cats)))")
    (tree,) = parse_enju(MATS.replace('cat="NP"', 'cat="NP:"'))
    with pytest.raises(InputError, match="no label that ends in ':'"):
        forest_from_enju(tree)


def test_the_sentence_has_enjus_words_lemmas_and_tags() -> None:
    (tree,) = parse_enju(MATS)
    sentence = sentence_from_enju(tree)
    assert sentence.words == ("Cats", "may", "sleep")
    assert sentence.lemmas == ("cat", "may", "sleep")
    assert sentence.tags == ("NNS", "MD", "VB")
    assert [sentence.text[t.start : t.end] for t in sentence.tokens] == list(sentence.words)


@pytest.mark.skipif(not SAMPLE.is_dir(), reason=f"no SPADE sample in {SAMPLE} (set FOREST_ALIGN_SHARED)")
def test_nodes_of_the_spade_sample_have_the_spans_and_heads_of_the_file() -> None:
    for path in sorted(SAMPLE.rglob("*.xml")):
        for tree in read_enju(path):
            forest, numbers = forest_from_enju(tree)
            check_forest(forest)
            for node, number in zip(tree.nodes, numbers, strict=True):
                assert forest.node(number).span == (node.start, node.end)
                assert forest.head[number] == node.head
