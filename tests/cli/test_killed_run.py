"""A run that is killed and continued gives the bytes of an unbroken one."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from forest_align.cli import main

from .killed_aligner import Killed, killed_aligner

# Blocks are small, so that there are several.
PROGRAM = """
import sys
from forest_align.cli import main
from forest_align.jobs import run_record
run_record.BLOCK_LINES = 16
sys.exit(main(sys.argv[1:]))
"""
WORDS = "the old man saw a small dog near his house and it ran".split()  # noqa: SIM905


def tree(rng: random.Random, words: list[str]) -> str:
    """A random tree; with trees in the input no parser needs to be loaded."""
    if len(words) == 1:
        return f"({rng.choice(['NN', 'VB', 'JJ', 'IN'])} {words[0]})"
    cut = rng.randrange(1, len(words))
    return f"({rng.choice(['NP', 'VP', 'S'])} {tree(rng, words[:cut])} {tree(rng, words[cut:])})"


def write_pairs(path: Path, count: int, rng: random.Random) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            sides = [tree(rng, rng.choices(WORDS, k=rng.randrange(6, 16))) for _ in range(2)]
            pair = {"id": f"pair {number}", "source": {"tree": sides[0]}, "target": {"tree": sides[1]}}
            # Some pairs are broken: their errors are lines like all others.
            file.write("broken\n" if number % 17 == 5 else json.dumps(pair) + "\n")


def start(pairs: Path, out: Path, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PROGRAM, "align", str(pairs), "-o", str(out)]
    return subprocess.Popen([*command, "--batch-size", "16", *options], stderr=subprocess.DEVNULL)


def kill_when_larger(process: subprocess.Popen[bytes], out: Path, size: int) -> bool:
    """Kill a run (SIGKILL) as soon as its output has more bytes; False if it ended before."""
    while process.poll() is None:
        if out.exists() and out.stat().st_size > size:
            process.kill()
            process.wait()
            return True
        time.sleep(0.001)
    return False


@pytest.mark.parametrize(("kind", "workers"), [("jsonl", "1"), ("pharaoh", "3"), ("jsonl.gz", "2")])
def test_a_run_that_was_killed_twice_gives_the_bytes_of_an_unbroken_one(
    kind: str, workers: str, tmp_path: Path
) -> None:
    rng = random.Random(f"{kind} {workers}")
    pairs, whole, part = tmp_path / "in.jsonl", tmp_path / f"whole.{kind}", tmp_path / f"part.{kind}"
    write_pairs(pairs, 200, rng)
    assert start(pairs, whole).wait() == 1
    size = whole.stat().st_size
    options = ("--workers", workers, "--resume")
    for share in sorted((rng.uniform(0, 0.4), rng.uniform(0.4, 0.8))):
        assert kill_when_larger(start(pairs, part, *options), part, int(share * size))
        assert share * size < part.stat().st_size < size
        assert whole.read_bytes().startswith(part.read_bytes())
    start(pairs, part, *options).wait()
    assert part.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("name", ["out.svg", "out.html"])
def test_a_picture_or_page_replaces_an_older_one_only_when_it_is_whole(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed_aligner(monkeypatch)["word"] = "left"
    out = tmp_path / name
    out.write_text("older", encoding="utf-8")
    with pytest.raises(Killed):
        main(["align", "He left.", "He went.", "-o", str(out)])
    assert out.read_text(encoding="utf-8") == "older" and list(tmp_path.iterdir()) == [out]
