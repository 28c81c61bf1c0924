"""Semantic textual similarity sets: score, sentence, sentence, separated by tabs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count

from forest_align.data.formats.fields import cells, columns, need_texts, plain_sentence
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

_HIGHEST_SCORE = 5.0


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield one pair per line, its score from 0 to 5; the id is the number of the line."""

    def parse(line: str) -> SentencePair:
        with reading_pair(str(lines.number), *cells(line, 3)[1:]):
            fields = columns(line, 3, "score, source, target")
            score = _score(fields[0])
            if score is None:
                raise InputError(f"expected a number from 0 to 5, found {fields[0]!r}", field="score")
            return SentencePair(
                str(lines.number),
                plain_sentence(fields[1], tokenized, "source"),
                plain_sentence(fields[2], tokenized, "target"),
                score=score,
            )

    return read_line_by_line(lines, parse)


def _score(text: str) -> float | None:
    try:
        score = float(text)
    except ValueError:
        return None
    return score if 0.0 <= score <= _HIGHEST_SCORE else None


def matches(head: Sequence[str]) -> bool:
    """Whether there are three columns and the first is a score."""
    return most(head, _is_row)


def _is_row(line: str) -> bool:
    row = line.split("\t")
    return len(row) == 3 and _score(row[0]) is not None


def _write_pair(pair: SentencePair) -> str:
    """One line: score, source, target."""
    if pair.score is None:
        raise InputError(f"pair {pair.id!r} has no similarity score, which format sts needs")
    score = repr(pair.score).removesuffix(".0")
    if _score(score) is None:
        raise InputError(f"pair {pair.id!r} has the score {score}; format sts holds those from 0 to 5")
    return "\t".join((score, *need_texts(pair, "sts"))) + "\n"


def _numbering() -> Callable[[SentencePair], str]:
    numbers = count(1)
    return lambda pair: str(next(numbers))


FORMAT = Format(
    "sts",
    "semantic similarity: score<TAB>source<TAB>target",
    read,
    matches,
    writer=Writer(_write_pair, frozenset({"score"}), numbering=_numbering),
)
