"""Enju's trees with the alignments of annotators."""

from __future__ import annotations

import pytest

from forest_align.data.trees.enju import annotated_pairs, parse_enju
from forest_align.types import InputError

from .enju_sentences import CATS


def test_alignments_are_read_for_each_annotator_and_unaligned_is_none() -> None:
    (tree,) = parse_enju(CATS)
    assert tree.annotators == ("pa1", "pa2")
    nodes = {node.id: dict(node.aligned) for node in tree.nodes}
    assert nodes["c2"] == {"pa1": ("c1", "c9"), "pa2": ()}
    assert nodes["c3"] == {"pa1": ("c2",), "pa2": ("c2",)}


def test_pairs_that_either_side_names_count_once() -> None:
    (source,) = parse_enju(CATS.replace("c1 c9", "c1"))
    (target,) = parse_enju(CATS.replace('pa1="c1 c9"', 'pa1="c3"').replace('pa1="c2"', 'pa1="c3"'))
    names = [node.id for node in source.nodes]
    pairs = {(names[i], names[j]) for i, j in annotated_pairs(source, target, "pa1")}
    assert pairs == {("c0", "c0"), ("c1", "c1"), ("c2", "c1"), ("c3", "c2"), ("c3", "c3")}


def test_a_pair_with_an_unknown_phrase_is_refused() -> None:
    (tree,) = parse_enju(CATS)
    with pytest.raises(InputError, match="c9, which sentence s1 does not have"):
        annotated_pairs(tree, tree, "pa1")
