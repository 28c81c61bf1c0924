"""From pairs to lines of output: their alignments, and a writer for each format, Parquet included."""

from __future__ import annotations

import os
import shutil
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align.aligners import Aligner
from forest_align.aligners.pair import Pair
from forest_align.alignment import Alignment
from forest_align.cli.align_options import AlignOptions
from forest_align.cli.arguments import refuse_with
from forest_align.cli.input_pairs import Item
from forest_align.data.formats.arrow_tables import import_pyarrow
from forest_align.data.text.lines import refuse_compressed
from forest_align.jobs.parquet_output import check_finished, write_parquet
from forest_align.jobs.run_record import Outcome
from forest_align.jobs.shards import EntryWriter, Line
from forest_align.types import ForestAlignError, InputError

if TYPE_CHECKING:
    from forest_align.aligners import Aligner


def aligned_lines(
    items: Iterator[Item],
    aligner: Aligner,
    options: AlignOptions,
    line: Callable[[Alignment], str],
    workers: int = 1,
) -> Iterator[Line[Item]]:
    """Yield each item with its alignment as text; broken pairs keep their places."""
    from forest_align.aligners.words.explain import with_evidence

    least = options.min_probability
    for item, alignment in aligned_items(items, aligner, options.batch_size, workers):
        shown = alignment
        try:
            if options.explain and not alignment.error:
                given = item.content.candidates if isinstance(item.content, Pair) else None
                shown = with_evidence(aligner, alignment, candidates=given)
            shown = shown.in_parts() if options.partial else shown
            text = line(shown if least is None else shown.above(least))
        except InputError as error:
            failed = Alignment.failed(str(error), id=alignment.id, aligner=alignment.aligner)
            source, target = alignment.source, alignment.target
            alignment = replace(failed, source=source, target=target, made_by=alignment.made_by)
            text = line(alignment)
        yield item, text, failure_of(alignment)


def failure_of(alignment: Alignment) -> tuple[str, str] | None:
    """The name of an alignment and its error, if it has one."""
    return (alignment.id, alignment.error) if alignment.error else None


def aligned_items(
    items: Iterator[Item], aligner: Aligner, batch_size: int, workers: int
) -> Iterator[tuple[Item, Alignment]]:
    """Yield each item with its alignment, in order; a broken pair keeps its place, name and texts."""
    waiting: deque[Item] = deque()

    def contents() -> Iterator[Pair | InputError]:
        for item in items:
            waiting.append(item)
            yield item.content

    for alignment in aligner.align_many(contents(), batch_size=batch_size, workers=workers):
        item = waiting.popleft()
        if isinstance(item.content, InputError):
            alignment = replace(alignment, source=item.source, target=item.target)
        elif alignment.error and item.place is not None:
            file, line = item.place
            alignment = replace(alignment, error=f"{file}:{line}: {alignment.error}")
        yield item, replace(alignment, id=item.name)
    if waiting:
        raise ForestAlignError(f"the {aligner.name} aligner returned nothing for pair {waiting[0].name!r}")


_DELIMITERS = {"tsv": "\t", "csv": ","}


def alignment_writer(
    name: str, to_terminal: bool, *, everything: bool = False, simple: bool = False
) -> EntryWriter:
    """The writer of ``jsonl``, ``pharaoh``, ``tsv``, ``csv``, ``ists``, ``svg``, ``text`` or ``html``.

    With ``everything``, ``text`` has all phrase pairs and links, not only what differs. With ``simple``, an
    ``svg`` has no trees.
    """
    if name == "jsonl":
        return EntryWriter(lambda alignment: alignment.to_json() + "\n", one_line_each=True)
    if name == "pharaoh":
        return EntryWriter(lambda alignment: alignment.to_pharaoh() + "\n", one_line_each=True)
    if name in _DELIMITERS:
        from forest_align.alignment.table_rows import COLUMNS, line_of, to_row

        delimiter = _DELIMITERS[name]
        return EntryWriter(lambda alignment: to_row(alignment, delimiter), line_of(COLUMNS, delimiter))
    if name == "ists":
        return EntryWriter(_chunks)
    if name == "svg":
        return EntryWriter(lambda alignment: _picture(alignment, simple), one_pair=True)
    if name == "html":
        from forest_align.alignment.html import PAGE_END, PAGE_START, to_section

        return EntryWriter(to_section, PAGE_START, PAGE_END)
    from forest_align.alignment.text import DEFAULT_WIDTH, to_text

    width = shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns
    colour = to_terminal and not os.environ.get("NO_COLOR")
    return EntryWriter(
        lambda alignment: to_text(alignment, width=width, colour=colour, everything=everything) + "\n"
    )


def _chunks(alignment: Alignment) -> str:
    """The chunks of an alignment as a ``.wa`` file has them; nothing for a pair that could not be aligned."""
    from forest_align.aligners.chunks import chunk_links
    from forest_align.data.formats.ists import write_pair
    from forest_align.data.pairs import SentencePair

    if alignment.error:
        return ""
    chunks = tuple(chunk_links(alignment))
    return write_pair(SentencePair(alignment.id, alignment.source, alignment.target, chunks=chunks))


def _picture(alignment: Alignment, simple: bool) -> str:
    """The picture of an alignment; nothing for a pair that could not be aligned."""
    if alignment.error:
        return ""
    try:
        return alignment.to_svg(simple=simple) + "\n"
    except RecursionError:
        raise InputError("the trees are too deep to be drawn") from None


def write_lines_first(options: AlignOptions) -> tuple[Path, AlignOptions]:
    """The Parquet file, and options to write JSON lines next to it first."""
    if options.output is None:
        raise InputError("--to parquet needs -o OUT")
    check_table_options(options)
    refuse_compressed(options.output)
    table = Path(options.output)
    return table, replace(options, output=f"{table}.jsonl.gz", to="jsonl")


def check_table_options(options: AlignOptions) -> None:
    """Make sure that a table can be written, and has a place for what the options ask for."""
    refuse_with("--to parquet", options, "--to parquet")
    import_pyarrow()


def finished_table(
    table: Path, lines: Path, settings: Mapping[str, str], items: Iterable[Item]
) -> Outcome | None:
    """What a file has that an earlier run has finished with the same settings; None if it must be made."""
    if lines.exists() or not table.exists():
        return None
    outcome = check_finished(table, settings, (item.texts for item in items))
    print(f"forest-align align: {table} has all {outcome.lines} pairs already", file=sys.stderr)
    return outcome


def finish_table(table: Path, lines: Path, settings: Mapping[str, str], aligner: Aligner) -> None:
    """Make the Parquet file of the JSON lines, and remove these with their record."""
    write_parquet(lines, table, aligner.made_by, settings)
    lines.unlink()
    lines.with_name(f"{lines.name}.run").unlink(missing_ok=True)
