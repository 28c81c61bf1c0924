"""Plots are drawn where matplotlib is installed, and say what to install where it is not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import optuna
import pytest

from forest_align.em.forest.state import EpochReport
from forest_align.em.plots import PlotError, can_plot, check_plot, plot_learning_curve, plot_sweep

pytest.importorskip("matplotlib", reason="matplotlib is not installed (extra 'plot')")

HISTORY = (
    EpochReport(1, -9.0, -90.0, 0.9, 0.3, {"word F1": 0.8}),
    EpochReport(2, -8.5, -85.0, 0.95, 0.28, {"word F1": 0.82}),
)


def test_a_learning_curve_becomes_a_picture(tmp_path: Path) -> None:
    plot_learning_curve(HISTORY, tmp_path / "curve.svg")
    assert "dev, %" in _texts(tmp_path / "curve.svg")
    plot_learning_curve(HISTORY, tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_bytes() == (tmp_path / "curve.svg").read_bytes()
    plot_learning_curve(HISTORY[:1], tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def drawn(monkeypatch: pytest.MonkeyPatch, draw: Callable[[Path], None]) -> list[list[Any]]:
    """The lines of each panel of the picture."""
    figures: list[Any] = []
    monkeypatch.setattr("forest_align.em.plots._save", lambda figure, path: figures.append(figure))
    draw(Path("unused.svg"))
    return [panel.get_lines() for panel in figures[0].axes]


def test_the_learning_curve_shows_what_the_reports_say(monkeypatch: pytest.MonkeyPatch) -> None:
    likelihood, shares, dev = drawn(monkeypatch, partial(plot_learning_curve, HISTORY))
    assert [list(line.get_ydata()) for line in likelihood] == [[-9.0, -8.5]]
    values = {line.get_label(): list(line.get_ydata()) for line in (*shares, *dev)}
    expected = {"root reached": [90, 95], "words null": [30, 28], "word F1": [80, 82]}
    assert values == {name: pytest.approx(numbers) for name, numbers in expected.items()}
    assert all(list(line.get_xdata()) == [1, 2] for line in (*likelihood, *shares, *dev))


def test_a_sweep_shows_the_trials_that_were_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    def score(trial: optuna.Trial) -> float:
        if trial.number == 1:
            raise optuna.TrialPruned
        return trial.suggest_int("beam", 10, 20) + trial.number / 10

    study = optuna.create_study(direction="maximize")
    study.optimize(score, n_trials=3)
    ((scores, best), (beams, _)) = drawn(monkeypatch, partial(plot_sweep, study))
    values = [study.trials[k].value for k in (0, 2)]
    assert (list(scores.get_xdata()), list(scores.get_ydata())) == ([0, 2], values)
    assert list(beams.get_xdata()) == [study.trials[k].params["beam"] for k in (0, 2)]
    assert list(beams.get_ydata()) == values
    assert (list(best.get_xdata()), list(best.get_ydata())) == ([study.best_trial.number], [study.best_value])


def _texts(path: Path) -> str:
    # Text is drawn as outlines; matplotlib names each in a comment.
    return " ".join(line for line in path.read_text().splitlines() if line.lstrip().startswith("<!--"))


def test_a_sweep_becomes_a_picture_with_a_panel_for_each_parameter(tmp_path: Path) -> None:
    study = optuna.create_study(direction="maximize")
    study.optimize(lambda trial: -abs(trial.suggest_float("null_penalty", 1, 2) - 1.5), n_trials=3)
    plot_sweep(study, tmp_path / "sweep.svg")
    assert "null penalty" in _texts(tmp_path / "sweep.svg")


def test_a_plot_into_a_folder_that_is_missing_is_refused_but_for_that_of_the_model(tmp_path: Path) -> None:
    (tmp_path / "folder.svg").mkdir()
    for path, message in (("absent/curve.svg", "absent"), ("folder.svg", "found the folder")):
        with pytest.raises(PlotError, match=message):
            check_plot(tmp_path / path, tmp_path / "model")
    for path in ("curve.svg", "model/curve.svg"):
        check_plot(tmp_path / path, tmp_path / "model")


def test_without_matplotlib_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert not can_plot()
    for draw in (check_plot, partial(plot_learning_curve, HISTORY)):
        with pytest.raises(PlotError, match=r"forest-align\[plot\]"):
            draw(tmp_path / "curve.png")
