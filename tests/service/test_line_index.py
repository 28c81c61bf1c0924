""""""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Alignment, Links
from forest_align.service.line_index import FILTERS, LineIndex, PairQuery, find_pairs
from forest_align.types import InputError, Sentence


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


def pair(number: int, words: Links, error: str = "") -> Alignment:
    source, target = Sentence.from_words(["Number", str(number)]), Sentence.from_words(["Straße"])
    return Alignment(source, target, words, id=f"id-{number}", error=error)


SURE, UNSURE = Links.of([(0, 0)], scores=[0.9]), Links.of([(0, 0), (1, 0)], scores=[0.9, 0.4])

#: Of twelve pairs, the third is broken, the fifth has no links, each fourth an improbable one.
PAIRS = [
    pair(k, UNSURE if k % 4 == 0 else Links() if k in (3, 5) else SURE, "broken" if k == 3 else "")
    for k in range(1, 13)
]


def lines_of(query: PairQuery, first: int = 1, size: int = 10) -> list[int]:
    places = find_pairs(lambda line: PAIRS[line - 1], query, first, len(PAIRS), size)
    assert places.first == first
    return [line for line, _ in places.pairs]


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        (PairQuery(), list(range(1, 11))),
        (PairQuery("NUMBER 1"), [1, 10, 11, 12]),
        (PairQuery("strasse"), list(range(1, 11))),
        (PairQuery("id-7"), [7]),
        (PairQuery("nothing"), []),
        (PairQuery(show="errors"), [3]),
        (PairQuery("BROKEN"), [3]),
        (PairQuery(show="unlinked"), [5]),
        (PairQuery(show="unsure"), [4, 8, 12]),
        (PairQuery("12", "unsure"), [12]),
    ],
)
def test_pairs_are_found_by_text_and_by_what_became_of_them(query: PairQuery, lines: list[int]) -> None:
    assert lines_of(query) == lines
    assert bool(query) == (query != PairQuery()) and query.show in FILTERS


def test_a_search_ends_with_its_page_and_goes_on_behind_it() -> None:
    places = find_pairs(lambda line: PAIRS[line - 1], PairQuery(show="unsure"), 1, len(PAIRS), 2)
    assert [line for line, _ in places.pairs] == [4, 8] and places.last == 8
    assert lines_of(PairQuery(show="unsure"), first=9) == [12]
