"""Direct access to any line of a large file, and the search for pairs in it."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from forest_align.alignment import Alignment
from forest_align.data.text.lines import MAX_LINE, TOO_LONG
from forest_align.types import InputError


class LineIndex:
    """The lines of a UTF-8 file, by number; several threads may read at the same time.

    The file is scanned once, keeping eight bytes per line, and opened again for each requested line. Raises
    OSError if it cannot be read, InputError if it is gzipped.
    """

    def __init__(self, path: str | Path) -> None:
        self.name = str(path)
        self._path = Path(path)
        self._starts = array("Q")
        with self._path.open("rb") as file:
            if file.peek(2)[:2] == b"\x1f\x8b":
                raise InputError("expected a file that is not compressed: unpack it first", file=self.name)
            start, begins = 0, True
            while line := file.readline(MAX_LINE):
                if begins:
                    self._starts.append(start)
                start, begins = start + len(line), line.endswith(b"\n")

    def __len__(self) -> int:
        """Number of lines when the file was scanned."""
        return len(self._starts)

    def __getitem__(self, index: int) -> str:
        """Line ``index`` from 0, without its end; raises IndexError, or InputError if it is unusable."""
        start = self._starts[index]
        with self._path.open("rb") as file:
            file.seek(start)
            line = file.readline(MAX_LINE + 1)
        if len(line) > MAX_LINE:
            raise InputError(TOO_LONG, file=self.name, line=index + 1)
        try:
            return line.decode("utf-8-sig" if start == 0 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            problem = f"expected UTF-8, found byte 0x{line[error.start]:02x}"
            raise InputError(problem, file=self.name, line=index + 1) from None


#: What can be shown: name in addresses -> name for readers.
FILTERS = {"all": "all pairs", "errors": "errors", "unlinked": "no links", "unsure": "links below 0.50"}
# Lines that are read for one page at most: about a second's work.
_MOST_LINES = 1000
_UNSURE = 0.5


@dataclass(frozen=True, slots=True)
class PairQuery:
    """Which pairs of a file to show."""

    text: str = ""  # part of the id or a sentence, in any case; empty for any
    show: str = "all"  # one of FILTERS

    def __bool__(self) -> bool:
        """Whether it leaves pairs out."""
        return bool(self.text) or self.show != "all"

    def matches(self, alignment: Alignment) -> bool:
        """Whether a pair is to be shown."""
        if self.show == "errors" and not alignment.error:
            return False
        if self.show == "unlinked" and (alignment.error or len(alignment.words)):
            return False
        if self.show == "unsure" and not any(score < _UNSURE for score in alignment.words.scores or ()):
            return False
        texts = alignment.id, alignment.source.text, alignment.target.text, alignment.error
        return any(self.text.casefold() in text.casefold() for text in texts)


@dataclass(frozen=True, slots=True)
class FoundPairs:
    """Some pairs of a file."""

    pairs: tuple[tuple[int, Alignment], ...]  # each with its line, counted from 1
    first: int  # lines looked at
    last: int


def find_pairs(
    read: Callable[[int], Alignment], query: PairQuery, first: int, total: int, size: int
) -> FoundPairs:
    """Look from line ``first`` on for pairs that match, until a page is full or enough lines were read."""
    pairs: list[tuple[int, Alignment]] = []
    last = first - 1
    while last < min(total, first + _MOST_LINES - 1) and len(pairs) < size:
        last += 1
        alignment = read(last)
        if query.matches(alignment):
            pairs.append((last, alignment))
    return FoundPairs(tuple(pairs), first, last)
