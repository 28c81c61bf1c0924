"""The command line in this process, for tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_align.cli import main


class CommandLine:
    """Runs commands; has what the last one has printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.out = self.err = ""

    def __call__(self, *words: object) -> int:
        """Run a command and return its exit status, also if it stops by itself, as for bad usage."""
        self._capsys.readouterr()
        try:
            return main([str(word) for word in words])
        except SystemExit as stop:
            return int(stop.code or 0)
        finally:
            self.out, self.err = self._capsys.readouterr()


def written(path: Path, text: str) -> Path:
    """Write a file, and return its path."""
    path.write_text(text, encoding="utf-8")
    return path
