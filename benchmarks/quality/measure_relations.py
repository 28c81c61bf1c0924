"""Measure how the relation of two whole sentences agrees with what people said of them (SICK, PAWS).

For each label the share of pairs whose whole sentences are equivalent, more specific, and so on. No model of
relations has learned from these pairs.

    python benchmarks/quality/measure_relations.py DATA/extrinsic/sick/train.txt
    python benchmarks/quality/measure_relations.py DATA/extrinsic/paws/dev.tsv
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from forest_align import Alignment, load
from forest_align.types import InputError

#: Columns of the two sentences and of the label, for each corpus.
COLUMNS = (("sentence_A", "sentence_B", "entailment_judgment"), ("sentence1", "sentence2", "label"))
RELATIONS = ("equivalent", "more specific", "more general", "different", "opposite", "nothing known")


def read_labelled(path: Path, limit: int | None = None) -> list[tuple[str, str, str]]:
    """The sentence pairs of a table with a header, each with its label.

    Raises
    ------
    InputError
        If the table has other columns.
    """
    with path.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        columns = next((names for names in COLUMNS if {*names} <= {*(rows.fieldnames or ())}), None)
        if columns is None:
            expected = " or ".join(map(", ".join, COLUMNS))
            raise InputError(f"expected the columns {expected}, found {rows.fieldnames}", file=str(path))
        one, two, label = columns
        return [(row[one], row[two], row[label]) for row in islice(rows, limit)]


def root_relation(alignment: Alignment) -> str:
    """The relation of the whole sentences of an alignment."""
    roots = (pair.relation for pair in alignment.phrases if alignment.is_root_pair(pair))
    relation = next(roots, None)
    return "nothing known" if relation is None else relation.name


def table(labels: Sequence[str], relations: Sequence[str]) -> list[str]:
    """A line of percentages for each label."""
    counts = Counter(zip(labels, relations, strict=True))
    lines = [f"| label | pairs | {' | '.join(RELATIONS)} |", "|---" * (len(RELATIONS) + 2) + "|"]
    for label in sorted({*labels}):
        size = sum(counts[label, name] for name in RELATIONS)
        shares = (f"{100 * counts[label, name] / size:.1f}" for name in RELATIONS)
        lines.append(f"| {label} | {size} | {' | '.join(shares)} |")
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Align the pairs of a file and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("file", type=Path, help="train.txt of SICK, or dev.tsv of PAWS")
    parser.add_argument("--limit", type=int, metavar="N", help="the first N pairs; default: all")
    options = parser.parse_args(arguments)
    rows = read_labelled(options.file, options.limit)
    aligned = load("forest").align_many([(one, two) for one, two, _ in rows])
    found = [(label, one) for (_, _, label), one in zip(rows, aligned, strict=True) if not one.error]
    print(*table([label for label, _ in found], [root_relation(one) for _, one in found]), sep="\n")


if __name__ == "__main__":
    main()
