"""Constituents and dependencies of the Stanford parses of Edinburgh++, for scoring alignments."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align.alignment import Span
from forest_align.data.text.lines import InputLines
from forest_align.eval.metrics.dependencies import Arc
from forest_align.parsing.dependencies.typed import Dependency
from forest_align.types import InputError
from forest_align.types.brackets import escape_word, parse_bracket

if TYPE_CHECKING:
    from nltk import Tree

_TREE = re.compile(r'<tree style="penn">(.*?)</tree>', re.DOTALL)
_DEPENDENCIES = re.compile(r'<dependencies style="typed">(.*?)</dependencies>', re.DOTALL)
_TYPED = re.compile(
    r'<dep type="([^"]{1,30})">\s*<governor idx="(\d{1,9})">.*?<dependent idx="(\d{1,9})">', re.DOTALL
)
_ARC = re.compile(r'<governor idx="(\d{1,9})">.*?<dependent idx="(\d{1,9})">', re.DOTALL)
# A word that is itself a bracket: "(JJ ()". The trees escape all but one of them.
_BARE_BRACKET = re.compile(r"\(([^\s()]+) ([()])\)")


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
        """Read an XML file, optionally gzipped.

        Raises
        ------
        InputError
            If it is not UTF-8 or cannot be decompressed.
        """
        with InputLines(path) as lines:
            return cls(path, lines.text())

    def constituents(self) -> list[tuple[int, list[Span]]]:
        """Length and constituent spans of each sentence, including words.

        Raises
        ------
        InputError
            If the brackets of a tree do not match: names the tree.
        """
        found = []
        for number, bracket in enumerate(self.brackets(), start=1):
            try:
                found.append(_spans(parse_bracket(bracket)))
            except InputError as error:
                raise InputError(f"tree {number}: {error.message}", file=str(self.path)) from None
        return found

    def brackets(self) -> list[str]:
        """The Penn tree of each sentence, with escaped brackets among the words."""
        trees = map(html.unescape, _TREE.findall(self.text))
        return [
            _BARE_BRACKET.sub(lambda found: f"({found[1]} {escape_word(found[2])})", one) for one in trees
        ]

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


def _escape_leaf(found: re.Match[str]) -> str:
    return f"({found[1]} {escape_word(found[2])})"


def _spans(tree: Tree) -> tuple[int, list[Span]]:
    """Number of words, and spans of all constituents, including words with a tag."""
    spans: set[Span] = set()
    length = 0
    # Depth first without recursion: a node is visited on the way down and, with its start, on the way up.
    waiting: list[tuple[Tree | str, int | None]] = [(tree, None)]
    while waiting:
        node, start = waiting.pop()
        if start is not None:
            spans.add((start, length))
        elif isinstance(node, str):
            length += 1
        else:
            waiting.append((node, length))
            waiting.extend((child, None) for child in reversed(node))
    return length, sorted(spans)
