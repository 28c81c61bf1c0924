"""Constituents and dependencies of the Stanford parses of Edinburgh++, which alignments are measured on."""

from __future__ import annotations

import html
import re
from pathlib import Path

from forest_align.data.lines import InputLines
from forest_align.eval.constituents import Span
from forest_align.eval.projected_dependencies import Arc
from forest_align.types import InputError

_TREE = re.compile(r'<tree style="penn">(.*?)</tree>', re.DOTALL)
_DEPENDENCIES = re.compile(r'<dependencies style="typed">(.*?)</dependencies>', re.DOTALL)
_ARC = re.compile(r'<governor idx="(\d{1,9})">.*?<dependent idx="(\d{1,9})">', re.DOTALL)
# A word that is itself a bracket: "(JJ ()". The trees escape all but one of them.
_BARE_BRACKET = re.compile(r"\(([^\s()]+) \(\)")
_PIECE = re.compile(r"\([^\s()]+ [()]\)|\(|\)|[^\s()]+")


def read_constituents(path: Path) -> list[tuple[int, list[Span]]]:
    """Read length and constituent spans, words included, of each sentence of a gzipped XML file.

    Raises
    ------
    InputError
        If the file is broken, or the brackets of a tree do not match: names the tree.
    """
    found = []
    for number, tree in enumerate(_trees(path), start=1):
        spans = _spans(tree)
        if spans is None:
            raise InputError(f"tree {number}: brackets do not match", file=str(path))
        found.append(spans)
    return found


def read_brackets(path: Path) -> list[str]:
    """Read the Penn trees of a gzipped XML file, words that are brackets escaped."""
    return [_BARE_BRACKET.sub(r"(\1 -LRB-)", tree) for tree in _trees(path)]


def read_arcs(path: Path) -> list[list[Arc]]:
    """Read the dependencies of each sentence of a gzipped XML file; the governor of the root is -1."""
    with InputLines(path) as lines:
        sentences = _DEPENDENCIES.findall(lines.text())
    return [[(int(one) - 1, int(two) - 1) for one, two in _ARC.findall(found)] for found in sentences]


def _trees(path: Path) -> list[str]:
    with InputLines(path) as lines:
        return [html.unescape(tree) for tree in _TREE.findall(lines.text())]


def _spans(bracketed: str) -> tuple[int, list[Span]] | None:
    """Number of words and constituent spans; None if brackets do not match."""
    starts: list[int] = []
    spans: set[Span] = set()
    length, just_opened = 0, False
    for piece in _PIECE.findall(bracketed):
        if piece == "(":
            starts.append(length)
        elif piece == ")":
            if not starts:
                return None
            spans.add((starts.pop(), length))
        elif piece.startswith("("):
            spans.add((length, length + 1))
            length += 1
        elif not just_opened:
            length += 1
        just_opened = piece == "("
    return None if starts else (length, sorted(spans))
