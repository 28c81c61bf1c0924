"""Files of chunks that do not hold what the alignments beside them do."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.types import InputWarning

ALIGNED = (
    '<sentence id="{id}" status="">\n// He died\n// He fell\n'
    "<source>\n1 He : \n2 died : \n</source>\n<translation>\n1 He : \n2 fell : \n</translation>\n"
    "<alignment>\n1 <==> 1 // EQUI // 5 // He <==> He \n</alignment>\n</sentence>\n\n\n"
)


def test_a_pair_beyond_the_end_of_a_chunk_file_has_no_spans(tmp_path: Path) -> None:
    path = tmp_path / "x.wa"
    path.write_text(ALIGNED.format(id="1") + ALIGNED.format(id="2"))
    (tmp_path / "x.sent1.chunk.txt").write_text("[ He died ] \n")
    (tmp_path / "x.sent2.chunk.txt").write_text("[ He ] [ fell ] \n[ He fell ] \n")
    with pytest.warns(InputWarning, match=r"x\.sent1\.chunk\.txt:2: expected chunks of the words 'He died'"):
        first, second = read_pairs(path)
    assert isinstance(first, SentencePair) and isinstance(second, SentencePair)
    assert (first.source_chunks, second.source_chunks) == (((0, 2),), ())
    assert (first.target_chunks, second.target_chunks) == (((0, 1), (1, 2)), ((0, 2),))
