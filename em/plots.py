"""Pictures of a training run and of a sweep; need matplotlib (``pip install 'forest-align[plot]'``)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forest_align.types import ForestAlignError

if TYPE_CHECKING:
    import optuna

    from forest_align.em.forest.state import EpochReport


_MISSING = "plots need matplotlib: pip install 'forest-align[plot]'"


class PlotError(ForestAlignError):
    """A requested plot cannot be drawn."""


def can_plot() -> bool:
    """Whether matplotlib is installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        return False
    return True


def check_plot(path: Path, model: Path | None = None) -> None:
    """Check, before hours of work, that a plot can be written to a file of this name.

    Raises PlotError if matplotlib is missing or cannot write files with this ending, or if the file's folder
    does not exist or is not writable.
    """
    if not can_plot():
        raise PlotError(_MISSING)
    from matplotlib.backend_bases import FigureCanvasBase

    if path.suffix.lower().removeprefix(".") not in FigureCanvasBase.get_supported_filetypes():
        raise PlotError(f"expected a plot file that ends in .png or .svg, found {str(path)!r}")
    if path.is_dir():
        raise PlotError(f"expected a plot file, found the folder {str(path)!r}")
    folder = path.absolute().parent
    if not os.access(folder, os.W_OK) and (folder.exists() or model is None or folder != model.absolute()):
        raise PlotError(f"expected a folder that a plot can be written to, found {str(folder)!r}")


def plot_learning_curve(history: Sequence[EpochReport], path: Path) -> None:
    """Draw log-likelihood, reachability, null share and dev scores over the epochs.

    Raises PlotError if matplotlib is missing, or cannot write such a file.
    """
    dev_names = sorted({name for report in history for name in report.dev})
    figure = _figure(6.0, 2.2 * (3 if dev_names else 2))
    axes = figure.subplots(3 if dev_names else 2, 1, sharex=True)
    epochs = [report.epoch for report in history]
    axes[0].plot(epochs, [report.log_likelihood for report in history], marker="o")
    axes[0].set_ylabel("log-likelihood a pair")
    axes[1].plot(epochs, [100 * report.reachability for report in history], marker="o", label="root reached")
    axes[1].plot(epochs, [100 * report.null_share for report in history], marker="s", label="words null")
    axes[1].set_ylabel("%")
    axes[1].legend()
    for name in dev_names:
        known = [report for report in history if name in report.dev]
        axes[2].plot([r.epoch for r in known], [100 * r.dev[name] for r in known], marker="o", label=name)
    if dev_names:
        axes[2].set_ylabel("dev, %")
        axes[2].legend()
    axes[-1].set_xlabel("epoch")
    axes[-1].xaxis.get_major_locator().set_params(integer=True)
    _save(figure, path)


def plot_sweep(study: optuna.Study, path: Path) -> None:
    """Draw the score of each trial, and the scores against each parameter; a ring marks the best trial.

    Raises PlotError if matplotlib is missing, or cannot write such a file.
    """
    trials: list[Any] = [t for t in study.get_trials(deepcopy=False) if t.state.name == "COMPLETE"]
    names = sorted({name for trial in trials for name in trial.params})
    figure = _figure(2.6 * (1 + len(names)), 3.0)
    axes = figure.subplots(1, 1 + len(names), sharey=True, squeeze=False)[0]
    axes[0].plot([trial.number for trial in trials], [trial.value for trial in trials], ".")
    best = max(trials, key=lambda trial: trial.value, default=None)
    if best is not None:
        axes[0].plot([best.number], [best.value], "o", fillstyle="none", markersize=10, label="best")
        axes[0].legend()
    axes[0].set_xlabel("trial")
    axes[0].set_ylabel("score (higher is better)")
    for axis, name in zip(axes[1:], names, strict=True):
        known = [trial for trial in trials if name in trial.params]
        axis.plot([trial.params[name] for trial in known], [trial.value for trial in known], ".")
        if best is not None and name in best.params:
            axis.plot([best.params[name]], [best.value], "o", fillstyle="none", markersize=10)
        axis.set_xlabel(name.replace("_", " "))
    _save(figure, path)


def _figure(width: float, height: float) -> Any:
    if not can_plot():
        raise PlotError(_MISSING)
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _save(figure: Any, path: Path) -> None:
    import matplotlib as mpl

    try:
        # Without a salt and with a date, no two SVG files of one run are equal.
        with mpl.rc_context({"svg.hashsalt": "forest-align"}):
            figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    except (ValueError, OSError) as error:
        raise PlotError(f"cannot write the plot {path}: {error}") from None
