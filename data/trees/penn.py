"""Reads Penn-bracketed trees of treebanks and users; a broken tree does not affect the others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from forest_align.data.text.lines import InputLines
from forest_align.types import InputError, Sentence
from forest_align.types.brackets import bracketed_trees, parse_bracket, unescape

if TYPE_CHECKING:
    from pathlib import Path

    from nltk import Tree


#: Labels of the wrapper that many treebanks put around a whole tree.
TOP_LABELS = frozenset({"", "TOP", "ROOT", "S1", "VROOT"})

_FUNCTION = re.compile(r"(?<=[^-=|])[-=|].*$")


def read_trees(path: str | Path) -> Iterator[Tree]:
    """Yield the trees of a file in Penn brackets, including traces and function tags.

    A tree may span several lines, and a line may hold several trees. The wrapper of a tree (``( (S …))``,
    ``(TOP …)``, ``(ROOT …)``) is kept as a node with that label.

    Parameters
    ----------
    path : str or Path
        UTF-8 text file, optionally gzipped.

    Yields
    ------
    nltk.Tree

    Raises
    ------
    InputError
        If the file is not UTF-8, brackets do not match or text is outside brackets. The error names the file
        and the line; for a bracket that is never closed, the first line of its tree.
    """
    with InputLines(path) as lines:
        text = lines.text()
    try:
        yield from bracketed_trees(text)
    except InputError as error:
        raise error.at(file=str(path)) from None


def strip_annotations(tree: Tree) -> Tree | None:
    """Copy a tree without traces, function tags, co-indices and empty constituents; None if nothing is left.

    ``NP-SBJ-1`` becomes ``NP``, ``ADVP|PRT`` becomes ``ADVP``; tags such as ``-LRB-`` and words stay as they
    are. The wrapper around a whole tree (an empty label, TOP, ROOT, …) becomes ``TOP``. Raises InputError if
    a node has neither words nor nodes below it: it may be a word in brackets of its own.
    """
    # A stack of open nodes, each with its finished and its remaining children: handles any depth.
    stack: list[tuple[Tree, list[Tree | str], Iterator[Tree | str]]] = [(tree, [], iter(tree))]
    while True:
        node, done, rest = stack[-1]
        child = next(rest, None)
        if isinstance(child, str):
            done.append(child)
            continue
        if child is not None:
            stack.append((child, [], iter(child)))
            continue
        stack.pop()
        kept = _close(node, done, at_top=not stack)
        if not stack:
            return kept
        if kept is not None:
            stack[-1][1].append(kept)


def _close(node: Tree, children: list[Tree | str], at_top: bool) -> Tree | str | None:
    """The new node for one whose children are stripped; None if nothing is left of it."""
    from nltk import Tree

    label, is_tag = node.label(), len(node) == 1 and isinstance(node[0], str)
    if not len(node) and label != "-NONE-":
        raise InputError(f"expected a word with its tag, (TAG word), found ({label})")
    if not children or (is_tag and label == "-NONE-"):
        return None
    if label in TOP_LABELS and not is_tag:
        return Tree("TOP", children) if at_top or len(children) > 1 else children[0]
    # Tags such as -LRB- begin with the hyphen.
    return Tree(label if label.startswith("-") else _FUNCTION.sub("", label), children)


def sentence_of_tree(bracket: str, field: str | None = None) -> Sentence:
    """Words and tags of a tree in Penn brackets.

    Raises InputError if it is not a single tree with words; ``field`` names it.
    """
    try:
        tree = strip_annotations(parse_bracket(bracket))
        if tree is None:
            raise InputError(f"expected a tree with words, found {bracket[:80]!r}")
    except InputError as error:
        raise InputError(error.message, field=field) from None
    words: list[str] = []
    tags: list[str] = []
    nodes: list[tuple[Tree | str, str]] = [(tree, "")]  # each with the label above it
    while nodes:
        node, label = nodes.pop()
        if isinstance(node, str):
            words.append(unescape(node))
            tags.append(label)
        else:
            nodes.extend((child, node.label()) for child in reversed(list(node)))
    return Sentence.from_words(words, tags)


def text_of_tree(bracket: str) -> str:
    """The words of a tree joined by spaces; empty if it is broken."""
    try:
        return sentence_of_tree(bracket).text
    except InputError:
        return ""


# The number of a line or tree, from 1, and its text, or an error instead.
_Numbered = tuple[int, str | InputError]

#: Number of nonblank lines that show whether trees of a file span several lines.
LOOK_AHEAD = 20

_BRACKET = re.compile("[()]")

# If no tree begins within this many lines, a bracket must be missing.
MAX_LINES = 10_000


def split_trees(lines: Iterable[_Numbered], look_ahead: int = LOOK_AHEAD) -> Iterator[_Numbered]:
    """Yield the text of each tree and the number of its first line, without reading all lines into memory.

    A tree may span several lines. It begins with a bracket in column 0 and ends before the next line that
    does so. Once its brackets are closed, or after a blank line, it ends before any line without indentation.
    If each tree has one line, indented lines are trees too, and a blank line is the empty text of a sentence
    without a tree. If trees span several lines, blank lines are ignored. A tree may then begin on the line on
    which another ends (in joined files without a line feed at their ends). ``look_ahead`` nonblank lines
    decide whether trees span several lines; with 1, trees on one line are yielded at once. An InputError
    replaces a tree of more than 10,000 lines, or one with an undecodable line (the number is then that
    line's).
    """
    rest, head = iter(lines), []  # type: Iterator[_Numbered], list[_Numbered]
    for number, line in rest:
        head.append((number, line))
        look_ahead -= isinstance(line, InputError) or bool(line.strip())
        if look_ahead <= 0:
            break
    tree = _OpenTree(over_lines=_spans_lines(head))
    for number, line in chain(head, rest):
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
    """The lines of a tree while they are read."""

    def __init__(self, over_lines: bool) -> None:
        self.over_lines = over_lines
        self.lines: list[str] = []
        self.first = self.depth = 0
        self.has_gap = False  # a blank line after the last one
        self.error: tuple[int, InputError] | None = None

    def ends_before(self, line: str | InputError) -> bool:
        """Whether a line is the first one after the tree."""
        if not self.lines:
            return False
        if isinstance(line, InputError):
            return not self.over_lines or self.depth <= 0
        if not line.strip():
            # Some trees of the Penn Treebank contain blank lines.
            self.has_gap = self.over_lines
            return self.depth <= 0 or not self.over_lines
        may_end = self.depth <= 0 or self.has_gap
        return line.startswith("(") or (may_end and not _is_continuation(line))

    def parts(self, line: str | InputError) -> list[str | InputError]:
        """Split a line of the tree from further trees that begin on the same line."""
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
        # A surplus closing bracket: the tree is broken, and apparent further trees are part of it.
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
        # After an error, the rest of the tree would only fill the memory.
        if not (self.error and self.lines):
            self.lines.append(line)

    @property
    def is_one_line(self) -> bool:
        """Whether the tree ends on its first line, in a file of one-line trees."""
        return not self.over_lines and len(self.lines) == 1 and self.depth <= 0

    def take(self) -> _Numbered:
        """Return the tree, complete or not, and begin the next one."""
        tree = self.error or (self.first, "\n".join(self.lines))
        self.over_lines = self.over_lines or (len(self.lines) > 1 and self.depth == 0)
        self.lines, self.depth, self.error = [], 0, None
        return tree


def _spans_lines(head: list[_Numbered]) -> bool:
    """Whether a tree continues on the next line; for a single line, whether brackets are open."""
    lines = [line for _, line in head if isinstance(line, str) and line.strip()]
    is_open = [line.startswith("(") and line.count("(") > line.count(")") for line in lines]
    if len(lines) == 1:
        return is_open[0]
    return any(first and _is_continuation(line) for first, line in zip(is_open, lines[1:], strict=False))


def _is_continuation(line: str) -> bool:
    return line[0].isspace() or line[0] == ")"
