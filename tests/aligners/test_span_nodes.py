"""Nodes for phrases of aligners that build no derivation."""

from __future__ import annotations

import numpy as np

from forest_align.aligners.span_nodes import constituents_of, phrase_pairs_of
from forest_align.parsing import sentence_from_trees
from forest_align.parsing.forests.trees import read_bracket
from forest_align.types import Node, Sentence

BEST = "(S (NP (DT a) (JJ b) (NN c)) (VP (VB d)))"
OTHER = "(S (DT a) (VP (NX (JJ b) (NN c)) (VB d)))"


def test_constituents_are_those_of_the_best_tree_without_parts() -> None:
    sentence = sentence_from_trees([read_bracket(OTHER), read_bracket(BEST)], [-2.0, -0.1])
    assert sentence.forest is not None
    found = constituents_of(sentence)
    assert sorted(found) == [(0, 1), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4)]
    assert all(sentence.forest.node(node).span == span for span, node in found.items())
    assert not constituents_of(Sentence.from_words(["a"]))


def test_a_phrase_that_is_no_constituent_has_the_label_of_its_own_side() -> None:
    source = sentence_from_trees([read_bracket(BEST)])
    target = Sentence.from_words(list("abcd"))
    spans = np.array([[0, 3, 0, 3], [1, 4, 1, 4], [2, 4, 0, 1]])
    labels = {(1, 4): "VP"}, {(1, 4): "NP", (0, 3): "PP"}
    found = phrase_pairs_of(spans, np.array([0.5, 0.25, 1.0]), source, target, labels)
    assert [pair.probability for pair in found] == [0.5, 0.25, 1.0]
    assert (found[0].source_node.label, found[0].source_node.is_constituent) == ("NP", True)
    assert [pair.source_node for pair in found[1:]] == [
        Node(1, 4, "VP", is_constituent=False),
        Node(2, 4, "", is_constituent=False),
    ]
    assert [pair.target_node for pair in found] == [
        Node(0, 3, "PP", is_constituent=False),
        Node(1, 4, "NP", is_constituent=False),
        Node(0, 1, "", is_constituent=False),
    ]
