"""The ``align`` command: sentence pairs in, alignments out, line by line and in order."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align.alignment import Links
from forest_align.cli import EXIT_OK, EXIT_SOME_FAILED
from forest_align.cli.align_options import OUTPUTS, PART_SIZE, AlignOptions
from forest_align.cli.aligner_choice import WORDS, AlignerChoice, load_aligner, made_with
from forest_align.cli.arguments import format_of_output, is_file, refuse_with, settings_of, view
from forest_align.cli.input_pairs import Item, PairInput, read_items
from forest_align.cli.input_reports import expected_count
from forest_align.cli.run_options import check_shard
from forest_align.cli.writers import (
    aligned_lines,
    alignment_writer,
    check_table_options,
    finish_table,
    finished_table,
    write_lines_first,
)
from forest_align.data.pairs import FORMATS
from forest_align.data.stretches import InputPlan, Stretch, plan_stretches, read_stretch
from forest_align.data.text.lines import STANDARD_INPUT
from forest_align.jobs.parquet_output import write_parquet
from forest_align.jobs.part_folder import PartFolder
from forest_align.jobs.ray_cluster import PartWork, run_parts
from forest_align.jobs.run_record import RunRecord, block_lines
from forest_align.jobs.shards import EntryWriter, LineRun, Share
from forest_align.storage.outputs import check_same_run, open_output, refuse_overwriting
from forest_align.system.remote_files import expand
from forest_align.types import InputError
from forest_align.types.json_fields import check_probability

if TYPE_CHECKING:
    from forest_align.aligners import Aligner
    from forest_align.jobs import RayOptions

#: Formats of the parts on a cluster.
_PART_FORMATS = ("jsonl", "parquet", "pharaoh")
_MOST_PARTS = 99_999  # their names have five digits
_ONE_LINE_EACH = ("jsonl", "pharaoh")
_LISTING = "\n".join(f"  {f.name:<9} {f.summary}" for _, f in sorted(FORMATS.items()))
EPILOG = (
    "examples:\n"
    "  forest-align align 'He passed away in New York City after a long illness.' \\\n"
    "      'After being ill for a long time, he died in NYC.'\n"
    "  forest-align align pairs.tsv -o alignments.jsonl.gz --resume\n\n"
    f"input formats (--from), recognised by extension and content:\n{_LISTING}\n\n"
    'Every pair yields its line; one that cannot be aligned has an "error".\n'
    "exit status: 0 all aligned, 1 some pairs failed, 2 bad usage or input"
)


OPTIONS = AlignOptions


def run(options: AlignOptions) -> int:
    """Align and write; return the exit status."""
    engine = options.cluster.cluster(options.device)
    if engine is not None:
        return _align_on_engine(replace(options, to=options.to or "jsonl"), engine)
    options, table = _complete(options), None
    if options.to == "parquet":
        table, options = write_lines_first(options)
    to_terminal = options.output is None and sys.stdout is not None and sys.stdout.isatty()
    writer = alignment_writer(str(options.to), to_terminal, everything=options.all, simple=options.simple)
    _check(options, writer, table)
    complaints: list[str] = []
    share = Share(options.shard, block_lines(options.batch_size))
    # Read the first pair and load the models before the output is opened: a missing input must not destroy an
    # older output.
    items = _begun(read_items(view(PairInput, options), complaints.append, share), options, writer)
    aligner = load_aligner(view(AlignerChoice, options))
    settings = _made_with(options, aligner, share.first[1:])
    if options.shard is not None:
        settings["the model"] = aligner.made_by.get("digest", "")
    inputs = [str(options.pairs)] if options.pairs != STANDARD_INPUT and options.target is None else []
    run = LineRun[Item](
        "align",
        options.output,
        writer,
        settings,
        share,
        lambda item: item.texts,
        resume=options.resume,
        inputs=inputs,
        suffix=f".{options.to}.gz",
    )
    if run.finished is not None:
        return EXIT_SOME_FAILED if run.finished.failures else EXIT_OK
    lines = Path(str(run.output))
    outcome = None if table is None or not run.resumes else finished_table(table, lines, settings, items)
    if outcome is None:
        items = run.left(items, lambda last: _check_last(last, run, options, aligner))
        # A shard does not know how many of the pairs are its own.
        total = expected_count(options.pairs) if options.shard is None and options.target is None else None
        run.write(aligned_lines(items, aligner, options, writer.line, options.workers), total)
        if table is not None:
            finish_table(table, lines, settings, aligner)
        outcome = run.record.outcome
    outcome.report("align")
    listed = run.record.path if table is None else f"the column error of {table}"
    if outcome.failures and listed is not None:
        print(f"forest-align align: {listed} lists those that could not", file=sys.stderr)
    for complaint in complaints:
        print(f"forest-align align: {complaint}", file=sys.stderr)
    return EXIT_SOME_FAILED if outcome.failures or complaints else EXIT_OK


def _complete(options: AlignOptions) -> AlignOptions:
    """The options with input and output format where they are not given."""
    if options.more and not any(map(is_file, (str(options.pairs), str(options.target), *options.more))):
        count = 2 + len(options.more)
        raise InputError(f"expected a file, or two sentences in quotes, found {count} words without quotes")
    if options.more or options.part_size is not None:
        raise InputError("several files of pairs, and --part-size, need --engine ray")
    if options.pairs is None:
        if sys.stdin is None or sys.stdin.isatty():
            raise InputError("expected a file of pairs, two sentences, or pairs through standard input")
        options = replace(options, pairs=STANDARD_INPUT)
    if options.shard is not None:
        options = replace(options, to=options.to or "jsonl")
        check_shard(options, _ONE_LINE_EACH)
    usual = "jsonl" if options.target is None else "text"
    return replace(options, to=options.to or format_of_output(options.output, OUTPUTS, default=usual))


def _check(options: AlignOptions, writer: EntryWriter, table: Path | None) -> None:
    """Refuse options that do not fit each other, and outputs that would overwrite an input."""
    if options.to == "pharaoh":
        refuse_with("--to pharaoh", options, "--to pharaoh")
    if options.all and options.to != "text":
        raise InputError(f"--all is for --to text; {options.to} has everything that it can hold")
    if options.simple and options.to != "svg":
        raise InputError("--simple is for pictures: -o OUT.svg, or --to svg")
    if options.to == "ists" and not options.chunks:
        raise InputError("--to ists needs --chunks: other alignments have no chunks")
    if options.resume and (options.output is None or not writer.one_line_each):
        raise InputError("--resume needs -o OUT, and --to jsonl, parquet or pharaoh")
    if options.output is not None:
        inputs = (options.pairs if options.target is None else None, options.words, options.ppdb)
        for source in filter(None, inputs):
            refuse_overwriting(source, [table or Path(options.output)])
    if options.min_probability is not None:
        check_probability(options.min_probability, "--min-probability")


def _begun(items: Iterator[Item], options: AlignOptions, writer: EntryWriter) -> Iterator[Item]:
    """All pairs, after the first one, if there is one, has been read."""
    begun = list(islice(items, 2 if writer.one_pair else 1))
    if len(begun) > 1:
        raise InputError(f"--to {options.to} takes one pair; found more", file=options.pairs)
    return chain(begun, items)


def _align_on_engine(options: AlignOptions, engine: RayOptions) -> int:
    """Make the parts that are not finished on a cluster; return the exit status.

    Raises InputError if the folder has parts that were made with other settings, or from another input.
    """
    if options.min_probability is not None:
        check_probability(options.min_probability, "--min-probability")
    plan = _plan_parts(options)
    # The machine of this command may have no GPU.
    aligner = load_aligner(view(AlignerChoice, replace(options, device="cpu")))
    settings = {
        **_made_with(options, aligner, ()),
        "the model": aligner.made_by.get("digest", ""),
        "--device": "" if options.device == "cpu" else "a GPU",
        "--from": options.source_format or "",
        "--part-size": str(_part_size(options)),
        "the input": f"{plan.items} pairs ({plan.digest})",
    }
    suffix = ".parquet" if options.to == "parquet" else f".{options.to}.gz"
    folder = PartFolder(Path(str(options.output)), "align", len(plan.stretches), suffix, 0, settings)
    folder.begin()
    parts = _AlignedParts(folder, plan.stretches, aligner, options)
    read: dict[str, int | str] = {"items": plan.items, "digest": plan.digest}
    failures = run_parts(PartWork(folder, parts.write, read), "pairs", engine)
    return EXIT_SOME_FAILED if failures else EXIT_OK


def _plan_parts(options: AlignOptions) -> InputPlan:
    """Plan the line range of each part of the inputs.

    Raises InputError if an option does not go with ``--engine``, a file does not exist, or a format does not
    have one pair per line.
    """
    if options.pairs is None:
        raise InputError("--engine needs files of pairs")
    if options.output is None:
        raise InputError("--engine needs -o FOLDER, for the parts")
    refuse_with("--engine", options)
    if options.to not in _PART_FORMATS:
        raise InputError(
            f"--to {options.to} cannot be combined with --engine; expected {', '.join(_PART_FORMATS)}"
        )
    if options.to == "parquet":
        check_table_options(options)
    if options.device not in ("cpu", "cuda"):
        raise InputError(
            f"--device {options.device} cannot be combined with --engine; expected cuda, a GPU per actor"
        )
    if options.chunks and options.device != "cpu":
        refuse_with("--chunks", options)
    if options.cluster.gpus_per_actor is not None and options.device == "cpu":
        raise InputError("--gpus-per-actor needs --device cuda")
    if options.words is not None and options.words not in WORDS:
        raise InputError(
            "a file of --words cannot be combined with --engine; give the links as 'words' of JSON lines"
        )
    given = [path for path in (options.pairs, options.target, *options.more) if path is not None]
    if "-" in given:
        raise InputError("--engine reads files, not standard input")
    files = [file for path in given for file in expand(path)]
    plan = plan_stretches(files, _part_size(options), options.source_format, options.columns)
    if (parts := len(plan.stretches)) > _MOST_PARTS:
        raise InputError(f"expected at most {_MOST_PARTS} parts, found {parts}: raise --part-size")
    return plan


def _part_size(options: AlignOptions) -> int:
    """Pairs of a part: a whole number of batches, on which the last digits of results depend."""
    block = block_lines(options.batch_size)
    return -(-(options.part_size or PART_SIZE) // block) * block


@dataclass(frozen=True, slots=True)
class _AlignedParts:
    """Aligns stretches into parts of the folder; the aligner is pickled by what it was loaded from."""

    folder: PartFolder
    stretches: tuple[Stretch, ...]
    aligner: Aligner
    options: AlignOptions

    def write(self, number: int) -> dict[str, int]:
        """Align the pairs of a part; return how many there are, and how many failed."""
        options, part = self.options, self.folder.part(number)
        if options.device != "cpu":
            from forest_align.parsing.networks.devices import find_device

            self.aligner.device = find_device(options.device).place
        if options.to != "parquet":
            return self._write_lines(number, part, str(options.to))
        # As a run without engine does, make the table of JSON lines.
        lines = self.folder.scratch(number, ".jsonl.gz")
        counts = self._write_lines(number, lines, "jsonl")
        write_parquet(lines, part, self.aligner.made_by, self.folder.made_with)
        lines.unlink()
        return counts

    def _write_lines(self, number: int, path: Path, to: str) -> dict[str, int]:
        options = self.options
        pairs = read_stretch(
            self.stretches[number - 1],
            tokenized=options.tokenized,
            escapes=options.escapes is not None,
            columns=options.columns,
        )
        items = read_items(view(PairInput, options), lambda problem: None, pairs=pairs)
        line = alignment_writer(to, to_terminal=False).line
        record = RunRecord(None, {}, block_lines(options.batch_size))
        with open_output(str(path), may_pack=True, replace=True) as out:
            for item, text, failure in aligned_lines(items, self.aligner, options, line):
                record.write(out, text, item.texts, failure)
        return {"items": record.lines, "failures": record.failures}


def _made_with(options: AlignOptions, aligner: Aligner, first: Sequence[str]) -> dict[str, str]:
    """Settings that a resumed run must share; lines of links do not name their pairs."""
    return {
        **made_with(view(AlignerChoice, options), aligner),
        **settings_of(options, "to", "tokenized", "escapes", "columns", "alignments", "explain"),
        **settings_of(options, "min_probability", "partial", "batch_size"),
        "the first pair": " | ".join(first),
    }


def _check_last(last: Item, run: LineRun[Item], options: AlignOptions, aligner: Aligner) -> None:
    """Make sure that the last line of an earlier run belongs to a pair."""
    written, line, output = run.record.last_line, run.record.lines, str(run.output)
    if options.to == "jsonl":
        texts = last.source.text, last.target.text
        check_same_run(written, line, last.name, texts, output, aligner.name)
        return
    try:
        Links.from_pharaoh(written)
    except InputError as error:
        raise error.at(file=output, line=line) from None
