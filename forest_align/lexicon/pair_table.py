"""A table of the user's paraphrase pairs, such as PPDB, kept small in memory."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable
from pathlib import Path

from forest_align.data.text.lines import MAX_LINE, TOO_LONG
from forest_align.lexicon.tables import plain_apostrophes
from forest_align.types import InputError

_NOTHING: tuple[str, ...] = ()
# What bytes that are not UTF-8 are decoded as.
_NO_UTF8 = re.compile("[\udc80-\udcff]")


class PairTable:
    """Symmetric pairs of words or phrases, lower-cased, one space between words, apostrophes plain.

    Parameters
    ----------
    pairs : iterable of (str, str)
        The pairs, in any order; pairs of equal words are ignored.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        # One object per distinct word, and tuples rather than sets, keep 200,000 pairs in about 30 MB.
        interned: dict[str, str] = {}
        partners: dict[str, list[str]] = {}
        longest = 1
        for one, two in pairs:
            left, right = (interned.setdefault(word, word) for word in (_plain(one), _plain(two)))
            if left != right:
                partners.setdefault(left, []).append(right)
                partners.setdefault(right, []).append(left)
                longest = max(longest, left.count(" ") + 1, right.count(" ") + 1)
        self._partners = {word: tuple(dict.fromkeys(others)) for word, others in partners.items()}
        self.longest = longest

    @classmethod
    def load(cls, path: str | Path) -> PairTable:
        """Read a file of pairs, gzip-compressed or not.

        A line has the pair in its first two columns, separated by tabs, or has the format of PPDB
        (Ganitkevitch et al. 2013; Pavlick et al. 2015): ``label ||| one ||| other ||| features ...``.

        Raises
        ------
        InputError
            If the file cannot be read or a line has no pair. The error names the line.
        """
        return cls(_read_pairs(Path(path)))

    def partners(self, phrase: str) -> tuple[str, ...]:
        """The partners of a word or phrase, which must be normalised like the table's."""
        return self._partners.get(phrase, _NOTHING)

    def __contains__(self, pair: tuple[str, str]) -> bool:
        one, two = pair
        return _plain(two) in self.partners(_plain(one))

    def __len__(self) -> int:
        return sum(map(len, self._partners.values())) // 2


def _plain(phrase: str) -> str:
    """A phrase in the form used for look-up."""
    phrase = plain_apostrophes(phrase.lower())
    return " ".join(filter(None, phrase.split(" "))) if " " in phrase else phrase


def _read_pairs(path: Path) -> Iterable[tuple[str, str]]:
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        read = gzip.open if packed else open
        # Perhaps with a byte-order mark. If decoded block by block, an error would not name the line.
        with read(path, "rt", encoding="utf-8-sig", errors="surrogateescape") as lines:
            for number, line in enumerate(iter(lambda: lines.readline(MAX_LINE + 1), ""), 1):
                if len(line) > MAX_LINE:
                    raise InputError(TOO_LONG, file=str(path), line=number)
                if not line.isascii() and (found := _NO_UTF8.search(line)):
                    byte = ord(found[0]) - 0xDC00
                    raise InputError(f"expected UTF-8, found byte 0x{byte:02x}", file=str(path), line=number)
                line = line.rstrip("\n")
                columns = line.split("\t", 2)
                if len(columns) < 2:
                    columns = _columns_of_ppdb(line)
                if len(columns) >= 2 and columns[0].strip(" ") and columns[1].strip(" "):
                    yield columns[0], columns[1]
                elif line.strip():
                    raise InputError(
                        "expected two words or phrases separated by a tab, or a line of PPDB",
                        file=str(path),
                        line=number,
                    )
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or f"cannot read the pairs: {error}"
        raise InputError(reason, file=str(path)) from error


def _columns_of_ppdb(line: str) -> list[str]:
    """The two phrases of a line in PPDB's format; nothing for any other line."""
    columns = line.split(" ||| ", 3)
    # PPDB's escape for the column separator within a column.
    return [phrase.replace("&#124;", "|") for phrase in columns[1:3]]


def paraphrase_table(given: PairTable | str | Path | None) -> PairTable | None:
    """Return the given table; load it first if it is a path.

    Raises
    ------
    InputError
        If it is neither a table nor a path, or the file cannot be read (see :meth:`.PairTable.load`).
    """
    if given is None or isinstance(given, PairTable):
        return given
    if not isinstance(given, str | Path):
        raise InputError(
            f"expected a PairTable or the path of a file of pairs, found {type(given).__name__}", field="ppdb"
        )
    return PairTable.load(given)
