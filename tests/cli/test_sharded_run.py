"""Runs with --shard, joined, give the bytes of a run without; also after a kill, and not from a mixture."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from forest_align.cli import main
from forest_align.data.phrases import counts as phrase_counts
from forest_align.jobs import run_record

from .killed_aligner import Killed, killed_aligner
from .test_killed_extract import text_of
from .test_killed_run import exit_status, kill_when_larger, start, tree, write_pairs

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks are small, so that there are several."""
    monkeypatch.setattr(run_record, "BLOCK_LINES", 8)


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    return killed_aligner(monkeypatch)


def as_text(path: Path) -> Path:
    lines = [f"word{number} the cat\tthe cat number{number}\n" for number in range(90)]
    lines[17] = "a broken line\n"
    lines[40] = "fail now\tfail now\n"
    (path / "pairs.tsv").write_text("".join(lines))
    return path / "pairs.tsv"


def as_gzip(path: Path) -> Path:
    (path / "pairs.tsv.gz").write_bytes(gzip.compress(as_text(path).read_bytes()))
    return path / "pairs.tsv.gz"


def as_json_lines(path: Path) -> Path:
    lines = [json.dumps({"source": f"w{n} cat", "target": f"cat x{n}"}) for n in range(83)]
    (path / "pairs.jsonl").write_text("\n".join([*lines, "{broken"]) + "\n")
    return path / "pairs.jsonl"


def align(pairs: Path, out: Path, *options: str) -> int:
    return main(["align", str(pairs), "-o", str(out), "--batch-size", "4", *options])


def join_parts(parts: Path, out: Path) -> bytes:
    """The bytes of a file of joined parts, some items of which have failed."""
    assert main(["join", str(parts), "-o", str(out)]) == 1
    return out.read_bytes()


@pytest.mark.parametrize("made", [as_text, as_gzip, as_json_lines])
@pytest.mark.parametrize(("kind", "shards"), [("jsonl", 3), ("jsonl.gz", 4), ("pharaoh", 20)])
def test_joined_parts_have_the_bytes_of_an_unsharded_run(
    made: Callable[[Path], Path], kind: str, shards: int, tmp_path: Path, chosen: dict[str, str]
) -> None:
    pairs, whole, joined = made(tmp_path), tmp_path / f"whole.{kind}", tmp_path / f"joined.{kind}"
    assert align(pairs, whole) == 1
    numbers = list(range(1, shards + 1))
    random.Random(kind).shuffle(numbers)
    to = kind.removesuffix(".gz")
    codes = {align(pairs, tmp_path / "parts", "--to", to, "--shard", f"{n}/{shards}") for n in numbers}
    assert codes == {0, 1}  # some shards have a broken pair, some have none
    assert join_parts(tmp_path / "parts", joined) == whole.read_bytes()


def test_a_shard_that_died_continues_and_a_finished_one_is_skipped(
    tmp_path: Path, chosen: dict[str, str], capsys: Captured
) -> None:
    pairs, whole, parts = as_text(tmp_path), tmp_path / "whole.jsonl", tmp_path / "parts"
    align(pairs, whole)
    assert align(pairs, parts, "--shard", "1/2") == 1
    finished = {path: path.read_bytes() for path in parts.rglob("*") if path.is_file()}
    chosen["word"] = "word61"  # in the fourth block of shard 2
    with pytest.raises(Killed):
        align(pairs, parts, "--shard", "2/2")
    assert not (parts / "completions" / "00002").exists()
    assert main(["join", str(parts), "-o", str(tmp_path / "joined.jsonl")]) == 2
    assert "part 2 of 2 is not finished" in capsys.readouterr().err
    assert not (tmp_path / "joined.jsonl").exists()
    assert align(pairs, parts, "--shard", "1/2") == 1  # it has a broken pair
    assert "is finished already, with 48 of 90 items (1 failed)" in capsys.readouterr().err
    assert all(path.read_bytes() == content for path, content in finished.items())
    chosen["word"] = "word45"  # of a block that is finished: it must not be aligned again
    assert align(pairs, parts, "--shard", "2/2") == 1
    assert "resuming after line 24" in capsys.readouterr().err
    assert join_parts(parts, tmp_path / "joined.jsonl") == whole.read_bytes()


def test_shards_of_the_forest_aligner_that_were_killed_give_the_bytes_of_an_unsharded_run(
    tmp_path: Path,
) -> None:
    pairs, whole, parts = tmp_path / "in.jsonl", tmp_path / "whole.jsonl.gz", tmp_path / "parts"
    write_pairs(pairs, 72, random.Random(1))
    options = (str(pairs), "--batch-size", "8")
    assert main(["align", *options, "-o", str(whole)]) == 1
    sharded = (*options, "-o", str(parts), "--shard")
    assert kill_when_larger(start("align", *sharded, "2/2"), parts / "part-00002-of-00002.jsonl.gz", 0)
    both = [start("align", *sharded, f"{number}/2") for number in (1, 2)]
    assert [exit_status(process) for process in both] == [1, 1]
    assert join_parts(parts, tmp_path / "joined.jsonl.gz") == whole.read_bytes()


@pytest.mark.parametrize("kind", ["trees", "json"])
def test_parsed_shards_have_the_bytes_of_an_unsharded_run(kind: str, tmp_path: Path) -> None:
    rng = random.Random(3)
    trees = tmp_path / "trees.mrg"
    lines = [tree(rng, ["a", "small", "dog", str(number)]) + "\n" for number in range(50)]
    trees.write_text("".join([*lines[:30], "(S broken\n\n", *lines[30:]]))
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert main(["parse", str(trees), "--to", kind, "-o", str(whole)]) == 1
    codes = [
        main(["parse", str(trees), "--to", kind, "-o", str(parts), "--shard", f"{number}/3"])
        for number in (3, 1, 2)
    ]
    assert sorted(codes) == [0, 0, 1]
    assert main(["parse", str(trees), "--to", kind, "-o", str(parts), "--shard", "2/3"]) in (0, 1)
    assert join_parts(parts, tmp_path / "joined") == whole.read_bytes()


@pytest.fixture
def alignments(tmp_path: Path) -> list[str]:
    rng = random.Random(7)
    (tmp_path / "a.jsonl").write_text(text_of(300, rng) + "\n\n")
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(text_of(300, rng).encode() + b"\xff\n"))
    return [str(tmp_path / name) for name in ("a.jsonl", "b.jsonl.gz")]


@pytest.mark.parametrize("options", [[], ["--symmetric", "--min-probability", "0.7"]])
def test_counts_of_shards_are_those_of_an_unsharded_run(
    options: list[str], alignments: list[str], tmp_path: Path, capsys: Captured
) -> None:
    whole, parts, joined = tmp_path / "whole.tsv", tmp_path / "parts", tmp_path / "joined.tsv"
    assert main(["extract", *alignments, "-o", str(whole), *options]) == 1
    report = capsys.readouterr().err.splitlines()[-1]
    for number in (4, 2, 1, 3):
        assert main(["extract", *alignments, "-o", str(parts), *options, "--shard", f"{number}/4"]) == 1
    capsys.readouterr()
    assert join_parts(parts, joined) == whole.read_bytes() and len(whole.read_bytes()) > 10_000
    assert capsys.readouterr().err.splitlines()[-1] == report
    few = tmp_path / "few.ppdb"
    main(["extract", *alignments, "-o", str(few), *options, "--min-count", "2"])
    assert main(["join", str(parts), "--min-count", "2", "-o", str(tmp_path / "joined.ppdb")]) == 1
    assert (tmp_path / "joined.ppdb").read_bytes() == few.read_bytes()


def test_a_count_of_a_shard_that_was_killed_continues(
    alignments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    whole, parts = tmp_path / "whole.tsv", tmp_path / "parts"
    main(["extract", *alignments, "-o", str(whole)])
    monkeypatch.setattr(phrase_counts, "BATCH", 100)
    main(["extract", *alignments, "-o", str(parts), "--shard", "1/2"])
    add, calls = phrase_counts.PhraseCounts.add, []

    def dying(self: phrase_counts.PhraseCounts, *arguments: object) -> None:
        calls.append(arguments)
        if len(calls) == 200:
            raise Killed
        add(self, *arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(phrase_counts.PhraseCounts, "add", dying)
        with pytest.raises(Killed):
            main(["extract", *alignments, "-o", str(parts), "--shard", "2/2"])
    assert not (parts / "completions" / "00002").exists()
    capsys.readouterr()
    assert main(["extract", *alignments, "-o", str(parts), "--shard", "2/2"]) == 1
    assert "resuming after line" in capsys.readouterr().err
    assert join_parts(parts, tmp_path / "joined.tsv") == whole.read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--shard", "2/3"], "the number of parts was '2' for the parts in this folder, now it is '3'"),
        (["--shard", "2/2", "-k", "2"], "-k was '1' for the parts in this folder, now it is '2'"),
        (["--shard", "2/2", "--to", "pharaoh"], "the kind of parts was '.jsonl.gz'"),
        (["--shard", "2/2", "--batch-size", "8"], "--batch-size was '4'"),
    ],
)
def test_parts_of_other_options_are_refused(
    options: list[str],
    message: str,
    tmp_path: Path,
    chosen: dict[str, str],
    capsys: Captured,
) -> None:
    pairs, parts = as_text(tmp_path), tmp_path / "parts"
    align(pairs, parts, "--shard", "1/2")
    assert align(pairs, parts, *options) == 2
    assert message in capsys.readouterr().err
    assert not list(parts.glob("part-00002*"))


def test_parts_of_other_input_are_refused(tmp_path: Path, chosen: dict[str, str], capsys: Captured) -> None:
    pairs, parts = as_text(tmp_path), tmp_path / "parts"
    align(pairs, parts, "--shard", "1/2")
    text = pairs.read_text()
    pairs.write_text(text + "one more\tone more\n")
    assert align(pairs, parts, "--shard", "2/2") == 2
    assert "the input was 'pairs.tsv (" in capsys.readouterr().err
    # A change that leaves the number of bytes as it was is noticed when all of the input has been read.
    pairs.write_text(text.replace("word80", "WORD80"))
    assert align(pairs, parts, "--shard", "2/2") == 1
    assert main(["join", str(parts), "-o", str(tmp_path / "out.jsonl")]) == 2
    assert "part 2 was made from another input than part 1" in capsys.readouterr().err
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{parts}", "-o", "{parts}.csv"], "the parts are jsonl; expected a name for that"),
        (["{parts}", "--to", "tsv"], "--to is for parts of 'extract'; these are parts of 'align'"),
        (["{parts}", "--min-count", "3"], "--min-count is for parts of 'extract'"),
        (["{parts}/completions"], "expected a folder of parts with a manifest.json"),
    ],
)
def test_join_refuses_what_the_parts_are_not(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    chosen: dict[str, str],
    capsys: Captured,
) -> None:
    parts = tmp_path / "parts"
    align(as_text(tmp_path), parts, "--shard", "1/1")
    assert main(["join", *(argument.format(parts=parts) for argument in arguments)]) == 2
    captured = capsys.readouterr()
    assert message in captured.err and not captured.out
