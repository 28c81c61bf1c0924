"""The ``licences`` command: the licence of every bundled part, and what it learned from."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata

from forest_align.cli.bundled_parts import bundled_parts, markdown_table, part_rows, source_rows
from forest_align.cli.typed_options import argument, option
from forest_align.types import InputError

EXIT_OK = 0
# Widths of tables and of paragraphs, unless the terminal is narrower.
_TABLE, _PARAGRAPH = 140, 102
# Least width of the last column.
_LAST = 30


EPILOG = (
    "examples:\n"
    "  forest-align licences               (everything)\n"
    "  forest-align licences contextual    (one aligner, with all that it loads)\n\n"
    "Commercial use is 'no' if the terms of a source exclude it, and 'unclear' if a source states none.\n"
    "A part depends on those that it learned with and those that it loads. This is not legal advice."
)


@dataclass(frozen=True, slots=True)
class LicencesOptions:
    """Options of the command."""

    part: str | None = argument("PART", nargs="?", help="show only this part and those it depends on")
    to: str = option("--to", choices=("text", "markdown"), default="text", help="format")


OPTIONS = LicencesOptions


def run(options: LicencesOptions) -> int:
    """Print the tables; return the exit status."""
    known = bundled_parts()
    if options.part is not None and options.part not in known.parts:
        raise InputError(f"there is no part {options.part!r}; expected {', '.join(known.parts)}")
    parts = tuple(known.parts) if options.part is None else known.behind(options.part)
    sources = tuple(known.sources) if options.part is None else known.sources_behind(options.part)
    packages = [list(_package_rows())] if options.part is None else []
    if options.to == "markdown":
        tables = [part_rows(parts), source_rows(sources), *packages]
        print("\n".join(markdown_table(rows) for rows in tables), end="")
    else:
        has_width = sys.stdout.isatty() or os.environ.get("COLUMNS")
        width = min(shutil.get_terminal_size((_TABLE, 24)).columns, _TABLE) if has_width else _TABLE
        blocks = [_columns(list(part_rows(parts)), width)]
        blocks += [_source_text(name, width) for name in sources]
        blocks += [_columns(rows, width) for rows in packages]
        blocks.append("\n".join(textwrap.wrap(known.for_a_company(parts), min(width, _PARAGRAPH))))
        print("\n\n".join(blocks))
    return EXIT_OK


def _source_text(name: str, width: int) -> str:
    source = bundled_parts().sources[name]
    size = min(width, _PARAGRAPH) - 2
    terms = textwrap.wrap(f"licence: {source.licence}; commercial use: {source.commercial}", size)
    return "\n  ".join([source.title, *terms, source.link, *textwrap.wrap(source.note, size)])


def _package_rows() -> Iterator[tuple[str, ...]]:
    """Table of the installed packages that this one requires, with the licences that they state."""
    yield "installed package", "version", "licence"
    for requirement in metadata.requires("forest-align") or ():
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        if "extra ==" in requirement:
            continue
        try:
            found = metadata.metadata(name)
        except metadata.PackageNotFoundError:
            continue
        yield name, found["Version"], _stated_licence(found)


def _stated_licence(found: metadata.PackageMetadata) -> str:
    """Licence of an installed package: its expression, its name in a line, or its classifier."""
    for field in ("License-Expression", "License"):
        text = "".join(found.get_all(field) or ())
        if text and "\n" not in text:
            return text
    classifiers = [text for text in found.get_all("Classifier") or () if text.startswith("License ::")]
    return ", ".join(text.rpartition(" :: ")[2] for text in classifiers) or "not stated"


def _columns(rows: Sequence[tuple[str, ...]], width: int) -> str:
    """Rows as columns, the last wrapped below itself; as paragraphs where they find no room."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    start = sum(widths[:-1]) + 2 * (len(widths) - 1)
    if width - start < min(_LAST, widths[-1]):
        return "\n".join(_paragraph(rows[0], row, width) for row in rows[1:])
    lines = []
    for row in rows:
        *cells, last = row
        before = "".join(f"{cell:<{size}}  " for cell, size in zip(cells, widths, strict=False))
        wrapped = textwrap.wrap(last, width - start) or [""]
        lines.append((before + wrapped[0]).rstrip())
        lines.extend(" " * start + line for line in wrapped[1:])
    return "\n".join(lines)


def _paragraph(head: Sequence[str], row: Sequence[str], width: int) -> str:
    named = [f"{name}: {cell}" for name, cell in zip(head[1:], row[1:], strict=True) if cell]
    return "\n  ".join([row[0], *textwrap.wrap("; ".join(named), width - 2)])
