from __future__ import annotations

import gzip
import io
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import pytest

from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.data.text.lines import MAX_LINE, InputLines
from forest_align.types import InputError

from ..pair_files import written


def lines_of(path: Path, content: bytes) -> list[str]:
    with InputLines(written(path, content)) as lines:
        return list(lines)


def given(monkeypatch: pytest.MonkeyPatch, content: bytes) -> io.BytesIO:
    """Standard input with this content."""
    stream = io.BytesIO(content)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=stream))
    return stream


def test_byte_order_marks_of_files_put_together_are_removed_and_no_character_of_the_text(
    tmp_path: Path,
) -> None:
    content = "one\t\ufeffuno\n\ufefftwo\tdu\ufeffe\n".encode()
    assert lines_of(tmp_path / "a.tsv", content) == ["one\tuno", "two\tdu\ufeffe"]


def test_an_undecodable_line_names_the_byte_and_the_rest_still_comes(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", b"good\nb\xffd\nagain\n")
    with InputLines(path) as lines:
        assert next(lines) == "good"
        with pytest.raises(InputError, match="0xff at byte 2") as caught:
            next(lines)
        assert (caught.value.file, caught.value.line) == (str(path), 2)
        assert next(lines) == "again"


@pytest.mark.parametrize("kind", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", ["He died.\tHe is – dead.\r\nno\n", "ab\ncd\n", "a longer text"])
@pytest.mark.parametrize("is_file", [True, False])
def test_other_encodings_are_named_with_or_without_a_byte_order_mark(
    text: str, kind: str, is_file: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = text.encode(kind)
    mark = "" if kind in ("utf-16", "utf-32") else " without a byte-order mark"
    given(monkeypatch, content)
    with pytest.raises(InputError, match=f":1: expected UTF-8, found {kind[:6].upper()}{mark}: convert"):
        list(InputLines("-")) if not is_file else lines_of(tmp_path / "a.txt", content)


def test_a_later_line_in_another_encoding_is_an_error_and_nul_characters_are_not(tmp_path: Path) -> None:
    content = b"one\n" + "two words".encode("utf-16-le") + b"\nthree\x00 \x00\n\x00\n"
    path = written(tmp_path / "a.txt", content)
    with InputLines(path) as lines:
        (_, one), (_, two), (_, three), (_, nul) = lines.numbered()
    assert (one, three, nul) == ("one", "three\x00 \x00", "\x00")
    assert str(two) == f"{path}:2: expected UTF-8, found UTF-16 without a byte-order mark"


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("packed", [False, True])
def test_a_line_that_is_too_long_is_an_error_and_the_others_still_come(
    place: int, packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forest_align.data.text.lines.MAX_LINE", 20)
    monkeypatch.setattr("forest_align.data.text.lines._SKIPPED_AT_ONCE", 7)
    rows = [b"He died\tHe is gone\n", b"a" * 19 + b"\n", b"b\tc\r\n"]
    rows[place:place] = [b"long\tlong " * 9 + b"\n"]
    content = gzip.compress(b"".join(rows)) if packed else b"".join(rows)
    path = written(tmp_path / ("a.tsv.gz" if packed else "a.tsv"), content)
    with InputLines(path) as lines:
        assert len(lines.head()) == 4
        found = [line for _, line in lines.numbered()]
    assert [str(found.pop(place))] == [
        f"{path}:{place + 1}: expected lines of at most 64 MiB, found a longer one"
    ]
    assert found == ["He died\tHe is gone", "a" * 19, "b\tc"]
    pairs = list(read_pairs(path))
    assert isinstance(pairs[place], InputError) and "at most 64 MiB" in str(pairs[place])
    assert sum(isinstance(pair, SentencePair) for pair in pairs) == 2


def test_no_more_of_a_long_line_is_held_than_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with path.open("wb") as file:
        file.truncate(3 * MAX_LINE)  # takes no room on the disk
        file.seek(0, io.SEEK_END)
        file.write(b"\nend\n")
    tracemalloc.start()
    with InputLines(path) as lines:
        (_, long), (_, end) = lines.numbered()
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(long, InputError) and end == "end"
    assert taken < 2.2 * MAX_LINE


@pytest.mark.parametrize(
    "content",
    [b"not compressed\n", gzip.compress(b"a line\n" * 99)[:-9], gzip.compress(b"a line\n")[:-8] + bytes(8)],
    ids=["plain", "cut off", "wrong checksum"],
)
def test_broken_compressed_files_are_refused_by_name(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError, match=r"a\.txt\.gz:\d+: cannot decompress"):
        lines_of(tmp_path / "a.txt.gz", content)


def test_compressed_data_under_another_name_are_called_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = gzip.compress(b"a\tb\n")
    with pytest.raises(InputError, match=r"a\.tsv:1: expected text, found gzip data"):
        lines_of(tmp_path / "a.tsv", content)
    given(monkeypatch, content + b"\nmore\n")
    lines = InputLines("-")
    with pytest.raises(InputError, match="standard input:1: expected text, found gzip data"):
        lines.head()
    assert list(lines) == []


def test_line_ends_of_old_macs_are_told_and_carriage_returns_inside_a_text_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b"a\tb\rc\td\r"
    with pytest.raises(InputError, match=r"a\.tsv:1: expected lines that end in LF or CRLF, found CR alone"):
        lines_of(tmp_path / "a.tsv", content)
    given(monkeypatch, content)
    with pytest.raises(InputError, match=r"standard input:1: .* found CR alone"):
        list(read_pairs("-"))
    assert lines_of(tmp_path / "a.tsv", b"a\rb\tc\r\nd\te\r") == ["a\rb\tc", "d\te"]


def test_blank_lines_at_the_end_of_a_file_are_left_out_on_request(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for end in (b"", b"\n", b"\n\n  \n\r\n"):
        path.write_bytes(b"\none\n \n\ntwo" + end)
        for looks_ahead in (False, True):
            with InputLines(path) as lines:
                assert not looks_ahead or lines.head() == ["one", "two"]
                texts = ["", "one", " ", "", "two"]
                assert list(lines.numbered(blank_end=False)) == list(enumerate(texts, 1))
    path.write_bytes(b"one\n\n\t\n\xff\n\n")
    with InputLines(path) as lines:
        kinds = [type(line) for _, line in lines.numbered(blank_end=False)]
    assert kinds == [str, str, str, InputError]
    with InputLines(written(tmp_path / "a.txt.gz", gzip.compress(b"one\n\n")[:-4])) as lines:
        (_, first), (_, broken) = lines.numbered(blank_end=False)
        assert first == "one" and "cannot decompress" in str(broken)


def test_a_blank_line_of_standard_input_comes_before_the_next_one_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = given(monkeypatch, b"one\n\ntwo\n\n")
    numbered = InputLines("-").numbered(blank_end=False)
    assert [next(numbered), next(numbered)] == [(1, "one"), (2, "")]
    assert stream.read() == b"two\n\n"


def test_of_xml_on_standard_input_the_first_element_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    text = '<?xml version="1.0"?>\n<!DOCTYPE x SYSTEM "rte.dtd">\n<entailment-corpus>\n'
    pair = '<pair id="7"><t>a</t><h>b</h></pair>\n</entailment-corpus>\n'
    given(monkeypatch, (text + pair).encode())
    (found,) = read_pairs("-")
    assert isinstance(found, SentencePair) and found.id == "7"
