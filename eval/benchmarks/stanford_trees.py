"""Constituents and dependencies of the Stanford parses of Edinburgh++, which alignments are measured on."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from pathlib import Path

from forest_align.data.text.lines import InputLines
from forest_align.eval.metrics.constituents import Span
from forest_align.eval.metrics.projected_dependencies import Arc
from forest_align.parsing.dependencies.typed import Dependency
from forest_align.types import InputError

_TREE = re.compile(r'<tree style="penn">(.*?)</tree>', re.DOTALL)
_DEPENDENCIES = re.compile(r'<dependencies style="typed">(.*?)</dependencies>', re.DOTALL)
_TYPED = re.compile(
    r'<dep type="([^"]{1,30})">\s*<governor idx="(\d{1,9})">.*?<dependent idx="(\d{1,9})">', re.DOTALL
)
_ARC = re.compile(r'<governor idx="(\d{1,9})">.*?<dependent idx="(\d{1,9})">', re.DOTALL)
# A word that is itself a bracket: "(JJ ()". The trees escape all but one of them.
_BARE_BRACKET = re.compile(r"\(([^\s()]+) \(\)")
_PIECE = re.compile(r"\([^\s()]+ [()]\)|\(|\)|[^\s()]+")


@dataclass(frozen=True, slots=True)
class StanfordParses:
    """The parses of the sentences of one file.

    Attributes
    ----------
    path : Path
        The file, for messages.
    text : str
        The XML in it.
    """

    path: Path
    text: str

    @classmethod
    def read(cls, path: Path) -> StanfordParses:
        """Read an XML file, perhaps gzipped.

        Raises
        ------
        InputError
            If it is no UTF-8 or cannot be decompressed.
        """
        with InputLines(path) as lines:
            return cls(path, lines.text())

    def constituents(self) -> list[tuple[int, list[Span]]]:
        """Length and constituent spans, words included, of each sentence.

        Raises
        ------
        InputError
            If the brackets of a tree do not match: names the tree.
        """
        found = []
        for number, tree in enumerate(self._trees(), start=1):
            spans = _spans(tree)
            if spans is None:
                raise InputError(f"tree {number}: brackets do not match", file=str(self.path))
            found.append(spans)
        return found

    def brackets(self) -> list[str]:
        """The Penn tree of each sentence, words that are brackets escaped."""
        return [_BARE_BRACKET.sub(r"(\1 -LRB-)", tree) for tree in self._trees()]

    def arcs(self) -> list[list[Arc]]:
        """The dependencies of each sentence; the governor of the root is -1."""
        sentences = _DEPENDENCIES.findall(self.text)
        return [[(int(one) - 1, int(two) - 1) for one, two in _ARC.findall(found)] for found in sentences]

    def dependencies(self) -> list[tuple[Dependency, ...]]:
        """The dependencies of each sentence with their types."""
        return [
            tuple(Dependency(int(one) - 1, int(two) - 1, name) for name, one, two in _TYPED.findall(found))
            for found in _DEPENDENCIES.findall(self.text)
        ]

    def _trees(self) -> list[str]:
        return [html.unescape(tree) for tree in _TREE.findall(self.text)]


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
