"""``align`` with bundled models: chunks of the input, and sentences that share a part only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.types import InputError

from ...command_line import CommandLine, written

WA = """<sentence id="{0}" status="">
// a big dog sleeps
// the dog sleeps on Monday
<source>
1 a :
2 big :
3 dog :
4 sleeps :
</source>
<translation>
1 the :
2 dog :
3 sleeps :
4 on :
5 Monday :
</translation>
<alignment>
1 2 3 <==> 1 2 // SPE1 // 4 // a big dog <==> the dog
4 <==> 3 // EQUI // 5 // sleeps <==> sleeps
0 <==> 4 5 // NOALI // NIL // -not aligned- <==> on Monday
</alignment>
</sentence>
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = written(tmp_path / "x.wa", WA.format(1) + WA.format(2))
    (tmp_path / "x.sent1.chunk.txt").write_text("[ a big dog ] [ sleeps ]\n" * 2)
    (tmp_path / "x.sent2.chunk.txt").write_text("[ the dog ] [ sleeps ] [ on Monday ]\n" * 2)
    return path


def test_chunks_are_written_as_a_wa_file(corpus: Path, tmp_path: Path, cli: CommandLine) -> None:
    out = tmp_path / "out.wa"
    assert cli("align", corpus, "--chunks", "-o", out) == 0
    found = list(read_pairs(out))
    assert [pair.id for pair in found if isinstance(pair, SentencePair)] == ["1", "2"]
    first = found[0]
    assert isinstance(first, SentencePair) and first.chunks is not None
    assert [(chunk.source, chunk.target) for chunk in first.chunks] == [
        ((0, 1, 2), (0, 1)),
        ((3,), (2,)),
        ((), (3, 4)),
    ]
    assert [chunk.type for chunk in first.chunks] == ["SPE1", "EQUI", "NOALI"]
    assert cli("evaluate", corpus, out, "--json") == 0
    scores = json.loads(cli.out)["chunks"]
    assert scores["f1.alignment"] == 100 and scores["f1.type"] == 100


def test_alignments_hold_chunks_with_relations_and_evaluate_reads_them(
    corpus: Path, tmp_path: Path, cli: CommandLine
) -> None:
    out = tmp_path / "out.jsonl"
    assert cli("align", corpus, "--chunks", "-o", out, "--workers", "2") == 0
    first = json.loads(out.read_text().splitlines()[0])
    assert first["aligner"] == "chunks"
    assert [phrase["relation"] for phrase in first["phrases"]] == ["more specific", "equivalent"]
    assert first["unaligned"] == {"source": [], "target": [[3, 5]]}
    assert cli("evaluate", corpus, out, "--json") == 0
    assert json.loads(cli.out)["chunks"]["f1.alignment"] == 100


def test_a_pair_without_chunks_keeps_its_line(tmp_path: Path, cli: CommandLine) -> None:
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    tokens = '"source": ["a", "dog"], "target": ["dogs"]'
    pairs.write_text(
        f'{{{tokens}}}\n{{{tokens}, "source_chunks": [[0, 2]], "target_chunks": [[0, 1]]}}\n'
        f'{{{tokens}, "source_chunks": [[1, 2], [0, 1]], "target_chunks": [[0, 1]]}}\n'
    )
    assert cli("align", pairs, "--chunks", "-o", out) == 1
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert "pairs.jsonl:1: the input gives no chunks for this pair" in lines[0]["error"]
    assert len(lines[1]["phrases"]) == 1 and "error" not in lines[1]
    assert "field 'source_chunks': expected chunks in order" in lines[2]["error"]
    wa = tmp_path / "out.wa"
    assert cli("align", pairs, "--chunks", "-o", wa) == 1
    assert [isinstance(pair, InputError) for pair in read_pairs(wa)] == [False]


def test_sentences_that_share_a_part_only_are_aligned_in_parts(tmp_path: Path, cli: CommandLine) -> None:
    texts = (
        "The firm was bought by a bank, and its shares fell by ten percent.",
        "A bank bought the firm after months of negotiations with the union.",
    )
    pairs = written(tmp_path / "in.tsv", "\t".join(texts) + "\n")
    found = []
    for more in ([], ["--partial"]):
        out = tmp_path / f"out{len(more)}.jsonl"
        assert cli("align", pairs, "-o", out, *more) == 0
        found.append(json.loads(out.read_text()))
    whole, parts = found
    assert whole["root_aligned"] and not parts["root_aligned"]
    assert parts["words"] == whole["words"]
    dropped = [pair for pair in whole["phrases"] if pair not in parts["phrases"]]
    assert dropped and all(pair["probability"] < 0.5 for pair in dropped)
    lengths = [pair["source"][1] - pair["source"][0] for pair in parts["phrases"]]
    assert max(lengths) > 1 and len(parts["phrases"]) < len(whole["phrases"])
