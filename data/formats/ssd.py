"""The span similarity dataset (SSD): sentences whose corresponding spans are in double braces."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import count

from forest_align.data.formats.fields import cells, columns, need_texts, plain_sentence
from forest_align.data.formats.format import (
    Format,
    MarkedSpans,
    SentencePair,
    Span,
    Writer,
    read_line_by_line,
    reading_pair,
)
from forest_align.data.text.lines import InputLines
from forest_align.types import InputError

_HEADER = "premise\thypothesis\tspan_similarity\tsentence_similarity"
_MARKS = re.compile(r"\{\{(.+?)\}\}")


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield one pair per line: source is the premise, ``label`` the similarity of the sentences.

    Spans correspond in their order; the third column has 1 for spans that mean the same and 0 for others,
    with commas between. The id is the number of the line.
    """

    def parse(line: str) -> SentencePair | None:
        if line == _HEADER:
            return None
        (source, ours), (target, theirs) = map(_unmarked, cells(line, 2))
        name = str(lines.number)
        with reading_pair(name, source, target):
            fields = columns(line, 4, "premise, hypothesis, span_similarity, sentence_similarity")
            labels = fields[2].split(",") if fields[2].strip() else []
            if not {fields[3], *labels} <= {"0", "1"}:
                raise InputError(f"expected 0 or 1 for each span and for the pair, found {fields[2:4]}")
            if not len(ours) == len(theirs) == len(labels):
                found = f"{len(ours)} and {len(theirs)} spans and {len(labels)} labels"
                raise InputError(f"expected as many spans on both sides as labels, found {found}")
            premise = plain_sentence(source, tokenized, "premise")
            hypothesis = plain_sentence(target, tokenized, "hypothesis")
            marked = (
                MarkedSpans(one, other, label == "1")
                for one, other, label in zip(ours, theirs, labels, strict=True)
            )
            return SentencePair(name, premise, hypothesis, label=fields[3] == "1", marked=tuple(marked))

    return read_line_by_line(lines, parse)


def _unmarked(text: str) -> tuple[str, list[Span]]:
    """A text without its braces, and the spans of characters that they marked."""
    plain, spans, at = "", [], 0
    for found in _MARKS.finditer(text):
        plain += text[at : found.start()]
        spans.append((len(plain), len(plain) + len(found[1])))
        plain, at = plain + found[1], found.end()
    return plain + text[at:], spans


def matches(head: Sequence[str]) -> bool:
    """Whether the file begins with the corpus's header."""
    return bool(head) and head[0] == _HEADER


def _write_pair(pair: SentencePair) -> str:
    """One line of four columns."""
    if pair.marked is None or pair.label is None:
        raise InputError(f"pair {pair.id!r} has no marked spans or no label, which format ssd needs")
    source, target = need_texts(pair, "ssd")
    sides = (
        _with_marks(source, [one.source for one in pair.marked], pair.id),
        _with_marks(target, [one.target for one in pair.marked], pair.id),
    )
    labels = ",".join(str(int(one.same)) for one in pair.marked)
    return "\t".join((*sides, labels, str(int(pair.label)))) + "\n"


def _with_marks(text: str, spans: Sequence[Span], id: str) -> str:
    marked, at = "", 0
    for start, end in spans:
        if start < at:
            raise InputError(f"pair {id!r} has spans that are not in order, which format ssd needs")
        marked += f"{text[at:start]}{{{{{text[start:end]}}}}}"
        at = end
    return marked + text[at:]


def _numbering() -> Callable[[SentencePair], str]:
    numbers = count(2)  # the header is line 1
    return lambda pair: str(next(numbers))


FORMAT = Format(
    "ssd",
    "span similarity dataset: premise, hypothesis, labels of the {{marked}} spans, label of the pair",
    read,
    matches,
    writer=Writer(
        _write_pair,
        frozenset({"label", "marked spans"}),
        header=f"{_HEADER}\n",
        numbering=_numbering,
    ),
)
