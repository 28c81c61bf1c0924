"""A fake aligner that is killed at a chosen word, for tests of resumed runs."""

from __future__ import annotations

from typing import Any

import pytest

from .commands.test_align_command import FakeAligner


class Killed(BaseException):
    """What a run that is killed meets."""


def killed_aligner(
    monkeypatch: pytest.MonkeyPatch, loader: str = "forest_align.cli.commands.align.load_aligner"
) -> dict[str, str]:
    """Let a command that loads its aligner with ``loader`` use a fake one, killed at the ``word``."""
    chosen = {"word": ""}

    class Aligner(FakeAligner):
        def align(self, pair: Any) -> Any:
            if chosen["word"] and chosen["word"] in str(pair):
                raise Killed
            return super().align(pair)

    monkeypatch.setattr(loader, lambda options: Aligner())
    return chosen
