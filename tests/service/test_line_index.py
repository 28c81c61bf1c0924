from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.service.line_index import LineIndex
from forest_align.types import InputError


@given(lines=st.lists(st.text(st.characters(exclude_characters="\r\n\ufeff", codec="utf-8")), max_size=8))
def test_every_line_is_found_by_its_number(
    lines: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("lines") / "a"
    for end in ("\n", "\r\n"):
        path.write_bytes("".join(line + end for line in lines).encode())
        index = LineIndex(path)
        assert [index[k] for k in reversed(range(len(index)))] == lines[::-1]
    with pytest.raises(IndexError):
        index[len(lines)]


def test_a_byte_order_mark_and_a_last_line_without_end_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes("\ufeffä\nb".encode())
    index = LineIndex(path)
    assert (len(index), index[0], index[1]) == (2, "ä", "b")


def test_compressed_files_and_other_encodings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(gzip.compress(b"a\n"))
    with pytest.raises(InputError, match="unpack it first"):
        LineIndex(path)
    path.write_bytes(b"a\n\xff\n")
    with pytest.raises(InputError, match="a:2: expected UTF-8, found byte 0xff"):
        LineIndex(path)[1]


def test_a_line_that_is_too_long_is_refused_and_others_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forest_align.service.line_index.MAX_LINE", 5)
    (tmp_path / "a").write_bytes(b"one\n" + b"long" * 5 + b"\nfour\nend")
    index = LineIndex(tmp_path / "a")
    assert (len(index), index[0], index[2], index[3]) == (4, "one", "four", "end")
    with pytest.raises(InputError, match="a:2: expected lines of at most 64 MiB, found a longer one"):
        index[1]
