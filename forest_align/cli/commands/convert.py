"""The ``convert`` command: convert a corpus to another format that can hold the same content."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from forest_align.cli import EXIT_OK, EXIT_SOME_FAILED
from forest_align.cli.arguments import (
    argument,
    columns_option,
    escapes_option,
    format_option,
    option,
    tokenized_option,
)
from forest_align.cli.input_reports import SkippedInputs, expected_count
from forest_align.data.corpora.published_corpora import majority_pairs
from forest_align.data.formats.format import Format
from forest_align.data.pairs import (
    FORMATS,
    SentencePair,
    find_format,
    format_of_path,
    open_replacing,
    output_files,
    read_pairs,
)
from forest_align.data.text.lines import refuse_compressed
from forest_align.storage.outputs import open_output, refuse_overwriting
from forest_align.system.terminal import counted
from forest_align.types import InputError, InputWarning

_LISTING = "\n".join(
    f"  {f.name:<9} {f.summary}{'' if f.writer else ' (read only)'}" for _, f in sorted(FORMATS.items())
)
EPILOG = (
    "examples:\n"
    "  forest-align convert gold.json gold.pharaoh      (the sentences go to gold.tsv)\n"
    "  forest-align convert alignments.jsonl - --to jacana\n"
    "  forest-align convert A.align.txt gold.json --majority B.align.txt C.align.txt\n\n"
    f"formats:\n{_LISTING}\n\n"
    "Anything that the new format cannot hold is dropped, with a warning.\n"
    "exit status: 0 all converted, 1 some pairs were left out (broken, or without what OUT needs), "
    "2 bad usage or input"
)
_WRITABLE = tuple(name for name, f in FORMATS.items() if f.writer)


@dataclass(frozen=True, slots=True)
class _ConvertOptions:
    """Options of the command."""

    input: str = argument("IN", help="file to read; - for standard input")
    output: str = argument("OUT", help="file to write; - for standard output")
    source_format: str | None = format_option(
        "--from", "format of IN, one of those below; recognised by default"
    )
    to: str | None = format_option(
        "--to", "format of OUT, one of those below; default: by its extension", _WRITABLE
    )
    columns: tuple[str, str] | None = columns_option()
    tokenized: bool = tokenized_option()
    escapes: str | None = escapes_option()
    majority: tuple[str, ...] | None = option(
        "--majority FILE",
        nargs="+",
        help="further annotators of the same pairs: keep the links on which more than half agree",
    )
    tokens_of: str | None = option(
        "--tokens-of FILE",
        help="with --majority: the published majority of MSR-RTE; its tokens, and its rules for carrying "
        "links over to them, are used",
    )


OPTIONS = _ConvertOptions


def run(options: _ConvertOptions) -> int:
    """Convert; return the exit status."""
    to_file = options.output != "-"
    refuse_compressed(options.output)
    target = find_format(options.to) if options.to else format_of_path(options.output) if to_file else None
    if target is None or target.writer is None:
        raise InputError(f"cannot recognise the format of {options.output!r}; name it with --to")
    if options.tokens_of and not options.majority:
        raise InputError("--tokens-of goes with --majority")
    annotators = [options.input, *(options.majority or ())]
    files = [*annotators, *([options.tokens_of] if options.tokens_of else ())]
    outputs = output_files(options.output, target) if to_file else []
    for file in files:
        refuse_overwriting(file, outputs)
    _refuse_files_beside(outputs)
    streams = [
        read_pairs(
            file,
            options.source_format,
            tokenized=options.tokenized,
            escapes=options.escapes,
            columns=options.columns,
        )
        for file in annotators
    ]
    published = read_pairs(options.tokens_of) if options.tokens_of else None
    # Read the first pair before the output is opened: a missing input must not destroy an old output.
    pairs = _peek(majority_pairs(streams, published) if options.majority else streams[0], options.input)
    with ExitStack() as stack:
        opened = open_replacing(stack, outputs) if to_file else [stack.enter_context(open_output(None))]
        return _write(pairs, target, opened, expected_count(options.input))


def _refuse_files_beside(outputs: Sequence[Path]) -> None:
    """Refuse to overwrite a file next to the output alone: it may be the only copy of the sentences."""
    for beside in outputs[1:]:
        if beside.exists() and not outputs[0].exists():
            raise InputError(
                f"the sentences of {outputs[0]} would overwrite it; move it away, or give another name",
                file=str(beside),
            )


def _write(
    pairs: Iterable[SentencePair | InputError], target: Format, outputs: list[IO[str]], total: int | None
) -> int:
    writer = target.writer
    assert writer is not None
    number = writer.numbering() if writer.numbering is not None else None
    written = 0
    dropped: set[str] = set()
    outputs[0].write(writer.header)
    with SkippedInputs("convert") as left_out:
        for pair in counted(pairs, "pairs", hidden=outputs[0].isatty(), total=total):
            try:
                if isinstance(pair, InputError):
                    raise pair
                texts = [writer.pair(pair), *([writer.beside[1](pair)] if writer.beside is not None else [])]
            except InputError as error:
                left_out.add(error if isinstance(pair, InputError) else pair.located(error))
                continue
            outputs[0].write(writer.separator if written else "")
            # Standard output has no file beside it.
            for output, text in zip(outputs, texts, strict=False):
                output.write(text)
            written += 1
            dropped |= pair.carries() - writer.holds
            if pair.id != (number(pair) if number is not None else writer.id(pair.id)):
                dropped.add("some ids")
    outputs[0].write(writer.footer)
    if dropped:
        what = ", ".join(sorted(dropped))
        print(f"forest-align convert: warning: format {target.name} cannot hold: {what}", file=sys.stderr)
    return EXIT_SOME_FAILED if left_out.count else EXIT_OK


def _peek(pairs: Iterator[SentencePair | InputError], name: str) -> Iterator[SentencePair | InputError]:
    first = next(pairs, None)
    if first is None:
        warnings.warn(InputWarning(f"{name}: found no pairs of sentences"), stacklevel=2)

    def again() -> Iterator[SentencePair | InputError]:
        if first is not None:
            yield first
            yield from pairs

    return again()
