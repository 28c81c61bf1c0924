"""The script that makes phrasal versions of word-aligned corpora, on two small pairs with trees."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import phrasal_versions as script
import pytest

from forest_align.types import InputError

TREES = [
    "(ROOT (NP (DT the) (NNS cats)))",
    "(ROOT (NP (DT the) (NNS dogs)))",
    "(ROOT (S (NP (PRP he)) (VP (VBD was) (VP (VBN seen)))))",
    "(ROOT (S (NP (PRP she)) (VP (VBD was) (VP (VBN heard)))))",
]


def corpus(path: Path, links: tuple[str, str]) -> Path:
    sides = [("the cats", "the dogs"), ("he was seen", "she was heard")]
    pairs = [
        {"id": str(number), "source": source, "target": target, "sureAlign": line, "possibleAlign": ""}
        for number, ((source, target), line) in enumerate(zip(sides, links, strict=True), 1)
    ]
    path.write_text(json.dumps(pairs), encoding="utf-8")
    return path


def trees(path: Path, brackets: list[str]) -> Path:
    text = "".join(f'<tree style="penn">{bracket}</tree>' for bracket in brackets)
    path.write_bytes(gzip.compress(f"<root>{text}</root>".encode()))
    return path


def test_chunks_of_the_trees_are_merged_written_and_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = corpus(tmp_path / "words.json", ("0-0 1-1", "0-0 1-1"))
    published = corpus(tmp_path / "published.json", ("0-0 0-1 1-0 1-1", "0-0 1-1 2-2"))
    made, again = tmp_path / "made.json", tmp_path / "again.json"
    parsed = trees(tmp_path / "t.xml.gz", TREES)
    script.main([str(words), "--trees", str(parsed), "--compare", str(published), "-o", str(made)])
    # 6 links shared of 6 made and 7 published; added: 2 shared of 2 and 3.
    assert capsys.readouterr().out == "2 pairs: F1 92.3 (added links 80.0), same links 50.0%\n"
    assert [pair["sureAlign"].split() for pair in json.loads(made.read_text("utf-8"))] == [
        ["0-0", "0-1", "1-0", "1-1"],
        ["0-0", "1-1"],
    ]
    script.main([str(words), "--trees", str(parsed), "--compare", str(made), "-o", str(again)])
    assert capsys.readouterr().out == "2 pairs: F1 100.0 (added links 100.0), same links 100.0%\n"
    assert again.read_bytes() == made.read_bytes()


def test_what_does_not_fit_the_corpus_is_named(tmp_path: Path) -> None:
    words = corpus(tmp_path / "words.json", ("0-0", "0-0"))
    few, other = trees(tmp_path / "few.gz", TREES[:3]), trees(tmp_path / "other.gz", TREES[::-1])
    with pytest.raises(InputError, match="pair 2: expected a tree for each sentence, found no more"):
        script.main([str(words), "--trees", str(few)])
    with pytest.raises(InputError, match="pair 1: the tree has 3 words, not 2"):
        script.main([str(words), "--trees", str(other)])
    published = tmp_path / "published.json"
    published.write_text(json.dumps(json.loads(words.read_text("utf-8"))[:1]), encoding="utf-8")
    whole = trees(tmp_path / "whole.gz", TREES)
    with pytest.raises(InputError, match="expected a published version of 2 pairs, found 1"):
        script.main([str(words), "--trees", str(whole), "--compare", str(published)])
