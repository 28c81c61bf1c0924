"""Trees in Penn brackets among lines: where each begins and ends, when some are broken."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest

from forest_align.data.trees.penn import MAX_LINES, split_trees
from forest_align.types import InputError

ONE = "(S (NN a))"
TWO = "( (S\n  (NN a)) )"
OPEN = "(S (NN a"
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
    assert split(TWO, "(S (NN a)", "", "# comment", TWO) == [
        (1, TWO),
        (3, "(S (NN a)"),
        (5, "# comment"),
        (6, TWO),
    ]


def test_a_tree_may_begin_on_the_line_on_which_one_over_several_lines_ends() -> None:
    assert split("(S", f"  (NN a)){ONE}(S", "  (NN b))", f"{ONE} {ONE}") == [
        (1, "(S\n  (NN a))"),
        (2, ONE),
        (2, "(S\n  (NN b))"),
        (4, f"{ONE} "),
        (4, ONE),
    ]
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
