"""The ``edits`` command: sentence pairs in, the edits between their texts out, in order."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from forest_align.aligners.base import BATCH_SIZE
from forest_align.aligners.model_folder import bundled_models
from forest_align.alignment import Alignment
from forest_align.cli.aligner_choice import load_aligner
from forest_align.cli.arguments import add_output, add_text_arguments, format_of_output
from forest_align.cli.input_pairs import Item, read_items
from forest_align.cli.skipped_inputs import SkippedInputs
from forest_align.data.pairs import FORMATS
from forest_align.data.phrases.input import read_alignments
from forest_align.data.text.lines import STANDARD_INPUT
from forest_align.edits import (
    Edit,
    edits_of,
    edits_to_easse,
    edits_to_m2,
    edits_to_markup,
    edits_to_text,
    edits_to_thresh,
)
from forest_align.edits.edit_views import EDITS_PAGE_END, EDITS_PAGE_START, edits_to_html
from forest_align.em.progress import counted
from forest_align.storage.outputs import open_output, refuse_overwriting
from forest_align.types import InputError
from forest_align.types.json_fields import format_json_object
from forest_align.types.positive import positive

EXIT_OK, EXIT_SOME_FAILED = 0, 1


@dataclass(frozen=True, slots=True)
class EditWriter:
    """How edits are written in one format.

    Attributes
    ----------
    entry : callable
        The text of one pair.
    header, separator, footer : str
        Text before the first pair, between two pairs, and after the last.
    """

    entry: Callable[[Alignment, Sequence[Edit]], str]
    header: str = ""
    separator: str = ""
    footer: str = ""


def _json_line(alignment: Alignment, edits: Sequence[Edit]) -> str:
    values: dict[str, Any] = {
        "id": alignment.id,
        "aligner": alignment.aligner,
        "source": alignment.source.to_dict(forest=False),
        "target": alignment.target.to_dict(forest=False),
        "edits": [edit.to_dict() for edit in edits],
    }
    if alignment.error:
        values["error"] = alignment.error
    return format_json_object(values) + "\n"


WRITERS = {
    "jsonl": EditWriter(_json_line),
    "text": EditWriter(lambda alignment, edits: edits_to_text(alignment, edits) + "\n"),
    "markup": EditWriter(lambda _, edits: edits_to_markup(edits) + "\n"),
    "html": EditWriter(edits_to_html, EDITS_PAGE_START, "", EDITS_PAGE_END),
    "m2": EditWriter(edits_to_m2),
    "easse": EditWriter(lambda one, edits: json.dumps(edits_to_easse(one, edits), ensure_ascii=False) + "\n"),
    "thresh": EditWriter(
        lambda one, edits: json.dumps(edits_to_thresh(one, edits), ensure_ascii=False), "[\n", ",\n", "\n]\n"
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = (
        "examples:\n"
        "  forest-align edits 'He died.' 'He passed away.'\n"
        "  forest-align edits pairs.tsv -o edits.jsonl\n"
        "  forest-align edits alignments.jsonl --alignments --to m2 -o edits.m2\n\n"
        "A pair that cannot be aligned has no edits; jsonl has its error.\n"
        "exit status: 0 all aligned, 1 some pairs failed, 2 bad usage or input"
    )
    parser.add_argument("pairs", metavar="PAIRS", help="file of sentence pairs; - for standard input")
    parser.add_argument(
        "target", metavar="SENTENCE", nargs="?", help="second sentence; PAIRS is then the first"
    )
    add_output(parser)
    parser.add_argument(
        "--to",
        choices=tuple(WRITERS),
        help="output format; default: by the extension of OUT, else jsonl (text for two sentences). "
        "markup is CriticMarkup, m2 ERRANT's format, easse EASSE's operations, thresh a file of thresh.tools",
    )
    parser.add_argument(
        "--minimal",
        action="store_true",
        help="the smallest edits, not merged into the phrases that people mark",
    )
    parser.add_argument(
        "--alignments", action="store_true", help="PAIRS are alignments that 'forest-align align' wrote"
    )
    parser.add_argument("--from", dest="source_format", choices=tuple(FORMATS), help="format of PAIRS")
    add_text_arguments(parser)
    parser.add_argument("--aligner", choices=tuple(bundled_models()), help="a bundled model; default: forest")
    parser.add_argument("--model", metavar="FOLDER", help="a trained model; default: the bundled one")
    parser.add_argument(
        "--parser", metavar="NAME", help="en (bundled), a benepar model or a folder; default: en"
    )
    parser.add_argument("--workers", type=positive, default=1, metavar="N", help="processes; default: 1")
    # Options of aligners that edits do not depend on.
    parser.set_defaults(annotator=None, words=None, ppdb=None)


def run(options: argparse.Namespace) -> int:
    """Extract and write; return the exit status."""
    name = options.to or format_of_output(
        options.output, WRITERS, default="jsonl" if options.target is None else "text"
    )
    writer = WRITERS[name]
    if options.output is not None and options.target is None:
        refuse_overwriting(options.pairs, [Path(options.output)])
    alignments = _read(options) if options.alignments else _align(options)
    # Read the first pair before the output is opened: a missing input must not destroy an older output.
    begun = list(islice(alignments, 1))
    first_error, failures, number = "", 0, 0
    with open_output(options.output) as out:
        out.write(writer.header)
        for number, alignment in enumerate(counted(chain(begun, alignments), "pairs"), 1):
            failures += bool(alignment.error)
            first_error = first_error or (alignment.error and f"pair {alignment.id}: {alignment.error}")
            edits = () if alignment.error else edits_of(alignment, minimal=options.minimal)
            out.write((writer.separator if number > 1 else "") + writer.entry(alignment, edits))
        out.write(writer.footer)
    if failures:
        message = f"{failures} of {number} pairs could not be aligned; the first: {first_error}"
        print(f"forest-align edits: {message}", file=sys.stderr)
    return EXIT_SOME_FAILED if failures else EXIT_OK


def _read(options: argparse.Namespace) -> Iterator[Alignment]:
    """The alignments of a file; broken lines are reported, and keep their places as pairs that failed."""
    for option in ("target", "aligner", "model", "parser", "source_format"):
        if getattr(options, option) is not None:
            name = {"target": "second sentence", "source_format": "--from"}.get(option, f"--{option}")
            raise InputError(f"--alignments takes no {name}: nothing is aligned")
    if options.pairs != STANDARD_INPUT and not Path(options.pairs).exists():
        raise InputError("no such file", file=options.pairs)

    def alignments() -> Iterator[Alignment]:
        with SkippedInputs("edits") as broken:
            for item, _ in read_alignments([options.pairs]):
                if isinstance(item, InputError):
                    broken.add(item)
                    yield Alignment.failed(str(item), id=str(item.line or ""))
                else:
                    yield item

    return alignments()


def _align(options: argparse.Namespace) -> Iterator[Alignment]:
    """The alignments of pairs, in order; a pair that fails has an error."""
    complaints: list[str] = []
    items = read_items(options, complaints.append)
    begun = list(islice(items, 1))
    aligner = load_aligner(options)
    waiting: list[Item] = []

    def contents() -> Iterator[Any]:
        for item in chain(begun, items):
            waiting.append(item)
            yield item.content

    def alignments() -> Iterator[Alignment]:
        found = aligner.align_many(contents(), batch_size=BATCH_SIZE, workers=options.workers)
        for alignment in found:
            item = waiting.pop(0)
            if isinstance(item.content, InputError):
                alignment = replace(alignment, source=item.source, target=item.target)
            yield replace(alignment, id=item.name)

    return alignments()
