"""Chunk alignments with the files of chunks beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_align.data.formats.format import ChunkLink
from forest_align.data.pairs import SentencePair
from forest_align.types import InputError, InputWarning

from ..pair_files import good, read, written

ALIGNED = (
    '<sentence id="1" status="">\n// He died .\n// He passed away .\n'
    "<source>\n1 He : \n2 died : \n3 . : \n"
    "</source>\n<translation>\n1 He : \n2 passed : \n3 away : \n4 . : \n</translation>\n<alignment>\n"
    "1 <==> 1 // EQUI // 5 // He <==> He \n2 <==> 2 3 // SIMI // 4 // died <==> passed away \n"
    "3 <==> 0 // NOALI // NIL // . <==> -not aligned- \n</alignment>\n</sentence>\n\n\n"
)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("2 died :", "3 died :", 6, "expected token 2"),
        ("SIMI // 4 //", "SIMI", 17, "expected '1 2 <==> 3"),
        ("2 <==> 2 3", "9 <==> 2 3", 17, "outside its 3 tokens"),
    ],
)
def test_a_broken_chunk_alignment_names_its_line(
    old: str, new: str, line: int, message: str, tmp_path: Path
) -> None:
    broken, after = read(tmp_path, ALIGNED.replace(old, new) + ALIGNED)
    assert isinstance(broken, InputError) and message in broken.message and broken.line == line
    assert isinstance(after, SentencePair)


def test_chunks_come_from_the_files_beside_the_alignment(tmp_path: Path) -> None:
    written(tmp_path / "x.sent1.chunk.txt", "[ He ] [ died ] [ . ] \n")
    written(tmp_path / "x.sent2.chunk.txt", "[ Somebody else ] \n")
    with pytest.warns(InputWarning, match=r"x\.sent2\.chunk\.txt:1: expected chunks of the words 'He passed"):
        (pair,) = good(read(tmp_path, ALIGNED, name="x.wa"))
    assert pair.source_chunks == ((0, 1), (1, 2), (2, 3)) and pair.target_chunks == ()
    assert pair.chunks is not None and pair.chunks[1] == ChunkLink((1,), (1, 2), "SIMI", "4")
    assert set(pair.links or ()) == {(0, 0), (1, 1), (1, 2)}


def test_a_stray_line_does_not_move_the_chunks_of_later_pairs(tmp_path: Path) -> None:
    written(tmp_path / "x.sent1.chunk.txt", "[ He ] [ died ] [ . ] \n[ He fell ] [ . ] \n")
    content = ALIGNED + "stray\n" + ALIGNED.replace("died", "fell")
    first, stray, second = read(tmp_path, content, name="x.wa")
    assert isinstance(stray, InputError) and "'stray'" in stray.message
    assert isinstance(first, SentencePair) and isinstance(second, SentencePair)
    assert second.source_chunks == ((0, 2), (2, 3))


def test_a_line_of_chunks_that_is_not_utf_8_or_missing_costs_its_own_spans_and_one_warning(
    tmp_path: Path,
) -> None:
    written(tmp_path / "x.sent1.chunk.txt", b"[ He died . ]\n[ \xff ]\n[ He died . ]\n")
    with pytest.warns(InputWarning) as told:
        pairs = good(read(tmp_path, ALIGNED * 4, name="x.wa"))
    assert [pair.source_chunks for pair in pairs] == [((0, 3),), (), ((0, 3),), ()]
    assert [str(one.message).split(" ")[0] for one in told] == [f"{tmp_path / 'x.sent1.chunk.txt'}:2:"]
