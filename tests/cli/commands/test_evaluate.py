"""The evaluate command on small files."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from forest_align.alignment import Alignment, Links, PhrasePair
from forest_align.types import Node, Sentence

from ...command_line import CommandLine, written

PAIRS = [("a b c", "a b c", "0-0 1-1", ""), ("d e", "e d", "0-1", "1-0")]


ENJU = (
    '<?xml version="1.0"?><sentence id="{side}1" parse_status="success">'
    '<cons id="c0" cat="S" head="c1" sem_head="c1"{top}>'
    '<cons id="c1" cat="X" head="t0" sem_head="t0"{left}><tok id="t0" cat="N" pos="X" base="">x</tok></cons> '
    '<cons id="c2" cat="X" head="t1" sem_head="t1"{right}><tok id="t1" cat="N" pos="X" base="">y</tok></cons>'
    "</cons></sentence>"
)


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.json"
    items = [
        {"id": f"rte:{k}", "source": s, "target": t, "sureAlign": sure, "possibleAlign": possible}
        for k, (s, t, sure, possible) in enumerate(PAIRS)
    ]
    path.write_text(json.dumps(items))
    return path


def pharaoh(tmp_path: Path, *lines: str, name: str = "run.pharaoh") -> str:
    path = written(tmp_path / name, "".join(f"{line}\n" for line in lines))
    return str(path)


def alignment(number: int, links: str, phrase: bool = False, error: str = "") -> Alignment:
    source, target = (Sentence.from_words(text.split()) for text in PAIRS[number][:2])
    pair = PhrasePair(Node(0, len(source), "S"), Node(0, len(target), "S"), 0.9)
    phrases = (pair,) if phrase else ()
    return Alignment(source, target, Links.from_pharaoh(links), phrases, id=f"rte:{number}", error=error)


def scores(cli: CommandLine, *arguments: object) -> dict[str, Any]:
    assert cli("evaluate", *arguments, "--json") == 0
    report: dict[str, Any] = json.loads(cli.out)
    return report


def test_files_that_look_swapped_and_one_file_twice_are_told(
    gold: Path, tmp_path: Path, cli: CommandLine
) -> None:
    ours = tmp_path / "ours.jsonl"
    links = [
        replace(alignment(k, links), words=Links.of([(0, 0)], scores=[0.5]))
        for k, links in ((0, ""), (1, ""))
    ]
    ours.write_text("".join(one.to_json() + "\n" for one in links))
    assert cli("evaluate", ours, gold) == 0 and "the links of" in (err := cli.err) and "swapped?" in err
    assert cli("evaluate", gold, gold) == 0 and "GOLD and PREDICTIONS are the same file" in cli.err
    assert cli("evaluate", gold, ours) == 0 and cli.err == ""


def test_pharaoh_lines_without_sentences_are_scored(gold: Path, tmp_path: Path, cli: CommandLine) -> None:
    report = scores(cli, gold, pharaoh(tmp_path, "0-0 1-1", "0-1 1-0"))
    assert report["pairs"] == 2
    assert report["word"]["precision"] == 75
    assert report["word"]["recall"] == 100
    assert report["word"]["exact_match"] == 50


def test_annotated_phrases_of_spade_are_gold_for_phrases_and_words(tmp_path: Path, cli: CommandLine) -> None:
    def xml(side: str, *annotations: str) -> None:
        marks = [f" {text}" for text in annotations]
        text = ENJU.format(side=side, top=marks[0], left=marks[1], right=marks[2])
        (tmp_path / f"{side}-1.xml").write_text(text)

    # all three annotators align the sentences, two the first word, one the second
    xml("s", 'pa1="c0" pa2="c0" pa3="c0"', 'pa1="c1" pa2="c1" pa3="-1"', 'pa1="c2" pa2="-1" pa3="-1"')
    xml("t", 'pa1="c0" pa2="c0" pa3="c0"', 'pa1="c1" pa2="c1" pa3="-1"', 'pa1="c2" pa2="-1" pa3="-1"')
    sentence = Sentence.from_words(["x", "y"])
    top = PhrasePair(Node(0, 2, "S"), Node(0, 2, "S"), 1.0)
    run = tmp_path / "run.jsonl"
    run.write_text(Alignment(sentence, sentence, Links.from_pharaoh("0-0"), (top,)).to_json() + "\n")
    report = scores(cli, tmp_path / "s-1.xml", run)
    assert report["word"]["f1"] == 100
    assert report["phrases"]["precision"] == 100
    # agreed by 1 and 2: sentence and first word; by 1 and 3, 2 and 3: the sentence
    assert report["phrases"]["recall"] == pytest.approx(100 * (1 / 2 + 1 + 1) / 3)


def test_pairs_that_could_not_be_aligned_are_counted_for_both_systems(
    gold: Path, tmp_path: Path, cli: CommandLine
) -> None:
    run, other = tmp_path / "run.jsonl", tmp_path / "other.jsonl"
    run.write_text("".join(alignment(k, "", error="too long" * k).to_json() + "\n" for k in (0, 1)))
    other.write_text("".join(alignment(k, "", error="too long").to_json() + "\n" for k in (0, 1)))
    report = scores(cli, gold, run, "--against", other)
    assert (report["failed"], report["against_failed"]) == (1, 2)
    assert cli("evaluate", gold, run, "--against", other) == 0
    out = cli.out
    assert out.startswith("2 pairs\npairs that could not be aligned: 1\n")
    assert "pairs that the other system could not align: 2\n" in out


def test_the_table_ends_with_a_signature(gold: Path, tmp_path: Path, cli: CommandLine) -> None:
    run = pharaoh(tmp_path, "0-0 1-1", "0-1")
    assert cli("evaluate", gold, run) == 0
    out = cli.out
    assert out.startswith("2 pairs\n")
    assert out.splitlines()[-1].startswith(
        "links:sure|average:macro|f1:of-means|empty:1|interval:bootstrap|seed:0|"
    )


def test_standard_input_is_called_so_and_is_one_file_only(gold: Path, cli: CommandLine, monkeypatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"0-0\n")))
    assert cli("evaluate", gold, "-") == 2 and "standard input: expected 2 predictions" in cli.err
    for files in (("-", "-"), (gold, "-", "--against", "-")):
        assert cli("evaluate", *files) == 2 and "standard input can be read but once" in cli.err


def test_an_empty_gold_file_is_no_perfect_score(tmp_path: Path, cli: CommandLine) -> None:
    for name in ("gold.json", "links.pharaoh"):
        (tmp_path / name).write_text("[]" if name == "gold.json" else "", encoding="utf-8")
    assert cli("evaluate", tmp_path / "gold.json", tmp_path / "links.pharaoh") == 2
    assert "gold.json: expected pairs with gold links, found none" in cli.err


@pytest.mark.parametrize("format_of_run", ["pharaoh", "jsonl"])
def test_predictions_may_come_from_standard_input(
    format_of_run: str, gold: Path, cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["0-0 1-1", "0-1 1-0"]
    if format_of_run == "jsonl":
        lines = [alignment(k, line).to_json() for k, line in enumerate(lines)]
    stream = io.BytesIO("".join(f"{line}\n" for line in lines).encode())
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=stream))
    report = scores(cli, gold, "-")
    assert (report["pairs"], report["word"]["precision"], report["word"]["recall"]) == (2, 75, 100)


def test_a_negative_seed_is_bad_usage(gold: Path, cli: CommandLine) -> None:
    assert cli("evaluate", gold, gold, "--seed", "-1") == 2
    assert "field 'seed': expected at least 0, found -1" in cli.err


WA = """<sentence id="1" status="">
// the dog
// a cat
<source>
1 the :
2 dog :
</source>
<translation>
1 a :
2 cat :
</translation>
<alignment>
{}
</alignment>
</sentence>
"""


def test_chunks_are_scored_with_their_types_where_both_files_have_them(
    tmp_path: Path, cli: CommandLine
) -> None:
    gold, found, links = tmp_path / "gold.wa", tmp_path / "found.wa", tmp_path / "links.jsonl"
    gold.write_text(WA.format("2 <==> 2 // SIMI // 3 // dog <==> cat"))
    found.write_text(WA.format("2 <==> 2 // REL // 1 // dog <==> cat"))
    links.write_text('{"source": ["the", "dog"], "target": ["a", "cat"], "words": [[1, 1]]}\n')
    report = scores(cli, gold, found)
    expected = {"f1.alignment": 100, "f1.type": 0, "f1.score": 60, "f1.type_and_score": 0}
    assert report["chunks"] == pytest.approx(expected)
    assert "chunks" not in scores(cli, gold, links)
    compared = scores(cli, gold, gold, "--against", found)
    assert compared["against"]["chunks"]["f1.score"]["difference"] == pytest.approx(40)
    assert cli("evaluate", gold, found, "--against", gold) == 0
    shown = cli.out
    assert "| chunks  |  100.0 |     0.0 |     60.0 |        0.0 |" in shown
    assert "against the other system, chunks:" in shown
