"""A table of the user's paraphrase pairs, such as PPDB, perhaps with probabilities, kept small in memory."""

from __future__ import annotations

import gzip
import math
import re
import zlib
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from forest_align.data.text.lines import MAX_LINE, TOO_LONG
from forest_align.lexicon.tables import plain_apostrophes
from forest_align.types import InputError

_NOTHING: tuple[str, ...] = ()
# What bytes that are not UTF-8 are decoded as.
_NO_UTF8 = re.compile("[\udc80-\udcff]")


# The probabilities of a line in PPDB's formats: of the second phrase given the first, and the other way.
_FORWARD = ("p(e|f)", "p(e2|e1)", "-logp(e2|e1)")
_BACKWARD = ("p(f|e)", "p(e1|e2)", "-logp(e1|e2)")
# The same in the columns of ``extract``, named in its first line.
_HEADER = "#source\ttarget\t"
_COLUMNS = ("target_given_source", "source_given_target")


class _Row(NamedTuple):
    """A pair with the probabilities of the second phrase given the first and the other way, 0 if unknown."""

    one: str
    two: str
    forward: float = 0.0
    backward: float = 0.0


class PairTable:
    """Symmetric pairs of words or phrases, lower-cased, one space between words, apostrophes plain.

    Parameters
    ----------
    pairs : iterable of (str, str) or (str, str, float, float)
        The pairs, in any order; pairs of equal words are ignored. Two numbers are the probabilities of the
        second phrase given the first, and of the first given the second. The highest of a pair counts.
    """

    def __init__(self, pairs: Iterable[tuple[str, str] | tuple[str, str, float, float]]) -> None:
        # One object per distinct word, and tuples rather than sets, keep 200,000 pairs in about 30 MB.
        interned: dict[str, str] = {}
        partners: dict[str, list[str]] = {}
        longest = 1
        probabilities: dict[tuple[str, str], float] = {}
        for pair in pairs:
            one, two, *both = pair
            left, right = (interned.setdefault(word, word) for word in (_plain(one), _plain(two)))
            if left != right:
                partners.setdefault(left, []).append(right)
                partners.setdefault(right, []).append(left)
                longest = max(longest, left.count(" ") + 1, right.count(" ") + 1)
                for key, value in zip(((left, right), (right, left)), both, strict=False):
                    if value > 0:
                        probabilities[key] = max(value, probabilities.get(key, 0.0))
        self._partners = {word: tuple(dict.fromkeys(others)) for word, others in partners.items()}
        self._scores = {
            word: array("f", [_score(probabilities.get((word, other), 0.0)) for other in others])
            for word, others in (self._partners.items() if probabilities else ())
        }
        self.longest = longest

    @classmethod
    def load(cls, path: str | Path) -> PairTable:
        """Read a file of pairs, gzip-compressed or not.

        A line has the pair in its first two columns, separated by tabs, or has the format of PPDB
        (Ganitkevitch et al. 2013; Pavlick et al. 2015): ``label ||| one ||| other ||| features ...``.
        Probabilities are read from its features, and from the columns of a table that ``extract`` wrote.

        Raises
        ------
        InputError
            If the file cannot be read, a line has no pair, or a probability is no number. The error names the
            line.
        """
        return cls(_read_pairs(Path(path)))

    def partners(self, phrase: str) -> tuple[str, ...]:
        """The partners of a word or phrase, which must be normalised like the table's."""
        return self._partners.get(phrase, _NOTHING)

    def scores(self, one: str, two: str) -> tuple[float, float]:
        """Scores of the second phrase given the first, and of the first given the second; both normalised.

        The score of the conditional probability p is 1 / (1 − ln p): 1 if it is certain, 0 if there is none.
        """
        return self._scored(one, two), self._scored(two, one)

    def _scored(self, given: str, phrase: str) -> float:
        if given not in self._scores or phrase not in self._partners[given]:
            return 0.0
        return self._scores[given][self._partners[given].index(phrase)]

    def __contains__(self, pair: tuple[str, str]) -> bool:
        one, two = pair
        return _plain(two) in self.partners(_plain(one))

    def __len__(self) -> int:
        return sum(map(len, self._partners.values())) // 2


def _score(probability: float) -> float:
    return 1 / (1 - math.log(min(probability, 1.0))) if probability > 0 else 0.0


def _plain(phrase: str) -> str:
    """A phrase in the form used for look-up."""
    phrase = plain_apostrophes(phrase.lower())
    return " ".join(filter(None, phrase.split(" "))) if " " in phrase else phrase


def _read_pairs(path: Path) -> Iterator[_Row]:
    places: list[int] = []
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
                if number == 1 and line.startswith(_HEADER):
                    names = line.split("\t")
                    places = [names.index(name) for name in _COLUMNS if name in names]
                    continue
                columns = line.split("\t") if places else line.split("\t", 2)
                try:
                    both = [float(columns[place]) for place in places if place < len(columns)]
                    if len(columns) < 2:
                        columns, both = _columns_of_ppdb(line)
                except ValueError:
                    message = "expected numbers as the probabilities of the pair"
                    raise InputError(message, file=str(path), line=number) from None
                if len(columns) >= 2 and columns[0].strip(" ") and columns[1].strip(" "):
                    yield _Row(columns[0], columns[1], *both)
                elif line.strip():
                    message = "expected two words or phrases separated by a tab, or a line of PPDB"
                    raise InputError(message, file=str(path), line=number)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or f"cannot read the pairs: {error}"
        raise InputError(reason, file=str(path)) from error


def _columns_of_ppdb(line: str) -> tuple[list[str], list[float]]:
    """The two phrases of a line in PPDB's format and their probabilities; nothing for any other line."""
    columns = line.split(" ||| ", 4)
    values = dict(item.rsplit("=", 1) for item in columns[3].split(" ") if "=" in item) if columns[3:] else {}
    probabilities = []
    for names in (_FORWARD, _BACKWARD):
        cost = next((float(values[name]) for name in names if name in values), math.inf)
        if math.isnan(cost):
            raise ValueError(names)
        probabilities.append(math.exp(-max(cost, 0.0)))
    # PPDB's escape for the column separator within a column.
    return [phrase.replace("&#124;", "|") for phrase in columns[1:3]], probabilities


def paraphrase_table(given: PairTable | str | Path | None) -> PairTable | None:
    """Return the given table; load it first if it is a path."""
    if given is None or isinstance(given, PairTable):
        return given
    if not isinstance(given, str | Path):
        message = f"expected a PairTable or the path of a file of pairs, found {type(given).__name__}"
        raise InputError(message, field="ppdb")
    return PairTable.load(given)
