"""The licences of everything that the package brings along, and what each part learned from.

``bundled_parts.json`` is the only place that holds them. The command ``licences`` prints it; model cards and
``THIRD_PARTY.md`` hold tables of it, which ``tools/write_licences.py`` writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

#: Answers to whether commercial use is allowed, the safest first; a part has the last of all it depends on.
COMMERCIAL = ("yes", "unclear", "no")


@dataclass(frozen=True, slots=True)
class Source:
    """A corpus, an encoder or a dictionary of others, from which parts were made."""

    title: str
    licence: str  # its terms in a few words
    commercial: str  # one of COMMERCIAL
    link: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class BundledPart:
    """A part of the package with a licence of its own."""

    name: str
    kind: str  # what it is, in a few words
    path: str  # its folder in the repository; empty for the code
    licence: str  # SPDX expression
    learned_from: Mapping[str, str]  # name of a source -> which part of it was used, and for what
    made_with: tuple[str, ...]  # names of the parts whose output it learned from
    loads: tuple[str, ...]  # names of the parts that it loads when it runs


@dataclass(frozen=True, slots=True)
class BundledParts:
    """All parts of the package, and all sources, by name."""

    parts: Mapping[str, BundledPart]
    sources: Mapping[str, Source]

    def behind(self, name: str) -> tuple[str, ...]:
        """Names of a part and of all parts that it depends on, directly or not."""
        found = [name]
        for one in found:
            part = self.parts[one]
            others = dict.fromkeys((*part.made_with, *part.loads))
            found.extend(other for other in others if other not in found)
        return tuple(found)

    def sources_behind(self, name: str) -> tuple[str, ...]:
        """Names of the sources of a part and of all parts that it depends on."""
        learned = (source for one in self.behind(name) for source in self.parts[one].learned_from)
        return tuple(dict.fromkeys(learned))

    def commercial(self, name: str) -> str:
        """Whether a part may be used commercially: one of :data:`COMMERCIAL`."""
        answers = [self.sources[source].commercial for source in self.sources_behind(name)]
        return max(answers, key=COMMERCIAL.index, default=COMMERCIAL[0])

    def reason(self, name: str) -> str:
        """Titles of the sources that decide :meth:`commercial`; empty if the answer is yes."""
        answer = self.commercial(name)
        sources = [self.sources[source] for source in self.sources_behind(name)]
        deciding = [] if answer == COMMERCIAL[0] else [one for one in sources if one.commercial == answer]
        return ", ".join(source.title for source in deciding)

    def for_a_company(self, names: Iterable[str]) -> str:
        """What a company may do with these parts, in one sentence."""
        says = (
            "may use {}",
            "may use {} if the sources that state no terms allow it",
            "may not use {}",
        )
        groups: dict[str, list[str]] = {answer: [] for answer in COMMERCIAL}
        for name in names:
            groups[self.commercial(name)].append(name)
        clauses = [
            text.format(", ".join(group)) for text, group in zip(says, groups.values(), strict=True) if group
        ]
        return f"By the terms of the sources, a company {'; '.join(clauses)}."


@cache
def bundled_parts() -> BundledParts:
    """Read the parts and their sources."""
    path = Path(__file__).parents[1] / "bundled_parts.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    parts = (
        BundledPart(
            name=fields["name"],
            kind=fields["is"],
            path=fields.get("path", ""),
            licence=fields["licence"],
            learned_from=fields.get("learned_from", {}),
            made_with=tuple(fields.get("made_with", ())),
            loads=tuple(fields.get("loads", ())),
        )
        for fields in document["parts"]
    )
    sources = {name: Source(**fields) for name, fields in document["sources"].items()}
    return BundledParts({part.name: part for part in parts}, sources)


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
