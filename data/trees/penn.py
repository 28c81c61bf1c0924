"""Reads Penn-bracketed trees, so that treebanks and trees given by users enter through one place."""

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
    """Yield the trees of a file in Penn brackets, traces and function tags left in.

    A tree may stretch over several lines and several trees may stand on one; what wraps a tree
    (``( (S …))``, ``(TOP …)``, ``(ROOT …)``) stays, as a node with that label.

    Parameters
    ----------
    path : str or Path
        UTF-8 text file, perhaps gzipped.

    Yields
    ------
    nltk.Tree

    Raises
    ------
    InputError
        When the file is not UTF-8, brackets do not match or text stands outside brackets; names the file
        and the line, of a bracket that is never closed that on which its tree begins.
    """
    with InputLines(path) as lines:
        text = lines.text()
    try:
        yield from bracketed_trees(text)
    except InputError as error:
        raise error.at(file=str(path)) from None


def strip_annotations(tree: Tree) -> Tree | None:
    """Copy a tree without traces, function tags, co-indices and what they leave empty.

    ``NP-SBJ-1`` becomes ``NP``, ``ADVP|PRT`` becomes ``ADVP``; tags such as ``-LRB-`` and words stay
    as they are. The wrapper around a whole tree (an empty label, TOP, ROOT, …) becomes ``TOP``.

    Parameters
    ----------
    tree : nltk.Tree
        Tree as the treebank has it.

    Returns
    -------
    nltk.Tree or None
        None when nothing but traces is left.
    """
    # A stack of open nodes, each with its children that are done and the rest: no depth is too much.
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
    """What becomes of a node whose children are stripped; None if nothing is left of it."""
    from nltk import Tree

    label, is_tag = node.label(), len(node) == 1 and isinstance(node[0], str)
    if not children or (is_tag and label == "-NONE-"):
        return None
    if label in TOP_LABELS and not is_tag:
        return Tree("TOP", children) if at_top or len(children) > 1 else children[0]
    return Tree(_plain_label(label), children)


def _plain_label(label: str) -> str:
    """Cut function tags and indices off a label; tags like -LRB- begin with the hyphen and stay."""
    if label.startswith("-"):
        return label
    return _FUNCTION.sub("", label)
