from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Alignment
from forest_align.data.phrases.input import Position, read_alignments
from forest_align.types import InputError, Sentence

GOOD = Alignment(Sentence.from_words(["a"]), Sentence.from_words(["b"])).to_json().encode() + b"\n"


def ids(items: list[tuple[Alignment | InputError, Position]]) -> list[str]:
    return [str(item) if isinstance(item, InputError) else item.id for item, _ in items]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("streams")


lines = st.sampled_from(
    [GOOD, GOOD.replace(b'"a"', b'"c"'), b"broken\n", b"\xff\n", b"\n", b"\xef\xbb\xbf" + GOOD]
)
contents = st.lists(st.lists(lines, max_size=25).map(b"".join), min_size=1, max_size=3)


@given(files=contents, cut=st.booleans(), data=st.data())
def test_a_stream_can_be_left_after_any_line(
    files: list[bytes], cut: bool, data: st.DataObject, folder: Path
) -> None:
    paths: list[str] = []
    expected: list[int] = []
    before = 0
    for number, content in enumerate(files):
        name = f"{number}.jsonl" + (".gz" if number == 1 else "")
        content = content[:-1] if cut else content
        (folder / name).write_bytes(gzip.compress(content) if number == 1 else content)
        paths.append(str(folder / name))
        # Blank lines at the end of a file are no items.
        expected += range(before + 1, before + 1 + len(content.rstrip(b"\n").splitlines()))
        before += len(content.splitlines())
    whole = list(read_alignments(paths))
    assert [position.lines for _, position in whole] == expected
    if not whole:
        return
    place = data.draw(st.integers(0, len(whole) - 1))
    rest = list(read_alignments(paths, whole[place][1]))
    assert ids(rest) == ids(whole[place + 1 :])
    assert [position for _, position in rest] == [position for _, position in whole[place + 1 :]]
    assert whole[-1][1].broken == sum(isinstance(item, InputError) for item, _ in whole)


def test_lines_that_moved_to_another_file_are_other_lines(tmp_path: Path) -> None:
    one, two = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    one.write_bytes(2 * GOOD)
    two.write_bytes(GOOD)
    *_, (_, position) = read_alignments([str(one), str(two)])
    one.write_bytes(GOOD)
    two.write_bytes(2 * GOOD)
    for paths in ([one, two], [one], [two, one]):
        with pytest.raises(InputError, match="not the same any more"):
            list(read_alignments(list(map(str, paths)), position))


def test_a_file_that_breaks_off_does_so_after_an_interruption_too(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b"".join(GOOD.replace(b'"a"', b'"a%d"' % k) for k in range(3000)))[:-300])
    whole = list(read_alignments([str(path)]))
    assert "cannot decompress" in str(whole[-1][0]) and len(whole) > 100
    for place in (0, 50, len(whole) - 25, len(whole) - 2):
        assert ids(list(read_alignments([str(path)], whole[place][1]))) == ids(whole[place + 1 :])
