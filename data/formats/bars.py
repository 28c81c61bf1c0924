"""Sentence pairs as ``source ||| target``, the input of fast_align, eflomal and awesome-align."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from forest_align.data.formats.fields import plain_sentence
from forest_align.data.formats.format import Format, SentencePair, most, read_line_by_line, reading_pair
from forest_align.data.text.lines import InputLines
from forest_align.types import InputError

_BARS = "|||"


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield one pair per line; its id is the number of the line."""

    def parse(line: str) -> SentencePair:
        number = str(lines.number)
        source, *targets = (text.strip() for text in line.split(_BARS))
        with reading_pair(number, source, *targets[:1]):
            if len(targets) != 1:
                raise InputError(f"expected source ||| target, found {len(targets) + 1} texts between |||")
            return SentencePair(
                number,
                plain_sentence(source, tokenized, "source"),
                plain_sentence(targets[0], tokenized, "target"),
            )

    return read_line_by_line(lines, parse)


def matches(head: Sequence[str]) -> bool:
    """Whether most of the first lines have two texts with bars between them."""
    return most(head, lambda line: len(texts := line.split(_BARS)) == 2 and all(map(str.strip, texts)))


FORMAT = Format("bars", "source ||| target, raw text", read, matches)
