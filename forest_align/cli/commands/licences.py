"""The ``licences`` command: the licence of every bundled part, and what it learned from."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterator, Sequence
from importlib import metadata

from forest_align._bundled_parts import bundled_parts, markdown_table, part_rows, source_rows
from forest_align.types import InputError

EXIT_OK = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.epilog = (
        "examples:\n"
        "  forest-align licences               (everything)\n"
        "  forest-align licences contextual    (one aligner, with all that it loads)\n\n"
        "Commercial use is 'no' if the terms of a source exclude it, and 'unclear' if a source states none.\n"
        "A part depends on those that it learned with and those that it loads. This is not legal advice."
    )
    parser.add_argument("part", metavar="PART", nargs="?", help="show only this part and those it depends on")
    parser.add_argument("--to", choices=("text", "markdown"), default="text", help="format; default: text")


def run(options: argparse.Namespace) -> int:
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
        blocks = [_columns(list(part_rows(parts))), *map(_source_text, sources), *map(_columns, packages)]
        print("\n\n".join(blocks))
    return EXIT_OK


def _source_text(name: str) -> str:
    source = bundled_parts().sources[name]
    lines = [source.title, f"licence: {source.licence}; commercial use: {source.commercial}", source.link]
    return "\n  ".join(lines + textwrap.wrap(source.note, 100))


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


def _columns(rows: Sequence[tuple[str, ...]], width: int = 110) -> str:
    """Rows as columns; the last column is wrapped below itself."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    start = sum(widths[:-1]) + 2 * (len(widths) - 1)
    lines = []
    for row in rows:
        *cells, last = row
        before = "".join(f"{cell:<{size}}  " for cell, size in zip(cells, widths, strict=False))
        wrapped = textwrap.wrap(last, max(width - start, 30)) or [""]
        lines.append((before + wrapped[0]).rstrip())
        lines.extend(" " * start + line for line in wrapped[1:])
    return "\n".join(lines)
