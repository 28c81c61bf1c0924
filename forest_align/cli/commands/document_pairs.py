"""The commands that read pairs of documents: ``documents`` aligns them, ``support`` compares summaries."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from forest_align._version import __version__
from forest_align.alignment import DocumentAlignment, SupportReport
from forest_align.cli import EXIT_OK, EXIT_SOME_FAILED
from forest_align.cli.aligner_choice import AlignerChoice, aligner_option, load_aligner, made_with
from forest_align.cli.arguments import (
    Command,
    argument,
    format_of_output,
    links_option,
    option,
    output_option,
    part,
    refuse_with,
    settings_of,
    view,
)
from forest_align.data.formats.fields import require_columns
from forest_align.data.text.lines import STANDARD_INPUT, InputLines
from forest_align.jobs.run_record import RunRecord
from forest_align.jobs.shards import EntryWriter, Line, LineRun, Share
from forest_align.storage.outputs import check_same_pair, refuse_overwriting
from forest_align.types import InputError, Sentence
from forest_align.types.json_fields import Fields, describe, parse_json_object

if TYPE_CHECKING:
    pass
from forest_align.system.terminal import positive

_Sentences = str | list[str | Sentence]


class _DocumentPair(NamedTuple):
    """Two documents of the input: texts, or lists of their sentences."""

    name: str
    source: _Sentences
    target: _Sentences


class _BrokenPair(NamedTuple):
    """Two documents that cannot be read."""

    name: str
    error: InputError


def _read_document(path: str, lines: bool) -> _Sentences:
    """Read a document: its text or, with ``lines``, each line as a sentence.

    Raises InputError if the file cannot be read, or is not UTF-8.
    """
    try:
        with InputLines(path) as file:
            return list(file) if lines else file.text()
    except OSError as error:
        raise InputError(error.strerror or str(error), file=path) from None


def _read_pairs(
    path: str, target: str | None, lines: bool, names: tuple[str, str] | None = None
) -> Iterator[_DocumentPair | _BrokenPair]:
    """Yield pairs of documents; one that cannot be read yields its error.

    Without a target, ``path`` is JSON lines if it begins with a brace, or else a list of two tab-separated
    paths per line. ``names`` are the keys of JSON lines, by default those of table columns. Raises InputError
    or OSError if a file or the list cannot be read.
    """
    if target is not None:
        if [path, target].count(STANDARD_INPUT) > 1:
            raise InputError("standard input can be read but once; expected a file for the other document")
        yield _DocumentPair("1", _read_document(path, lines), _read_document(target, lines))
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


def _of_paths(line: str, number: int, lines: bool) -> _DocumentPair:
    paths = line.split("\t")
    if len(paths) not in (2, 3) or not all(paths):
        raise InputError(
            f"expected two paths with a tab between them, and perhaps an id, found {describe(line)}"
        )
    for path in paths[:2]:
        if not Path(path).is_file():
            raise InputError(f"there is no file {path!r}")
    first, second = (_read_document(path, lines) for path in paths[:2])
    return _DocumentPair(paths[2] if len(paths) == 3 else str(number), first, second)


def _of_json(line: str, number: int, names: tuple[str, str] | None) -> _DocumentPair:
    if not line.strip():
        raise InputError("blank line; expected a JSON object")
    values = parse_json_object(line)
    fields = Fields(values)
    if names is None:
        keys = list(values)
        columns = require_columns(keys, what="fields")
        names = keys[columns.source], keys[columns.target]
    first, second = (_read_sentences(fields, name) for name in names)
    return _DocumentPair(fields.identifier("id", str(number)), first, second)


def _read_sentences(fields: Fields, side: str) -> _Sentences:
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
class _ResultOptions:
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


def _result_format(options: _ResultOptions, inputs: Sequence[str | None]) -> str:
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


def _write_results(
    command: str,
    pairs: Iterator[_DocumentPair | _BrokenPair],
    options: _ResultOptions,
    to: str,
    result_of: Callable[[_DocumentPair], DocumentAlignment | SupportReport],
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
    run = LineRun[_DocumentPair | _BrokenPair](
        command, options.output, writer, settings, Share(None, 1), _texts, resume=options.resume
    )

    def lines(left: Iterator[_DocumentPair | _BrokenPair]) -> Iterator[Line[_DocumentPair | _BrokenPair]]:
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


def _texts(pair: _DocumentPair | _BrokenPair) -> list[str]:
    """What identifies a pair: its name and its sentences."""
    if isinstance(pair, _BrokenPair):
        return [pair.name]
    sides = ([side] if isinstance(side, str) else side for side in (pair.source, pair.target))
    texts = ["\t".join(part if isinstance(part, str) else part.text for part in side) for side in sides]
    return [pair.name, *texts]


def _check_last(record: RunRecord, pair: _DocumentPair | _BrokenPair, output: str) -> None:
    """Make sure that the last line of an earlier run belongs to a pair, by its name."""
    try:
        name = Fields(parse_json_object(record.last_line)).identifier("id", "")
    except InputError as error:
        raise error.at(file=output, line=record.lines) from None
    check_same_pair((pair.name, ((), ())), (name, ((), ())), file=output, line=record.lines)


_DOCUMENTS_EPILOG = (
    "examples:\n"
    "  forest-align documents before.txt after.txt\n"
    "  forest-align documents before.txt after.txt -o changes.html --aligner contextual\n"
    "  forest-align documents pairs.tsv -o aligned.jsonl.gz\n\n"
    "PAIRS has one pair per line: two paths with a tab between them (and perhaps an id), or a JSON object\n"
    'with "source" and "target", each a text or a list of sentences (and perhaps "id").\n'
    'Every pair yields its line; one that cannot be aligned has an "error".\n'
    "exit status: 0 all aligned, 1 some pairs failed, 2 bad usage or input"
)


@dataclass(frozen=True, slots=True)
class _DocumentsOptions:
    """Options of the command."""

    source: str = argument("A|PAIRS", help="the first document, or a list of pairs; - for standard input")
    target: str | None = argument("B", nargs="?", help="the second document")
    result: _ResultOptions = part(_ResultOptions)
    sentences_only: bool = option(
        "--sentences-only", action="store_true", help="align sentences, but no words and phrases"
    )
    threshold: float = option(
        "--threshold P", type=float, default=0.5, help="drop links of sentences less probable than P"
    )
    aligner: str | None = aligner_option("what aligns words and phrases")
    model: str | None = option("--model FOLDER", help="a trained model; default: the bundled one")
    parser: str | None = option("--parser NAME", help="en (bundled), a benepar model or a folder")
    ppdb: str | None = option("--ppdb FILE", help="paraphrase pairs as further evidence for words")
    links: str = links_option()


def _run_documents(options: _DocumentsOptions) -> int:
    """Align and write; return the exit status."""
    from forest_align.aligners.documents import DocumentAligner
    from forest_align.alignment.document_alignment import DOCUMENTS_END, DOCUMENTS_START, documents_section

    to = _result_format(options.result, (options.source, options.target))
    settings, word_aligner = settings_of(options, "sentences_only", "threshold"), None
    if options.sentences_only:
        refuse_with("--sentences-only", options)
    else:
        chosen = view(AlignerChoice, options)
        word_aligner = load_aligner(chosen)
        settings |= made_with(chosen, word_aligner)
    aligner = DocumentAligner(word_aligner, threshold=options.threshold)
    pairs = _read_pairs(options.source, options.target, options.result.lines)
    return _write_results(
        "documents",
        pairs,
        options.result,
        to,
        lambda pair: aligner.align(pair.source, pair.target, id=pair.name),
        failed=lambda name, error: DocumentAlignment((), (), id=name, made_by=aligner.made_by, error=error),
        page=(documents_section, DOCUMENTS_START, DOCUMENTS_END),
        made_with=settings,
    )


_SUPPORT_EPILOG = (
    "examples:\n"
    "  forest-align support summary.txt article.txt\n"
    "  forest-align support summary.txt article.txt -o support.html\n"
    "  forest-align support pairs.jsonl -o support.jsonl\n\n"
    "PAIRS has one pair per line: the paths of a summary and its source with a tab between them (and\n"
    'perhaps an id), or a JSON object with "summary" and "source", each a text or a list of sentences.\n'
    'Every pair yields its line; one that cannot be read has an "error".\n'
    "exit status: 0 all compared, 1 some pairs failed, 2 bad usage or input"
)


@dataclass(frozen=True, slots=True)
class _SupportOptions:
    """Options of the command."""

    summary: str = argument("SUMMARY|PAIRS", help="the summary, or a list of pairs; - for standard input")
    source: str | None = argument("SOURCE", nargs="?", help="the text that should support it")
    result: _ResultOptions = part(_ResultOptions)
    threshold: float = option(
        "--threshold P",
        type=float,
        default=0.5,
        help="a span that supports another one less probably than P is no support",
    )
    sentences: int = option(
        "--sentences N",
        type=positive,
        default=3,
        help="sentences of the source to read closely for each sentence of the summary",
    )


def _run_support(options: _SupportOptions) -> int:
    """Compare and write; return the exit status."""
    from forest_align.aligners.attribution import SupportFinder
    from forest_align.alignment.support_report import REPORTS_END, REPORTS_START, report_section

    to = _result_format(options.result, (options.summary, options.source))
    finder = SupportFinder(threshold=options.threshold, sentences=options.sentences)
    pairs = _read_pairs(options.summary, options.source, options.result.lines, ("summary", "source"))
    version = {"version": __version__}
    return _write_results(
        "support",
        pairs,
        options.result,
        to,
        lambda pair: finder.find(pair.source, pair.target, id=pair.name),
        failed=lambda name, error: SupportReport((), (), id=name, made_by=version, error=error),
        page=(report_section, REPORTS_START, REPORTS_END),
        made_with=settings_of(options, "threshold", "sentences"),
    )


COMMANDS = {
    "documents": Command(_DocumentsOptions, _DOCUMENTS_EPILOG, _run_documents),
    "support": Command(_SupportOptions, _SUPPORT_EPILOG, _run_support),
}
