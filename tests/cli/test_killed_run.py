"""A run that is killed and continued gives the bytes of an unbroken one."""

from __future__ import annotations

import fcntl
import json
import multiprocessing
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from forest_align.cli import main
from forest_align.jobs import run_record

from ..command_line import written
from .killed_aligner import Killed, killed_aligner

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
            sides = [tree(rng, rng.choices(WORDS, k=rng.randrange(4, 9))) for _ in range(2)]
            pair = {"id": f"pair {number}", "source": {"tree": sides[0]}, "target": {"tree": sides[1]}}
            # Some pairs are broken: their errors are lines like all others.
            file.write("broken\n" if number % 17 == 5 else json.dumps(pair) + "\n")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks are small, so that there are several."""
    monkeypatch.setattr(run_record, "BLOCK_LINES", 8)


def command_line(arguments: tuple[str, ...]) -> None:
    sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
    torch.set_num_threads(1)  # threads of torch do not survive a fork
    sys.exit(main(list(arguments)))


def start(*arguments: str) -> Any:
    """Run a command in a process of its own, with the models that this process has loaded."""
    process = multiprocessing.get_context("fork").Process(target=command_line, args=(arguments,))
    process.start()
    return process


def exit_status(process: Any) -> int | None:
    process.join()
    return process.exitcode


def kill_when_larger(process: Any, out: Path, size: int) -> bool:
    """Kill a run (SIGKILL) as soon as its output has more bytes; False if it ended before.

    Returns when its workers have ended too.
    """
    while process.is_alive():
        if out.exists() and out.stat().st_size > size:
            process.kill()
            was_killed = exit_status(process) == -signal.SIGKILL
            with out.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX)  # its workers hold the output until they notice
            return was_killed
        time.sleep(0.001)
    return False


@pytest.mark.parametrize(("kind", "workers"), [("pharaoh", "1"), ("jsonl.gz", "2")])
def test_a_run_that_was_killed_twice_gives_the_bytes_of_an_unbroken_one(
    kind: str, workers: str, tmp_path: Path
) -> None:
    rng = random.Random(f"{kind} {workers}")
    pairs, whole, part = tmp_path / "in.jsonl", tmp_path / f"whole.{kind}", tmp_path / f"part.{kind}"
    write_pairs(pairs, 72, rng)
    command = ("align", str(pairs), "--batch-size", "8", "-o")
    assert main([*command, str(whole)]) == 1
    size = whole.stat().st_size
    resumed = (*command, str(part), "--workers", workers, "--resume")
    for share in sorted((rng.uniform(0, 0.4), rng.uniform(0.4, 0.8))):
        assert kill_when_larger(start(*resumed), part, int(share * size))
        assert share * size < part.stat().st_size < size
        assert whole.read_bytes().startswith(part.read_bytes())
    assert exit_status(start(*resumed)) == 1
    assert part.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("name", ["out.svg", "out.html"])
def test_a_picture_or_page_replaces_an_older_one_only_when_it_is_whole(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed_aligner(monkeypatch)["word"] = "left"
    out = written(tmp_path / name, "older")
    with pytest.raises(Killed):
        main(["align", "He left.", "He went.", "-o", str(out)])
    assert out.read_text(encoding="utf-8") == "older" and list(tmp_path.iterdir()) == [out]
