"""Stretches of inputs with one pair per line or row, which separate processes can read.

The inputs are read once, from beginning to end, to find where the stretches begin.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from forest_align.data.formats import arrow_tables
from forest_align.data.formats.format import ColumnNames, SentencePair
from forest_align.data.pairs import find_format, guess_format, read_with, without_escapes
from forest_align.data.text.lines import TextLines
from forest_align.system.remote_files import is_address, open_anywhere
from forest_align.types import InputError

# Formats that have one pair per line or row.
_LINE_FORMATS = ("tsv", "jsonl", "parquet")
_HEAD = 1 << 20  # bytes that tell the format of a file


@dataclass(frozen=True, slots=True)
class Stretch:
    """Pairs of a file that follow each other."""

    file: str  # name or address
    format: str  # one of LINE_FORMATS
    first: int  # pairs of the file before the stretch
    count: int
    start: int = 0  # place of its lines in the (unpacked) file; 0 for Parquet
    end: int = 0


@dataclass(frozen=True, slots=True)
class InputPlan:
    """All stretches of the inputs, in order: at least one, which is empty if there are no pairs."""

    stretches: tuple[Stretch, ...]
    digest: str  # short hash of the contents of the files

    @property
    def items(self) -> int:
        """Number of pairs."""
        return sum(stretch.count for stretch in self.stretches)


def plan_stretches(
    files: Sequence[str], size: int, format: str | None = None, columns: ColumnNames | None = None
) -> InputPlan:
    """Divide files into stretches of ``size`` pairs; no stretch has pairs of two files.

    Raises InputError if a file is in another format or cannot be read, OSError if it cannot be opened.
    """
    digest = hashlib.sha256()
    stretches: list[Stretch] = []
    empty: list[Stretch] = []
    for file in files:
        name = _format_of(file, format, columns)
        if name == "parquet":
            stretches += _plan_rows(file, size, digest, columns)
        else:
            stretches += _plan_lines(file, name, size, digest)
        empty.append(Stretch(file, name, 0, 0))
    return InputPlan(tuple(stretches or empty[:1]), digest.hexdigest()[:16])


def _format_of(file: str, given: str | None, columns: ColumnNames | None) -> str:
    if given is None and arrow_tables.is_parquet(file):
        return "parquet"
    if given is None and not is_address(file) and Path(file).is_dir():
        raise InputError("expected files with one pair per line, found a folder", file=file)
    name = given
    if name is None:
        with _unpacking(file), open_anywhere(file) as content:
            suffix = Path(file.removesuffix(".gz")).suffix.lower()
            lines = TextLines(content.read(_HEAD), file, suffix=suffix)
            name = guess_format(lines, columns).name if lines.head() else "tsv"
    if find_format(name).name not in _LINE_FORMATS:
        raise InputError(
            f"expected a format with one pair per line ({', '.join(_LINE_FORMATS)}), found {name}; "
            "'forest-align convert' makes JSON lines of it",
            file=file,
        )
    return name


def _plan_lines(file: str, format: str, size: int, digest: hashlib._Hash) -> list[Stretch]:
    starts, last = [0], 0
    with _unpacking(file), open_anywhere(file) as content:
        place = number = 0
        for number, line in enumerate(content, 1):
            digest.update(line)
            place += len(line)
            if line.strip(b" \r\n"):
                last = number  # blank lines at the end of a file are no pairs
            if number % size == 0:
                starts.append(place)
        ends = [*starts[1:], place]
    return [
        Stretch(file, format, first, min(size, last - first), start, end)
        for first, start, end in zip(range(0, last, size), starts, ends, strict=False)
    ]


def _plan_rows(file: str, size: int, digest: hashlib._Hash, columns: ColumnNames | None) -> list[Stretch]:
    rows = arrow_tables.parquet_rows(file, columns)
    with open_anywhere(file, unpack=False) as content:
        for block in iter(partial(content.read, _HEAD), b""):
            digest.update(block)
    return [Stretch(file, "parquet", first, min(size, rows - first)) for first in range(0, rows, size)]


def read_stretch(
    stretch: Stretch, *, tokenized: bool = False, escapes: bool = False, columns: ColumnNames | None = None
) -> Iterator[SentencePair | InputError]:
    """The pairs of a stretch, as :func:`forest_align.data.read_pairs` yields them.

    Raises InputError if the file has changed so that it has fewer pairs.
    """
    pairs = _read(stretch, tokenized, columns)
    number = 0
    for pair in islice(pairs, stretch.count):
        number += 1
        yield without_escapes(pair) if escapes else pair
    if number < stretch.count:
        raise InputError(
            f"expected {stretch.count} pairs after pair {stretch.first}, found {number}: has it changed?",
            file=stretch.file,
        )


def _read(
    stretch: Stretch, tokenized: bool, columns: ColumnNames | None
) -> Iterator[SentencePair | InputError]:
    if stretch.format == "parquet":
        rows = range(stretch.first, stretch.first + stretch.count)
        return arrow_tables.read_parquet(stretch.file, tokenized=tokenized, wanted=columns, rows=rows)
    with _unpacking(stretch.file), open_anywhere(stretch.file) as file:
        file.seek(stretch.start)
        content = file.read(stretch.end - stretch.start)
    lines = TextLines(content, stretch.file, stretch.first)
    return read_with(find_format(stretch.format), lines, tokenized, columns)


@contextmanager
def _unpacking(file: str) -> Iterator[None]:
    """Turn errors of gzip into errors of the input."""
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"cannot decompress the file: {error}", file=file) from None
