"""The ``documents`` command: pairs of documents in, their sentences, words and phrases aligned out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align.aligners.model_folder import bundled_models
from forest_align.alignment import DocumentAlignment
from forest_align.cli.aligner_choice import load_aligner
from forest_align.cli.arguments import add_links, add_output, format_of_output
from forest_align.cli.document_inputs import BrokenPair, DocumentPair, read_document_pairs
from forest_align.data.text.lines import STANDARD_INPUT
from forest_align.em.progress import counted
from forest_align.storage.outputs import open_output, refuse_overwriting
from forest_align.types import InputError

if TYPE_CHECKING:
    from forest_align.aligners.documents import DocumentAligner

EXIT_OK, EXIT_SOME_FAILED = 0, 1
OUTPUTS = ("jsonl", "html", "text")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = (
        "examples:\n"
        "  forest-align documents before.txt after.txt\n"
        "  forest-align documents before.txt after.txt -o changes.html --aligner contextual\n"
        "  forest-align documents pairs.tsv -o aligned.jsonl.gz\n\n"
        "PAIRS has one pair a line: two paths with a tab between them (and perhaps an id), or a JSON object\n"
        'with "source" and "target", each a text or a list of sentences (and perhaps "id").\n'
        'Every pair yields its line; one that cannot be aligned has an "error".\n'
        "exit status: 0 all aligned, 1 some pairs failed, 2 bad usage or input"
    )
    parser.add_argument(
        "source", metavar="A|PAIRS", help="the first document, or a list of pairs; - for standard input"
    )
    parser.add_argument("target", metavar="B", nargs="?", help="the second document")
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
        "--sentences-only", action="store_true", help="align sentences, but no words and phrases"
    )
    parser.add_argument(
        "--threshold",
        type=float,
        default=0.5,
        metavar="P",
        help="drop links of sentences less probable than P; default: %(default)s",
    )
    parser.add_argument(
        "--aligner",
        choices=tuple(bundled_models()),
        help="aligns words and phrases; default: forest, contextual is the fastest",
    )
    parser.add_argument("--model", metavar="FOLDER", help="a trained model; default: the bundled one")
    parser.add_argument("--parser", metavar="NAME", help="en (bundled), a benepar model or a folder")
    parser.add_argument("--ppdb", metavar="FILE", help="paraphrase pairs as further evidence for words")
    add_links(parser)


def run(options: argparse.Namespace) -> int:
    """Align and write; return the exit status."""
    default = "jsonl" if options.target is None else "text"
    to = options.to or format_of_output(options.output, OUTPUTS, default)
    if options.output is not None:
        for path in (options.source, options.target):
            if path not in (None, STANDARD_INPUT):
                refuse_overwriting(path, [Path(options.output)])
    header, line, footer = _writer(to)
    aligner = document_aligner(options)
    pairs = read_document_pairs(options.source, options.target, options.lines)
    failed = 0
    to_terminal = options.output is None and sys.stdout is not None and sys.stdout.isatty()
    with open_output(options.output, may_pack=True) as out:
        out.write(header)
        for alignment in counted(align_pairs(pairs, aligner), "pairs", hidden=to_terminal):
            if alignment.error:
                failed += 1
                print(f"forest-align documents: pair {alignment.id}: {alignment.error}", file=sys.stderr)
            out.write(line(alignment))
        out.write(footer)
    return EXIT_SOME_FAILED if failed else EXIT_OK


def document_aligner(options: argparse.Namespace) -> DocumentAligner:
    """The document aligner of a command's options."""
    from forest_align.aligners.documents import DocumentAligner

    if options.sentences_only:
        for option in ("aligner", "model", "parser", "ppdb"):
            if getattr(options, option):
                raise InputError(f"--sentences-only takes no --{option}")
        if options.links != "sure":
            raise InputError("--sentences-only takes no --links")
        return DocumentAligner(None, threshold=options.threshold)
    chosen = argparse.Namespace(**vars(options), annotator=None, words=None)
    return DocumentAligner(load_aligner(chosen), threshold=options.threshold)


def align_pairs(
    pairs: Iterator[DocumentPair | BrokenPair], aligner: DocumentAligner
) -> Iterator[DocumentAlignment]:
    """Each pair aligned; one that cannot be aligned keeps its place and has an error."""
    for pair in pairs:
        try:
            if isinstance(pair, BrokenPair):
                raise pair.error
            yield aligner.align(pair.source, pair.target, id=pair.name)
        except InputError as error:
            yield DocumentAlignment((), (), id=pair.name, made_by=aligner.made_by, error=str(error))


def _writer(to: str) -> tuple[str, Callable[[DocumentAlignment], str], str]:
    """Header, text of an alignment, and footer of a format."""
    if to == "html":
        from forest_align.alignment.document_html import DOCUMENTS_END, DOCUMENTS_START, documents_section

        return DOCUMENTS_START, documents_section, DOCUMENTS_END
    if to == "text":
        return "", lambda alignment: f"{alignment}\n", ""
    return "", lambda alignment: f"{alignment.to_json()}\n", ""
