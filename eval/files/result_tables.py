"""Readable tables: scores of this run together with published rows."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from forest_align._version import __version__

#: Names of figures -> headings. Percentages throughout.
HEADINGS = {
    "precision": "P",
    "recall": "R",
    "f1": "F1",
    "exact_match": "exact",
    "micro_f1": "micro F1",
    "pair_f1": "pair F1",
    **{
        f"{kind}.{name}": f"{heading} {short}"
        for kind, short in (
            ("identical", "ident"),
            ("non_identical", "non"),
            ("token", "token"),
            ("phrase", "phrase"),
        )
        for name, heading in (("precision", "P"), ("recall", "R"), ("f1", "F1"))
    },
    "f1.alignment": "F1 Ali",
    "f1.type": "F1 Type",
    "f1.score": "F1 Score",
    "f1.type_and_score": "F1 Typ+Sco",
    "same.f1": "F1 same",
    "different.f1": "F1 different",
    "exact": "exact",
    "near": "near",
    "linked": "linked",
    "clean": "clean",
    "left_alone": "left alone",
    "phrase_precision": "P phrases",
    "near_precision": "P near",
    "near_recall": "R near",
    "near_f1": "F near",
    "exact_precision": "P exact",
    "exact_recall": "R exact",
    "exact_f1": "F exact",
    "core_error": "ECE",
    "uas": "UAS",
    "reachability": "reached",
    "pearson": "r",
    "pearson.headlines": "r headlines",
    "pearson.OnWN": "r OnWN",
    "pearson.FNWN": "r FNWN",
    "entailment.f1": "F1 entailed",
    "denied": "denied",
    "false": "false",
    "auc": "AUC",
    "accuracy": "accuracy",
    "map": "MAP",
    "mrr": "MRR",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table."""

    system: str
    values: Mapping[str, float]  # in percent; unreported ones are missing
    source: str = ""  # publication; empty for our own run
    note: str = ""  # shown below the table, for comparison


def published_rows(table: str) -> list[Row]:
    """Published rows of a table, oldest first; none if no known paper has them."""
    rows = _published()["tables"].get(table, [])
    return [Row(row["system"], row["values"], row["source"], row.get("note", "")) for row in rows]


def published_note(table: str) -> str:
    """A note that a reader needs about the published rows of a table; may be empty."""
    return str(_published()["notes"].get(table, ""))


def citations(rows: Iterable[Row]) -> list[str]:
    """References of the sources of rows, ``key: reference``, without repetition."""
    known = _published()["citations"]
    keys = sorted({row.source.split(",")[0] for row in rows if row.source})
    return [f"{key}: {known[key]}" for key in keys]


def _published() -> dict[str, dict]:
    text = resources.files("forest_align.eval").joinpath("published.json").read_text(encoding="utf-8")
    published: dict[str, dict] = json.loads(text)
    return published


def format_table(rows: Sequence[Row], figures: Sequence[str] | None = None, first: str = "system") -> str:
    """Lay rows out as a Markdown table that also reads well as plain text, with the rows' notes below it.

    ``figures`` are the columns, by default all that any row has, in the order of :data:`HEADINGS`.
    """
    if figures is None:
        present = {name for row in rows for name in row.values}
        figures = [name for name in HEADINGS if name in present] + sorted(present - set(HEADINGS))
    has_source = any(row.source for row in rows)
    notes = list(dict.fromkeys(row.note for row in rows if row.note))
    head = [first, *(HEADINGS.get(name, name) for name in figures), *(["source"] if has_source else [])]
    lines = [
        [
            f"{row.system} [{notes.index(row.note) + 1}]" if row.note else row.system,
            *(_cell(row.values.get(name)) for name in figures),
            *([row.source] if has_source else []),
        ]
        for row in rows
    ]
    widths = [max(len(line[k]) for line in [head, *lines]) for k in range(len(head))]
    is_text = [k == 0 or (has_source and k == len(head) - 1) for k in range(len(head))]

    def text(line: Sequence[str]) -> str:
        cells = [
            cell.ljust(width) if is_text[k] else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        return "| " + " | ".join(cells) + " |"

    rule = ["-" * w if is_text[k] else "-" * (w - 1) + ":" for k, w in enumerate(widths)]
    table = "\n".join([text(head), "| " + " | ".join(rule) + " |", *map(text, lines)])
    return "\n\n".join([table, *(f"[{number}] {note}" for number, note in enumerate(notes, start=1))])


def _cell(value: float | None) -> str:
    # Round halves away from zero: in binary, most values shown as 61.65 are slightly less.
    return "" if value is None else f"{value + math.copysign(1e-9, value):.1f}"


def signature(settings: Mapping[str, object]) -> str:
    """Join settings as ``key:value`` with bars, the version last, such as ``links:sure|version:0.1.0``."""
    return "|".join([*(f"{key}:{value}" for key, value in settings.items()), f"version:{__version__}"])
