"""The ``support`` command: a summary and its source in, what supports each span of the summary out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align._version import __version__
from forest_align.alignment import SupportReport
from forest_align.cli.arguments import add_output, format_of_output
from forest_align.cli.document_inputs import BrokenPair, DocumentPair, read_document_pairs
from forest_align.data.text.lines import STANDARD_INPUT
from forest_align.em.progress import counted
from forest_align.storage.outputs import open_output, refuse_overwriting
from forest_align.types import InputError
from forest_align.types.positive import positive

if TYPE_CHECKING:
    from forest_align.aligners.attribution import SupportFinder

EXIT_OK, EXIT_SOME_FAILED = 0, 1
OUTPUTS = ("jsonl", "html", "text")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = (
        "examples:\n"
        "  forest-align support summary.txt article.txt\n"
        "  forest-align support summary.txt article.txt -o support.html\n"
        "  forest-align support pairs.jsonl -o support.jsonl\n\n"
        "PAIRS has one pair a line: the paths of a summary and its source with a tab between them (and\n"
        'perhaps an id), or a JSON object with "summary" and "source", each a text or a list of sentences.\n'
        'Every pair yields its line; one that cannot be read has an "error".\n'
        "exit status: 0 all compared, 1 some pairs failed, 2 bad usage or input"
    )
    parser.add_argument(
        "summary", metavar="SUMMARY|PAIRS", help="the summary, or a list of pairs; - for standard input"
    )
    parser.add_argument("source", metavar="SOURCE", nargs="?", help="the text that should support it")
    add_output(parser)
    parser.add_argument(
        "--to",
        choices=OUTPUTS,
        help="output format; default: by the extension of OUT, else jsonl (text for two files)",
    )
    parser.add_argument(
        "--lines", action="store_true", help="each line of a file is a sentence, blank lines too"
    )
    parser.add_argument(
        "--threshold",
        type=float,
        default=0.5,
        metavar="P",
        help="a span that supports another one less probably than P is no support; default: %(default)s",
    )
    parser.add_argument(
        "--sentences",
        type=positive,
        default=3,
        metavar="N",
        help="sentences of the source to read closely for each sentence of the summary; default: %(default)s",
    )


def run(options: argparse.Namespace) -> int:
    """Compare and write; return the exit status."""
    from forest_align.aligners.attribution import SupportFinder

    default = "jsonl" if options.source is None else "text"
    to = options.to or format_of_output(options.output, OUTPUTS, default)
    if options.output is not None:
        for path in (options.summary, options.source):
            if path not in (None, STANDARD_INPUT):
                refuse_overwriting(path, [Path(options.output)])
    header, line, footer = _writer(to)
    finder = SupportFinder(threshold=options.threshold, sentences=options.sentences)
    pairs = read_document_pairs(options.summary, options.source, options.lines, ("summary", "source"))
    failed = 0
    to_terminal = options.output is None and sys.stdout is not None and sys.stdout.isatty()
    with open_output(options.output, may_pack=True) as out:
        out.write(header)
        for report in counted(find_support(pairs, finder), "pairs", hidden=to_terminal):
            if report.error:
                failed += 1
                print(f"forest-align support: pair {report.id}: {report.error}", file=sys.stderr)
            out.write(line(report))
        out.write(footer)
    return EXIT_SOME_FAILED if failed else EXIT_OK


def find_support(
    pairs: Iterator[DocumentPair | BrokenPair], finder: SupportFinder
) -> Iterator[SupportReport]:
    """A report for each pair; one that cannot be read keeps its place and has an error."""
    for pair in pairs:
        try:
            if isinstance(pair, BrokenPair):
                raise pair.error
            yield finder.find(pair.source, pair.target, id=pair.name)
        except InputError as error:
            yield SupportReport((), (), id=pair.name, made_by={"version": __version__}, error=str(error))


def _writer(to: str) -> tuple[str, Callable[[SupportReport], str], str]:
    """Header, text of a report, and footer of a format."""
    if to == "html":
        from forest_align.alignment.support_html import REPORTS_END, REPORTS_START, report_section

        return REPORTS_START, report_section, REPORTS_END
    if to == "text":
        return "", lambda report: f"{report}\n", ""
    return "", lambda report: f"{report.to_json()}\n", ""
