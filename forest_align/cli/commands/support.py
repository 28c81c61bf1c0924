"""The ``support`` command: a summary and its source in, what supports each span of the summary out."""

from __future__ import annotations

from dataclasses import dataclass

from forest_align._version import __version__
from forest_align.alignment import SupportReport
from forest_align.cli.arguments import argument, option, part, settings_of
from forest_align.cli.document_runs import ResultOptions, read_document_pairs, result_format, write_results
from forest_align.system.terminal import positive

EPILOG = (
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
    result: ResultOptions = part(ResultOptions)
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


OPTIONS = _SupportOptions


def run(options: _SupportOptions) -> int:
    """Compare and write; return the exit status."""
    from forest_align.aligners.attribution import SupportFinder
    from forest_align.alignment.support_report import REPORTS_END, REPORTS_START, report_section

    to = result_format(options.result, (options.summary, options.source))
    finder = SupportFinder(threshold=options.threshold, sentences=options.sentences)
    pairs = read_document_pairs(options.summary, options.source, options.result.lines, ("summary", "source"))
    version = {"version": __version__}
    return write_results(
        "support",
        pairs,
        options.result,
        to,
        lambda pair: finder.find(pair.source, pair.target, id=pair.name),
        failed=lambda name, error: SupportReport((), (), id=name, made_by=version, error=error),
        page=(report_section, REPORTS_START, REPORTS_END),
        made_with=settings_of(options, "threshold", "sentences"),
    )
