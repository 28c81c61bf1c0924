"""The ``documents`` command: pairs of documents in, their sentences, words and phrases aligned out."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from forest_align.aligners.model_folder import bundled_models
from forest_align.alignment import DocumentAlignment
from forest_align.cli.aligner_choice import load_aligner, made_with
from forest_align.cli.arguments import add_links
from forest_align.cli.document_inputs import DocumentPair, read_document_pairs
from forest_align.cli.document_results import (
    DocumentWork,
    add_result_arguments,
    result_format,
    write_results,
)
from forest_align.cli.writers import EntryWriter
from forest_align.types import InputError

if TYPE_CHECKING:
    from forest_align.aligners.documents import DocumentAligner


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
    add_result_arguments(parser)
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
    to = result_format(options, (options.source, options.target))
    aligner, settings = document_aligner(options)
    pairs = read_document_pairs(options.source, options.target, options.lines)

    def aligned(pair: DocumentPair) -> DocumentAlignment:
        return aligner.align(pair.source, pair.target, id=pair.name)

    def failed(name: str, error: str) -> DocumentAlignment:
        return DocumentAlignment((), (), id=name, made_by=aligner.made_by, error=error)

    return write_results(DocumentWork("documents", aligned, failed, _page, settings), pairs, options, to)


def document_aligner(options: argparse.Namespace) -> tuple[DocumentAligner, dict[str, str]]:
    """The document aligner of a command's options, and settings that a resumed run must share."""
    from forest_align.aligners.documents import DocumentAligner

    settings = {
        "--sentences-only": "given" if options.sentences_only else "",
        "--threshold": str(options.threshold),
    }
    if options.sentences_only:
        for option in ("aligner", "model", "parser", "ppdb"):
            if getattr(options, option):
                raise InputError(f"--sentences-only takes no --{option}")
        if options.links != "sure":
            raise InputError("--sentences-only takes no --links")
        return DocumentAligner(None, threshold=options.threshold), settings
    chosen = argparse.Namespace(**vars(options), annotator=None, words=None)
    aligner = load_aligner(chosen)
    settings |= made_with(chosen, aligner)
    return DocumentAligner(aligner, threshold=options.threshold), settings


def _page() -> EntryWriter:
    from forest_align.alignment.document_html import DOCUMENTS_END, DOCUMENTS_START, documents_section

    return EntryWriter(documents_section, DOCUMENTS_START, DOCUMENTS_END)
