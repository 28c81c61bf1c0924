"""The ``documents`` command: pairs of documents in, their sentences, words and phrases aligned out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from forest_align.alignment import DocumentAlignment
from forest_align.cli.aligner_choice import AlignerChoice, aligner_option, load_aligner, made_with
from forest_align.cli.arguments import argument, links_option, option, part, refuse_with, settings_of, view
from forest_align.cli.document_runs import ResultOptions, read_document_pairs, result_format, write_results

if TYPE_CHECKING:
    from forest_align.aligners.documents import DocumentAligner


EPILOG = (
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
    result: ResultOptions = part(ResultOptions)
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


OPTIONS = _DocumentsOptions


def run(options: _DocumentsOptions) -> int:
    """Align and write; return the exit status."""
    from forest_align.alignment.document_alignment import DOCUMENTS_END, DOCUMENTS_START, documents_section

    to = result_format(options.result, (options.source, options.target))
    aligner, settings = _document_aligner(options)
    pairs = read_document_pairs(options.source, options.target, options.result.lines)

    return write_results(
        "documents",
        pairs,
        options.result,
        to,
        lambda pair: aligner.align(pair.source, pair.target, id=pair.name),
        failed=lambda name, error: DocumentAlignment((), (), id=name, made_by=aligner.made_by, error=error),
        page=(documents_section, DOCUMENTS_START, DOCUMENTS_END),
        made_with=settings,
    )


def _document_aligner(options: _DocumentsOptions) -> tuple[DocumentAligner, dict[str, str]]:
    """The document aligner of a command's options, and settings that a resumed run must share."""
    from forest_align.aligners.documents import DocumentAligner

    settings = settings_of(options, "sentences_only", "threshold")
    if options.sentences_only:
        refuse_with("--sentences-only", options)
        return DocumentAligner(None, threshold=options.threshold), settings
    chosen = view(AlignerChoice, options)
    aligner = load_aligner(chosen)
    settings |= made_with(chosen, aligner)
    return DocumentAligner(aligner, threshold=options.threshold), settings
