"""Tab-separated sentence pairs: source, target and perhaps an id."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from forest_align.data.lines import InputLines
from forest_align.data.pair_types import (
    Format,
    SentencePair,
    Writer,
    columns,
    most,
    one_line,
    plain_sentence,
    read_line_by_line,
    text_of,
)
from forest_align.types import InputError


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield pairs; the id is the third column, else the number of the line."""

    def parse(line: str) -> SentencePair:
        fields = columns(line, 2, "source, target, and perhaps an id, separated by a tab")
        if len(fields) > 3:
            raise InputError(f"expected 2 or 3 columns (source, target, id), found {len(fields)}")
        return SentencePair(
            fields[2].strip() if len(fields) == 3 and fields[2].strip() else str(lines.number),
            plain_sentence(fields[0], tokenized, "source"),
            plain_sentence(fields[1], tokenized, "target"),
        )

    return read_line_by_line(lines, parse)


def matches(head: Sequence[str]) -> bool:
    """Whether the first lines have two or three columns."""
    return most(head, lambda line: line.count("\t") in (1, 2))


def write_pair(pair: SentencePair) -> str:
    """One line: source, target, id."""
    return f"{text_of(pair.source)}\t{text_of(pair.target)}\t{one_line(pair.id)}\n"


FORMAT = Format("tsv", "source<TAB>target[<TAB>id], raw text", read, matches, writer=Writer(write_pair))
