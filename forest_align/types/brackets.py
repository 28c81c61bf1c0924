"""Trees in Penn brackets: labels, the unary chains that labels form, words, and the only reader."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from forest_align.types.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nltk import Tree

#: How treebanks write brackets in the text, to distinguish them from their own.
BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}

#: Label of the root of a text of several sentences, whose children are the trees of the sentences.
TEXT = "TEXT"

_PIECE = re.compile(r"\(|\)|[^\s()]+")
_LABEL = re.compile(r"(?!.*::)[^\s()]+")
_ESCAPES = {**BRACKETS, "\\*": "*", "\\/": "/"}
_ESCAPED = re.compile("|".join(map(re.escape, _ESCAPES)))


def is_label(text: str) -> bool:
    """Whether a label can be written in brackets and in a unary chain, where ``::`` joins labels."""
    return _LABEL.fullmatch(text) is not None


def escape_word(word: str) -> str:
    """Write a word so that it can stand in Penn brackets: brackets by name, blanks as underscores."""
    escaped = word.replace("(", "-LRB-").replace(")", "-RRB-")
    if escaped.split() != [escaped]:
        # A word of blanks only (such as a no-break space) must leave something between the brackets.
        return "_".join(escaped.split()) or "_"
    return escaped


def unescape(word: str) -> str:
    """Write a leaf of a Penn tree as in the original text: ``-LRB-`` was an opening bracket."""
    return _ESCAPED.sub(lambda found: _ESCAPES[found[0]], word)


def parse_bracket(text: str) -> Tree:
    """Read exactly one tree in Penn brackets; raises InputError for none, several or unmatched brackets."""
    trees = list(bracketed_trees(text))
    if len(trees) != 1:
        hint = f" (those of a text are the children of one tree, ({TEXT} …))" if trees else ""
        raise InputError(f"expected one bracketed tree, found {len(trees)}{hint}: {text[:80]!r}")
    return trees[0]


def bracketed_trees(text: str) -> Iterator[Tree]:
    """Yield the trees of a text; a stack of open nodes avoids the recursion limit."""
    from nltk import Tree

    stack: list[tuple[str, list[Tree | str]]] = []
    awaiting_label, begun = False, 0
    for piece in _PIECE.finditer(text):
        token = piece.group()
        if token == "(":
            if awaiting_label:
                stack.append(("", []))
            elif not stack:
                begun = piece.start()
            awaiting_label = True
            continue
        if token == ")":
            if awaiting_label:
                stack.append(("", []))
                awaiting_label = False
            if not stack:
                raise InputError("closing bracket without an opening one", line=_line(text, piece.start()))
            label, children = stack.pop()
            node = Tree(label, children)
            if stack:
                stack[-1][1].append(node)
            else:
                yield node
        elif awaiting_label:
            stack.append((token, []))
            awaiting_label = False
        elif stack:
            stack[-1][1].append(token)
        else:
            raise InputError(f"text outside brackets: {token[:40]!r}", line=_line(text, piece.start()))
    if stack or awaiting_label:
        raise InputError("a bracket is never closed", line=_line(text, begun))


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def leaves_of(bracket: str) -> list[str]:
    """The leaves of a tree in Penn brackets, as they are written; raises InputError if it is not one tree."""
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
    """Return a tree in Penn brackets if it is one tree over these words; else raise InputError."""
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


_JOINT = "::"
# A label of a chain, with the joint to the next label. ":" is a label too: the tag of dashes and semicolons.
# No label holds "::", so k labels ":" between two others make a run of 3k + 2 colons. One extra colon belongs
# to the label after the run, two extra ones to the labels on both sides.
_LINK = re.compile(
    r"""(
        :?[^:]+(?::[^:]+)*(?::(?=(?::::)*(?!:)))?  # a word, with a last colon if the rest are threes
        | :
    )(?:::|\Z)""",
    re.VERBOSE,
)


def join_chain(labels: Sequence[str]) -> str:
    """Write a unary chain as one label, ``"S::VP"``; the uppermost label comes first.

    Raises InputError if a label is empty or holds blanks, brackets or ``::``. Also if it ends in a colon and
    the label below does not begin with one: :func:`split_chain` could not distinguish ``A:`` above ``B`` from
    ``A`` above ``:B``.
    """
    if not all(map(is_label, labels)):
        raise InputError(f"expected labels without blanks, brackets and '::', found {' '.join(labels)!r}")
    chain = _JOINT.join(labels)
    if split_chain(chain) != list(labels):
        raise InputError(f"expected no label that ends in ':' above another, found {' '.join(labels)!r}")
    return chain


def split_chain(chain: str) -> list[str]:
    """The labels of a unary chain from the top, at least one; the last one of a leaf is the tag."""
    if ":::" not in chain:
        return chain.split(_JOINT)
    return _LINK.findall(chain)


def is_chain(text: str) -> bool:
    """Whether a text has the form that :func:`join_chain` writes."""
    labels = split_chain(text)
    return all(map(is_label, labels)) and _JOINT.join(labels) == text
