"""Pairs of documents: arguments, input, outputs and errors of the commands that read them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from forest_align._version import __version__
from forest_align.alignment import DocumentAlignment, SupportReport
from forest_align.cli import EXIT_OK, EXIT_SOME_FAILED
from forest_align.cli.arguments import format_of_output, option, output_option, settings_of
from forest_align.data.formats.fields import require_columns
from forest_align.data.text.lines import STANDARD_INPUT, InputLines
from forest_align.jobs.run_record import RunRecord
from forest_align.jobs.shards import EntryWriter, Line, LineRun, Share
from forest_align.storage.outputs import check_same_pair, refuse_overwriting
from forest_align.types import InputError, Sentence
from forest_align.types.json_fields import Fields, describe, parse_json_object

Sentences = str | list[str | Sentence]


class DocumentPair(NamedTuple):
    """Two documents of the input: texts, or lists of their sentences."""

    name: str
    source: Sentences
    target: Sentences


class _BrokenPair(NamedTuple):
    """Two documents that cannot be read."""

    name: str
    error: InputError


def _read_document(path: str, lines: bool) -> Sentences:
    """Read a document: its text or, with ``lines``, each line as a sentence.

    Raises InputError if the file cannot be read, or is not UTF-8.
    """
    try:
        with InputLines(path) as file:
            return list(file) if lines else file.text()
    except OSError as error:
        raise InputError(error.strerror or str(error), file=path) from None


def read_document_pairs(
    path: str, target: str | None, lines: bool, names: tuple[str, str] | None = None
) -> Iterator[DocumentPair | _BrokenPair]:
    """Yield pairs of documents; one that cannot be read yields its error.

    Without a target, ``path`` is JSON lines if it begins with a brace, or else a list of two tab-separated
    paths per line. ``names`` are the keys of JSON lines, by default those of table columns. Raises InputError
    or OSError if a file or the list cannot be read.
    """
    if target is not None:
        if [path, target].count(STANDARD_INPUT) > 1:
            raise InputError("standard input can be read but once; expected a file for the other document")
        yield DocumentPair("1", _read_document(path, lines), _read_document(target, lines))
        return
    is_json: bool | None = None
    with InputLines(path) as file:
        for number, line in file.numbered(blank_end=False):
            try:
                if isinstance(line, InputError):
                    raise line
                if is_json is None:
                    is_json = line.lstrip().startswith("{")
                yield _of_json(line, number, names) if is_json else _of_paths(line, number, lines)
            except InputError as error:
                yield _BrokenPair(_name(line, number), error.at(file=file.name, line=number))


def _of_paths(line: str, number: int, lines: bool) -> DocumentPair:
    paths = line.split("\t")
    if len(paths) not in (2, 3) or not all(paths):
        raise InputError(
            f"expected two paths with a tab between them, and perhaps an id, found {describe(line)}"
        )
    for path in paths[:2]:
        if not Path(path).is_file():
            raise InputError(f"there is no file {path!r}")
    first, second = (_read_document(path, lines) for path in paths[:2])
    return DocumentPair(paths[2] if len(paths) == 3 else str(number), first, second)


def _of_json(line: str, number: int, names: tuple[str, str] | None) -> DocumentPair:
    if not line.strip():
        raise InputError("blank line; expected a JSON object")
    values = parse_json_object(line)
    fields = Fields(values)
    if names is None:
        keys = list(values)
        columns = require_columns(keys, what="fields")
        names = keys[columns.source], keys[columns.target]
    first, second = (_read_sentences(fields, name) for name in names)
    return DocumentPair(fields.identifier("id", str(number)), first, second)


def _read_sentences(fields: Fields, side: str) -> Sentences:
    value = fields.raw(side)
    if isinstance(value, str):
        return value
    return [
        item if isinstance(item, str) else Sentence.from_dict(item, f"{fields.name(side)}[{place}]")
        for place, item in enumerate(fields.items(side))
    ]


def _name(line: str | InputError, number: int) -> str:
    if isinstance(line, str) and line.lstrip().startswith("{"):
        with suppress(InputError):
            return Fields(parse_json_object(line)).identifier("id", str(number))
    return str(number)


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


def write_results(
    command: str,
    pairs: Iterator[DocumentPair | _BrokenPair],
    options: ResultOptions,
    to: str,
    result_of: Callable[[DocumentPair], DocumentAlignment | SupportReport],
    *,
    failed: Callable[[str, str], DocumentAlignment | SupportReport],
    page: tuple[Callable[[Any], str], str, str],
    made_with: Mapping[str, str],
) -> int:
    """Write results in the format ``to``, and report those with an error; return the exit status.

    A pair that cannot be read or processed keeps its place: ``failed`` makes its result of its name and the
    error. ``page`` has what writes a result as HTML, and what comes before and after all of them.
    ``made_with`` are settings that a resumed run must share.
    """
    section, header, footer = page
    writer = {
        "html": EntryWriter(section, header, footer),
        "text": EntryWriter(lambda result: f"{result}\n"),
        "jsonl": EntryWriter(lambda result: f"{result.to_json()}\n", one_line_each=True),
    }[to]
    if options.resume and (options.output is None or not writer.one_line_each):
        raise InputError("--resume needs -o OUT, and --to jsonl")
    settings = {"the version": __version__, **made_with, **settings_of(options, "lines")}
    # A pair may take minutes, so each is a block of its own.
    run = LineRun[DocumentPair | _BrokenPair](
        command, options.output, writer, settings, Share(None, 1), _texts, resume=options.resume
    )

    def lines(left: Iterator[DocumentPair | _BrokenPair]) -> Iterator[Line[DocumentPair | _BrokenPair]]:
        for pair in left:
            try:
                if isinstance(pair, _BrokenPair):
                    raise pair.error
                result = result_of(pair)
            except InputError as error:
                result = failed(pair.name, str(error))
            if result.error:
                print(f"forest-align {command}: pair {result.id}: {result.error}", file=sys.stderr)
            yield pair, writer.line(result), (result.id, result.error) if result.error else None

    run.write(lines(run.left(pairs, lambda pair: _check_last(run.record, pair, str(options.output)))))
    return EXIT_SOME_FAILED if run.record.failures else EXIT_OK


def _texts(pair: DocumentPair | _BrokenPair) -> list[str]:
    """What identifies a pair: its name and its sentences."""
    if isinstance(pair, _BrokenPair):
        return [pair.name]
    sides = ([side] if isinstance(side, str) else side for side in (pair.source, pair.target))
    texts = ["\t".join(part if isinstance(part, str) else part.text for part in side) for side in sides]
    return [pair.name, *texts]


def _check_last(record: RunRecord, pair: DocumentPair | _BrokenPair, output: str) -> None:
    """Make sure that the last line of an earlier run belongs to a pair, by its name."""
    try:
        name = Fields(parse_json_object(record.last_line)).identifier("id", "")
    except InputError as error:
        raise error.at(file=output, line=record.lines) from None
    check_same_pair((pair.name, ((), ())), (name, ((), ())), file=output, line=record.lines)
