"""What ``align -o OUT.parquet`` does before and after it writes JSON lines."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from forest_align.aligners import Aligner
from forest_align.cli.align_options import AlignOptions
from forest_align.cli.input_pairs import Item
from forest_align.cli.option_rules import refuse_with
from forest_align.data.formats.arrow_tables import import_pyarrow
from forest_align.data.text.lines import refuse_compressed
from forest_align.jobs.parquet_output import check_finished, write_parquet
from forest_align.jobs.run_record import Outcome
from forest_align.types import InputError


def write_lines_first(options: AlignOptions) -> tuple[Path, AlignOptions]:
    """The Parquet file, and options to write JSON lines next to it first."""
    if options.output is None:
        raise InputError("--to parquet needs -o OUT")
    check_table_options(options)
    refuse_compressed(options.output)
    table = Path(options.output)
    return table, replace(options, output=f"{table}.jsonl.gz", to="jsonl")


def check_table_options(options: AlignOptions) -> None:
    """Make sure that a table can be written, and has a place for what the options ask for."""
    refuse_with("--to parquet", options, "--to parquet")
    import_pyarrow()


def finished_table(
    table: Path, lines: Path, settings: Mapping[str, str], items: Iterable[Item]
) -> Outcome | None:
    """What a file has that an earlier run has finished with the same settings; None if it must be made."""
    if lines.exists() or not table.exists():
        return None
    outcome = check_finished(table, settings, (item.texts for item in items))
    print(f"forest-align align: {table} has all {outcome.lines} pairs already", file=sys.stderr)
    return outcome


def finish_table(table: Path, lines: Path, settings: Mapping[str, str], aligner: Aligner) -> None:
    """Make the Parquet file of the JSON lines, and remove these with their record."""
    write_parquet(lines, table, aligner.made_by, settings)
    lines.unlink()
    lines.with_name(f"{lines.name}.run").unlink(missing_ok=True)
