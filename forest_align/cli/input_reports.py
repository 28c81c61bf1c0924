"""What commands say about their input: how much there is, what is skipped, and warnings about texts."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from forest_align.lexicon.tables import FUNCTION_WORDS
from forest_align.types import InputWarning

# In a file of the wrong kind, every pair is broken.
_NAMED = 10


class SkippedInputs(AbstractContextManager["SkippedInputs"]):
    """Names skipped inputs; at the end of the ``with`` block it says how many were not named."""

    def __init__(self, command: str) -> None:
        self.count = 0
        self._command = command

    def add(self, problem: object) -> None:
        """Count a pair, and report its error if it is one of the first."""
        self.count += 1
        if self.count <= _NAMED:
            self._print(problem)

    def __exit__(self, *exception: object) -> None:
        if self.count > _NAMED:
            self._print(f"{self.count - _NAMED} more")

    def _print(self, what: object) -> None:
        print(f"forest-align {self._command}: left out: {what}", file=sys.stderr)


def report_skipped(command: str, problems: Iterable[object]) -> None:
    """Report skipped inputs when all of them are already known."""
    with SkippedInputs(command) as left_out:
        for problem in problems:
            left_out.add(problem)


_WORD = re.compile(r"[^\W\d_]+")
_TAG = re.compile(
    r"</?(?:a|b|br|div|em|font|h[1-6]|i|img|li|ol|p|span|strong|su[bp]|t[adhr]|table|u|ul)(?:\s[^<>]*=[^<>]*)?\s?/?>",
    re.IGNORECASE,
)
# Function words that hardly occur in other languages: no short ones, and none that is a word there as well.
_SHARED = frozenset(
    "all did don down for had has have her our out over under was why will".split()  # noqa: SIM905
)
_ENGLISH = frozenset(word for word in FUNCTION_WORDS if len(word) > 2) - _SHARED | {"by", "of", "to"}
# Of windows of 40 words of English corpora 2 of 8,251 had at most this share of them. Headlines and lists of
# terms have few; their texts are shorter.
_WORDS, _LEAST_SHARE, _WORDS_OF_TEXT = 40, 0.03, 8
_LETTERS = 20
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")


class TextWarnings:
    """Looks at the texts of an input, pair by pair."""

    def __init__(self) -> None:
        self._has_warned_of_tags = self._knows_language = False
        self._texts = self._words = self._english = self._letters = self._latin = 0

    def see(self, name: str, texts: Iterable[str]) -> None:
        """Warn if a text of the pair has HTML tags, or the texts so far are not English."""
        for text in texts:
            if not self._has_warned_of_tags and (tag := _TAG.search(text)):
                self._has_warned_of_tags = True
                _warn(f"pair {name}: the HTML tag {tag[0][:40]!r} is taken for text; remove tags before")
            if not self._knows_language:
                self._count(text)

    def _count(self, text: str) -> None:
        words = _WORD.findall(text.lower())
        self._texts += 1
        self._words += len(words)
        self._english += sum(word in _ENGLISH for word in words)
        self._letters += sum(map(len, words))
        self._latin += len(_LATIN.findall(text))
        other_script = self._letters >= _LETTERS and 2 * self._latin < self._letters
        if not (other_script or self._words >= _WORDS):
            return
        self._knows_language = True
        are_sentences = self._words >= _WORDS_OF_TEXT * self._texts
        if other_script or (are_sentences and self._english <= _LEAST_SHARE * self._words):
            _warn("the text does not look like English, the only language that is known")


def _warn(message: str) -> None:
    warnings.warn(InputWarning(message), stacklevel=4)


# Formats with one pair per line; others have no such simple count.
_LINES = (".tsv", ".csv", ".jsonl")


def expected_count(path: str | None, suffixes: tuple[str, ...] = _LINES) -> int | None:
    """The number of lines of a file if each is one pair; None if that is unknown, or no bar is shown.

    Standard input, pipes and compressed files are not read. A header line counts too.
    """
    if path is None or sys.stderr is None or not sys.stderr.isatty():
        return None
    if Path(path).suffix.lower() not in suffixes or not Path(path).is_file():
        return None
    with Path(path).open("rb") as file:
        last, count = b"\n", 0
        for block in iter(partial(file.read, 1 << 20), b""):
            last, count = block[-1:], count + block.count(b"\n")
    return count + (last != b"\n")
