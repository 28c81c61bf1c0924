"""Penn brackets: what is read, what is stripped, and what a broken file is told."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk import Tree

from forest_align.data.trees.penn import (
    MAX_LINES,
    read_trees,
    split_trees,
    strip_annotations,
)
from forest_align.types import InputError
from forest_align.types.brackets import parse_bracket, unescape

from ..pair_files import written

LABELS = st.sampled_from(["S", "NP", "VP", "PP"])
LEAVES = st.builds(
    lambda tag, word: Tree(tag, [word]), st.sampled_from(["NN", "-LRB-"]), st.sampled_from("ab")
)
TREES = st.recursive(LEAVES, lambda inner: st.builds(Tree, LABELS, st.lists(inner, min_size=1, max_size=3)))


@given(TREES)
def test_what_nltk_writes_is_read_back(tree: Tree) -> None:
    assert parse_bracket(str(tree)) == tree
    assert strip_annotations(tree) == tree


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = written(tmp_path / "a.mrg", "\ufeff(NP (NN a))\r\n")
    assert [tree.leaves() for tree in read_trees(path)] == [["a"]]


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
    ("content", "message"),
    [
        (b"(S (NN a))\n(S (NN b)\n(S (NN c))\n", r"a\.mrg:2: .*never closed"),
        (b"(S (NN a))\n)", r"a\.mrg:2: .*without an opening"),
        (b"\n\nword (S (NN a))", r"a\.mrg:3: .*outside brackets"),
        (b"(NP (NN a))\n(NP (NN \xff))\n", r"a\.mrg:2: expected UTF-8"),
    ],
)
def test_a_broken_file_is_named_with_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(read_trees(written(tmp_path / "a.mrg", content)))


@pytest.mark.parametrize("text", ["", "(S (NN a)) (S (NN b))"])
def test_one_tree_is_expected_where_one_is_asked_for(text: str) -> None:
    with pytest.raises(InputError, match="expected one bracketed tree"):
        parse_bracket(text)


ONE, TWO, OPEN = "(S (NN a))", "( (S\n  (NN a)) )", "(S (NN a"
BAD = InputError("expected UTF-8")


def split(*lines: str | InputError, look_ahead: int = 20) -> list[tuple[int, str]]:
    """Numbers and trees; errors as their messages."""
    numbered: list[tuple[int, str | InputError]] = []
    for text in lines:
        for line in text.split("\n") if isinstance(text, str) else [text]:
            numbered.append((len(numbered) + 1, line))
    return [(number, str(tree)) for number, tree in split_trees(numbered, look_ahead)]


def test_where_trees_have_one_line_every_line_is_one() -> None:
    lines = [ONE, "", f"  {ONE}", OPEN, ONE, "# comment", ONE, "", OPEN, "", BAD, ONE]
    assert split(*lines) == [(k, str(line)) for k, line in enumerate(lines, 1)]


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        ("(S\n  (NN a)", "(S\n  (NN a)"),
        ("(S\n  (NN a)))\n  (NN b)", "(S\n  (NN a)))\n  (NN b)"),
        ("(S (NN a))\n  (NN b)\n)", "(S (NN a))\n  (NN b)\n)"),
        ("(S\n  (NN\na b))", "(S\n  (NN\na b))"),
        ("# comment", "# comment"),
    ],
)
@pytest.mark.parametrize("blank", [(), ("",)])
def test_after_a_broken_tree_the_next_one_is_read(broken: str, found: str, blank: tuple[str, ...]) -> None:
    below = 3 + broken.count("\n") + 1 + len(blank)
    assert split(TWO, broken, *blank, ONE, TWO) == [(1, TWO), (3, found), (below, ONE), (below + 1, TWO)]


def test_a_tree_with_a_line_that_cannot_be_decoded_is_an_error_on_that_line() -> None:
    error = str(BAD)
    assert split(TWO, "(S", BAD, "  (NN a))", TWO) == [(1, TWO), (4, error), (6, TWO)]
    assert split(TWO, BAD, "  (NN a))", TWO) == [(1, TWO), (3, error), (5, TWO)]


def test_a_tree_over_several_lines_may_have_a_blank_one_in_it_and_ends_there_if_it_is_broken() -> None:
    assert split("(S (NN a)", " ", "  (NN b))", TWO) == [(1, "(S (NN a)\n  (NN b))"), (4, TWO)]
    expected = [(1, TWO), (3, "(S (NN a)"), (5, "# comment"), (6, TWO)]
    assert split(TWO, "(S (NN a)", "", "# comment", TWO) == expected


def test_a_tree_may_begin_on_the_line_on_which_one_over_several_lines_ends() -> None:
    expected = [(1, "(S\n  (NN a))"), (2, ONE), (2, "(S\n  (NN b))"), (4, f"{ONE} "), (4, ONE)]
    assert split("(S", f"  (NN a)){ONE}(S", "  (NN b))", f"{ONE} {ONE}") == expected
    broken = "(S\n  (NN a)) (VP (VB b)) )"
    assert split(broken, ONE) == [(1, broken), (3, ONE)]


def test_a_tree_of_one_line_is_yielded_before_the_next_line_is_asked_for() -> None:
    def lines() -> Iterator[tuple[int, str]]:
        yield 1, ONE
        raise AssertionError("read on")

    assert next(split_trees(lines(), 1)) == (1, ONE)


@pytest.mark.parametrize("tree", [ONE, TWO, "(S\n  (NN a", "  (NN a"])
def test_memory_stays_flat_over_many_trees_and_over_one_without_an_end(tree: str) -> None:
    lines = tree.split("\n")
    tracemalloc.start()
    found = split_trees((k, lines[k % len(lines)] + " " * (k % 50)) for k in range(5 * MAX_LINES))
    assert sum(1 for _ in found) in (1, 5 * MAX_LINES // len(lines))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000
