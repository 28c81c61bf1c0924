"""What Penn brackets hold."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk import Tree

from forest_align.types import InputError
from forest_align.types.brackets import (
    check_tree,
    escape_word,
    is_chain,
    is_label,
    join_chain,
    leaves_of,
    parse_bracket,
    split_chain,
    unescape,
)

LABELS = st.text(alphabet="AB:-'|", min_size=1, max_size=3).filter(is_label)

# Words as brackets write them: what is escaped leaves neither blanks nor brackets.
WORDS = st.text(max_size=4).map(escape_word)

TREES = st.recursive(
    st.tuples(LABELS, WORDS).map(lambda pair: Tree(pair[0], [pair[1]])),
    lambda below: st.tuples(LABELS, st.lists(below, min_size=1, max_size=3)).map(lambda pair: Tree(*pair)),
    max_leaves=6,
)


@given(TREES)
def test_a_tree_comes_back_from_its_brackets(tree: Tree) -> None:
    for bracket in (str(tree), tree.pformat(margin=10**6)):
        assert parse_bracket(bracket) == tree
        assert leaves_of(bracket) == tree.leaves()
        assert check_tree(bracket, tuple(tree.leaves()), "tree") == bracket


@given(st.text(max_size=6))
def test_an_escaped_word_is_one_leaf(word: str) -> None:
    assert leaves_of(f"(NN {escape_word(word)})") == [escape_word(word)]


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ("-LRB-s-RRB-", "(s)"),
        ("-LSB-s-RSB-", "[s]"),
        ("-LCB-s-RCB-", "{s}"),
        ("\\*", "*"),
        ("1\\/2", "1/2"),
        ("a\\b", "a\\b"),
    ],
)
def test_what_treebanks_escape_is_read_as_it_stood_in_the_text(written: str, word: str) -> None:
    assert unescape(written) == word
    assert check_tree(f"(NN {written})", (word,), "tree")


@pytest.mark.parametrize(
    "bracket",
    ["", "a", "(NN a", "(NN a))", "(NN a) (NN b)", "(NN a) b", "a (NN b)", ")(NN a)", ")NN a(", "(NN a)("],
)
def test_what_is_not_one_tree_is_refused(bracket: str) -> None:
    with pytest.raises(InputError, match="expected one tree in brackets"):
        leaves_of(bracket)
    with pytest.raises(InputError, match="expected one tree in brackets") as caught:
        check_tree(bracket, ("a",), "source.tree")
    assert caught.value.field == "source.tree"


@pytest.mark.parametrize("words", [(), ("b",), ("a", "b")])
def test_a_tree_over_other_words_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match="expected a tree over the words") as caught:
        check_tree("(NN a)", words, "target.tree")
    assert caught.value.field == "target.tree"


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("NP", True), (":", True), ("-LRB-", True), ("", False), ("N P", False), ("N)", False), ("A::B", False)],
)
def test_labels_are_told_from_what_brackets_and_chains_cannot_hold(text: str, is_one: bool) -> None:
    assert is_label(text) == is_one


CHAIN_LABELS = (":", "A", "A:", ":A", "A:A", "-LRB-")


def is_ambiguous(labels: tuple[str, ...]) -> bool:
    """Whether a label that ends in a colon stands above, but for labels ``:``, one that begins with none."""
    below = [label for label in labels if label != ":"]
    ends = [label.endswith(":") for label in below]
    return any(end and not after.startswith(":") for end, after in zip(ends, below[1:], strict=False))


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_a_chain_is_split_into_what_was_joined_or_refused(length: int) -> None:
    written = {}
    for labels in product(CHAIN_LABELS, repeat=length):
        if is_ambiguous(labels):
            with pytest.raises(InputError, match="no label that ends in ':' above another"):
                join_chain(labels)
        else:
            chain = join_chain(labels)
            assert split_chain(chain) == list(labels)
            assert is_chain(chain)
            assert written.setdefault(chain, labels) == labels


@pytest.mark.parametrize("labels", [[""], ["A", ""], ["N P"], ["(N"], ["A::B"], ["::"]])
def test_labels_that_brackets_or_chains_cannot_hold_are_refused(labels: list[str]) -> None:
    with pytest.raises(InputError, match="without blanks, brackets and '::'"):
        join_chain(labels)
