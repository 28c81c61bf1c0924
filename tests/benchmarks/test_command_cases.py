"""The benchmark of commands counts the cases that are right."""

from __future__ import annotations

import json
from pathlib import Path

import command_cases
import pytest


def test_cases_are_counted_by_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = [
        ("sentence-split-x", {"text": "The appt. is late."}, {"sentences": 1}, False),
        ("sentence-split-x", {"text": "He left. She stayed."}, {"sentences": 3}, False),
        ("sentence-split-x", {"text": "He left."}, {"sentences": 1}, True),
        ("tree-words-lost", {"tree": "(S (NP (PRP He)) (VP (VBD left)))"}, "the words", False),
        ("other", {}, "", False),
    ]
    path = tmp_path / "cases.jsonl"
    path.write_text(
        "".join(
            json.dumps({"kind": kind, "input": given, "expected": expected, "control": control}) + "\n"
            for kind, given, expected, control in cases
        )
    )
    command_cases.main([str(path), "--list"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ['- sentence-split-x: {"text": "He left. She stayed."}', "skipped: other"]
    assert lines[-2:] == ["| sentence-split-x | 1/2 | 1/1 |  |", "| tree-words-lost | 1/1 |  |  |"]
