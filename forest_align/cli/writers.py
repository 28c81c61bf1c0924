"""Writers of alignments, one for each output format."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass

from forest_align.alignment import Alignment


@dataclass(frozen=True, slots=True)
class AlignmentWriter:
    """How alignments are written in one format.

    Attributes
    ----------
    line : callable
        Text of one alignment; raises InputError if the format cannot hold it.
    header, footer : str
        Text before the first and after the last.
    one_line_each : bool
        Whether an alignment is exactly one line, so that a run can be resumed.
    """

    line: Callable[[Alignment], str]
    header: str = ""
    footer: str = ""
    one_line_each: bool = False


def alignment_writer(name: str, to_terminal: bool) -> AlignmentWriter:
    """The writer of ``jsonl``, ``pharaoh``, ``text`` or ``html``."""
    if name == "jsonl":
        return AlignmentWriter(lambda alignment: alignment.to_json() + "\n", one_line_each=True)
    if name == "pharaoh":
        return AlignmentWriter(lambda alignment: alignment.to_pharaoh() + "\n", one_line_each=True)
    if name == "html":
        from forest_align.alignment.html import PAGE_END, PAGE_START, to_section

        return AlignmentWriter(to_section, PAGE_START, PAGE_END)
    from forest_align.alignment.text import DEFAULT_WIDTH, to_text

    # If no width is given, lines in a file can have any length.
    has_width = to_terminal or os.environ.get("COLUMNS")
    width = shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns if has_width else None
    colour = to_terminal and not os.environ.get("NO_COLOR")
    return AlignmentWriter(lambda alignment: to_text(alignment, width=width, colour=colour) + "\n")
