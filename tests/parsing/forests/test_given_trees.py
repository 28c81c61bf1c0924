"""Sentences of a corpus with the trees that came with them."""

from __future__ import annotations

import numpy as np
import pytest

from forest_align.data.formats.format import SentencePair
from forest_align.data.trees.enju import parse_enju
from forest_align.parsing.forests.given_trees import with_given_trees
from forest_align.types import InputError, Sentence, Token

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
