"""Constituents and dependencies of the Stanford parses of Edinburgh++, for scoring alignments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align.alignment import Span
from forest_align.data.text.lines import InputLines
from forest_align.data.text.xml_reader import read_document
from forest_align.eval.metrics.tree_scores import Arc
from forest_align.parsing.dependencies.typed import Dependency
from forest_align.types import InputError
from forest_align.types.brackets import escape_word, parse_bracket

if TYPE_CHECKING:
    from nltk import Tree

_NUMBER = re.compile(r"\d{1,9}", re.ASCII)
# A word that is itself a bracket: "(JJ ()". The trees escape all but one of them.
_BARE_BRACKET = re.compile(r"\(([^\s()]+) ([()])\)")


@dataclass(frozen=True, slots=True)
class StanfordParses:
    """The parses of the sentences of one file."""

    path: Path
    trees: tuple[str, ...]  # Penn trees as they are written
    typed: tuple[tuple[Dependency, ...], ...]  # basic dependencies only, not collapsed ones

    @classmethod
    def read(cls, path: Path) -> StanfordParses:
        """Read an XML file, optionally gzipped.

        Raises InputError if it is not UTF-8 or XML, cannot be decompressed, or a dependency lacks the number
        of a word.
        """
        with InputLines(path) as lines:
            text = lines.text()
        found = _Collector()
        try:
            read_document(text, found, root="corpus")
        except InputError as error:
            raise error.at(file=str(path)) from None
        return cls(path, tuple(found.trees), tuple(map(tuple, found.typed)))

    def constituents(self) -> list[tuple[int, list[Span]]]:
        """Length and constituent spans of each sentence, including words.

        Raises InputError if the brackets of a tree do not match: names the tree.
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
        return [
            _BARE_BRACKET.sub(lambda found: f"({found[1]} {escape_word(found[2])})", tree)
            for tree in self.trees
        ]

    def arcs(self) -> list[list[Arc]]:
        """The dependencies of each sentence; the governor of the root is -1."""
        return [[(one.governor, one.dependent) for one in found] for found in self.typed]


class _Collector:
    """Collects the trees and typed dependencies of a document."""

    def __init__(self) -> None:
        self.trees: list[str] = []
        self.typed: list[list[Dependency]] = []
        self._tree: list[str] | None = None
        self._is_typed = False
        self._type, self._governor = "", -1

    def start(self, tag: str, attributes: dict[str, str], line: int) -> None:
        if tag == "tree" and attributes.get("style") == "penn":
            self._tree = []
        elif tag == "dependencies":
            self._is_typed = attributes.get("style") == "typed"
            self.typed += [[]] if self._is_typed else []
        elif tag == "dep":
            self._type = attributes.get("type", "")
        elif tag in ("governor", "dependent") and self._is_typed:
            number = attributes.get("idx", "")
            if not _NUMBER.fullmatch(number):
                raise InputError(f"expected the number of a word, found {number!r}", line=line, field="idx")
            if tag == "governor":
                self._governor = int(number) - 1
            else:
                self.typed[-1].append(Dependency(self._governor, int(number) - 1, self._type))

    def end(self, tag: str) -> None:
        if tag == "tree" and self._tree is not None:
            self.trees.append("".join(self._tree))
            self._tree = None
        elif tag == "dependencies":
            self._is_typed = False

    def data(self, text: str) -> None:
        if self._tree is not None:
            self._tree.append(text)


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
