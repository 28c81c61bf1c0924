"""A count of phrases that is killed and continued gives the bytes of an unbroken one."""

from __future__ import annotations

import gzip
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from forest_align.alignment import Alignment, Links
from forest_align.cli import main
from forest_align.cli.commands import extract
from forest_align.data.phrases import counts as phrase_counts
from forest_align.types import Sentence

from ..command_line import CommandLine

# Counts are saved every few lines, so that a killed run soon has something to resume.
PROGRAM = """
import sys
from forest_align.data.phrases import counts as phrase_counts
phrase_counts.BATCH = 300
from forest_align.cli import main
sys.exit(main(sys.argv[1:]))
"""


def text_of(count: int, rng: random.Random, words: int = 600) -> str:
    """Alignments of two words each with a probability each, some of the lines broken."""
    lines = []
    for number in range(count):
        source, target = ([f"w{rng.randrange(words)}" for _ in range(2)] for _ in range(2))
        links = Links.of([(0, 0), (1, 1)], scores=[rng.uniform(0.5, 1), rng.uniform(0.5, 1)])
        alignment = Alignment(
            *(Sentence.from_words(side, tags=rng.choices("ABC", k=2)) for side in (source, target)),
            links,
            id=str(number),
            error="too long" if number % 19 == 3 else "",
        )
        lines.append("broken\n" if number % 17 == 5 else alignment.to_json() + "\n")
    return "".join(lines)


def written(folder: Path, count: int) -> list[str]:
    rng = random.Random(7)
    (folder / "a.jsonl").write_text(text_of(count, rng, words=count // 4))
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(text_of(count, rng, words=count // 4).encode()))
    return [str(folder / name) for name in ("a.jsonl", "b.jsonl.gz")]


@pytest.fixture
def inputs(tmp_path: Path) -> list[str]:
    return written(tmp_path, 150)


def start(inputs: list[str], out: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROGRAM, "extract", *inputs, "-o", str(out), "--resume"]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def kill_when_larger(process: subprocess.Popen[str], file: Path, size: int) -> str:
    """Kill a run (SIGKILL) as soon as a file has more bytes; what it has said."""
    while not (file.exists() and file.stat().st_size > size):
        assert process.poll() is None, "it ended before it was killed"
        time.sleep(0.001)
    process.kill()
    return process.communicate()[1]


def test_a_run_that_was_killed_three_times_gives_the_bytes_of_an_unbroken_one(
    tmp_path: Path, cli: CommandLine
) -> None:
    inputs = written(tmp_path, 1000)
    whole, part = tmp_path / "whole.tsv", tmp_path / "part.tsv"
    assert cli("extract", *inputs, "-o", whole) == 1
    report = cli.err.splitlines()[-1]
    counts = tmp_path / "part.tsv.counts"
    kill_when_larger(start(inputs, part), counts, 0)
    for size in (60_000, 120_000):
        kill_when_larger(start(inputs, part), counts, size)
        assert not part.exists()
    last = start(inputs, part)
    said = last.communicate()[1]
    assert last.returncode == 1 and "resuming after line" in said
    assert part.read_bytes() == whole.read_bytes()
    # What was counted and left out is that of all runs together.
    assert said.splitlines()[-1] == report
    assert not counts.exists() and not list(tmp_path.glob("part*journal"))


@pytest.mark.parametrize("place", [0, 1, 40])
def test_a_run_that_stops_while_the_table_is_written_can_go_on(
    place: int, inputs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, part = tmp_path / "whole.tsv", tmp_path / "part.tsv"
    main(["extract", *inputs, "-o", str(whole)])
    part.write_text("an older table")

    def stopping(*arguments: object) -> object:
        for number, entry in enumerate(entries(*arguments)):  # type: ignore[arg-type]
            if number == place:
                raise KeyboardInterrupt
            yield entry

    entries = phrase_counts.PhraseCounts.entries
    with monkeypatch.context() as patch:
        patch.setattr(phrase_counts.PhraseCounts, "entries", stopping)
        assert main(["extract", *inputs, "-o", str(part)]) == 130
    assert part.read_text() == "an older table" and not list(tmp_path.glob(".*.tmp"))
    assert main(["extract", *inputs, "-o", str(part), "--resume"]) == 1
    assert part.read_bytes() == whole.read_bytes()


@pytest.fixture
def interrupted(inputs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The output of a run that has counted all and written nothing."""
    out = tmp_path / "out.tsv"
    with monkeypatch.context() as patch:
        patch.setattr(phrase_counts, "BATCH", 50)
        patch.setattr(extract, "open_output", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        assert main(["extract", *inputs, "-o", str(out)]) == 130
    assert (tmp_path / "out.tsv.counts").exists()
    return out


def change_a_line(inputs: list[str]) -> list[str]:
    content = Path(inputs[0]).read_text()
    Path(inputs[0]).write_text(content.replace("w", "v", 1))
    return inputs


def cut_off(inputs: list[str]) -> list[str]:
    with Path(inputs[0]).open("r+") as file:
        file.truncate(100)
    return inputs


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (change_a_line, [], "not the same any more"),
        (cut_off, [], "not the same any more"),
        (lambda inputs: inputs[::-1], [], "cannot resume: inputs was"),
        (lambda inputs: inputs, ["--max-words", "3"], "cannot resume: max_words was 7 and is 3 now"),
        (lambda inputs: inputs, ["--symmetric"], "cannot resume: symmetric was False and is True now"),
    ],
)
def test_other_input_or_options_are_refused_and_without_resume_counting_begins_anew(  # type: ignore[no-untyped-def]
    change, options: list[str], message: str, inputs: list[str], interrupted: Path, cli: CommandLine
) -> None:
    inputs = change(inputs)
    assert cli("extract", *inputs, "-o", interrupted, *options, "--resume") == 2 and message in cli.err
    assert not interrupted.exists()
    assert cli("extract", *inputs, "-o", interrupted, *options) == 1
    again = interrupted.with_name("again.tsv")
    cli("extract", *inputs, "-o", again, *options)
    assert interrupted.read_bytes() == again.read_bytes()
