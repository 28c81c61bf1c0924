"""Files that are replaced in one step: what is beside them, what is left over, and where links lead."""

from __future__ import annotations

import secrets
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from forest_align.system import replacing as module
from forest_align.system.replacing import replacing

from ..command_line import CommandLine

KILLED = """
import os, signal, sys
from pathlib import Path
from forest_align.system.replacing import replacing
with replacing(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    print(flush=True)
    sys.stdin.read() or os.kill(os.getpid(), signal.SIGKILL)
"""


def writer(path: Path) -> subprocess.Popen[bytes]:
    """A process that has written half of a file; it is killed when its input ends."""
    command = [sys.executable, "-c", KILLED, str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline()
    return process


def temporary(folder: Path) -> list[Path]:
    return list(folder.glob(".*.tmp"))


def write(path: Path, content: bytes = b"whole") -> None:
    module._clean.cache_clear()  # as in another process
    with replacing(path) as file:
        file.write(content)


def test_what_a_killed_process_has_left_is_removed_by_the_next_one_that_writes_there(tmp_path: Path) -> None:
    process = writer(tmp_path / "a")
    process.communicate()
    assert process.returncode == -9 and len(temporary(tmp_path)) == 1
    write(tmp_path / "b")
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_what_a_process_is_writing_stays(tmp_path: Path) -> None:
    process = writer(tmp_path / "a")
    write(tmp_path / "a")
    assert len(temporary(tmp_path)) == 1
    process.communicate(b"end")
    assert (tmp_path / "a").read_bytes() == b"half" and not temporary(tmp_path)


def test_files_of_others_stay(tmp_path: Path) -> None:
    others = [tmp_path / ".a.tmp", tmp_path / "a.0123456789abcdef.tmp", tmp_path / ".a.0123456789abcdef.tmp"]
    for path in others[:2]:
        path.touch()
    others[2].symlink_to(others[0])
    write(tmp_path / "b")
    assert all(path.exists() for path in others)


def test_a_link_that_has_the_name_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = iter(["0" * 16, "1" * 16])
    monkeypatch.setattr(secrets, "token_hex", lambda _: next(names))
    victim = tmp_path / "victim"
    victim.write_bytes(b"old")
    (tmp_path / f".a.{'0' * 16}.tmp").symlink_to(victim)
    write(tmp_path / "a")
    assert victim.read_bytes() == b"old" and (tmp_path / "a").read_bytes() == b"whole"


def test_what_only_the_owner_can_read_is_read_by_nobody_else_before_it_has_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.touch(0o640)
    with replacing(path):
        (fresh,) = temporary(tmp_path)
        assert stat.S_IMODE(fresh.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize(
    "command", ["convert pairs.tsv loop.jsonl", "parse pairs.tsv --from trees -o loop.jsonl"]
)
def test_a_loop_of_links_is_no_output(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: CommandLine
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pairs.tsv").write_text("a b\ta b\n")
    Path("loop.jsonl").symlink_to("loop.jsonl")
    assert cli(*command.split()) == 2
    assert cli.err.endswith("error: loop.jsonl: Too many levels of symbolic links\n")
    assert Path("loop.jsonl").is_symlink()
