"""The ``licences`` command: the licence of every bundled part, and what it learned from."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

import msgspec

from forest_align.cli import EXIT_OK
from forest_align.cli.arguments import argument, option
from forest_align.types import InputError

#: Answers to whether commercial use is allowed, the safest first; a part has the last of all it depends on.
COMMERCIAL = ("yes", "unclear", "no")


class Source(msgspec.Struct, frozen=True):
    """A corpus, an encoder or a dictionary of others, from which parts were made."""

    title: str
    licence: str  # its terms in a few words
    commercial: str  # one of COMMERCIAL
    link: str
    note: str = ""


class BundledPart(msgspec.Struct, frozen=True, rename={"kind": "is"}):
    """A part of the package with a licence of its own."""

    name: str
    kind: str  # what it is, in a few words
    licence: str  # SPDX expression
    path: str = ""  # its folder in the repository; empty for the code
    learned_from: dict[str, str] = {}  # name of a source -> which part of it was used, and for what
    made_with: tuple[str, ...] = ()  # names of the parts whose output it learned from
    loads: tuple[str, ...] = ()  # names of the parts that it loads when it runs


class _Document(msgspec.Struct):
    """What ``bundled_parts.json`` has."""

    parts: list[BundledPart]
    sources: dict[str, Source]


@dataclass(frozen=True, slots=True)
class BundledParts:
    """All parts of the package, and all sources, by name."""

    parts: Mapping[str, BundledPart]
    sources: Mapping[str, Source]

    def behind(self, name: str) -> tuple[str, ...]:
        """Names of a part and of all parts that it depends on, directly or not."""
        names = [name]
        for known in names:
            part = self.parts[known]
            others = dict.fromkeys((*part.made_with, *part.loads))
            names.extend(other for other in others if other not in names)
        return tuple(names)

    def sources_behind(self, name: str) -> tuple[str, ...]:
        """Names of the sources of a part and of all parts that it depends on."""
        learned = (source for part in self.behind(name) for source in self.parts[part].learned_from)
        return tuple(dict.fromkeys(learned))

    def commercial(self, name: str) -> str:
        """Whether a part may be used commercially: one of :data:`COMMERCIAL`."""
        answers = [self.sources[source].commercial for source in self.sources_behind(name)]
        return max(answers, key=COMMERCIAL.index, default=COMMERCIAL[0])

    def reason(self, name: str) -> str:
        """Titles of the sources that decide :meth:`commercial`; empty if the answer is yes."""
        answer = self.commercial(name)
        sources = [self.sources[source] for source in self.sources_behind(name)]
        deciding = [source.title for source in sources if source.commercial == answer]
        return "" if answer == COMMERCIAL[0] else ", ".join(deciding)

    def for_a_company(self, names: Iterable[str]) -> str:
        """What a company may do with these parts, in one sentence."""
        says = (
            "may use {}",
            "may use {} if the sources that state no terms allow it",
            "may not use {}",
        )
        answers = {name: self.commercial(name) for name in names}
        groups = [[name for name in answers if answers[name] == answer] for answer in COMMERCIAL]
        clauses = [text.format(", ".join(group)) for text, group in zip(says, groups, strict=True) if group]
        return f"By the terms of the sources, a company {'; '.join(clauses)}."


@cache
def bundled_parts() -> BundledParts:
    """Read the parts and their sources."""
    file = Path(__file__).parents[2] / "bundled_parts.json"
    document = msgspec.json.decode(file.read_bytes(), type=_Document)
    return BundledParts({part.name: part for part in document.parts}, document.sources)


def part_rows(names: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Table of parts: a row of headings, then a row for each."""
    yield "part", "what it is", "licence", "commercial use", "because of"
    known = bundled_parts()
    for name in names:
        part = known.parts[name]
        yield name, part.kind, part.licence, known.commercial(name), known.reason(name)


def source_rows(names: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Table of sources: a row of headings, then a row for each."""
    yield "source", "licence", "commercial use", "link", "note"
    for name in names:
        source = bundled_parts().sources[name]
        yield source.title, source.licence, source.commercial, source.link, source.note


def use_rows(name: str) -> Iterator[tuple[str, ...]]:
    """Table of what a part learned from: a row of headings, then a row for each source."""
    yield "source", "licence", "commercial use", "used for"
    known = bundled_parts()
    for key, use in known.parts[name].learned_from.items():
        source = known.sources[key]
        yield f"[{source.title}]({source.link})", source.licence, source.commercial, use


def markdown_table(rows: Iterable[tuple[str, ...]]) -> str:
    """Rows as a Markdown table, the first as its heading."""
    first, *others = rows
    return "".join(f"| {' | '.join(row)} |\n" for row in (first, ("---",) * len(first), *others))


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
class _LicencesOptions:
    """Options of the command."""

    part: str | None = argument("PART", nargs="?", help="show only this part and those it depends on")
    to: str = option("--to", choices=("text", "markdown"), default="text", help="format")


OPTIONS = _LicencesOptions


def run(options: _LicencesOptions) -> int:
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
            stated = metadata.metadata(name)
        except metadata.PackageNotFoundError:
            continue
        yield name, stated["Version"], _stated_licence(stated)


def _stated_licence(stated: metadata.PackageMetadata) -> str:
    """Licence of an installed package: its expression, its name in a line, or its classifier."""
    for field in ("License-Expression", "License"):
        text = "".join(stated.get_all(field) or ())
        if text and "\n" not in text:
            return text
    classifiers = [text for text in stated.get_all("Classifier") or () if text.startswith("License ::")]
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
