"""The ``align`` command: sentence pairs in, alignments out, line by line and in order."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align.aligners.base import BATCH_SIZE
from forest_align.aligners.model_folder import bundled_models
from forest_align.alignment import Links
from forest_align.cli.align_parts import PART_SIZE, make_aligned_parts, plan_parts
from forest_align.cli.aligned_lines import aligned_lines
from forest_align.cli.aligner_choice import (
    ANNOTATORS,
    WORDS,
    load_aligner,
    made_with,
)
from forest_align.cli.arguments import (
    add_columns,
    add_device,
    add_links,
    add_output,
    add_text_arguments,
    format_of_output,
    is_file,
    refuse_variant,
)
from forest_align.cli.engine import add_engine, engine_of
from forest_align.cli.expected_counts import expected_count
from forest_align.cli.input_pairs import Item, read_items
from forest_align.cli.parquet_table import finish_table, finished_table, write_lines_first
from forest_align.cli.sharding import add_shard, check_shard, finish_lines, open_folder, report_finished
from forest_align.cli.writers import EntryWriter, alignment_writer
from forest_align.data.pairs import FORMATS
from forest_align.data.text.lines import STANDARD_INPUT
from forest_align.em.progress import counted
from forest_align.storage.outputs import open_output, refuse_overwriting
from forest_align.storage.part_folder import PartFolder
from forest_align.storage.run_record import RunRecord, block_lines
from forest_align.storage.same_run import check_same_run
from forest_align.storage.shards import Share
from forest_align.types import InputError
from forest_align.types.json_fields import check_probability
from forest_align.types.positive import positive

if TYPE_CHECKING:
    from forest_align.aligners import Aligner
    from forest_align.engines import RayOptions

EXIT_OK, EXIT_SOME_FAILED = 0, 1
OUTPUTS = ("jsonl", "parquet", "pharaoh", "tsv", "csv", "ists", "html", "svg", "text")
_ONE_LINE_EACH = ("jsonl", "pharaoh")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    listing = "\n".join(f"  {f.name:<9} {f.summary}" for f in FORMATS.values())
    parser.epilog = (
        "examples:\n"
        "  forest-align align 'He passed away in New York City after a long illness.' \\\n"
        "      'After being ill for a long time, he died in NYC.'\n"
        "  forest-align align pairs.tsv -o alignments.jsonl.gz --resume\n\n"
        f"input formats (--from), recognised by extension and content:\n{listing}\n\n"
        'Every pair yields its line; one that cannot be aligned has an "error".\n'
        "exit status: 0 all aligned, 1 some pairs failed, 2 bad usage or input"
    )
    parser.add_argument(
        "pairs",
        metavar="PAIRS",
        nargs="?",
        help="file of sentence pairs; - for standard input, which is also the default if it is piped",
    )
    parser.add_argument(
        "target", metavar="SENTENCE", nargs="?", help="second sentence; PAIRS is then the first"
    )
    parser.add_argument(
        "more",
        metavar="PAIRS",
        nargs="*",
        help="with --engine, all of these are files of pairs, perhaps with wildcards: tsv, jsonl or parquet",
    )
    add_output(parser)
    parser.add_argument(
        "--aligner",
        choices=tuple(bundled_models()),
        help="a bundled model; default: forest. forest-published is the system of Arase and Tsujii (2017) "
        "with our parser, sultan the rules of Sultan et al. (2014)",
    )
    parser.add_argument("--model", metavar="FOLDER", help="a trained model; default: the bundled one")
    refuse_variant(parser)
    parser.add_argument(
        "--parser",
        metavar="NAME",
        help="en (bundled), a benepar model or a folder; default: trees of the input if it has them, else en",
    )
    parser.add_argument(
        "--annotator",
        choices=ANNOTATORS,
        help="source of the sultan aligner's dependencies and named entities: trees (the parse) or the spaCy "
        "model (extra [spacy]); default: what the model says",
    )
    parser.add_argument(
        "--to",
        choices=OUTPUTS,
        help="output format; default: by the extension of OUT, else jsonl (text for two sentences). svg is a "
        "picture of one pair, ists is for --chunks",
    )
    parser.add_argument("--from", dest="source_format", choices=tuple(FORMATS), help="format of PAIRS")
    add_columns(parser)
    add_text_arguments(parser)
    parser.add_argument(
        "--words",
        metavar="NAME|FILE",
        help=f"where word candidates come from: {', '.join(WORDS)} (links of the input), "
        "or a file of Pharaoh links; default: as the model has it",
    )
    add_links(parser)
    parser.add_argument(
        "--ppdb",
        metavar="FILE",
        help="paraphrase pairs (TSV or PPDB's own lines, perhaps gzipped) as further evidence; without them, "
        "sultan uses WordNet and word vectors",
    )
    parser.add_argument(
        "-k",
        type=positive,
        default=1,
        metavar="N",
        dest="alignments",
        help="the N best different alignments of each pair (forest; not pharaoh); default: 1",
    )
    parser.add_argument(
        "--chunks",
        action="store_true",
        help="align the chunks that the input gives, with relations and similarities; MODEL is a chunk model",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="text: show all phrase pairs and links, with labels and scores; default: what differs",
    )
    parser.add_argument(
        "--simple", action="store_true", help="svg: draw words, phrases and links only, without trees"
    )
    parser.add_argument("--explain", action="store_true", help="name the evidence for each word link")
    parser.add_argument(
        "--min-probability",
        type=float,
        metavar="P",
        help="drop word links and phrase pairs less probable than P; default: keep all",
    )
    parser.add_argument(
        "--partial",
        action="store_true",
        help="drop the outermost phrase pairs less probable than 0.5, such as that of sentences that share a "
        "part only; what they contain stays",
    )
    parser.add_argument("--workers", type=positive, default=1, metavar="N", help="processes; default: 1")
    parser.add_argument(
        "--batch-size",
        type=positive,
        default=BATCH_SIZE,
        metavar="N",
        help=f"pairs parsed together; with 1 each is answered at once; default: {BATCH_SIZE}",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="continue OUT where a run stopped (jsonl, parquet and pharaoh)",
    )
    add_shard(parser, "pairs")
    add_device(parser)
    add_engine(parser, gpus=True)
    parser.add_argument(
        "--part-size",
        type=positive,
        metavar="N",
        help=f"with --engine, pairs of each part in the folder OUT; default: {PART_SIZE}",
    )


def run(options: argparse.Namespace) -> int:
    """Align and write; return the exit status."""
    engine = engine_of(options)
    if engine is not None:
        return _align_on_engine(options, engine)
    _complete(options)
    table = write_lines_first(options) if options.to == "parquet" else None
    to_terminal = options.output is None and sys.stdout is not None and sys.stdout.isatty()
    writer = alignment_writer(options.to, to_terminal, everything=options.all, simple=options.simple)
    _check(options, writer, table)
    complaints: list[str] = []
    block = block_lines(options.batch_size)
    share = Share(options.shard, block) if options.shard else None
    # Read the first pair and load the models before the output is opened: a missing input must not destroy an
    # older output.
    first, items = _begun(read_items(options, complaints.append, share), options, writer)
    aligner = load_aligner(options)
    begins_with = share.first if share is not None else first.texts if first else ()
    settings = _made_with(options, aligner, begins_with[1:])
    folder = None
    if share is not None:
        settings["the model"] = aligner.made_by.get("digest", "")
        folder = _folder_of_shards(options, settings, block)
        if folder.is_finished(options.shard.number):
            return EXIT_SOME_FAILED if report_finished(folder, options.shard) else EXIT_OK
        options.output, options.resume = str(folder.part(options.shard.number)), True
    if table is not None and (whole := finished_table(table, options, settings, items)) is not None:
        return _report(whole.failures, whole.rows, whole.first, f"the column error of {table}", complaints)
    record = RunRecord(options.output if writer.one_line_each else None, settings, block)
    if options.resume:
        items = _skip_finished(items, record, options, aligner)
    lines = aligned_lines(items, aligner, options, writer.line, options.workers)
    # A shard does not know how many of the pairs are its own.
    total = expected_count(options.pairs) if share is None and options.target is None else None
    # The record is deleted when everything is written: after the output is closed.
    with record, open_output(options.output, record.size, may_pack=True) as out:
        record.begin()
        out.write(writer.header)
        for item, alignment, text in counted(
            lines, "pairs", hidden=to_terminal, total=total, done=record.lines
        ):
            failure = (alignment.id, alignment.error) if alignment.error else None
            record.write(out, text, item.texts, failure)
        out.write(writer.footer)
    if folder is not None and share is not None:
        finish_lines(folder, options.shard, share, record)
    if table is not None:
        finish_table(table, options, settings, aligner)
    first_failure = record.first and (record.first.id, record.first.error)
    listed = record.path if table is None else f"the column error of {table}"
    return _report(record.failures, record.lines, first_failure, listed, complaints)


def _complete(options: argparse.Namespace) -> None:
    """Set the input and the output format where they are not given."""
    if options.more and not any(map(is_file, (options.pairs, options.target, *options.more))):
        count = 2 + len(options.more)
        raise InputError(f"expected a file, or two sentences in quotes, found {count} words without quotes")
    if options.more or options.part_size is not None:
        raise InputError("several files of pairs, and --part-size, need --engine ray")
    if options.pairs is None:
        if sys.stdin is None or sys.stdin.isatty():
            raise InputError("expected a file of pairs, two sentences, or pairs through standard input")
        options.pairs = STANDARD_INPUT
    if options.shard is not None:
        options.to = options.to or "jsonl"
        check_shard(options, _ONE_LINE_EACH)
    usual = "jsonl" if options.target is None else "text"
    options.to = options.to or format_of_output(options.output, OUTPUTS, default=usual)


def _check(options: argparse.Namespace, writer: EntryWriter, table: Path | None) -> None:
    """Refuse options that do not fit each other, and outputs that would overwrite an input."""
    if options.alignments > 1 and options.to == "pharaoh":
        raise InputError("--to pharaoh takes no -k: a line has the links of one alignment")
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


def _begun(
    items: Iterator[Item], options: argparse.Namespace, writer: EntryWriter
) -> tuple[Item | None, Iterator[Item]]:
    """The first pair, if there is one, and all of them."""
    begun = list(islice(items, 2 if writer.one_pair else 1))
    if len(begun) > 1:
        raise InputError(f"--to {options.to} takes one pair; found more", file=options.pairs)
    return begun[0] if begun else None, chain(begun, items)


def _folder_of_shards(options: argparse.Namespace, settings: dict[str, str], block: int) -> PartFolder:
    """The folder that a shard belongs to."""
    files = () if options.pairs == STANDARD_INPUT or options.target is not None else (options.pairs,)
    return open_folder("align", options, files, f".{options.to}.gz", block, settings)


def _align_on_engine(options: argparse.Namespace, engine: RayOptions) -> int:
    """Make the parts of the output on a cluster; return the exit status."""
    if options.min_probability is not None:
        check_probability(options.min_probability, "--min-probability")
    plan = plan_parts(options)
    # The machine of this command may have no GPU.
    aligner = load_aligner(argparse.Namespace(**{**vars(options), "device": "cpu"}))
    failures = make_aligned_parts(options, engine, plan, aligner, _made_with(options, aligner, ()))
    return EXIT_SOME_FAILED if failures else EXIT_OK


def _made_with(options: argparse.Namespace, aligner: Aligner, first: Sequence[str]) -> dict[str, str]:
    """Settings that a resumed run must share; lines of links do not name their pairs."""
    return {
        **made_with(options, aligner),
        "--to": options.to,
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


def _report(
    failures: int,
    pairs: int,
    first: tuple[str, str] | None,
    listed: Path | str | None,
    complaints: Sequence[str],
) -> int:
    """Report how many pairs failed, and problems of the input; return the exit status."""
    if first is not None:
        print(
            f"forest-align align: {failures} of {pairs} pairs could not be aligned; "
            f"the first: pair {first[0]}: {first[1]}",
            file=sys.stderr,
        )
        if listed is not None:
            print(f"forest-align align: {listed} lists those that could not", file=sys.stderr)
    for complaint in complaints:
        print(f"forest-align align: {complaint}", file=sys.stderr)
    return EXIT_SOME_FAILED if failures or complaints else EXIT_OK


def _skip_finished(
    items: Iterator[Item], record: RunRecord, options: argparse.Namespace, aligner: Aligner
) -> Iterator[Item]:
    """Skip the pairs whose alignments an earlier run has written, and report how many there are."""

    def check_last(last: Item) -> None:
        if options.to == "jsonl":
            texts = last.source.text, last.target.text
            check_same_run(record.last_line, record.lines, last.name, texts, options.output, aligner.name)
            return
        try:
            Links.from_pharaoh(record.last_line)
        except InputError as error:
            raise error.at(file=options.output, line=record.lines) from None

    left = record.skip_written(items, lambda item: item.texts, check_last)
    record.report("align")
    return left
