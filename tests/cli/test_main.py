from __future__ import annotations

import pytest

from forest_align import __version__
from forest_align.cli import COMMANDS, main


def test_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.strip() == f"forest-align {__version__}"


def test_top_level_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    printed = capsys.readouterr().out
    assert all(command in printed for command in COMMANDS)


def test_an_unknown_command_is_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["alignn"])
    assert stop.value.code == 2
    assert "alignn" in capsys.readouterr().err


def test_a_missing_file_is_a_message_and_not_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parse", "/no/such/file.txt"]) == 2
    assert "/no/such/file.txt" in capsys.readouterr().err


def test_debug_lets_the_traceback_through() -> None:
    with pytest.raises(OSError, match="no/such/file"):
        main(["--debug", "parse", "/no/such/file.txt"])
