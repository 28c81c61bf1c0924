"""Gzipped alignments: the bytes depend on the lines alone, and a run continues after the last whole block."""

from __future__ import annotations

import errno
import gzip
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.cli import main
from forest_align.storage.outputs import end_block, open_output

from ..cli.commands.test_align_command import write
from ..cli.killed_aligner import Killed, killed_aligner
from ..command_line import CommandLine

PAIRS = [f"wörd{n} x\tx y\n" for n in range(8)] + ["broken\n", "fail\tb\n", "word10 a\ta\n", "last\tone\n"]
LINES = 5


@pytest.fixture(autouse=True)
def killed_at(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Small members, and under ``word`` the word at which the aligner is killed."""
    monkeypatch.setattr("forest_align.jobs.run_record.BLOCK_LINES", LINES)
    return killed_aligner(monkeypatch)


def aligned(pairs: str, out: Path, *options: str) -> bytes:
    main(["align", pairs, "-o", str(out), "--batch-size", "1", *options])
    return out.read_bytes()


@pytest.mark.parametrize("to", ["jsonl", "pharaoh", "html", "text"])
def test_what_is_unpacked_is_what_is_written_otherwise(to: str, tmp_path: Path) -> None:
    pairs = write(tmp_path / "in.tsv", "".join(PAIRS))
    plain = aligned(pairs, tmp_path / "out", "--to", to)
    packed = aligned(pairs, tmp_path / "out.gz", "--to", to)
    assert gzip.decompress(packed) == plain
    assert packed[:2] == b"\x1f\x8b" and packed[4:8] == bytes(4), "no time"


def test_an_empty_input_gives_a_file_that_can_be_unpacked(tmp_path: Path) -> None:
    pairs, out = write(tmp_path / "in.tsv", ""), tmp_path / "out.jsonl.gz"
    empty = aligned(pairs, out)
    assert empty and gzip.decompress(empty) == b""
    assert aligned(pairs, out, "--resume") == empty
    write(tmp_path / "in.tsv", "a\ta\n")
    assert aligned(pairs, out, "--resume") == aligned(pairs, tmp_path / "whole.jsonl.gz")


@given(
    cut=st.integers(0, 4000),
    to=st.sampled_from(["jsonl", "pharaoh"]),
    packing=st.sampled_from(["", ".gz"]),
    batch_size=st.integers(1, 3),
)
def test_a_resumed_run_gives_the_same_bytes_wherever_the_first_was_cut(
    cut: int, to: str, packing: str, batch_size: int
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        killed_aligner(patch)
        patch.setattr("forest_align.jobs.run_record.BLOCK_LINES", LINES)
        pairs, options = write(Path(folder, "in.tsv"), "".join(PAIRS)), ("--to", to)
        part, whole = Path(folder, f"part{packing}"), Path(folder, f"whole{packing}")
        content = aligned(pairs, whole, *options, "--batch-size", str(batch_size))
        part.write_bytes(content[: cut % len(content)])
        Path(f"{part}.run").write_bytes(Path(f"{whole}.run").read_bytes())
        assert aligned(pairs, part, *options, "--batch-size", str(batch_size), "--resume") == content


@pytest.mark.parametrize("to", ["jsonl", "pharaoh"])
@pytest.mark.parametrize("word", ["rd3", "rd4", "rd6", "word10"])
def test_an_interrupted_run_leaves_all_lines_and_goes_on_to_the_same_bytes(
    word: str, to: str, tmp_path: Path, killed_at: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    pairs, out = write(tmp_path / "in.tsv", "".join(PAIRS)), tmp_path / "out.gz"
    whole = aligned(pairs, tmp_path / "whole.gz", "--to", to)
    killed_at["word"] = word
    with pytest.raises(Killed):
        aligned(pairs, out, "--to", to)
    killed_at["word"] = ""
    lines = gzip.decompress(out.read_bytes()).splitlines()
    assert len(lines) == next(k for k, pair in enumerate(PAIRS) if word in pair)
    capsys.readouterr()
    assert aligned(pairs, out, "--to", to, "--resume") == whole
    error = capsys.readouterr().err
    kept = len(lines) // LINES * LINES
    assert (f"resuming after line {kept}\n" in error) == (kept > 0)
    assert "2 of 12 pairs could not be aligned" in error


def test_pairs_that_were_added_come_after_those_of_a_finished_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs, out = write(tmp_path / "in.tsv", "".join(PAIRS[:4])), tmp_path / "out.jsonl.gz"
    finished = aligned(pairs, out)
    assert aligned(pairs, out, "--resume") == finished
    assert f"{out} has all 4 pairs already" in capsys.readouterr().err
    write(tmp_path / "in.tsv", "".join(PAIRS))
    assert aligned(pairs, out, "--resume") == aligned(pairs, tmp_path / "whole.jsonl.gz")


ALIGNMENT = b'{"id": "1"}\n'


@pytest.mark.parametrize(
    "old",
    [
        b"precious notes\n",
        ALIGNMENT,
        gzip.compress(ALIGNMENT * (LINES + 1)),
        gzip.compress(ALIGNMENT * LINES) + b"precious notes",
        gzip.compress(ALIGNMENT) + gzip.compress(ALIGNMENT * LINES),
        gzip.compress(ALIGNMENT * LINES) + gzip.compress(b"precious notes" * 100)[:-4],
        gzip.compress(ALIGNMENT.rstrip()),
        gzip.compress(b'{"id": "another"}\n')[:-9] + b"broken here",
    ],
    ids=["text", "lines", "larger", "text after", "short within", "other begun", "no end", "broken"],
)
def test_resuming_another_file_is_refused_and_leaves_it_alone(
    old: bytes, tmp_path: Path, cli: CommandLine
) -> None:
    pairs, out = write(tmp_path / "in.tsv", "".join(PAIRS)), tmp_path / "out.jsonl.gz"
    out.write_bytes(old)
    assert cli("align", pairs, "-o", out, "--resume", "--batch-size", "1") == 2
    error = cli.err
    assert str(out) in error and "cannot resume: expected gzip members of 5 lines" in error
    assert out.read_bytes() == old


def test_a_file_that_was_made_from_other_pairs_keeps_its_last_member(
    tmp_path: Path, cli: CommandLine
) -> None:
    pairs, out = write(tmp_path / "in.tsv", "".join(PAIRS[:4])), tmp_path / "out.jsonl.gz"
    old = aligned(pairs, out)
    write(tmp_path / "in.tsv", "".join([*PAIRS[:3], "other\twords\n", *PAIRS]))
    assert cli("align", pairs, "-o", out, "--resume", "--batch-size", "1") == 2
    assert f"{out}:4: cannot resume" in cli.err
    assert out.read_bytes() == old


def fill_disk(monkeypatch: pytest.MonkeyPatch, path: Path, left: int = 0) -> None:
    """Let a file have so many bytes; the system writes what it can, and fails if it can write nothing."""
    write_all = os.write

    def write_what_fits(descriptor: int, content: Any) -> int:
        if not path.exists() or not os.path.samestat(os.fstat(descriptor), path.stat()):
            return write_all(descriptor, content)
        if left <= path.stat().st_size:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write_all(descriptor, content[: left - path.stat().st_size])

    monkeypatch.setattr("os.write", write_what_fits)


def test_the_record_stays_where_the_last_member_could_not_be_written(
    tmp_path: Path, cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs, out = write(tmp_path / "in.tsv", "a\ta\n"), tmp_path / "out.jsonl.gz"
    fill_disk(monkeypatch, out)
    assert cli("align", pairs, "-o", out) == 2 and f"error: {out}: No space left on device" in cli.err
    assert Path(f"{out}.run").exists()


def test_a_member_that_was_written_in_part_is_not_written_again_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, whole = tmp_path / "x.gz", gzip.compress(b"a line\n", compresslevel=6, mtime=0)
    fill_disk(monkeypatch, path, left=len(whole) // 2)
    for ends_early in (False, True):
        path.unlink(missing_ok=True)
        with pytest.raises(OSError, match="No space"), open_output(str(path), may_pack=True) as out:
            out.write("a line\n")
            if ends_early:
                end_block(out)
        assert path.read_bytes() == whole[: len(whole) // 2]
