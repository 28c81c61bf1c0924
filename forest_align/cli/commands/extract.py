"""The ``extract`` command: alignments in, a table of the phrases that correspond out."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align._version import __version__
from forest_align.cli import EXIT_OK, EXIT_SOME_FAILED
from forest_align.cli.arguments import argument, format_of_output, option, output_option, part, refuse_with
from forest_align.cli.input_reports import SkippedInputs, expected_count
from forest_align.cli.run_options import ClusterOptions, check_shard, shard_option
from forest_align.data.phrases.counts import PhraseCounts
from forest_align.data.phrases.input import Position, read_alignments
from forest_align.data.phrases.occurrences import Selection
from forest_align.data.phrases.phrase_table import TABLE_FORMATS, TableFormat
from forest_align.data.text.lines import STANDARD_INPUT, refuse_compressed
from forest_align.jobs.part_folder import PartFolder, described_inputs
from forest_align.jobs.ray_cluster import PartWork, run_parts
from forest_align.jobs.run_record import block_lines
from forest_align.jobs.shards import Shard, Share, shard_size
from forest_align.storage.outputs import open_output, refuse_overwriting
from forest_align.system.remote_files import expand
from forest_align.system.replacing import sync_folder
from forest_align.system.terminal import counted, positive
from forest_align.types import InputError

if TYPE_CHECKING:
    from forest_align.jobs import RayOptions


_LISTING = "\n".join(f"  {name:<6} {table.summary}" for name, table in TABLE_FORMATS.items())
EPILOG = (
    "examples:\n"
    "  forest-align extract alignments.jsonl -o phrases.tsv\n"
    "  forest-align extract part-*.jsonl.gz --symmetric --min-count 3 --to ppdb -o phrases.ppdb\n"
    "  forest-align extract alignments.jsonl --max-words 1 --min-count 2 -o words.tsv\n"
    "  forest-align align pairs.tsv --ppdb words.tsv\n\n"
    f"formats (--to):\n{_LISTING}\n\n"
    "The pairs of the highest expected counts come first; the order of the input does not matter.\n"
    "Counts are kept in OUT.counts until the table is written, so that --resume can continue from them.\n"
    "exit status: 0 all lines counted, 1 some were broken and left out, 2 bad usage or input"
)
_DEFAULTS = Selection()


@dataclass(frozen=True, slots=True)
class _ExtractOptions:
    """Options of the command."""

    alignments: tuple[str, ...] = argument(
        "ALIGNMENTS",
        nargs="+",
        help="files that 'forest-align align' wrote (JSON lines, perhaps gzipped); - for standard input",
    )
    output: str | None = output_option()
    to: str | None = option(
        "--to", choices=tuple(TABLE_FORMATS), help="output format; default: by the extension of OUT, else tsv"
    )
    symmetric: bool = option(
        "--symmetric",
        action="store_true",
        help="a table of paraphrases: count each pair in both directions, list it once",
    )
    min_probability: float = option(
        "--min-probability P",
        type=float,
        default=_DEFAULTS.min_probability,
        help="skip phrase pairs less probable than P",
    )
    min_count: int | None = option(
        "--min-count N", type=positive, help="drop pairs that were aligned less often; default: 1"
    )
    max_words: int = option(
        "--max-words N",
        type=positive,
        default=_DEFAULTS.max_words,
        help="maximum number of words in a phrase",
    )
    constituents: bool = option(
        "--constituents",
        action="store_true",
        help="pairs of constituents alone; no parts of them, such as VP'",
    )
    identical: bool = option("--identical", action="store_true", help="pairs of equal phrases as well")
    expanded: bool = option(
        "--expanded",
        action="store_true",
        help="pairs that differ from a smaller pair inside of them by equal words only, as well "
        "('a big cat', 'a large cat' beside 'big', 'large')",
    )
    keep_case: bool = option("--keep-case", action="store_true", help="keep upper and lower case distinct")
    resume: bool = option(
        "--resume", action="store_true", help="continue an interrupted run with the same OUT"
    )
    shard: Shard | None = shard_option("alignments")
    cluster: ClusterOptions = part(ClusterOptions)


OPTIONS = _ExtractOptions


def run(options: _ExtractOptions) -> int:
    """Count and write; return the exit status."""
    selection = Selection(
        min_probability=options.min_probability,
        max_words=options.max_words,
        constituents=options.constituents,
        identical=options.identical,
        expanded=options.expanded,
        keep_case=options.keep_case,
        symmetric=options.symmetric,
    )
    engine = options.cluster.cluster()
    if engine is not None:
        return _count_on_engine(options, selection, engine)
    if options.shard is not None:
        return _count_shard(options, options.shard, selection)
    table = TABLE_FORMATS[options.to or format_of_output(options.output, TABLE_FORMATS, "tsv")]
    _check_files(options.alignments, options.output)
    kept = _counts_file(options.alignments, options.output)
    if options.resume and kept is None:
        raise InputError("--resume needs -o OUT, a file, and inputs that can be read again: not -, no pipe")
    with PhraseCounts(selection, kept, inputs=options.alignments, resume=options.resume) as counts:
        broken = _count_alignments(counts, options.alignments)
        if broken and not counts.alignments and not counts.failed:
            counts.delete()
            raise no_alignments(broken, options.alignments[0])
        write_table(counts, table, options.output, options.min_count or 1, broken)
        counts.delete()
    return EXIT_SOME_FAILED if broken else EXIT_OK


def no_alignments(broken: int, file: str) -> InputError:
    """The error for inputs that have broken lines only."""
    message = f"expected alignments that 'forest-align align' wrote, found {broken} lines that are none"
    return InputError(message, file=file)


def write_table(
    counts: PhraseCounts, table: TableFormat, output: str | None, min_count: int, broken: int
) -> None:
    """Write the table of all counts, and report how many there are; ``broken`` lines were left out."""
    entries = counts.entries(min_count)
    to_terminal = output is None and sys.stdout is not None and sys.stdout.isatty()
    written = 0
    with open_output(output, replace=True) as out:
        out.write(table.header)
        for entry in counted(entries, "pairs of phrases", hidden=to_terminal):
            out.write(table.line(entry))
            written += 1
    failed = f", {counts.failed} with an error skipped" if counts.failed else ""
    left_out = f", {broken} broken lines left out" if broken else ""
    print(
        f"forest-align extract: {counts.alignments} alignments{failed}{left_out}; "
        f"{written} of {len(counts)} pairs of phrases written",
        file=sys.stderr,
    )


def _count_shard(options: _ExtractOptions, shard: Shard, selection: Selection) -> int:
    """Count the alignments of one shard into a part; return the exit status."""
    refuse_with("extract --shard", options)
    check_shard(options, (None,))
    share = Share(shard, block_lines(1))
    folder = _begun_folder(options, selection, shard.count, share.block)
    if (report := folder.report_finished(shard.number)) is not None:
        return EXIT_SOME_FAILED if report.failures else EXIT_OK
    with PhraseCounts(selection, folder.part(shard.number), inputs=options.alignments, resume=True) as counts:
        broken = _count_alignments(counts, options.alignments, lambda line: share.takes((line,)))
        counts.save()
        print(
            f"forest-align extract: {counts.alignments} alignments in shard {shard.number} of {shard.count}",
            file=sys.stderr,
        )
    items = shard_size(share.items, shard, share.block)
    folder.finish(shard.number, {"items": items, "failures": broken}, share.read())
    return EXIT_SOME_FAILED if broken else EXIT_OK


def _count_on_engine(options: _ExtractOptions, selection: Selection, engine: RayOptions) -> int:
    """Count each input into a part of its own, on a cluster; return the exit status."""
    refuse_with("extract --engine", options)
    if options.output is None:
        raise InputError("--engine needs -o FOLDER, for the parts")
    if STANDARD_INPUT in options.alignments:
        raise InputError("--engine reads files, not standard input")
    options = replace(options, alignments=tuple(file for path in options.alignments for file in expand(path)))
    _check_files(options.alignments, None)
    folder = _begun_folder(options, selection, len(options.alignments), 0)
    parts = _CountedParts(folder, options.alignments, selection)
    failures = run_parts(PartWork(folder, parts.write, {"files": folder.parts}), "lines", engine)
    return EXIT_SOME_FAILED if failures else EXIT_OK


def _begun_folder(options: _ExtractOptions, selection: Selection, parts: int, block: int) -> PartFolder:
    """The folder of the parts, whose settings are those of this run."""
    settings = {
        "the version": __version__,
        "the list of inputs": " ".join(options.alignments),
        **{f"--{name.replace('_', '-')}": str(value) for name, value in asdict(selection).items()},
        **described_inputs([path for path in options.alignments if path != STANDARD_INPUT]),
    }
    folder = PartFolder(Path(str(options.output)), "extract", parts, ".counts", block, settings)
    folder.begin()
    return folder


def _check_files(inputs: Iterable[str], output: str | None) -> None:
    """Check before hours of counting that inputs can be read and the output written."""
    for path in inputs:
        # Opening and closing a pipe here would leave its writer without a reader.
        if path != STANDARD_INPUT and not Path(path).is_fifo():
            with open(path, "rb"):
                pass
        if output is not None:
            refuse_overwriting(path, [Path(output)])
    if output is not None:
        refuse_compressed(output)
        folder = Path(output).parent
        if Path(output).is_dir() or not (folder.is_dir() and os.access(folder, os.W_OK)):
            raise InputError(
                "cannot be written: expected a file in a folder that exists and can be written to",
                file=output,
            )


def _counts_file(inputs: Sequence[str], output: str | None) -> Path | None:
    """The file that keeps counts for a later run; None if a run could not be resumed."""
    if output is None or STANDARD_INPUT in inputs:
        return None
    # Pipes and devices cannot be read again.
    are_files = all(path.is_file() or not path.exists() for path in map(Path, [output, *inputs]))
    return Path(f"{output}.counts") if are_files else None


def _count_alignments(
    counts: PhraseCounts,
    paths: Sequence[str],
    wanted: Callable[[str], bool] | None = None,
    whole: Sequence[str] = (),
) -> int:
    """Count the alignments that are left; name the first broken lines, and return the number of all."""
    position = start = Position(*counts.position or ())
    if start.lines:
        print(f"forest-align extract: resuming after line {start.lines}", file=sys.stderr)
    with SkippedInputs("extract") as left_out:
        counts_of = [expected_count(path) for path in paths]
        total = None if wanted is not None or None in counts_of else sum(filter(None, counts_of))
        read = read_alignments(paths, start, wanted, whole=whole)
        for item, position in counted(read, "pairs", total=total, done=start.lines):
            if isinstance(item, InputError):
                left_out.add(item)
            else:
                counts.add(item, position)
    return position.broken


@dataclass(frozen=True, slots=True)
class _CountedParts:
    """Counts the alignments of each file into a part of its own."""

    folder: PartFolder
    paths: tuple[str, ...]
    selection: Selection

    def write(self, number: int) -> dict[str, int]:
        """Count the alignments of a file; return how many lines it has, and how many of them are broken."""
        part = self.folder.part(number)
        fresh = self.folder.scratch(number)  # a database has one user at a time
        with PhraseCounts(self.selection, fresh, inputs=self.paths) as counts:
            broken = _count_alignments(counts, [self.paths[number - 1]], whole=self.paths)
            counts.save()
            items = counts.alignments + counts.failed + broken
        fresh.replace(part)
        sync_folder(part.parent)
        return {"items": items, "failures": broken}
