"""Results of a sweep's study: the best values, the importance of parameters, a table of the trials."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from forest_align.types import InputError

if TYPE_CHECKING:
    import optuna


def count_states(study: optuna.Study, *names: str) -> int:
    """Count the trials in any of these states, such as ``COMPLETE``."""
    return sum(trial.state.name in names for trial in study.get_trials(deepcopy=False))


def best_values(study: optuna.Study) -> dict[str, float]:
    """Values of the best complete trial."""
    if not count_states(study, "COMPLETE"):
        raise InputError(f"the study {study.study_name!r} has no complete trial yet")
    return dict(study.best_params)


def importances(study: optuna.Study) -> dict[str, float]:
    """Share of each parameter in the difference between good and other trials (PED-ANOVA).

    Empty if there are too few trials, or if none of them is better than others.
    """
    import warnings

    import optuna

    if count_states(study, "COMPLETE") < 4:
        return {}
    evaluator = optuna.importance.PedAnovaImportanceEvaluator()
    with warnings.catch_warnings():  # Optuna warns if all trials have the same score
        warnings.simplefilter("ignore")
        found = optuna.importance.get_param_importances(study, evaluator=evaluator, normalize=False)
    total = sum(found.values())
    return {name: value / total for name, value in found.items()} if total else {}


def trial_table(study: optuna.Study, count: int = 10) -> str:
    """The best complete trials and the importances, as text."""
    complete = [trial for trial in study.get_trials(deepcopy=False) if trial.state.name == "COMPLETE"]
    complete.sort(key=lambda trial: (-trial.value, trial.number))
    names = sorted({name for trial in complete for name in trial.params})
    share = importances(study)
    header = ["trial", "score", *names]
    lines = [
        [str(t.number), f"{t.value:.3f}", *(_number(t.params.get(name)) for name in names)] for t in complete
    ]
    footer = ["", "importance", *(f"{share[name]:.2f}" if name in share else "-" for name in names)]
    table = [header, *lines[:count], footer]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    pruned, failed, begun = (count_states(study, state) for state in ("PRUNED", "FAIL", "RUNNING"))
    counted = f"{len(complete)} complete, {pruned} pruned"
    if failed:
        counted += f", {failed} interrupted and done again"
    if begun:
        # Those on other machines may still be running: they keep their place among the trials asked for.
        counted += (
            f", {begun} not ended: running, or killed on another machine (more trials make up for them)"
        )
    drawn = ("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in table)
    return "\n".join([*drawn, counted])


def winner_note(study: optuna.Study, start: Mapping[str, Any] | None) -> str:
    """Which trial won, what it changed and by how much, or that nothing better than the start was found."""
    complete = [trial for trial in study.get_trials(deepcopy=False) if trial.state.name == "COMPLETE"]
    if not complete:
        return "no trial is complete"
    best = min(complete, key=lambda trial: (-trial.value, trial.number))
    before = next((trial for trial in complete if start is not None and trial.params == dict(start)), None)
    if before is None:
        return f"trial {best.number} won with {best.value:.3f}"
    if best.value <= before.value:
        return f"nothing better was found than the values at the start ({before.value:.3f}): they are kept"
    changes = [
        f"{name} {_number(before.params.get(name))} → {_number(value)}"
        for name, value in sorted(best.params.items())
        if value != before.params.get(name)
    ]
    gain = f"{before.value:.3f} → {best.value:.3f}, +{best.value - before.value:.3f}"
    return f"trial {best.number} won ({gain}): {', '.join(changes)}"


def _number(value: Any) -> str:
    return "-" if value is None else f"{value:.3g}"
