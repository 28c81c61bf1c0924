"""Chunk alignments with the files of chunks beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_align.data.formats.format import ChunkLink
from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.types import InputError, InputWarning

ALIGNED = (
    '<sentence id="1" status="">\n// He died .\n// He passed away .\n'
    "<source>\n1 He : \n2 died : \n3 . : \n"
    "</source>\n<translation>\n1 He : \n2 passed : \n3 away : \n4 . : \n</translation>\n<alignment>\n"
    "1 <==> 1 // EQUI // 5 // He <==> He \n2 <==> 2 3 // SIMI // 4 // died <==> passed away \n"
    "3 <==> 0 // NOALI // NIL // . <==> -not aligned- \n</alignment>\n</sentence>\n\n\n"
)


def only_pair(path: Path) -> SentencePair:
    (pair,) = read_pairs(path)
    assert isinstance(pair, SentencePair), pair
    return pair


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2 died :", "3 died :", "expected token 2"),
        ("SIMI // 4 //", "SIMI", "expected '1 2 <==> 3"),
        ("2 <==> 2 3", "9 <==> 2 3", "outside its 3 tokens"),
    ],
)
def test_a_broken_chunk_alignment_names_its_line(old: str, new: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.wa"
    path.write_text(ALIGNED.replace(old, new) + ALIGNED)
    broken, after = read_pairs(path)
    assert isinstance(broken, InputError) and message in broken.message and broken.line
    assert isinstance(after, SentencePair)


def test_chunks_come_from_the_files_beside_the_alignment(tmp_path: Path) -> None:
    path = tmp_path / "x.wa"
    path.write_text(ALIGNED)
    (tmp_path / "x.sent1.chunk.txt").write_text("[ He ] [ died ] [ . ] \n")
    (tmp_path / "x.sent2.chunk.txt").write_text("[ Somebody else ] \n")
    with pytest.warns(InputWarning, match=r"x\.sent2\.chunk\.txt:1: expected chunks of the words 'He passed"):
        pair = only_pair(path)
    assert pair.source_chunks == ((0, 1), (1, 2), (2, 3)) and pair.target_chunks == ()
    assert pair.chunks is not None and pair.chunks[1] == ChunkLink((1,), (1, 2), "SIMI", "4")
    assert set(pair.links or ()) == {(0, 0), (1, 1), (1, 2)}


def test_a_stray_line_does_not_move_the_chunks_of_later_pairs(tmp_path: Path) -> None:
    path = tmp_path / "x.wa"
    path.write_text(ALIGNED + "stray\n" + ALIGNED.replace("died", "fell"))
    (tmp_path / "x.sent1.chunk.txt").write_text("[ He ] [ died ] [ . ] \n[ He fell ] [ . ] \n")
    first, stray, second = read_pairs(path)
    assert isinstance(stray, InputError) and "'stray'" in stray.message
    assert isinstance(first, SentencePair) and isinstance(second, SentencePair)
    assert second.source_chunks == ((0, 2), (2, 3))


def test_a_line_of_chunks_that_is_not_utf_8_costs_its_own_spans_and_one_warning(tmp_path: Path) -> None:
    path = tmp_path / "x.wa"
    path.write_text(ALIGNED * 4)
    (tmp_path / "x.sent1.chunk.txt").write_bytes(b"[ He died . ]\n[ \xff ]\n[ He died . ]\n")
    with pytest.warns(InputWarning) as told:
        pairs = [pair for pair in read_pairs(path) if isinstance(pair, SentencePair)]
    assert [pair.source_chunks for pair in pairs] == [((0, 3),), (), ((0, 3),), ()]
    assert [str(one.message).split(" ")[0] for one in told] == [f"{tmp_path / 'x.sent1.chunk.txt'}:2:"]
