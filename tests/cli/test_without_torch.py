"""Aligning, parsing and evaluating need no torch: they run where it cannot be imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
sys.modules["torch"] = None
from forest_align.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("align", "He died.", "He passed away.", "--to", "pharaoh"), "0-0 1-1 1-2 2-3"),
        (("align", "He died.", "He passed away.", "--aligner", "contextual", "--to", "pharaoh"), "0-0"),
        (("parse", "SENTENCES"), "(VBD died)"),
        (("evaluate", "GOLD", "GOLD"), "100.0"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_command_runs_without_torch(arguments: tuple[str, ...], expected: str, tmp_path: Path) -> None:
    (tmp_path / "SENTENCES").write_text("He died.\n")
    (tmp_path / "GOLD").write_text(
        '[{"id": "1", "name": "1", "source": "He died", "target": "He left", "sureAlign": "0-0",'
        ' "possibleAlign": ""}]'
    )
    files = [str(tmp_path / name) if (tmp_path / name).exists() else name for name in arguments]
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, *files], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert run.returncode == 0 and expected in run.stdout, run.stderr
