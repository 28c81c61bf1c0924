"""Splits lines into trees in Penn brackets; a tree that is broken costs no other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from forest_align.types import InputError

#: Numbers of lines, from 1, and what is in them; an error in the place of one that cannot be decoded.
NumberedLines = Iterable[tuple[int, str | InputError]]

#: Lines that are not blank among which trees over several lines show if a file has any.
LOOK_AHEAD = 20

_BRACKET = re.compile("[()]")

# A bracket is missing where so many lines go by without one that begins a tree.
MAX_LINES = 10_000


def split_trees(lines: NumberedLines, look_ahead: int = LOOK_AHEAD) -> Iterator[tuple[int, str | InputError]]:
    """Yield the text of each tree and the number of its first line, without reading all lines into memory.

    A tree may go over several lines. It begins with a bracket in column 0 and ends before the next line
    that does so; once its brackets are closed, or behind a blank line, before any that is not indented.

    Where trees have one line each, indented ones are trees as well, and a blank line is the empty text of a
    sentence without a tree. Among trees over several lines blank ones say nothing, and one of them may begin
    on the line on which another ends (files put together that have no line feed at their ends).

    Parameters
    ----------
    lines : iterable of (int, str or InputError)
        Numbered lines.
    look_ahead : int
        How many lines that are not blank may be read to see whether trees go over several lines; with 1 all
        trees of one line are yielded as they come.

    Yields
    ------
    int, str or InputError
        The text need not be a tree; an InputError replaces a tree with a line that cannot be decoded
        (the number is that line's), or of more than 10,000 lines.
    """
    head, lines = _head(iter(lines), look_ahead)
    tree = _OpenTree(over_lines=_goes_over_lines(head))
    for number, line in chain(head, lines):
        if tree.ends_before(line):
            yield tree.take()
        if isinstance(line, str) and not line.strip():
            if not tree.over_lines:
                yield number, line
            continue
        first, *others = tree.parts(line)
        tree.add(number, first)
        for other in others:
            yield tree.take()
            tree.add(number, other)
        if tree.is_one_line:
            yield tree.take()
    if tree.lines:
        yield tree.take()


class _OpenTree:
    """The lines of a tree, as they come."""

    def __init__(self, over_lines: bool) -> None:
        self.over_lines = over_lines
        self.lines: list[str] = []
        self.first = self.depth = 0
        self.has_gap = False  # a blank line behind the last one
        self.error: tuple[int, InputError] | None = None

    def ends_before(self, line: str | InputError) -> bool:
        """Whether a line is the first one behind the tree."""
        if not self.lines:
            return False
        if isinstance(line, InputError):
            return not self.over_lines or self.depth <= 0
        if not line.strip():
            # The Penn Treebank has trees with blank lines in them.
            self.has_gap = self.over_lines
            return self.depth <= 0 or not self.over_lines
        may_end = self.depth <= 0 or self.has_gap
        return line.startswith("(") or (may_end and not _is_continuation(line))

    def parts(self, line: str | InputError) -> list[str | InputError]:
        """A line of the tree, with the trees that begin on the same line after its end apart."""
        if isinstance(line, InputError) or not self.over_lines or (self.lines and self.depth <= 0):
            return [line]
        parts: list[str | InputError] = []
        start, depth = 0, self.depth
        for bracket in _BRACKET.finditer(line):
            if bracket[0] == ")":
                depth -= 1
            else:
                if depth == 0 and line[start : bracket.start()].strip():
                    parts.append(line[start : bracket.start()])
                    start = bracket.start()
                depth += 1
        # A bracket too many: the tree is broken, and what looks like others is part of it.
        return [line] if depth < 0 else [*parts, line[start:]]

    def add(self, number: int, line: str | InputError) -> None:
        self.has_gap = False
        if not self.lines:
            self.first = number
        if isinstance(line, InputError):
            self.error = self.error or (number, line)
            line = ""
        elif len(self.lines) == MAX_LINES:
            message = f"expected a tree, found {MAX_LINES:,} lines without one that begins with a bracket"
            self.error = self.error or (self.first, InputError(message))
        self.depth += line.count("(") - line.count(")")
        # What is wrong with the tree is known by then; the rest of it would only fill the memory.
        if not (self.error and self.lines):
            self.lines.append(line)

    @property
    def is_one_line(self) -> bool:
        """Whether the tree has ended with its first line, as all trees do here."""
        return not self.over_lines and len(self.lines) == 1 and self.depth <= 0

    def take(self) -> tuple[int, str | InputError]:
        """The tree, whole or not; the next one begins."""
        found = self.error or (self.first, "\n".join(self.lines))
        self.over_lines = self.over_lines or (len(self.lines) > 1 and self.depth == 0)
        self.lines, self.depth, self.error = [], 0, None
        return found


def _head(
    lines: Iterator[tuple[int, str | InputError]], wanted: int
) -> tuple[list[tuple[int, str | InputError]], Iterator[tuple[int, str | InputError]]]:
    """The lines up to the ``wanted``-th that is not blank, and the others."""
    head = []
    for number, line in lines:
        head.append((number, line))
        wanted -= isinstance(line, InputError) or bool(line.strip())
        if wanted <= 0:
            break
    return head, lines


def _goes_over_lines(head: list[tuple[int, str | InputError]]) -> bool:
    """Whether a tree continues on the next line; a single line shows it by open brackets."""
    lines = [line for _, line in head if isinstance(line, str) and line.strip()]
    is_open = [line.startswith("(") and line.count("(") > line.count(")") for line in lines]
    if len(lines) == 1:
        return is_open[0]
    return any(first and _is_continuation(line) for first, line in zip(is_open, lines[1:], strict=False))


def _is_continuation(line: str) -> bool:
    return line[0].isspace() or line[0] == ")"
