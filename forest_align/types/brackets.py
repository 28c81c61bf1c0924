"""What Penn brackets hold: which labels, how words are written, the words of a tree without building it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from forest_align.types.errors import InputError

if TYPE_CHECKING:
    import nltk

#: How treebanks write what would be taken for their own brackets.
BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}

_PIECE = re.compile(r"\(|\)|[^\s()]+")
_LABEL = re.compile(r"(?!.*::)[^\s()]+")
_ESCAPES = {**BRACKETS, "\\*": "*", "\\/": "/"}
_ESCAPED = re.compile("|".join(map(re.escape, _ESCAPES)))


def is_label(text: str) -> bool:
    """Whether a label can be written in brackets, and in a unary chain, whose labels ``::`` joins."""
    return _LABEL.fullmatch(text) is not None


def escape_word(word: str) -> str:
    """Write a word so that it can stand in Penn brackets: brackets by name, blanks as underscores."""
    escaped = word.replace("(", "-LRB-").replace(")", "-RRB-")
    if escaped.split() != [escaped]:
        # A word of nothing but blanks (a no-break space, say) must leave something between the brackets.
        return "_".join(escaped.split()) or "_"
    return escaped


def unescape(word: str) -> str:
    """Write a leaf of a Penn tree as it stood in the text: ``-LRB-`` was an opening bracket."""
    return _ESCAPED.sub(lambda found: _ESCAPES[found[0]], word)


def read_tree(bracket: str) -> nltk.Tree:
    """Read one tree in Penn brackets that is known to be well formed; leaves stay as they are written.

    nltk's own reader refuses trees of more than 500 levels, and takes a backslash before a bracket for an
    escape.
    """
    from nltk import Tree

    opened = [Tree("", [])]
    pieces = iter(_PIECE.findall(bracket))
    for piece in pieces:
        if piece == "(":
            opened.append(Tree(next(pieces), []))
        elif piece == ")":
            opened[-2].append(opened.pop())
        else:
            opened[-1].append(piece)
    return opened[0][0]


def leaves_of(bracket: str) -> list[str]:
    """The leaves of a tree in Penn brackets, as they are written.

    Raises
    ------
    InputError
        If the text is not one tree.
    """
    leaves: list[str] = []
    depth = trees = 0
    awaits_label = False
    for piece in _PIECE.findall(bracket):
        if piece == "(":
            depth, awaits_label = depth + 1, True
        elif piece == ")":
            depth, awaits_label = depth - 1, False
            trees += depth == 0
        elif awaits_label:
            awaits_label = False
        else:
            leaves.append(piece)
        if depth < (piece != ")"):  # text outside brackets, or a bracket that closes nothing
            trees = -1
            break
    if depth or trees != 1:
        raise InputError(f"expected one tree in brackets, found {bracket[:80]!r}")
    return leaves


def check_tree(bracket: str, words: tuple[str, ...], field: str) -> str:
    """Return a tree in Penn brackets if it is one, over these words; else raise InputError."""
    try:
        leaves = leaves_of(bracket)
    except InputError as error:
        raise InputError(error.message, field=field) from None
    expected = [escape_word(word) for word in words]
    # Treebanks escape more than we do.
    if leaves != expected and [*map(unescape, leaves)] != [*map(unescape, expected)]:
        raise InputError(
            f"expected a tree over the words {' '.join(words)[:80]!r}, found {bracket[:80]!r}", field=field
        )
    return bracket
