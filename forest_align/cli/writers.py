"""Writers of alignments and of what is made of them, one for each output format."""

from __future__ import annotations

import os
import shutil

from forest_align.alignment import Alignment
from forest_align.jobs.shards import EntryWriter
from forest_align.types import InputError

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
    from forest_align.aligners.chunks.related_chunks import chunk_links
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
