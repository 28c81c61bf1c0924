"""What a benchmark run leaves behind: figures, and all that is needed to get them again."""

from __future__ import annotations

import hashlib
import math
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

from forest_align._version import __version__
from forest_align.eval.significance import approximate_randomization
from forest_align.eval.tables import HEADINGS, Row, citations, format_table, published_note, published_rows
from forest_align.eval.tasks.run import Run
from forest_align.eval.tasks.task import Figures

# Figures that tables show; the others are in the JSON report.
_SHOWN = (
    "precision",
    "recall",
    "f1",
    "pair_f1",
    "exact_match",
    "identical.f1",
    "non_identical.f1",
    "token.f1",
    "phrase.f1",
    "uas",
    "reachability",
    "accuracy",
    "map",
    "mrr",
    "pearson",
    "pearson.headlines",
    "pearson.OnWN",
    "pearson.FNWN",
)

# The figure that runs are compared by: the first that a table has.
_MAIN = ("f1", "accuracy", "map", "pearson")


def tables_text(runs: Sequence[Run], seed: int) -> str:
    """All tables of a benchmark, these runs' rows below the published ones, with references.

    Below a table stand the differences of each run to the first, with p-values seeded by ``seed``.
    """
    names = dict.fromkeys(figures.table for run in runs for figures in run.figures)
    parts: list[str] = []
    cited: list[Row] = []
    for name in names:
        published = published_rows(name)
        cited += published
        ours = [
            Row(figures.label or f"{_name(run, figures)} (this run)", figures.values)
            for run in runs
            for figures in run.figures
            if figures.table == name
        ]
        # What does not depend on the aligner comes with every run, and is printed once.
        ours = list({row.system: row for row in ours}.values())
        parts += [f"### {name}", *filter(None, [published_note(name)])]
        parts.append(format_table([*published, *ours], _columns(published, ours)))
        parts += _differences(runs, name, seed)
    if references := citations(cited):
        parts.append("\n".join(references))
    return "\n\n".join(parts)


def _differences(runs: Sequence[Run], table: str, seed: int) -> list[str]:
    """A line for each row but the first: the difference in the main figure and its p-value."""
    by_aligner = {
        _name(run, figures): figures for run in runs for figures in run.figures if figures.table == table
    }
    if len(by_aligner) < 2:
        return []
    (first, base), *others = by_aligner.items()
    found = []
    for aligner, figures in others:
        for name in [name for name in _MAIN if name in figures.statistics and name in base.statistics][:1]:
            test = approximate_randomization(figures.statistics[name], base.statistics[name], seed=seed)
            gap = f"{HEADINGS[name]} {100 * test.difference:+.1f}, p = {test.p_value:.4f}"
            found.append(f"{aligner} against {first}: {gap} (approximate randomization)")
    return found


def _name(run: Run, figures: Figures) -> str:
    return f"{run.aligner}, {figures.use}" if figures.use else run.aligner


def _columns(published: Sequence[Row], ours: Sequence[Row]) -> list[str]:
    """Columns that somebody filled; those that only our row has in an odd place stay in the report."""
    present = {name for row in [*published, *ours] for name in row.values}
    known = [name for name in HEADINGS if name in present and name in _SHOWN]
    if not any("pair_f1" in row.values for row in published):
        known = [name for name in known if name != "pair_f1"]
    return known


def report(run: Run, files: Sequence[Path], data: Path, seed: int) -> dict[str, object]:
    """Everything about one run as JSON values; figures and intervals in percent.

    Parameters
    ----------
    run : Run
        The run.
    files, data : sequence of Path, Path
        Files that were read, and the folder that they are named relative to.
    seed : int
        Seed of the intervals.
    """
    return {
        "benchmark": run.benchmark,
        "split": run.split,
        "aligner": run.aligner,
        "settings": dict(run.settings),
        "tables": {
            ", ".join(filter(None, [found.table, found.use])): _table(found, seed) for found in run.figures
        },
        "pairs": len(run.alignments),
        "failed": run.errors(),
        "seconds": round(run.seconds, 3),
        "resumed": run.resumed,
        "seed": seed,
        "data": {str(path.relative_to(data)): _digest(path) for path in files},
        "versions": versions(),
    }


def _table(found: Figures, seed: int) -> dict[str, object]:
    return {
        # A threshold that nothing reaches is infinite, which JSON cannot say.
        "values": {
            name: round(value, 4) if math.isfinite(value) else None for name, value in found.values.items()
        },
        "intervals": {
            name: [round(low, 4), round(high, 4)] for name, (low, high) in found.intervals(seed).items()
        },
        "published": [
            {"system": row.system, "source": row.source, "values": dict(row.values)}
            for row in published_rows(found.table)
        ],
    }


def versions() -> dict[str, str]:
    """Versions of what can change a result; of torch only if it was used."""
    found = {"forest-align": __version__, "python": platform.python_version()}
    for name in ("numpy", "torch", "transformers", "highspy"):
        if name in sys.modules:
            found[name] = str(getattr(sys.modules[name], "__version__", "unknown"))
    return found


def _digest(path: Path) -> str:
    return "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
