"""Outputs of the commands that read pairs of documents: their arguments, formats and errors."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from forest_align.alignment import DocumentAlignment, SupportReport
from forest_align.cli.arguments import add_output, format_of_output
from forest_align.cli.writers import EntryWriter
from forest_align.data.text.lines import STANDARD_INPUT
from forest_align.em.progress import counted
from forest_align.storage.outputs import open_output, refuse_overwriting

EXIT_OK, EXIT_SOME_FAILED = 0, 1
_OUTPUTS = ("jsonl", "html", "text")


def add_result_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where the results go, and how files are read."""
    add_output(parser)
    parser.add_argument(
        "--to",
        choices=_OUTPUTS,
        help="output format; default: by the extension of OUT, else jsonl (text for two files)",
    )
    parser.add_argument(
        "--lines", action="store_true", help="each line of a file is a sentence, blank lines too"
    )


def result_format(options: argparse.Namespace, inputs: Sequence[str | None]) -> str:
    """The output format of the options.

    Parameters
    ----------
    options : argparse.Namespace
        With those of :func:`add_result_arguments`.
    inputs : sequence of str or None
        Files that are read; the last one is None for a list of pairs.

    Raises
    ------
    InputError
        If the extension of the output has no format, or the output is one of the inputs.
    """
    chosen: str = options.to or format_of_output(
        options.output, _OUTPUTS, "jsonl" if inputs[-1] is None else "text"
    )
    if options.output is not None:
        for path in inputs:
            if path not in (None, STANDARD_INPUT):
                refuse_overwriting(path, [Path(options.output)])
    return chosen


def write_results(
    command: str,
    results: Iterable[DocumentAlignment | SupportReport],
    options: argparse.Namespace,
    to: str,
    page: Callable[[], EntryWriter],
) -> int:
    """Write results as they come, and report those with an error; return the exit status.

    Parameters
    ----------
    command : str
        Name of the command, for messages.
    results : iterable
        One for each pair.
    options : argparse.Namespace
        With those of :func:`add_result_arguments`.
    to : str
        The output format.
    page : callable
        Makes the writer of HTML.
    """
    writer = _writer(to, page)
    failed = 0
    to_terminal = options.output is None and sys.stdout is not None and sys.stdout.isatty()
    with open_output(options.output, may_pack=True) as out:
        out.write(writer.header)
        for result in counted(results, "pairs", hidden=to_terminal):
            if result.error:
                failed += 1
                print(f"forest-align {command}: pair {result.id}: {result.error}", file=sys.stderr)
            out.write(writer.line(result))
        out.write(writer.footer)
    return EXIT_SOME_FAILED if failed else EXIT_OK


def _writer(to: str, page: Callable[[], EntryWriter]) -> EntryWriter:
    if to == "html":
        return page()
    if to == "text":
        return EntryWriter(lambda result: f"{result}\n")
    return EntryWriter(lambda result: f"{result.to_json()}\n")
