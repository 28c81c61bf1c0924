"""A fake aligner that is killed at a chosen word, for tests of resumed runs."""

from __future__ import annotations

from typing import Any

import pytest

from .commands.test_align_command import FakeAligner


class Killed(BaseException):
    """What a run that is killed meets."""


def killed_aligner(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Let ``align`` use the fake aligner; what comes back has under ``word`` the word, at first none."""
    chosen = {"word": ""}

    class Aligner(FakeAligner):
        def align(self, pair: Any) -> Any:
            if chosen["word"] and chosen["word"] in str(pair):
                raise Killed
            return super().align(pair)

    monkeypatch.setattr("forest_align.cli.commands.align.load_aligner", lambda options: Aligner())
    return chosen
