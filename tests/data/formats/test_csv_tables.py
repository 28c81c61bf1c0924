"""Rows of CSV: what an open quote takes in comes back."""

from __future__ import annotations

import csv
import tempfile
from itertools import count
from pathlib import Path

import pytest
from growth import growth
from hypothesis import given
from hypothesis import strategies as st

from forest_align.data.formats.csv_tables import csv_rows
from forest_align.data.text.lines import InputLines
from forest_align.types import InputError


def rows_of(path: Path, content: bytes) -> list[tuple[int, list[str] | str]]:
    """The rows of a file, errors as their texts without the file's name."""
    path.write_bytes(content)
    with InputLines(path) as lines:
        return [
            (begun, str(row).replace(f"{path}:", "") if isinstance(row, InputError) else row)
            for begun, row in csv_rows(lines, strict=True)
        ]


def test_rows_are_those_of_the_csv_module_with_their_first_lines(tmp_path: Path) -> None:
    text = 'a,"b\nc"\n"d ""e""",f\n\n"g\n\nh",i\nj,k'
    rows = rows_of(tmp_path / "x.csv", text.encode())
    assert [row for _, row in rows] == list(csv.reader(text.splitlines(keepends=True), strict=True))
    assert [begun for begun, _ in rows] == [1, 3, 4, 5, 8]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'a,"b c\nd,e\nf,g\n', "unexpected end of data"),
        (b'a,"b c\nd,e\nf,g\nh,"i"\n', "',' expected after '\"'"),
        (b'a,"b c\nd,e\nf,g\n' + b"h,i\n" * 40_000, "field larger than field limit (131072)"),
    ],
)
def test_a_quote_that_is_not_closed_costs_its_own_row_alone(content: bytes, why: str, tmp_path: Path) -> None:
    first, *others = rows_of(tmp_path / "x.csv", content)
    assert first == (1, f"1: broken CSV: {why}; a quote that is not closed?")
    assert others[:2] == [(2, ["d", "e"]), (3, ["f", "g"])]
    assert len(others) == content.count(b"\n") - 1
    assert all(begun == line for line, (begun, _) in enumerate(others, 2))


def test_a_line_that_is_not_utf_8_inside_of_a_row_breaks_it_and_is_named_too(tmp_path: Path) -> None:
    rows = rows_of(tmp_path / "x.csv", b'a,"b\n\xff\nc,d\n')
    assert rows[0] == (1, "1: broken CSV: line 2 cannot be read; a quote that is not closed?")
    assert rows[1][0] == 2 and "2: expected UTF-8, found byte 0xff" in rows[1][1]
    assert rows[2:] == [(3, ["c", "d"])]


def read_again_and_again(lines: list[str]) -> list[tuple[int, list[str] | None]]:
    """The rows of lines, None for broken ones, each read to its end; takes quadratic time."""
    rows, begun = [], 0
    while begun < len(lines):
        used = count()
        try:
            row = next(csv.reader((line for line, _ in zip(lines[begun:], used)), strict=True))  # noqa: B905
        except csv.Error:
            rows.append((begun + 1, None))
            begun += 1
        else:
            rows.append((begun + 1, row))
            begun += next(used)
    return rows


@given(st.lists(st.text('",a', max_size=5), max_size=9))
def test_broken_rows_are_those_that_reading_each_one_to_its_end_finds(texts: list[str]) -> None:
    texts.append("a")  # blank lines at the end are no rows
    with tempfile.TemporaryDirectory() as folder:
        rows = rows_of(Path(folder) / "x.csv", "\n".join(texts).encode())
    assert [(line, None if isinstance(row, str) else row) for line, row in rows] == read_again_and_again(
        [f"{text}\n" for text in texts]
    )


@pytest.mark.parametrize("end", [b"", b"\xff\n", b'"x\n'])
def test_time_grows_with_the_number_of_rows_whose_quotes_are_not_closed(end: bytes, tmp_path: Path) -> None:
    assert growth(lambda size: rows_of(tmp_path / "x.csv", b'x","\n' * size + end), 1000) < 3
