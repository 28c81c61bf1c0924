"""The command as a process of its own: signals, pipes, locales, folders."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ..command_line import written

COMMAND = (sys.executable, "-m", "forest_align", "convert")
TO_JSON_LINES = ("--from", "tsv", "--to", "jsonl")


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    pairs = written(tmp_path / "pairs.tsv", "some words\tother words\n" * 20_000)
    pipe = subprocess.PIPE
    with subprocess.Popen([*COMMAND, pairs, "-", *TO_JSON_LINES], stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline().startswith(b'{"id": "1"')
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_an_output_whose_reader_has_gone_away_is_an_error(tmp_path: Path) -> None:
    trees, out = tmp_path / "trees.txt", tmp_path / "out.txt"
    # More than the buffers of a pipe hold.
    trees.write_text("(S (NP (PRP They)) (VP (VBD won)))\n" * 20_000, encoding="utf-8")
    os.mkfifo(out)
    command = [sys.executable, "-m", "forest_align", "parse", "--from", "trees", trees, "-o", out]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        with out.open(encoding="utf-8") as reader:
            assert reader.readline().startswith("(S ")
        assert process.stderr.read() == f"forest-align parse: error: {out}: Broken pipe\n"
    assert process.returncode == 2


def test_an_interrupt_while_modules_are_imported_is_told_like_any_other() -> None:
    interrupted = (
        "import builtins, sys\n"
        "load = builtins.__import__\n"
        "def interrupt(name, *rest):\n"
        "    if name.partition('.')[0] == 'numpy':\n"
        "        raise KeyboardInterrupt\n"
        "    return load(name, *rest)\n"
        "builtins.__import__ = interrupt\n"
        "from forest_align.cli import main\n"
        "sys.exit(main(['align', 'pairs.tsv']))\n"
    )
    done = subprocess.run([sys.executable, "-c", interrupted], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "\nforest-align align: interrupted\n")


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_an_interrupted_command_says_so_and_leaves_the_old_file(tmp_path: Path) -> None:
    out = written(tmp_path / "out.jsonl", "an older file")
    pipe = subprocess.PIPE
    command = [*COMMAND, "-", out, *TO_JSON_LINES]
    # A shell may have started the tests with interrupts ignored.
    restore = "import os, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    wrapped = [sys.executable, "-c", f"{restore}os.execv(sys.argv[1], sys.argv[1:])", *map(str, command)]
    with subprocess.Popen(wrapped, stdin=pipe, stderr=pipe) as process:
        assert process.stdin is not None and process.stderr is not None
        # More than buffers hold, so that something is written; then it waits for more.
        process.stdin.write(b"some words\tother words\n" * 5_000)
        process.stdin.flush()
        while process.poll() is None and not any(one.stat().st_size for one in tmp_path.glob(".out*")):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        message = process.stderr.read().decode()
    assert (process.returncode, message) == (130, "\nforest-align convert: interrupted\n")
    assert out.read_text(encoding="utf-8") == "an older file" and list(tmp_path.iterdir()) == [out]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_told_with_the_file(tmp_path: Path) -> None:
    trees = written(tmp_path / "trees.txt", "(S (NP (PRP They)) (VP (VBD won)))\n")
    command = [sys.executable, "-m", "forest_align", "parse", "--from", "trees", trees, "-o", "/dev/full"]
    done = subprocess.run(command, capture_output=True, text=True)
    message = "forest-align parse: error: /dev/full: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, message)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize(
    ("arguments", "name", "buffered"),
    [
        (["--version"], "forest-align", True),
        (["align", "--help"], "forest-align align", True),
        (["train", "forest", "--help"], "forest-align train", False),
        (["convert", "in.tsv", "-", *TO_JSON_LINES], "forest-align convert", True),
        (["convert", "in.tsv", "-", *TO_JSON_LINES], "forest-align convert", False),
    ],
)
def test_standard_output_on_a_full_disk_is_an_error_in_one_line(
    arguments: list[str], name: str, buffered: bool, tmp_path: Path
) -> None:
    (tmp_path / "in.tsv").write_text("a\tb\n")
    environment = {**os.environ, "PYTHONUNBUFFERED": "" if buffered else "1"}
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "forest_align", *arguments],
            cwd=tmp_path,
            env=environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (done.returncode, done.stderr) == (2, f"{name}: error: No space left on device\n")


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("closed", "message"),
    [("<&-", "standard input is closed"), (">&-", "standard output is closed; -o names a file")],
)
def test_closed_standard_streams_are_told(closed: str, message: str) -> None:
    words = f"parse --from trees - {closed}"
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -m forest_align {words}', sys.executable],
        input="" if closed == ">&-" else None,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (2, f"forest-align parse: error: {message}\n")


@pytest.mark.parametrize("resume", [[], ["--resume"]])
def test_two_processes_do_not_write_to_one_output(resume: list[str], tmp_path: Path) -> None:
    pytest.importorskip("fcntl", reason="needs POSIX locks")
    trees, out = tmp_path / "trees.txt", tmp_path / "out.txt"
    line = "(S (NP (PRP They)) (VP (VBD won)))\n"
    trees.write_text(line, encoding="utf-8")
    command = [sys.executable, "-m", "forest_align", "parse", "--from", "trees"]
    pipe = subprocess.PIPE
    with subprocess.Popen([*command, "-", "-o", out], stdin=pipe) as first:
        assert first.stdin is not None
        first.stdin.write(line.encode())
        first.stdin.flush()
        while first.poll() is None and not (out.is_file() and out.stat().st_size):
            time.sleep(0.02)
        done = subprocess.run([*command, trees, "-o", out, *resume], capture_output=True, text=True)
        message = f"forest-align parse: error: {out}: another process is writing to it\n"
        assert (done.returncode, done.stderr) == (2, message)
    assert out.read_text(encoding="utf-8") == line
    assert subprocess.run([*command, trees, "-o", out, *resume]).returncode == 0
    assert out.read_text(encoding="utf-8") == line


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
def test_with_standard_error_closed_what_would_be_said_is_not_written_to_the_output(tmp_path: Path) -> None:
    trees = written(tmp_path / "trees.txt", "(S (NP (PRP They)) (VP (VBD won)))\nno tree\n")
    words = f"parse --from trees {shlex.quote(str(trees))} 2>&-"
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -m forest_align {words}', sys.executable], stdout=subprocess.PIPE, text=True
    )
    assert (done.returncode, done.stdout) == (1, "(S (NP (PRP They)) (VP (VBD won)))\n\n")
