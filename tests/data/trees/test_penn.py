"""Penn brackets: what is read, what is stripped, and what a broken file is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk import Tree

from forest_align.data.trees.penn import parse_bracket, read_trees, strip_annotations, unescape
from forest_align.types import InputError

LABELS = st.sampled_from(["S", "NP", "VP", "PP"])
LEAVES = st.builds(
    lambda tag, word: Tree(tag, [word]), st.sampled_from(["NN", "-LRB-"]), st.sampled_from("ab")
)
TREES = st.recursive(LEAVES, lambda inner: st.builds(Tree, LABELS, st.lists(inner, min_size=1, max_size=3)))


@given(TREES)
def test_what_nltk_writes_is_read_back(tree: Tree) -> None:
    assert parse_bracket(str(tree)) == tree
    assert strip_annotations(tree) == tree


def test_a_file_may_begin_with_a_byte_order_mark_and_must_be_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg"
    path.write_bytes("\ufeff(NP (NN a))\r\n".encode())
    assert [tree.leaves() for tree in read_trees(path)] == [["a"]]
    path.write_bytes(b"(NP (NN a))\n(NP (NN \xff))\n")
    with pytest.raises(InputError, match=r"a\.mrg:2: expected UTF-8"):
        list(read_trees(path))


@pytest.mark.parametrize(
    ("leaf", "word"),
    [("-LRB-", "("), (":-RRB-", ":)"), ("1\\/3", "1/3"), ("\\*\\*", "**"), ("-LRBX-", "-LRBX-")],
)
def test_leaves_are_words_as_they_stood_in_the_text(leaf: str, word: str) -> None:
    assert unescape(leaf) == word


def test_traces_function_tags_and_indices_go() -> None:
    tree = parse_bracket(
        "( (S-1 (NP-SBJ-2 (-NONE- *PRO*)) (VP (VB go) (PRT|ADVP (RP off)) (PP=3 (-NONE- *T*-1)) (. .))) )"
    )
    assert str(strip_annotations(tree)) == "(TOP (S (VP (VB go) (PRT (RP off)) (. .))))"


@pytest.mark.parametrize(
    "text", ["(S (PRP (He)) (VBD left))", "(S (NP) (VB go))", "(S (: (;)) (VB go))", "(())"]
)
def test_a_node_without_words_is_refused_because_it_may_be_a_word(text: str) -> None:
    with pytest.raises(InputError, match="expected a word with its tag"):
        strip_annotations(parse_bracket(text))


def test_a_deep_tree_is_read_without_recursion() -> None:
    tree = parse_bracket("(X " * 5000 + "a" + ")" * 5000)
    assert tree.label() == "X"
    stripped = strip_annotations(parse_bracket("(X-1 " * 5000 + "a" + ")" * 5000))
    assert stripped is not None
    assert (stripped.label(), len(stripped), len(stripped[0])) == ("X", 1, 1)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("(S (NN a))\n(S (NN b)\n(S (NN c))\n", 2, "never closed"),
        ("(S (NN a))\n)", 2, "without an opening"),
        ("\n\nword (S (NN a))", 3, "outside brackets"),
    ],
)
def test_a_broken_file_is_named_with_its_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "broken.mrg"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        list(read_trees(path))
    assert (caught.value.file, caught.value.line) == (str(path), line)


@pytest.mark.parametrize("text", ["", "(S (NN a)) (S (NN b))"])
def test_one_tree_is_expected_where_one_is_asked_for(text: str) -> None:
    with pytest.raises(InputError, match="expected one bracketed tree"):
        parse_bracket(text)
