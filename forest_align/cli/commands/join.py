"""The ``join`` command: parts of runs with ``--shard`` or ``--engine`` in, the output of one run out."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from forest_align.cli import EXIT_OK, EXIT_SOME_FAILED
from forest_align.cli.arguments import argument, format_of_output, option, output_option
from forest_align.cli.commands.align import OUTPUTS
from forest_align.cli.commands.extract import no_alignments, write_table
from forest_align.data.phrases.counts import PhraseCounts
from forest_align.data.phrases.phrase_table import TABLE_FORMATS
from forest_align.data.text.lines import refuse_compressed
from forest_align.jobs.part_folder import PartFolder
from forest_align.jobs.shards import joined_blocks
from forest_align.storage.outputs import end_block, open_output
from forest_align.system.terminal import positive
from forest_align.types import InputError

_COUNTS = ".counts"


EPILOG = (
    "examples:\n"
    "  forest-align align pairs.tsv -o parts --shard 1/2\n"
    "  forest-align align pairs.tsv -o parts --shard 2/2\n"
    "  forest-align join parts -o alignments.jsonl.gz\n\n"
    "The output has the bytes of a run without --shard or --engine. It replaces an older file\n"
    "when it is complete.\n"
    "exit status: 0 joined, 1 joined and some items have errors, 2 bad usage, or a part is missing,\n"
    "unfinished, changed, or made from another input"
)


@dataclass(frozen=True, slots=True)
class _JoinOptions:
    """Options of the command."""

    folder: str = argument("FOLDER", help="the folder with the parts")
    output: str | None = output_option()
    to: str | None = option(
        "--to",
        choices=tuple(TABLE_FORMATS),
        help="format of a phrase table, of parts of 'extract'; default: by the extension of OUT, else tsv",
    )
    min_count: int | None = option(
        "--min-count N",
        type=positive,
        help="drop phrase pairs that were aligned less often, of parts of 'extract'; default: 1",
    )


OPTIONS = _JoinOptions


def run(options: _JoinOptions) -> int:
    """Join and write; return the exit status."""
    folder = PartFolder.open(Path(options.folder))
    if folder.suffix == ".parquet":
        raise InputError(
            "Parquet parts are a table already: read the folder's *.parquet", file=options.folder
        )
    if folder.suffix == _COUNTS:
        return _join_counts(folder, options)
    for flag, value in (("--to", options.to), ("--min-count", options.min_count)):
        if value is not None:
            raise InputError(f"{flag} is for parts of 'extract'; these are parts of '{folder.command}'")
    _check_name(folder, options.output)
    reports = folder.reports()
    with open_output(options.output, may_pack=True, replace=True) as out:
        for text in joined_blocks(folder, reports):
            out.write(text)
            end_block(out)
    failures = sum(report.failures for report in reports)
    failed = f"; {failures} of them have an error" if failures else ""
    items = sum(report.items for report in reports)
    print(f"forest-align join: {items} items of {folder.parts} parts{failed}", file=sys.stderr)
    return EXIT_SOME_FAILED if failures else EXIT_OK


def _check_name(folder: PartFolder, output: str | None) -> None:
    """Refuse a name for another format, or for compressed text where the command does not compress."""
    if folder.command == "align":
        kind = folder.made_with.get("--to", "jsonl")
        if format_of_output(output, OUTPUTS, default=kind) != kind:
            raise InputError(f"the parts are {kind}; expected a name for that", file=output)
    elif output is not None:
        refuse_compressed(output)


def _join_counts(folder: PartFolder, options: _JoinOptions) -> int:
    table = TABLE_FORMATS[options.to or format_of_output(options.output, TABLE_FORMATS, "tsv")]
    if options.output is not None:
        refuse_compressed(options.output)
    broken = sum(report.failures for report in folder.reports())
    parts = [folder.part(number) for number in range(1, folder.parts + 1)]
    with PhraseCounts.of_parts(parts) as counts:
        if broken and not counts.alignments and not counts.failed:
            raise no_alignments(broken, options.folder)
        write_table(counts, table, options.output, options.min_count or 1, broken)
    return EXIT_SOME_FAILED if broken else EXIT_OK
