"""Lines that break programs, through the whole command line with the bundled models."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from forest_align.alignment import Alignment
from forest_align.cli import main

from ..command_line import CommandLine

GOOD = "The old man died in his sleep.", "The old man passed away while he slept."

# What goes in as a line of the input (bytes, as files hold them), and whether it can be parsed.
LINES: dict[str, tuple[bytes, bool]] = {
    "first": (GOOD[0].encode(), True),
    "half of a surrogate pair": (b"a lone \xed\xa0\x80 surrogate", False),
    "broken UTF-8": (b"caf\xe9 au lait", False),
    "control characters": (b"bell \x07 null \x00 escape \x1b[31m and delete \x7f here", True),
    "other line separators": ("one\x0btwo\x0cthree\x1cfour\x85five\u2028six\u2029seven".encode(), True),
    "emoji": ("He laughed 😂 at 👩‍👩‍👧‍👦 and 🇫🇷 👍🏽 ❤️".encode(), True),
    "right to left": ("قال الرجل \u202eإنه سعيد\u202c جدا שלום עולם".encode(), True),
    "combining marks": (("e" + "\u0301" * 300 + " Z\u0334\u0335\u0336a\u0334lgo").encode(), True),
    "600 tokens": (b" ".join([b"word"] * 600), False),
    "one word of 2,000 letters": (b"a" * 2_000 + b" ends .", True),
    "empty": (b"", False),
    "blanks": ("  \u00a0 \u3000 ".encode(), False),
    "a megabyte": (b"lots of text " * 80_000, False),
    "punctuation": (b"?! ... -- ()", True),
    "one token": (b"Yes", True),
    "brackets": (b"( (S (NP [x] {y}) -LRB- -RRB- ) ) ((", True),
    "last": (GOOD[0].encode(), True),
}


def test_every_line_gives_a_tree_or_an_error(tmp_path: Path, cli: CommandLine) -> None:
    source, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    source.write_bytes(b"\n".join(line for line, _ in LINES.values()) + b"\n")
    assert cli("parse", source, "-o", out, "--to", "json") == 1
    found = dict(zip(LINES, map(json.loads, out.read_text(encoding="utf-8").split("\n")[:-1]), strict=True))
    assert {name: "forest" in line for name, line in found.items()} == {
        name: good for name, (_, good) in LINES.items()
    }
    assert all("error" in line for line in found.values() if "forest" not in line)
    assert found["first"]["tree"] == found["last"]["tree"]
    errors = cli.err
    for number, (_, good) in enumerate(LINES.values(), 1):
        assert bool(re.search(rf"in\.txt:{number}: ", errors)) is not good
    assert "Traceback" not in errors


@pytest.mark.parametrize("workers", ["1", "2"])
def test_every_pair_gives_an_alignment_or_an_error(workers: str, tmp_path: Path, cli: CommandLine) -> None:
    source, out = tmp_path / "in.tsv", tmp_path / "out.jsonl"
    other = GOOD[1].encode()
    pairs = [line + b"\t" + other for line, _ in LINES.values()]
    pairs += [other + b"\t" + line for line, _ in LINES.values()]
    pairs += [line + b"\t" + line for line, _ in LINES.values()]
    source.write_bytes(b"\n".join([*pairs, b"no tab", b"", b"\t", other + b"\t" + other]))
    arguments = ["align", str(source), "-o", str(out), "--batch-size", "20", "--workers", workers]
    assert cli(*arguments, "--from", "tsv") == 1
    lines = out.read_text(encoding="utf-8").split("\n")[:-1]
    found = [Alignment.from_json(line) for line in lines]
    good = [good for _, good in LINES.values()] * 3 + [False, False, False, True]
    assert [not alignment.error for alignment in found] == good
    assert all(alignment.source_tree and alignment.target_tree for alignment in found if not alignment.error)
    assert found[0].words.pairs == found[len(LINES) - 1].words.pairs
    assert len(found[0].words) >= 4 and len(found[-1].words) == len(found[-1].source)
    errors = cli.err
    assert f"{good.count(False)} of {len(good)} pairs could not be aligned" in errors
    assert "Traceback" not in errors


def test_half_of_a_surrogate_pair_in_json_comes_out_escaped(tmp_path: Path) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    text = r'{"id": "1", "source": "He said \ud83d twice .", "target": "He said \udc00 twice ."}'
    source.write_text(text + "\n" + text.replace('"1"', '"2"') + "\n")
    assert main(["align", str(source), "-o", str(out)]) in (0, 1)
    found = [Alignment.from_json(line) for line in out.read_text(encoding="utf-8").split("\n")[:-1]]
    assert [alignment.id for alignment in found] == ["1", "2"]
    for alignment in found:
        assert alignment.error or "\ud83d" in alignment.source.words
