"""What a training run shows while it runs."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from forest_align.em.forest.expectation import Totals
from forest_align.em.forest.state import TrainingSettings
from forest_align.em.forest.trainer import TrainingProgress, train

from .test_trainer import SETTINGS, SyntheticPairs, start_weights


class Terminal(io.StringIO):
    """Standard error on a screen."""

    def isatty(self) -> bool:
        return True


class Watched(TrainingProgress):
    """Remembers what it was told."""

    def __init__(self, pair_count: int) -> None:
        super().__init__(pair_count)
        self.seen: list[Totals] = []

    def pair_done(self, totals: Totals) -> None:
        super().pair_done(totals)
        self.seen.append(totals)


def test_the_bar_is_there_before_the_first_pair_and_moves_within_a_batch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Here and not in a fixture: pytest puts its own in place after those.
    monkeypatch.setattr(sys, "stderr", Terminal())
    progress = Watched(40)
    settings = TrainingSettings(epochs=1, batch_size=0, regularization=0.1)
    train(SyntheticPairs(40, delay=0.03), settings, start_weights() + 1.0, observer=progress)
    shown = sys.stderr.getvalue().replace("\r", "\n")  # type: ignore[attr-defined]
    assert re.search(r"epoch 1: \| +\| 0/40 ", shown)
    bars = re.findall(r" (\d+)/40 \[.*<.*, objective (-[\d.]+), root 100.0%, null ([\d.]+%)", shown)
    assert len(bars) >= 3
    penalty = 0.1 * len(start_weights()) / 40
    for done, objective, null_share in bars:
        totals = progress.seen[int(done) - 1]
        assert totals.pairs == int(done)
        assert objective == f"{totals.log_score / totals.pairs - penalty:.1f}"
        assert null_share == f"{totals.null_share:.1%}"


def test_each_epoch_is_printed_when_it_is_over_with_its_dev_scores(
    capsys: pytest.CaptureFixture[str],
) -> None:
    printed: list[str] = []

    def evaluate(weights: np.ndarray) -> Mapping[str, float]:
        printed.append(capsys.readouterr().out)
        return {"word f1": 0.5}

    train(SyntheticPairs(40), SETTINGS, start_weights(), evaluate=evaluate, observer=TrainingProgress(40))
    assert printed[0] == ""
    for number, text in enumerate(printed[1:], 1):
        assert re.fullmatch(rf"epoch {number}: log-likelihood -.*, word f1 50\.00\n", text)


def test_a_resumed_run_tells_of_the_epochs_before_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checkpoint = tmp_path / "run.checkpoint"
    shorter = TrainingSettings(epochs=2, batch_size=8, seed=3)
    train(SyntheticPairs(40), shorter, start_weights(), checkpoint=checkpoint)
    progress = TrainingProgress(40)
    train(
        SyntheticPairs(40), SETTINGS, start_weights(), checkpoint=checkpoint, resume=True, observer=progress
    )
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [f"epoch {number}" for number in (1, 2, 3, 4)]
