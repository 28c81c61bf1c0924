"""Outputs of the commands that read pairs of documents: their arguments, formats and errors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from forest_align._version import __version__
from forest_align.alignment import DocumentAlignment, SupportReport
from forest_align.cli.arguments import format_of_output, output_option
from forest_align.cli.document_inputs import BrokenPair, DocumentPair
from forest_align.cli.typed_options import option
from forest_align.data.text.lines import STANDARD_INPUT
from forest_align.jobs.run_record import RunRecord
from forest_align.jobs.shards import EntryWriter, Line, LineRun, Share
from forest_align.storage.outputs import check_same_pair, refuse_overwriting
from forest_align.types import InputError
from forest_align.types.json_fields import Fields, parse_json_object

EXIT_OK, EXIT_SOME_FAILED = 0, 1
_OUTPUTS = ("jsonl", "html", "text")


@dataclass(frozen=True, slots=True)
class ResultOptions:
    """Where the results go, and how files are read."""

    output: str | None = output_option()
    to: str | None = option(
        "--to",
        choices=_OUTPUTS,
        help="output format; default: by the extension of OUT, else jsonl (text for two files)",
    )
    lines: bool = option(
        "--lines", action="store_true", help="each line of a file is a sentence, blank lines too"
    )
    resume: bool = option("--resume", action="store_true", help="continue OUT where a run stopped (jsonl)")


def result_format(options: ResultOptions, inputs: Sequence[str | None]) -> str:
    """The output format of the options; ``inputs`` are files, the last one None for a list of pairs.

    Raises InputError if no format has the output's extension, or the output is one of the inputs.
    """
    chosen: str = options.to or format_of_output(
        options.output, _OUTPUTS, "jsonl" if inputs[-1] is None else "text"
    )
    if options.output is not None:
        for path in inputs:
            if path is not None and path != STANDARD_INPUT:
                refuse_overwriting(path, [Path(options.output)])
    return chosen


@dataclass(frozen=True, slots=True)
class DocumentWork:
    """What a command makes of pairs of documents."""

    command: str  # for messages
    # An InputError becomes the error of the pair's result.
    result_of: Callable[[DocumentPair], DocumentAlignment | SupportReport]
    # Makes the result of a failed pair from its name and the error.
    failed: Callable[[str, str], DocumentAlignment | SupportReport]
    page: Callable[[], EntryWriter]  # makes the writer of HTML
    made_with: Mapping[str, str]  # settings that a resumed run must share


def write_results(
    work: DocumentWork, pairs: Iterator[DocumentPair | BrokenPair], options: ResultOptions, to: str
) -> int:
    """Write results in the format ``to``, and report those with an error; return the exit status."""
    writer = _writer(to, work.page)
    if options.resume and (options.output is None or not writer.one_line_each):
        raise InputError("--resume needs -o OUT, and --to jsonl")
    settings = {"the version": __version__, **work.made_with, "--lines": "given" if options.lines else ""}
    # A pair may take minutes, so each is a block of its own.
    run = LineRun[DocumentPair | BrokenPair](
        work.command, options.output, writer, settings, Share(None, 1), _texts, resume=options.resume
    )

    def lines(left: Iterator[DocumentPair | BrokenPair]) -> Iterator[Line[DocumentPair | BrokenPair]]:
        for pair in left:
            result = _result(work, pair)
            if result.error:
                print(f"forest-align {work.command}: pair {result.id}: {result.error}", file=sys.stderr)
            yield pair, writer.line(result), (result.id, result.error) if result.error else None

    run.write(lines(run.left(pairs, lambda pair: _check_last(run.record, pair, str(options.output)))))
    return EXIT_SOME_FAILED if run.record.failures else EXIT_OK


def _result(work: DocumentWork, pair: DocumentPair | BrokenPair) -> DocumentAlignment | SupportReport:
    """What a pair yields; one that cannot be read or processed keeps its place and has an error."""
    try:
        if isinstance(pair, BrokenPair):
            raise pair.error
        return work.result_of(pair)
    except InputError as error:
        return work.failed(pair.name, str(error))


def _texts(pair: DocumentPair | BrokenPair) -> list[str]:
    """What identifies a pair: its name and its sentences."""
    if isinstance(pair, BrokenPair):
        return [pair.name]
    sides = ([side] if isinstance(side, str) else side for side in (pair.source, pair.target))
    texts = ["\t".join(one if isinstance(one, str) else one.text for one in side) for side in sides]
    return [pair.name, *texts]


def _check_last(record: RunRecord, pair: DocumentPair | BrokenPair, output: str) -> None:
    """Make sure that the last line of an earlier run belongs to a pair, by its name."""
    try:
        name = Fields(parse_json_object(record.last_line)).identifier("id", "")
    except InputError as error:
        raise error.at(file=output, line=record.lines) from None
    check_same_pair((pair.name, ((), ())), (name, ((), ())), file=output, line=record.lines)


def _writer(to: str, page: Callable[[], EntryWriter]) -> EntryWriter:
    if to == "html":
        return page()
    if to == "text":
        return EntryWriter(lambda result: f"{result}\n")
    return EntryWriter(lambda result: f"{result.to_json()}\n", one_line_each=True)
