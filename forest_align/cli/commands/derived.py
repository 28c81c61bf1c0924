"""The commands that write something derived from alignments, pair by pair: ``edits`` and ``differences``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from forest_align._version import __version__
from forest_align.aligners.base import BATCH_SIZE
from forest_align.alignment import Alignment
from forest_align.alignment.html import BODY_END
from forest_align.cli import EXIT_OK, EXIT_SOME_FAILED
from forest_align.cli.aligner_choice import (
    AlignerChoice,
    aligner_option,
    contents_of,
    load_aligner,
    made_with,
)
from forest_align.cli.arguments import (
    Command,
    argument,
    columns_option,
    escapes_option,
    format_of_output,
    format_option,
    is_file,
    option,
    output_option,
    refuse_with,
    settings_of,
    tokenized_option,
    view,
)
from forest_align.cli.input_pairs import PairInput, read_items
from forest_align.cli.input_reports import SkippedInputs
from forest_align.cli.writers import aligned_items, failure_of
from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.data.phrases.input import read_alignments
from forest_align.data.text.lines import STANDARD_INPUT
from forest_align.differences import (
    TextDifferences,
    differences_of,
    differences_to_html,
    differences_to_text,
)
from forest_align.differences.text_differences import DIFFERENCES_PAGE_START
from forest_align.edits import (
    Edit,
    edits_of,
    edits_to_easse,
    edits_to_m2,
    edits_to_markup,
    edits_to_text,
    edits_to_thresh,
)
from forest_align.edits.edit_views import EDITS_PAGE_START, edits_to_html
from forest_align.jobs.run_record import block_lines
from forest_align.jobs.shards import EntryWriter, Line, LineRun, Share
from forest_align.storage.outputs import check_same_run, refuse_overwriting
from forest_align.system.terminal import positive
from forest_align.types import InputError
from forest_align.types.json_fields import format_json_object


def _json_entry(alignment: Alignment, values: Mapping[str, Any]) -> str:
    """A JSON line: the names and texts of an alignment, some values, and its error if it has one."""
    entry: dict[str, Any] = {
        "id": alignment.id,
        "aligner": alignment.aligner,
        "source": alignment.source.to_dict(forest=False),
        "target": alignment.target.to_dict(forest=False),
        **values,
    }
    return format_json_object(entry | ({"error": alignment.error} if alignment.error else {})) + "\n"


@dataclass(frozen=True, slots=True)
class _DerivedOptions:
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
    source_format: str | None = format_option(
        "--from", "format of PAIRS, as 'forest-align align --help' lists them; recognised by default"
    )
    columns: tuple[str, str] | None = columns_option()
    tokenized: bool = tokenized_option()
    escapes: str | None = escapes_option()
    aligner: str | None = aligner_option("what aligns")
    model: str | None = option("--model FOLDER", help="a trained model; default: the bundled one")
    parser: str | None = option(
        "--parser NAME", help="en (bundled), a benepar model or a folder; default: en"
    )
    workers: int = option("--workers N", type=positive, default=1, help="processes")
    resume: bool = option("--resume", action="store_true", help="continue OUT where a run stopped (jsonl)")


def _to_option(formats: Collection[str]) -> Any:
    """``--to`` with these formats."""
    return option(
        "--to",
        choices=tuple(formats),
        help="output format; default: by the extension of OUT, else jsonl (text for two sentences)",
    )


@dataclass(frozen=True, slots=True)
class _Work:
    """Pairs of the input, and how they become alignments; an alignment that is read is a pair itself."""

    pairs: Iterator[Any]
    texts: Callable[[Any], tuple[str, str, str]]
    aligned: Callable[[Iterator[Any]], Iterator[tuple[Any, Alignment]]]
    made_with: Mapping[str, str]


def _write(
    options: _DerivedOptions, command: str, formats: Mapping[str, EntryWriter], settings: Mapping[str, str]
) -> int:
    """Align or read alignments, and write an entry for each in its format; return the exit status."""
    name = options.to or format_of_output(
        options.output, formats, default="jsonl" if options.target is None else "text"
    )
    writer = formats[name]
    if options.resume and (options.output is None or not writer.one_line_each):
        raise InputError("--resume needs -o OUT, and --to jsonl")
    if options.output is not None and options.target is None:
        refuse_overwriting(options.pairs, [Path(options.output)])
    are_alignments = options.are_alignments or _recognises_alignments(options, command)
    work = _read(options, command) if are_alignments else _align(options)
    # Read the first pair before the output is opened: a missing input must not destroy an older output.
    pairs: Iterator[Any] = chain(list(islice(work.pairs, 1)), work.pairs)
    shared = {"the version": __version__, **settings, **work.made_with}
    share = Share(None, block_lines(BATCH_SIZE))
    run = LineRun[Any](command, options.output, writer, shared, share, work.texts, resume=options.resume)
    record = run.record

    def check_last(pair: Any) -> None:
        name, *sides = work.texts(pair)
        check_same_run(record.last_line, record.lines, name, (sides[0], sides[1]), str(options.output))

    def lines(left: Iterator[Any]) -> Iterator[Line[Any]]:
        for pair, alignment in work.aligned(left):
            separator = writer.separator if record.lines else ""
            yield pair, separator + writer.line(alignment), failure_of(alignment)

    run.write(lines(run.left(pairs, check_last)))
    record.outcome.report(command)
    return EXIT_SOME_FAILED if record.failures else EXIT_OK


def _recognises_alignments(options: _DerivedOptions, command: str) -> bool:
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


def _read(options: _DerivedOptions, command: str) -> _Work:
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

    return _Work(
        alignments(),
        lambda alignment: (alignment.id, alignment.source.text, alignment.target.text),
        lambda alignments: ((alignment, alignment) for alignment in alignments),
        {"PAIRS": "" if options.pairs == STANDARD_INPUT else contents_of(options.pairs)},
    )


def _align(options: _DerivedOptions) -> _Work:
    """The pairs of the input, and an aligner for them; a pair that fails has an error."""
    items = read_items(
        view(PairInput, options), lambda problem: None
    )  # problems are those of a file of links
    # Read the first pair before the models are loaded: a missing input must not cost their time.
    begun = list(islice(items, 1))
    chosen = view(AlignerChoice, options)
    aligner = load_aligner(chosen)
    return _Work(
        chain(begun, items),
        lambda item: item.texts,
        lambda left: aligned_items(left, aligner, BATCH_SIZE, options.workers),
        {
            **made_with(chosen, aligner),
            **settings_of(options, "tokenized", "escapes"),
        },
    )


_EDITS_EPILOG = (
    "examples:\n"
    "  forest-align edits 'He died.' 'He passed away.'\n"
    "  forest-align edits pairs.tsv -o edits.jsonl\n"
    "  forest-align edits alignments.jsonl --to m2 -o edits.m2\n\n"
    "formats (--to): jsonl; m2 is ERRANT's; easse has EASSE's operations; thresh is a file of\n"
    "thresh.tools (SALSA); markup is CriticMarkup; html has tracked changes; text\n\n"
    "A pair that cannot be aligned has no edits; jsonl has its error.\n"
    "exit status: 0 all aligned, 1 some pairs failed, 2 bad usage or input"
)


def _run_edits(options: _EditsOptions) -> int:
    """Extract and write; return the exit status."""
    settings = {"--minimal": "given" if options.minimal else ""}
    return _write(options, "edits", _edit_writers(minimal=options.minimal), settings)


def _edit_writers(*, minimal: bool) -> dict[str, EntryWriter]:
    def of_edits(view: Callable[[Alignment, Sequence[Edit]], str]) -> Callable[[Alignment], str]:
        return lambda aligned: view(aligned, () if aligned.error else edits_of(aligned, minimal=minimal))

    return {
        "jsonl": EntryWriter(
            of_edits(
                lambda aligned, edits: _json_entry(aligned, {"edits": [edit.to_dict() for edit in edits]})
            ),
            one_line_each=True,
        ),
        "m2": EntryWriter(of_edits(edits_to_m2)),
        "easse": EntryWriter(of_edits(lambda aligned, edits: _json(edits_to_easse(aligned, edits)) + "\n")),
        "thresh": EntryWriter(
            of_edits(lambda aligned, edits: _json(edits_to_thresh(aligned, edits))),
            "[\n",
            "\n]\n",
            separator=",\n",
        ),
        "markup": EntryWriter(of_edits(lambda aligned, edits: edits_to_markup(aligned, edits) + "\n")),
        "html": EntryWriter(of_edits(edits_to_html), EDITS_PAGE_START, BODY_END),
        "text": EntryWriter(of_edits(lambda aligned, edits: edits_to_text(aligned, edits) + "\n")),
    }


def _json(values: object) -> str:
    return json.dumps(values, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class _EditsOptions(_DerivedOptions):
    """Options of the command."""

    to: str | None = _to_option(_edit_writers(minimal=False))
    minimal: bool = option(
        "--minimal",
        action="store_true",
        help="the smallest edits, not merged into the phrases that people mark",
    )


_DIFFERENCES_EPILOG = (
    "examples:\n"
    "  forest-align differences 'He died in Rome.' 'He died in 1990.'\n"
    "  forest-align differences pairs.tsv --to html -o differences.html\n\n"
    "formats (--to): jsonl; html has coloured words; text lists the spans that differ\n\n"
    "A pair that cannot be aligned has no differences; jsonl has its error.\n"
    "exit status: 0 all aligned, 1 some pairs failed, 2 bad usage or input"
)


def _run_differences(options: _DifferencesOptions) -> int:
    """Compute and write; return the exit status."""
    return _write(options, "differences", _DIFFERENCE_WRITERS, {})


def _of_differences(view: Callable[[Alignment, TextDifferences], str]) -> Callable[[Alignment], str]:
    nothing = TextDifferences((), (), ())
    return lambda aligned: view(aligned, nothing if aligned.error else differences_of(aligned))


_DIFFERENCE_WRITERS = {
    "jsonl": EntryWriter(
        _of_differences(lambda aligned, found: _json_entry(aligned, found.to_dict())), one_line_each=True
    ),
    "html": EntryWriter(_of_differences(differences_to_html), DIFFERENCES_PAGE_START, BODY_END),
    "text": EntryWriter(_of_differences(lambda aligned, found: differences_to_text(aligned, found) + "\n")),
}


@dataclass(frozen=True, slots=True)
class _DifferencesOptions(_DerivedOptions):
    """Options of the command."""

    to: str | None = _to_option(_DIFFERENCE_WRITERS)


COMMANDS = {
    "edits": Command(_EditsOptions, _EDITS_EPILOG, _run_edits),
    "differences": Command(_DifferencesOptions, _DIFFERENCES_EPILOG, _run_differences),
}
