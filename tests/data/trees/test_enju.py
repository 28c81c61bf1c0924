"""Enju's trees, the alignments of annotators, and forests of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_align.data.trees.enju import EnjuTree, annotated_pairs, parse_enju, read_enju, sentences_of
from forest_align.types import InputError

from ...places import SHARED
from ..pair_files import written
from .enju_sentences import CATS, cons, tok


def test_alignments_are_read_for_each_annotator_and_unaligned_is_none() -> None:
    (tree,) = parse_enju(CATS)
    assert tree.annotators == ("pa1", "pa2")
    nodes = {node.id: dict(node.aligned) for node in tree.nodes}
    assert nodes["c2"] == {"pa1": ("c1", "c9"), "pa2": ()}
    assert nodes["c3"] == {"pa1": ("c2",), "pa2": ("c2",)}
    with pytest.raises(InputError, match="c9, which sentence s1 does not have"):
        annotated_pairs(tree, tree, "pa1")


def test_pairs_that_either_side_names_count_once() -> None:
    (source,) = parse_enju(CATS.replace("c1 c9", "c1"))
    (target,) = parse_enju(CATS.replace('pa1="c1 c9"', 'pa1="c3"').replace('pa1="c2"', 'pa1="c3"'))
    names = [node.id for node in source.nodes]
    pairs = {(names[i], names[j]) for i, j in annotated_pairs(source, target, "pa1")}
    assert pairs == {("c0", "c0"), ("c1", "c1"), ("c2", "c1"), ("c3", "c2"), ("c3", "c3")}


SAMPLE = SHARED / "data" / "spade_sample"


def test_a_tree_has_tokens_with_offsets_and_nodes_children_first() -> None:
    (tree,) = parse_enju(CATS)
    assert (tree.id, tree.text) == ("s1", "Cats sleep.")
    assert [tree.text[t.start : t.end] for t in tree.tokens] == ["Cats", "sleep"]
    assert [(t.base, t.tag) for t in tree.tokens] == [("cats", "NNS"), ("sleep", "VBP")]
    root = tree.nodes[-1]
    assert (root.id, root.start, root.end, root.head) == ("c0", 0, 2, 1)
    assert [tree.nodes[child].id for child in root.children] == ["c1", "c3"]
    assert all(child < index for index, node in enumerate(tree.nodes) for child in node.children)


@pytest.mark.parametrize(
    "text",
    [
        CATS + "\n" + CATS,
        "<corpus>" + CATS + CATS + "</corpus>",
        "<?xml version='1.0' encoding='UTF-8'?>\n" + CATS + CATS,
    ],
)
def test_several_sentences_are_read_with_or_without_a_root_element(text: str) -> None:
    assert [tree.text for tree in parse_enju(text)] == ["Cats sleep."] * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "found none"),
        ("<sentence>", "broken XML"),
        ("(S (NN a))", "found none"),
        ('<sentence id="9" parse_status="failed">x</sentence>', "sentence 9: expected one tree.*failed"),
        (CATS.replace('sem_head="c3"', 'sem_head="c7"'), "its sem_head is c7"),
        (CATS.replace("Cats</tok>", "</tok>"), "t0 has no text"),
        (f"<sentence>{cons('c0', 'S', 'c1')}</sentence>", "below it"),
        (f"<sentence>{cons('c0', 'S', 't0', tok(0, 'A', 'a'), tok(1, 'A', 'b'))}</sentence>", "below it"),
        (CATS.replace("cons", "phrase"), "expected one tree, found 0"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><sentence>&b;</sentence>', "document type"),
    ],
)
def test_a_file_that_holds_no_binary_trees_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(parse_enju(text))


def test_sentences_without_a_tree_are_named_with_the_line_on_which_they_begin() -> None:
    failed = '<sentence\n id="9" parse_status="fragmental parse">x\ny</sentence>'
    text = f"\n<?xml version='1.0'?>\n{CATS}\n<!-- <sentence> -->{failed}{CATS}\n{failed}"
    shown = [one.text if isinstance(one, EnjuTree) else str(one)[:19] for one in sentences_of(text)]
    assert shown == ["Cats sleep.", "line 4: sentence 9:", "Cats sleep.", "line 7: sentence 9:"]


@pytest.mark.parametrize("attribute", ["cat", "pos"])
@pytest.mark.parametrize("found", ["", "N P", "(N", "N::P"])
def test_a_label_that_could_not_be_written_in_a_tree_is_refused(attribute: str, found: str) -> None:
    element, label = ("phrase c3", "VP") if attribute == "cat" else ("token t1", "VBP")
    broken = CATS.replace(f'{attribute}="{label}"', f'{attribute}="{found}"')
    with pytest.raises(InputError, match=f"sentence s1: {element}: expected a label") as refused:
        list(parse_enju(broken))
    assert refused.value.field == attribute


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<sentence>\xff</sentence>", r"x\.xml:1: expected UTF-8"),
        (b"<sentence>", r"x\.xml:1: broken XML"),
        (
            f"<?xml version='1.0'?>\n{CATS}\n<sentence></cons>".encode(),
            r"x\.xml:3: broken XML: mismatched tag",
        ),
    ],
)
def test_errors_name_the_file_and_the_line(content: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read_enju(written(tmp_path / "x.xml", content))


@pytest.mark.skipif(not SAMPLE.is_dir(), reason=f"no SPADE sample in {SAMPLE} (set FOREST_ALIGN_SHARED)")
def test_the_spade_sample_is_read() -> None:
    (source,), (target,) = read_enju(SAMPLE / "s-001.xml"), read_enju(SAMPLE / "t-001.xml")
    assert len(source.tokens) == 28
    assert source.text.startswith("For his part , Mr. Tony Marjoram")
    assert source.annotators == ("pa1", "pa2", "pa3")
    assert [len(annotated_pairs(source, target, name)) for name in source.annotators] == [55, 54, 52]
    # The head of "that …" is the copula of its clause, of a coordination its conjunction.
    heads = {
        " ".join(t.text for t in source.tokens[node.start : node.end]): source.tokens[node.head].text
        for node in source.nodes
    }
    assert heads["men and women"] == "and"
    assert heads["mentioned that " + " ".join(t.text for t in source.tokens[14:])] == "mentioned"
    assert heads["that " + " ".join(t.text for t in source.tokens[14:])] == "are"
