"""Write the outputs of a checkout into a folder, and compare two such folders byte by byte.

Sentence pairs go through each aligner, view and converter, broken input through the commands that read it,
and 30 pairs through training and tuning, and through runs that are resumed, sharded and joined. Each command
runs in a process of its own; its exit status and messages are kept beside its output. Numbers that are times
are not compared.

    OLD/.venv/bin/python tools/compare_outputs.py write build/old [--pairs 100] [--only align convert]
    NEW/.venv/bin/python tools/compare_outputs.py write build/new
    python tools/compare_outputs.py compare build/old build/new

Pairs are the bundled examples and, if a folder ``shared`` with corpora is beside the repository, dev pairs of
these in turn. ``write`` runs the package that its Python imports.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest
from pathlib import Path

from hostile_inputs import HOSTILE

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("FOREST_ALIGN_SHARED", ROOT.parent / "shared")) / "data"
TRAINING_PAIRS = 30
TIMEOUT_SECONDS = 900

ALIGNERS = (
    *("contextual", "fixed", "forest", "forest-published", "joint", "joint-published", "projection"),
    *("semi-markov", "semi-markov-phrasal", "semi-markov-tokens", "sultan", "uniform"),
)
VIEWS = {
    "align": ("pharaoh", "tsv", "csv", "html", "text"),
    "edits": ("jsonl", "text", "markup", "html", "m2", "easse", "thresh"),
    "differences": ("jsonl", "text", "html"),
    "extract": ("tsv", "jsonl", "ppdb"),
    "documents": ("jsonl", "html", "text"),
    "support": ("jsonl", "html", "text"),
    "parse": ("trees", "nbest", "json"),
    "convert": (
        *("jsonl", "jacana", "msr-rte", "multimwa", "pharaoh", "tsv"),
        *("trees", "rte", "msrp", "qa", "sts", "ssd"),
    ),
}
OPTIONS: dict[str, tuple[str, ...]] = {
    "explain": ("--explain",),
    "k-best": ("-k", "3"),
    "all-links": ("--links", "all"),
    "partial": ("--partial", "--min-probability", ".3"),
    "dictionary": ("--aligner", "forest-published", "--words", "dictionary"),
    "tokenized": ("--tokenized", "--aligner", "contextual"),
    "workers": ("--workers", "2"),
}
_TIMES = (
    (re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?"), b"TIME"),
    (re.compile(rb'("(?:\w*seconds|\w*_time|duration|pairs_per_second)": ?)[\d.e+-]+'), rb"\1TIME"),
    (re.compile(rb"\b\d+(\.\d+)? ?(s|ms|seconds|pairs/s|it/s)\b"), b"TIME"),
    (re.compile(rb"\[[^\]\n]*\] logging\.cc:\d+: "), b"LOG OF RAY "),
)


def corpora() -> Iterator[Iterator[tuple[str, str]]]:
    """The pairs of each corpus that is there."""
    yield (tuple(line.split("\t")[:2]) for line in _lines(ROOT / "examples/pairs.tsv"))  # type: ignore[misc]
    with open(ROOT / "examples/corpus.csv", encoding="utf-8", newline="") as file:
        yield iter([(row["complex"], row["simple"]) for row in csv.DictReader(file) if row["simple"]])
    for name, source, target in (
        ("alignment/mtref/dev.tsv", 1, 3),
        ("alignment/wiki/dev.tsv", 1, 3),
        ("extrinsic/paws/*dev*", 1, 2),
        ("extrinsic/sick/train.txt", 1, 2),
    ):
        for path in SHARED.glob(name):
            rows = (line.split("\t") for line in _lines(path))
            yield ((row[source], row[target]) for row in rows if row[source][:8] != "sentence")
    for path in SHARED.glob("alignment/msr_rte/dev.majority.json"):
        yield ((pair["source"], pair["target"]) for pair in json.loads(path.read_text(encoding="utf-8")))
    for path in SHARED.glob("phrases/verses-train.jsonl.gz"):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            pairs = [json.loads(line) for line in islice(lines, 200)]
        yield ((" ".join(pair["source"]), " ".join(pair["target"])) for pair in pairs)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def write_inputs(count: int) -> None:
    """Write the inputs of all commands into the current folder."""
    in_turn = chain.from_iterable(zip_longest(*corpora()))
    pairs = list(islice((pair for pair in in_turn if pair), count))
    _write("pairs.tsv", ("\t".join(pair) for pair in pairs))
    _write("few.tsv", ("\t".join(pair) for pair in pairs[:TRAINING_PAIRS]))
    _write("one.tsv", ("\t".join(pair) for pair in pairs[:1]))
    # Long runs are divided into blocks of 64 lines.
    lines = ["\t".join(pairs[number % len(pairs)]) for number in range(200)]
    _write("long.tsv", [*lines[:80], "a line without a tab", *lines[80:]])
    _write("long.mrg", (f"(S (NN Dogs) (VBP bark{number}))" for number in range(200)))
    for side, name in enumerate(("source.txt", "target.txt")):
        _write(name, (pair[side] for pair in pairs[:TRAINING_PAIRS]))
    gold = SHARED / "alignment/mtref/dev.tsv"
    if gold.exists():
        _write("gold.tsv", _lines(gold)[:TRAINING_PAIRS])
    for name, (end, content, _) in HOSTILE.items():
        Path("hostile").mkdir(exist_ok=True)
        Path(f"hostile/{name}.{end}").write_bytes(content)


def _write(name: str, lines: Iterator[str] | Sequence[str]) -> None:
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def commands() -> Iterator[tuple[str, list[str]]]:
    """The name of each command, and its arguments; later ones read what earlier ones wrote."""
    for aligner in ALIGNERS:
        yield f"align-{aligner}.jsonl", ["align", "pairs.tsv", "--aligner", aligner]
    yield "align.parquet.log", ["align", "few.tsv", "-o", "align.parquet"]
    for view in VIEWS["align"]:
        yield f"align.{view}", ["align", "few.tsv", "--to", view]
    yield "align.svg", ["align", "one.tsv", "--to", "svg"]
    for name, options in OPTIONS.items():
        yield f"align-{name}.jsonl", ["align", "few.tsv", *options]
    aligned = "align-forest.jsonl"
    for command in ("edits", "differences"):
        for view in VIEWS[command]:
            yield f"{command}.{view}", [command, aligned, "--alignments", "--to", view]
    for view in VIEWS["extract"]:
        yield f"extract.{view}", ["extract", aligned, "--to", view]
    yield "extract-symmetric.tsv", ["extract", aligned, "--symmetric", "--constituents", "--keep-case"]
    for command in ("documents", "support"):
        for view in VIEWS[command]:
            yield f"{command}.{view}", [command, "source.txt", "target.txt", "--lines", "--to", view]
    for view in VIEWS["parse"]:
        yield f"parse.{view}", ["parse", "source.txt", "--to", view]
    for made in VIEWS["convert"]:
        there, back = f"convert-{made}", f"convert-{made}.back.jsonl"
        yield f"{there}.log", ["convert", aligned, there, "--to", made]
        yield f"{back}.log", ["convert", there, back, "--from", made, "--to", "jsonl"]
    gold: tuple[str, ...] = ("gold.tsv", "--from", "multimwa")
    if not Path("gold.tsv").exists():
        yield "convert-gold.log", ["convert", "align-joint.jsonl", "gold.json"]
        gold = ("gold.json",)
    yield "evaluate.json", ["evaluate", "convert-jacana", aligned, "--from", "jacana", "--json"]
    cache = ["--forests", "cache"]
    yield "train-forest.log", ["train", "forest", "few.tsv", "-o", "train-forest", "--epochs", "2", *cache]
    yield "train-joint.log", ["train", "joint", *gold, "-o", "train-joint", "--epochs", "1", *cache]
    arguments = ["-o", "train-semi-markov", "--iterations", "5", *cache]
    yield "train-semi-markov.log", ["train", "semi-markov", *gold, *arguments]
    for aligner in ("forest", "contextual", "sultan"):
        arguments = ["--aligner", aligner, "-o", f"tune-{aligner}", "--trials", "4", *cache]
        yield f"tune-{aligner}.log", ["tune", *gold, *arguments]
    for trained in ("train-forest", "train-joint", "train-semi-markov", "tune-forest"):
        yield f"align-{trained}.jsonl", ["align", "few.tsv", "--model", trained]
    yield from long_runs()
    for name, (end, _, command) in HOSTILE.items():
        first, *arguments = command.split()
        out = ["-"] if first == "convert" else []
        yield f"hostile-{name}", [first, f"hostile/{name}.{end}", *out, *arguments]


def long_runs() -> Iterator[tuple[str, list[str]]]:
    """Runs that leave a record or parts: of broken pairs, resumed, sharded, on Ray, and joined."""
    pairs = ("long.tsv", "--aligner", "contextual", "--batch-size", "4")
    inputs = {
        "align": pairs,
        "edits": pairs[:3],
        "differences": ("long-align.jsonl",),
        "documents": ("source.txt", "target.txt", "--lines", "--aligner", "contextual"),
        "parse": ("long.mrg", "--to", "json"),
        "extract": ("long-align.jsonl",),
    }
    for command, arguments in inputs.items():
        out = f"long-{command}.{'tsv' if command == 'extract' else 'jsonl'}"
        yield f"long-{command}.log", [command, *arguments, "-o", out]
        yield f"long-{command}-again.log", [command, *arguments, "-o", out, "--resume"]
    joined = {"align": "jsonl.gz", "parse": "jsonl", "extract": "tsv"}
    for command, end in joined.items():
        folder = f"long-shards-{command}"
        # The shard of another number, and the second one of the same number, are refused or skipped.
        for number, shard in enumerate(("1/2", "1/2", "2/3", "2/2")):
            yield f"{folder}-{number}.log", [command, *inputs[command], "-o", folder, "--shard", shard]
            yield f"{folder}-{number}-join.log", ["join", folder, "-o", f"{folder}.{end}"]
    engine = ("--engine", "ray", "--num-actors", "1")
    for to in ("jsonl", "pharaoh", "parquet"):
        parts = ("-o", f"long-ray-{to}", "--to", to, "--part-size", "64")
        yield f"long-ray-{to}.log", ["align", *pairs, *parts, *engine]
        yield f"long-ray-{to}-join.log", ["join", f"long-ray-{to}", "-o", f"long-ray-joined.{to}"]
    yield "long-ray-extract.log", ["extract", "long-align.jsonl", "-o", "long-ray-extract", *engine]
    yield "long-ray-extract-join.log", ["join", "long-ray-extract", "-o", "long-ray-extract.tsv"]


def run(name: str, arguments: Sequence[str]) -> int:
    """Run a command in a process of its own; write its output to NAME, messages and status to NAME.err."""
    from forest_align.cli import main

    process = os.fork()
    if process == 0:
        status = 70
        try:
            signal.alarm(TIMEOUT_SECONDS)
            for path, descriptor in ((os.devnull, 0), (name, 1), (f"{name}.err", 2)):
                flags = os.O_RDWR if descriptor == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
                os.dup2(os.open(path, flags, 0o644), descriptor)
            sys.stdin, sys.stdout, sys.stderr = (
                open(number, "w" if number else "r", encoding="utf-8")  # noqa: SIM115
                for number in range(3)
            )
            status = main(list(arguments))
            sys.stdout.flush()
        except SystemExit as exit_:
            status = exit_.code if isinstance(exit_.code, int) else 1
        finally:
            sys.stderr.flush()
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    with open(f"{name}.err", "a", encoding="utf-8") as file:
        file.write(f"exit status {status}\n")
    return status


def write(folder: Path, count: int, only: Sequence[str]) -> int:
    """Run all commands in a folder, or those whose names begin with one of ``only`` and what they need."""
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
    write_inputs(count)
    for name, arguments in commands():
        if only and not name.startswith(tuple(only)):
            continue
        print(f"{run(name, arguments)}  {name}", flush=True)
    return 0


def compared(folder: Path) -> dict[str, bytes]:
    """The content of each file, without times; studies, caches and checkpoints are not outputs."""
    left_out = re.compile(r"(^|/)cache/|\.(db|checkpoint|lock|tmp)(-\w+)?$|\.counts$")
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    names = {str(path.relative_to(folder)): path for path in paths}
    return {name: _without_times(path) for name, path in names.items() if not left_out.search(name)}


def _without_times(path: Path) -> bytes:
    content = path.read_bytes()
    if b"\0" not in content[:4096]:
        for pattern, mask in _TIMES:
            content = pattern.sub(mask, content)
    return content


def compare(old: Path, new: Path) -> int:
    """Print each file that differs, with its first line that does; return 1 if one does."""
    before, after = compared(old), compared(new)
    differing = 0
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) == after.get(name):
            continue
        differing += 1
        if name not in before or name not in after:
            print(f"{name}: only in {old if name in before else new}")
            continue
        lines = zip_longest(before[name].split(b"\n"), after[name].split(b"\n"))
        number, (was, now) = next((n, pair) for n, pair in enumerate(lines, 1) if pair[0] != pair[1])
        letters = enumerate(zip_longest(was or b"", now or b""))
        place = next((index for index, pair in letters if pair[0] != pair[1]), 0)
        print(f"{name}:{number}: character {place + 1}")
        for sign, line in (("-", was), ("+", now)):
            print(f"  {sign} {(line or b'')[max(0, place - 40) : place + 80]!r}")
    print(f"{len(after)} files, {differing} differ")
    return int(differing > 0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parts = parser.add_subparsers(dest="command", required=True)
    writing = parts.add_parser("write")
    writing.add_argument("folder", type=Path)
    writing.add_argument("--pairs", type=int, default=100, help="pairs for each aligner (default: 100)")
    writing.add_argument("--only", nargs="+", default=(), help="commands whose names begin so")
    comparing = parts.add_parser("compare")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    options = parser.parse_args(arguments)
    if options.command == "compare":
        return compare(options.old, options.new)
    return write(options.folder, options.pairs, options.only)


if __name__ == "__main__":
    sys.exit(main())
