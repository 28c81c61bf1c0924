"""Reads Penn-bracketed trees, both of treebanks and of users."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from forest_align.data.text.lines import InputLines
from forest_align.types import InputError
from forest_align.types.brackets import BRACKETS as BRACKETS
from forest_align.types.brackets import bracketed_trees
from forest_align.types.brackets import is_label as is_label
from forest_align.types.brackets import parse_bracket as parse_bracket
from forest_align.types.brackets import unescape as unescape

if TYPE_CHECKING:
    from collections.abc import Iterator
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
    return Tree(_plain_label(label), children)


def _plain_label(label: str) -> str:
    """Cut function tags and indices off a label; tags like -LRB- begin with the hyphen and are kept."""
    if label.startswith("-"):
        return label
    return _FUNCTION.sub("", label)
