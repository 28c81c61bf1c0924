"""The ``align`` command: sentence pairs in, alignments out, line by line and in order."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align.alignment import Links
from forest_align.cli import EXIT_OK, EXIT_SOME_FAILED
from forest_align.cli.align_options import OUTPUTS, AlignOptions
from forest_align.cli.align_parts import make_aligned_parts, plan_parts
from forest_align.cli.aligner_choice import AlignerChoice, load_aligner, made_with
from forest_align.cli.arguments import format_of_output, is_file, refuse_with, view
from forest_align.cli.input_pairs import Item, PairInput, read_items
from forest_align.cli.input_reports import expected_count
from forest_align.cli.run_options import check_shard
from forest_align.cli.writers import (
    aligned_lines,
    alignment_writer,
    finish_table,
    finished_table,
    write_lines_first,
)
from forest_align.data.pairs import FORMATS
from forest_align.data.text.lines import STANDARD_INPUT
from forest_align.jobs.run_record import block_lines
from forest_align.jobs.shards import EntryWriter, LineRun, Share
from forest_align.storage.outputs import check_same_run, refuse_overwriting
from forest_align.types import InputError
from forest_align.types.json_fields import check_probability

if TYPE_CHECKING:
    from forest_align.aligners import Aligner
    from forest_align.jobs import RayOptions

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
    """Make the parts of the output on a cluster; return the exit status."""
    if options.min_probability is not None:
        check_probability(options.min_probability, "--min-probability")
    plan = plan_parts(options)
    # The machine of this command may have no GPU.
    aligner = load_aligner(view(AlignerChoice, replace(options, device="cpu")))
    failures = make_aligned_parts(options, engine, plan, aligner, _made_with(options, aligner, ()))
    return EXIT_SOME_FAILED if failures else EXIT_OK


def _made_with(options: AlignOptions, aligner: Aligner, first: Sequence[str]) -> dict[str, str]:
    """Settings that a resumed run must share; lines of links do not name their pairs."""
    return {
        **made_with(view(AlignerChoice, options), aligner),
        "--to": str(options.to),
        "--tokenized": "given" if options.tokenized else "",
        "--escapes": options.escapes or "",
        "--columns": " ".join(options.columns or ()),
        "-k": str(options.alignments),
        "--explain": "given" if options.explain else "",
        "--min-probability": "" if options.min_probability is None else str(options.min_probability),
        "--partial": "given" if options.partial else "",
        "--batch-size": str(options.batch_size),
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
