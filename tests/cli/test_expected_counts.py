from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from forest_align.cli.input_reports import expected_count


class Terminal(io.StringIO):
    """Standard error on a screen."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("text", "count"), [("", 0), ("a\tb\n", 1), ("a\nb", 2), ("a\n\nb\n", 3)])
def test_lines_are_counted_if_somebody_sees_the_bar(
    text: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text(text)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert expected_count(str(path)) is None
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert expected_count(str(path)) == count


@pytest.mark.parametrize("name", ["pairs.tsv.gz", "gold.json", "-", "missing.tsv", "folder.tsv", None])
def test_of_other_inputs_the_number_is_unknown(
    name: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.tsv").mkdir()
    for one in ("pairs.tsv.gz", "gold.json"):
        (tmp_path / one).write_text("a\n")
    assert expected_count(name) is None
