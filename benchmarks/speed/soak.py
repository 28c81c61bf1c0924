"""Align very many pairs with ``--engine ray`` for hours, kill parts of the run, and look for what is lost.

Usage::

    python benchmarks/speed/soak.py PAIRS... --folder FOLDER [--pairs 1000000] [--kill-minutes 10]

PAIRS are files of short pairs that ``forest-align align`` reads. FOLDER gets ``pairs.jsonl``: they are
repeated until there are enough, and in every repetition each text loses one word and has another one
replaced, so that hardly any two are equal. Every 10,000th pair has no second text and so must have an error.

The pairs are aligned into ``FOLDER/parts``. Every ``--kill-minutes`` a process is killed (SIGKILL): an actor,
the next time the command with all of Ray, and so on. If the command has ended it is started again, until all
parts are there. Twice a minute a line is added to ``FOLDER/log.tsv``. At the end each line of each part is
read: the ids must be complete and in order, and only broken pairs may have errors. Some parts, chosen by
chance, are made again by ``forest-align align`` without an engine; their lines must be equal. A table of the
tenths of the run is printed.

The program itself may be interrupted and started again with the same options; it goes on.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from process_family import Family, Member

from forest_align.aligners.model_folder import bundled_models
from forest_align.data.pairs import read_pairs
from forest_align.system.terminal import positive
from forest_align.types import InputError

#: Each of the pairs with such a number is broken.
BROKEN = 10_000
#: Seconds between two lines of the log.
PERIOD = 30
#: Parts that are made again without an engine.
CHECKED = 5


@dataclass(frozen=True, slots=True)
class Sample:
    """One line of the log: memory in MB (PSS), and what was killed since the line before."""

    minutes: float
    parts: int
    largest_actor: float
    together: float
    others: float
    killed: str


def write_input(files: Sequence[str], count: int, output: Path) -> float:
    """Write the pairs, unless they are there; return the mean number of words of a text."""
    found = (pair for file in files for pair in read_pairs(file))
    texts = [
        (pair.source.text.split(), pair.target.text.split())
        for pair in found
        if not isinstance(pair, InputError)
    ]
    words = sum(len(side) for pair in texts for side in pair) / (2 * len(texts))
    if output.exists():
        return words
    chance = random.Random(1)
    scratch = output.with_suffix(".scratch")
    with scratch.open("w", encoding="utf-8") as file:
        for number in range(1, count + 1):
            other = itertools.chain.from_iterable(chance.choice(texts))
            replacements = list(other)
            source, target = (
                _changed(side, replacements, chance) for side in texts[(number - 1) % len(texts)]
            )
            row = {"id": str(number), "source": source, "target": target}
            if number % BROKEN == 0:
                del row["target"]
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    scratch.rename(output)
    return words


def _changed(words: Sequence[str], replacements: Sequence[str], chance: random.Random) -> str:
    """A text that has another word in one place, and lacks a word if it has more than two."""
    changed = list(words)
    changed[chance.randrange(len(changed))] = chance.choice(replacements)
    if len(changed) > 2:
        del changed[chance.randrange(len(changed))]
    return " ".join(changed)


class Soak:
    """The command, its memory, and the one who kills it."""

    def __init__(self, folder: Path, command: Sequence[str], kill_seconds: float) -> None:
        self._folder = folder
        self._command = command
        self._kill_seconds = kill_seconds
        self._log = folder / "log.tsv"
        if not self._log.exists():
            self._log.write_text("\t".join(field.name for field in fields(Sample)) + "\n")
        self._before = self.samples()[-1].minutes if self.samples() else 0.0
        self._started = time.monotonic()

    def samples(self) -> list[Sample]:
        """The lines of the log."""
        rows = [line.split("\t") for line in self._log.read_text().splitlines()[1:]]
        return [
            Sample(float(row[0]), int(row[1]), float(row[2]), float(row[3]), float(row[4]), row[5])
            for row in rows
        ]

    def run(self) -> None:
        """Run the command until it ends by itself."""
        kills = itertools.cycle(("actor", "all"))
        next_kill = time.monotonic() + self._kill_seconds
        killed: list[str] = []
        while True:
            with (self._folder / "messages").open("ab") as messages:
                run = subprocess.Popen(self._command, stdout=messages, stderr=messages)
            family, whole_killed = Family(run.pid), False
            next_line = time.monotonic()
            while run.poll() is None:
                time.sleep(1)
                if time.monotonic() >= next_line:
                    self._write(family.members(), killed)
                    next_line += PERIOD
                if time.monotonic() >= next_kill:
                    actors = _actors(family.members())
                    if not actors:  # it has just been started again
                        continue
                    next_kill = time.monotonic() + self._kill_seconds
                    what = next(kills)
                    victims = actors[:1] if what == "actor" else family.members()
                    for member in victims:
                        _kill(member.process)
                    killed.append(what)
                    whole_killed = what == "all"
            if run.returncode in {0, 1}:
                self._write([], killed)
                return
            if not whole_killed:
                sys.exit(f"the command ended with {run.returncode}; see {self._folder / 'messages'}")

    def _write(self, members: Sequence[Member], killed: list[str]) -> None:
        actors = _actors(members)
        largest = max((member.share for member in actors), default=0.0)
        together = sum(member.share for member in members)
        others = together - sum(member.share for member in actors)
        minutes = self._before + (time.monotonic() - self._started) / 60
        finished = len(list((self._folder / "parts" / "completions").glob("[0-9]*")))
        sample = Sample(minutes, finished, largest, together, others, ",".join(killed))
        killed.clear()
        with self._log.open("a") as file:
            cells = (f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in astuple(sample))
            file.write("\t".join(cells) + "\n")


def _actors(members: Sequence[Member]) -> list[Member]:
    return [member for member in members if member.title.startswith("ray::MapWorker")]


def _kill(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def part_lines(part: Path) -> Iterator[str]:
    """The lines of a part."""
    with gzip.open(part, "rt", encoding="utf-8") as file:
        for line in file:
            yield line.rstrip("\n")


def check(folder: Path, count: int, command: Sequence[str]) -> str:
    """Read all parts; a sentence about what was found."""
    parts = sorted((folder / "parts").glob("part-*.jsonl.gz"))
    expected, wrong, failed, size = 1, 0, 0, 0
    chosen = set(random.Random(2).sample(range(len(parts)), min(CHECKED, len(parts))))
    chosen_lines: list[list[str]] = []
    for number, part in enumerate(parts):
        lines = list(part_lines(part))
        if number in chosen:
            chosen_lines.append(lines)
        for line in lines:
            row = json.loads(line)
            failed += "error" in row
            wrong += row["id"] != str(expected) or ("error" in row) != (expected % BROKEN == 0)
            expected += 1
        size += part.stat().st_size
    equal = sum(_equal_lines(folder / "pairs.jsonl", lines, command) for lines in chosen_lines)
    again = sum("error" not in json.loads(line) for lines in chosen_lines for line in lines)
    return (
        f"{expected - 1} of {count} rows in {len(parts)} parts ({size / 1e6:.0f} MB)\n"
        f"{failed} with an error\n"
        f"{wrong} in a wrong place, or with an error that should have none\n"
        f"{equal} of {again} lines of {len(chosen_lines)} parts are equal to those of align"
    )


def _equal_lines(pairs: Path, lines: Sequence[str], command: Sequence[str]) -> int:
    """How many lines of a part the command makes again; errors name the file, so they do not count."""
    first = int(json.loads(lines[0])["id"])
    with tempfile.TemporaryDirectory() as name:
        own, output = Path(name) / "pairs.jsonl", Path(name) / "out.jsonl"
        with pairs.open(encoding="utf-8") as file, own.open("w", encoding="utf-8") as copy:
            copy.writelines(itertools.islice(file, first - 1, first - 1 + len(lines)))
        subprocess.run([*command, str(own), "-o", str(output)], check=False)
        again = output.read_text(encoding="utf-8").splitlines()
    return sum(
        one == other and "error" not in json.loads(one) for one, other in zip(lines, again, strict=True)
    )


def print_table(samples: Sequence[Sample], part_size: int) -> None:
    """Print what each tenth of the run needed."""
    print(
        "| pairs aligned | minutes | pairs/s | largest actor, MB | Ray and command, MB | all, MB | killed |"
    )
    print("|---" * 7 + "|")
    last = samples[-1].parts
    start_minutes, start_parts = 0.0, 0
    for tenth in range(1, 11):
        rows = [row for row in samples if last * (tenth - 1) / 10 <= row.parts < last * tenth / 10]
        if tenth == 10:
            rows = [row for row in samples if row.parts >= last * 0.9]
        if not rows:
            continue
        minutes, parts = rows[-1].minutes, rows[-1].parts
        speed = (parts - start_parts) * part_size / max(60 * (minutes - start_minutes), 1)
        kills = [one for row in rows for one in row.killed.split(",") if one]
        actor, others, together = (
            max(sizes)
            for sizes in zip(*((row.largest_actor, row.others, row.together) for row in rows), strict=True)
        )
        print(
            f"| {parts * part_size:,} | {minutes:.0f} | {speed:.0f} | {actor:.0f} | {others:.0f} "
            f"| {together:.0f} | {', '.join(kills) or '–'} |"
        )
        start_minutes, start_parts = minutes, parts


def main(argv: Sequence[str] | None = None) -> None:
    """Run until all pairs are aligned, and print what happened."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", metavar="PAIRS")
    parser.add_argument("--folder", required=True, type=Path, metavar="FOLDER")
    parser.add_argument("--pairs", type=positive, default=1_000_000, metavar="N", help="default: 1000000")
    parser.add_argument("--aligner", choices=tuple(bundled_models()), default="contextual")
    parser.add_argument("--num-actors", type=positive, default=2, metavar="N", help="default: 2")
    parser.add_argument("--part-size", type=positive, default=1024, metavar="N", help="default: 1024")
    parser.add_argument("--kill-minutes", type=positive, default=10, metavar="N", help="default: 10")
    options = parser.parse_args(argv)
    options.folder.mkdir(parents=True, exist_ok=True)
    words = write_input(options.files, options.pairs, options.folder / "pairs.jsonl")
    align = [sys.executable, "-m", "forest_align", "align", "--aligner", options.aligner]
    command = [*align, str(options.folder / "pairs.jsonl"), "-o", str(options.folder / "parts")]
    command += ["--engine", "ray", "--num-actors", str(options.num_actors)]
    command += ["--part-size", str(options.part_size)]
    soak = Soak(options.folder, command, 60 * options.kill_minutes)
    soak.run()
    print(f"texts have {words:.1f} words before they are changed\n")
    print_table(soak.samples(), options.part_size)
    print("\n" + check(options.folder, options.pairs, align))


if __name__ == "__main__":
    main()
