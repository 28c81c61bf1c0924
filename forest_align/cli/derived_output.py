"""What commands share that write something derived from alignments: their input, and writing pair by pair."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from forest_align.aligners.base import BATCH_SIZE
from forest_align.aligners.model_folder import bundled_models
from forest_align.alignment import Alignment
from forest_align.cli.aligned_lines import aligned_items
from forest_align.cli.aligner_choice import AlignerChoice, load_aligner
from forest_align.cli.arguments import (
    columns_option,
    escapes_option,
    format_of_output,
    is_file,
    output_option,
    tokenized_option,
)
from forest_align.cli.input_pairs import PairInput, read_items
from forest_align.cli.option_rules import refuse_with
from forest_align.cli.skipped_inputs import SkippedInputs
from forest_align.cli.typed_options import argument, option, view
from forest_align.cli.writers import EntryWriter
from forest_align.data.pairs import FORMATS, SentencePair, read_pairs
from forest_align.data.phrases.input import read_alignments
from forest_align.data.text.lines import STANDARD_INPUT
from forest_align.em.progress import counted
from forest_align.storage.outputs import open_output, refuse_overwriting
from forest_align.types import InputError
from forest_align.types.json_fields import format_json_object
from forest_align.types.positive import positive

EXIT_OK, EXIT_SOME_FAILED = 0, 1


def json_entry(alignment: Alignment, values: Mapping[str, Any]) -> str:
    """A JSON line: the names and texts of an alignment, some values, and its error if it has one."""
    found: dict[str, Any] = {
        "id": alignment.id,
        "aligner": alignment.aligner,
        "source": alignment.source.to_dict(forest=False),
        "target": alignment.target.to_dict(forest=False),
        **values,
    }
    return format_json_object(found | ({"error": alignment.error} if alignment.error else {})) + "\n"


@dataclass(frozen=True, slots=True)
class DerivedOptions:
    """Where alignments come from, and the output."""

    pairs: str = argument("PAIRS", help="file of sentence pairs; - for standard input")
    target: str | None = argument("SENTENCE", nargs="?", help="second sentence; PAIRS is then the first")
    output: str | None = output_option()
    to: str | None = option("--to")
    are_alignments: bool = option(
        "--alignments",
        action="store_true",
        help="PAIRS are alignments that 'forest-align align' wrote; a file of them is recognised",
    )
    source_format: str | None = option("--from", choices=tuple(FORMATS), help="format of PAIRS")
    columns: tuple[str, str] | None = columns_option()
    tokenized: bool = tokenized_option()
    escapes: str | None = escapes_option()
    aligner: str | None = option(
        "--aligner", choices=tuple(bundled_models()), help="a bundled model; default: forest"
    )
    model: str | None = option("--model", metavar="FOLDER", help="a trained model; default: the bundled one")
    parser: str | None = option(
        "--parser", metavar="NAME", help="en (bundled), a benepar model or a folder; default: en"
    )
    workers: int = option("--workers", type=positive, default=1, metavar="N", help="processes; default: 1")


def to_option(formats: Collection[str]) -> Any:
    """``--to`` with these formats."""
    return option(
        "--to",
        choices=tuple(formats),
        help="output format; default: by the extension of OUT, else jsonl (text for two sentences)",
    )


def write_derived(options: DerivedOptions, command: str, formats: Mapping[str, EntryWriter]) -> int:
    """Align or read alignments, and write an entry for each; return the exit status."""
    name = options.to or format_of_output(
        options.output, formats, default="jsonl" if options.target is None else "text"
    )
    writer = formats[name]
    if options.output is not None and options.target is None:
        refuse_overwriting(options.pairs, [Path(options.output)])
    are_alignments = options.are_alignments or _recognises_alignments(options, command)
    alignments = _read(options, command) if are_alignments else _align(options)
    # Read the first pair before the output is opened: a missing input must not destroy an older output.
    begun = list(islice(alignments, 1))
    first_error, failures, number = "", 0, 0
    with open_output(options.output) as out:
        out.write(writer.header)
        for number, alignment in enumerate(counted(chain(begun, alignments), "pairs"), 1):
            failures += bool(alignment.error)
            first_error = first_error or (alignment.error and f"pair {alignment.id}: {alignment.error}")
            out.write((writer.separator if number > 1 else "") + writer.line(alignment))
        out.write(writer.footer)
    if failures:
        message = f"{failures} of {number} pairs could not be aligned; the first: {first_error}"
        print(f"forest-align {command}: {message}", file=sys.stderr)
    return EXIT_SOME_FAILED if failures else EXIT_OK


def _recognises_alignments(options: DerivedOptions, command: str) -> bool:
    """Whether the input is a file of alignments, and no option asks for other ones; says so."""
    asked = (options.target, options.aligner, options.model, options.parser, options.source_format)
    if options.pairs == STANDARD_INPUT or any(asked) or options.columns or not is_file(options.pairs):
        return False
    first = next(read_pairs(options.pairs), None)
    if not isinstance(first, SentencePair) or first.alignment is None:
        return False
    print(
        f"forest-align {command}: {options.pairs} has alignments, which are used; --aligner makes new ones",
        file=sys.stderr,
    )
    return True


def _read(options: DerivedOptions, command: str) -> Iterator[Alignment]:
    """The alignments of a file; broken lines are reported, and keep their places as pairs that failed."""
    refuse_with("--alignments", options)
    if options.pairs != STANDARD_INPUT and not Path(options.pairs).exists():
        raise InputError("no such file", file=options.pairs)

    def alignments() -> Iterator[Alignment]:
        with SkippedInputs(command) as broken:
            for item, _ in read_alignments([options.pairs]):
                if isinstance(item, InputError):
                    broken.add(item)
                    yield Alignment.failed(str(item), id=str(item.line or ""))
                else:
                    yield item

    return alignments()


def _align(options: DerivedOptions) -> Iterator[Alignment]:
    """The alignments of pairs, in order; a pair that fails has an error."""
    items = read_items(
        view(PairInput, options), lambda problem: None
    )  # problems are those of a file of links
    # Read the first pair before the models are loaded: a missing input must not cost their time.
    begun = list(islice(items, 1))
    aligner = load_aligner(view(AlignerChoice, options))
    found = aligned_items(chain(begun, items), aligner, BATCH_SIZE, options.workers)
    return (alignment for _, alignment in found)
