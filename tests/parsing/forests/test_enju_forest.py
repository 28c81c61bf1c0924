"""Forests from Enju's trees."""

from __future__ import annotations

import pytest

from forest_align.data.trees.enju import parse_enju, read_enju
from forest_align.parsing import forest_from_enju, sentence_from_enju
from forest_align.types import InputError
from forest_align.types._forest_json import check_forest

from ...places import SHARED

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
