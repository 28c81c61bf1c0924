"""Outputs of two checkouts: what is compared, and what is not."""

from __future__ import annotations

from pathlib import Path

import compare_outputs
import pytest


def test_outputs_differ_if_anything_but_times_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        "same.json": ('{"made": "2026-01-02T03:04:05", "seconds": 1.5}', '{"made": "TIME", "seconds": 22.0}'),
        "pairs/links.jsonl": ("a\n0-0 1-1\n", "a\n0-0 1-2\n"),
        "sweep.db": ("one", "other"),
    }
    for name, contents in files.items():
        for side, content in zip(("old", "new"), contents, strict=True):
            path = tmp_path / side / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content.replace("TIME", "2026-09-08T07:06:05"), encoding="utf-8")
    (tmp_path / "new/more.txt").touch()
    assert compare_outputs.main(["compare", str(tmp_path / "old"), str(tmp_path / "new")]) == 1
    printed = capsys.readouterr().out
    assert f"more.txt: only in {tmp_path / 'new'}" in printed
    assert "pairs/links.jsonl:2: character 7" in printed
    assert printed.endswith("3 files, 2 differ\n")
    assert compare_outputs.main(["compare", str(tmp_path / "old"), str(tmp_path / "old")]) == 0
