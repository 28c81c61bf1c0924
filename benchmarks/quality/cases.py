"""Measure word links on small cases that were made from reports of faults.

Prints a table for each aligner: for each kind of fault, precision and recall of the links that a case
decides on, and the cases that are right. A case is right if all links that must be there are found and none
that must not. Links on which a case says nothing count neither way. Debatable cases have their own rows.

Examples
--------
python benchmarks/quality/cases.py ../shared/cases/alignment.jsonl
python benchmarks/quality/cases.py ../shared/cases/alignment.jsonl --aligner contextual --list
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import forest_align
from forest_align.aligners.base import Aligner
from forest_align.alignment import Alignment
from forest_align.types import InputError
from forest_align.types.json_fields import check_boolean, check_list, check_text

#: A word of a sentence and the number of its occurrence, from 1.
Word = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Case:
    """Two raw texts, and what their alignment must and must not have.

    Attributes
    ----------
    kind : str
        Kind of fault that the case shows.
    source, target : str
        Raw texts.
    must_have, must_not_have : tuple of (Word, Word)
        Links, as a word of the source and one of the target.
    aligners : tuple of str
        Names of the aligners that the case is for.
    is_control : bool
        Whether the case was right when it was written.
    is_debatable : bool
        Whether annotators differ on it.
    """

    kind: str
    source: str
    target: str
    must_have: tuple[tuple[Word, Word], ...]
    must_not_have: tuple[tuple[Word, Word], ...]
    aligners: tuple[str, ...]
    is_control: bool
    is_debatable: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """Numbers of links of some cases, and of cases.

    Attributes
    ----------
    found, wanted : int
        Links that must be there: those that are, and all.
    wrong : int
        Links that are there and must not be.
    right, cases : int
        Cases that are right, and all.
    """

    found: int = 0
    wanted: int = 0
    wrong: int = 0
    right: int = 0
    cases: int = 0

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(
            self.found + other.found,
            self.wanted + other.wanted,
            self.wrong + other.wrong,
            self.right + other.right,
            self.cases + other.cases,
        )

    def cells(self) -> tuple[str, str, str]:
        """Precision and recall in per cent, and how many of the cases are right."""
        precision = 100 * self.found / (self.found + self.wrong) if self.found + self.wrong else 100.0
        recall = 100 * self.found / self.wanted if self.wanted else 100.0
        return f"{precision:.1f}", f"{recall:.1f}", f"{self.right}/{self.cases}"


def read_cases(path: Path) -> list[Case]:
    """Read cases from JSON lines.

    Raises
    ------
    InputError
        If a line is not a case.
    """
    cases = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            cases.append(case_of(json.loads(line)))
        except (ValueError, KeyError, TypeError, InputError) as error:
            raise InputError(f"expected a case, found {error}", file=str(path), line=number) from None
    return cases


def case_of(values: dict[str, Any]) -> Case:
    """Read one case."""
    return Case(
        kind=check_text(values["kind"], "kind"),
        source=check_text(values["source"], "source"),
        target=check_text(values["target"], "target"),
        must_have=_links(values, "must_have"),
        must_not_have=_links(values, "must_not_have"),
        aligners=tuple(check_text(name, "aligners") for name in check_list(values["aligners"], "aligners")),
        is_control=not check_boolean(values["fails_now"], "fails_now"),
        is_debatable=check_boolean(values["debatable"], "debatable"),
    )


def _links(values: dict[str, Any], field: str) -> tuple[tuple[Word, Word], ...]:
    return tuple((_word(one), _word(other)) for one, other in check_list(values[field], field))


def _word(text: str) -> Word:
    """Split ``cat#2``, the second *cat* of a sentence."""
    word, _, number = text.rpartition("#")
    return word, int(number)


def numbered(words: Iterable[str]) -> list[Word]:
    """The words, each with the number of its occurrence."""
    counts: dict[str, int] = {}
    found = []
    for word in words:
        counts[word] = counts.get(word, 0) + 1
        found.append((word, counts[word]))
    return found


def judge(case: Case, alignment: Alignment) -> Outcome:
    """Compare an alignment with a case. A link of a word that no token has is not there."""
    source, target = numbered(alignment.source.words), numbered(alignment.target.words)
    links = {(source[i], target[j]) for i, j in alignment.words}
    found = len(links.intersection(case.must_have))
    wrong = len(links.intersection(case.must_not_have))
    right = found == len(case.must_have) and not wrong and not alignment.error
    return Outcome(found, len(case.must_have), wrong, int(right), 1)


def judged(aligner: Aligner, cases: Sequence[Case]) -> Iterator[tuple[Case, Alignment, Outcome]]:
    """The alignment and the outcome of each case that is for aligners of this kind."""
    chosen = [case for case in cases if aligner.name in case.aligners]
    results = aligner.align_many((case.source, case.target) for case in chosen)
    for case, result in zip(chosen, results, strict=True):
        yield case, result, judge(case, result)


def table(name: str, outcomes: Iterable[tuple[str, Outcome]]) -> Iterator[str]:
    """The lines of a table with a row for each kind and one for all."""
    rows: dict[str, Outcome] = {}
    for kind, outcome in outcomes:
        for row in (kind, "all"):
            rows[row] = rows.get(row, Outcome()) + outcome
    yield f"| {name} | P | R | right |"
    yield "|---|---|---|---|"
    rows["all"] = rows.pop("all")
    for row, outcome in rows.items():
        yield f"| {row} | {' | '.join(outcome.cells())} |"


def describe(case: Case, alignment: Alignment) -> str:
    """A case that is wrong: its texts, the links that it lacks, and those that it should not have."""
    source, target = numbered(alignment.source.words), numbered(alignment.target.words)
    links = {(source[i], target[j]) for i, j in alignment.words}
    parts = [("lacks", set(case.must_have) - links), ("has", links.intersection(case.must_not_have))]
    listed = [
        f"{label} " + ", ".join(f"{a}#{n}–{b}#{k}" for (a, n), (b, k) in sorted(found))
        for label, found in parts
        if found
    ]
    mark = "control, " if case.is_control else ""
    return f"- {mark}{case.kind}: {case.source} ↔ {case.target}: {'; '.join(listed) or alignment.error}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table for each aligner."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="the cases, JSON lines")
    parser.add_argument(
        "--aligner",
        action="append",
        metavar="NAME",
        help="name or folder of a model (default: those of the cases)",
    )
    parser.add_argument("--list", action="store_true", help="list the cases that are wrong")
    options = parser.parse_args(arguments)
    cases = read_cases(options.file)
    for name in options.aligner or dict.fromkeys(name for case in cases for name in case.aligners):
        found = list(judged(forest_align.load(name), cases))
        groups = {"": lambda case: not (case.is_control or case.is_debatable)}
        groups["controls"] = lambda case: case.is_control and not case.is_debatable
        groups["debatable"] = lambda case: case.is_debatable
        for group, belongs in groups.items():
            outcomes = [(case.kind, outcome) for case, _, outcome in found if belongs(case)]
            if outcomes:
                print("\n".join(table(f"{name}, {group}" if group else name, outcomes)) + "\n", flush=True)
        for case, alignment, outcome in found if options.list else ():
            if not outcome.right:
                print(describe(case, alignment))


if __name__ == "__main__":
    main()
