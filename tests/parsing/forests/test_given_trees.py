"""Forests of trees that are given: in brackets, and Enju's."""

from __future__ import annotations

import numpy as np
import pytest

from forest_align.data.formats.format import SentencePair
from forest_align.data.trees.enju import parse_enju, read_enju
from forest_align.parsing import forest_from_enju, sentence_from_enju
from forest_align.parsing.forests.trees import with_given_trees
from forest_align.types import InputError, Sentence, Token
from forest_align.types._forest_objects import check_forest

from ...places import SHARED

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
