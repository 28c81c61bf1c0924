"""The command writes differences of pairs in every format, and keeps going past broken pairs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forest_align import Alignment, Links, Sentence
from forest_align.cli import main


@pytest.mark.parametrize(
    ("name", "found"),
    [("text", "1.00  many ↔ –\n"), ("html", 'title="1.00">many<'), ("jsonl", '"source_differences"')],
)
def test_every_format_has_the_differences(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, found: str
) -> None:
    path = tmp_path / "alignments.jsonl"
    words = ["we", "saw", "many", "dogs"], ["we", "saw", "dogs"]
    one = Alignment(*map(Sentence.from_words, words), Links.from_pharaoh("0-0 1-1 3-2"), id="a")
    path.write_text(f"{one.to_json()}\n{{\n")
    assert main(["differences", str(path), "--alignments", "--to", name]) == 1
    out, err = capsys.readouterr()
    assert found in out and "1 of 2 pairs could not be aligned" in err
    if name == "jsonl":
        lines = [json.loads(line) for line in out.splitlines()]
        assert [len(line["source_differences"]) for line in lines] == [4, 0] and lines[1]["error"]
