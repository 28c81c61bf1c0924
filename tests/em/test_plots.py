"""Plots are drawn where matplotlib is installed, and say what to install where it is not."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import pytest

from forest_align.em.plots import PlotError, can_plot, check_plot, plot_learning_curve, plot_sweep
from forest_align.em.training_state import EpochReport

HISTORY = (
    EpochReport(1, -9.0, -90.0, 0.9, 0.3, {"word F1": 0.8}),
    EpochReport(2, -8.5, -85.0, 0.95, 0.28, {"word F1": 0.82}),
)


def test_a_learning_curve_becomes_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra 'plot')")
    plot_learning_curve(HISTORY, tmp_path / "curve.svg")
    assert "dev, %" in _texts(tmp_path / "curve.svg")
    plot_learning_curve(HISTORY[:1], tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def _texts(path: Path) -> str:
    # Text is drawn as outlines; matplotlib names each in a comment.
    return " ".join(line for line in path.read_text().splitlines() if line.lstrip().startswith("<!--"))


def test_a_sweep_becomes_a_picture_with_a_panel_for_each_parameter(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra 'plot')")
    import optuna

    study = optuna.create_study(direction="maximize")
    study.optimize(lambda trial: -abs(trial.suggest_float("null_penalty", 1, 2) - 1.5), n_trials=3)
    plot_sweep(study, tmp_path / "sweep.svg")
    assert "null penalty" in _texts(tmp_path / "sweep.svg")


def test_a_plot_of_an_unknown_kind_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra 'plot')")
    for draw in (check_plot, partial(plot_learning_curve, HISTORY)):
        with pytest.raises(PlotError, match=r"curve\.xyz"):
            draw(tmp_path / "curve.xyz")


def test_without_matplotlib_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert not can_plot()
    for draw in (check_plot, partial(plot_learning_curve, HISTORY)):
        with pytest.raises(PlotError, match=r"forest-align\[plot\]"):
            draw(tmp_path / "curve.png")
