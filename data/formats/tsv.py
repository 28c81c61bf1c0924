"""Tab-separated sentence pairs: source, target and optionally an id."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from forest_align.data.formats.fields import cells, columns, need_texts, one_line, plain_sentence
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


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield pairs; the id is the third column, else the number of the line."""

    def parse(line: str) -> SentencePair:
        source, target, name = cells(line, 3)
        name = name.strip() or str(lines.number)
        with reading_pair(name, source, target):
            found = len(columns(line, 2, "source, target, and perhaps an id, separated by a tab"))
            if found > 3:
                raise InputError(
                    f"expected 2 or 3 columns (source, target, id), found {found}; there may be more below a "
                    "header line with the columns source and target"
                )
            return SentencePair(
                name,
                plain_sentence(source, tokenized, "source"),
                plain_sentence(target, tokenized, "target"),
            )

    return read_line_by_line(lines, parse)


def matches(head: Sequence[str]) -> bool:
    """Whether the first lines have two or three columns."""
    return most(head, lambda line: line.count("\t") in (1, 2))


def _write_pair(pair: SentencePair) -> str:
    """One line: source, target, id."""
    return "\t".join((*need_texts(pair, "tsv"), one_line(pair.id))) + "\n"


FORMAT = Format(
    "tsv", "source<TAB>target[<TAB>id], raw text", read, matches, writer=Writer(_write_pair, id=one_line)
)
