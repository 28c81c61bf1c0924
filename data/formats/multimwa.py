"""The tables of MultiMWA (Lan et al. 2021): id, source, target, sure and possible links in ten columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from forest_align.data.formats.fields import (
    cells,
    columns,
    join_links,
    need_links,
    one_line,
    plain_sentence,
    split_links,
    tokens_of,
)
from forest_align.data.formats.format import (
    Format,
    SentencePair,
    Writer,
    most,
    read_line_by_line,
    reading_pair,
)
from forest_align.data.text.lines import InputLines
from forest_align.types import InputError

_SOURCE, _TARGET, _SURE, _POSSIBLE = 1, 3, 7, 8


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield one pair per line; sentences are always tokenized."""

    def parse(line: str) -> SentencePair:
        known = cells(line, _TARGET + 1)
        name = (known[0] if "\t" in line else "") or str(lines.number)
        with reading_pair(name, known[_SOURCE], known[_TARGET]):
            fields = columns(line, _SURE + 1, "id, source, N/A, target, N/A, –, –, sure, possible")
            source = plain_sentence(fields[_SOURCE], True, "source")
            target = plain_sentence(fields[_TARGET], True, "target")
            possible = fields[_POSSIBLE] if len(fields) > _POSSIBLE else ""
            lengths = (len(source), len(target))
            links = join_links(fields[_SURE], possible, ("sure", "possible"), lengths)
        return SentencePair(name, source, target, links)

    return read_line_by_line(lines, parse)


def matches(head: Sequence[str]) -> bool:
    """Whether there are at least eight columns, with N/A in the expected ones."""
    return most(head, _is_row)


def _is_row(line: str) -> bool:
    row = line.split("\t")
    return len(row) > _SURE and row[2] == row[4] == "N/A"


def _write_pair(pair: SentencePair) -> str:
    """One line of ten columns."""
    sure, possible = split_links(need_links(pair, "multimwa"))
    fields = [
        one_line(pair.id),
        tokens_of(pair.source),
        "N/A",
        tokens_of(pair.target),
        "N/A",
        "1",
        "1",
        sure,
        possible,
        "",
    ]
    return "\t".join(fields) + "\n"


FORMAT = Format(
    "multimwa",
    "MultiMWA table: id, source, N/A, target, N/A, –, –, sure, possible",
    read,
    matches,
    writer=Writer(_write_pair, frozenset({"links", "possible links"}), id=one_line),
)
