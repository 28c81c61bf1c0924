"""Answer sentence selection: CSV of question, label, answer; the answers to one question form a group."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence

from forest_align.data.formats.fields import need_texts, plain_sentence, text_of
from forest_align.data.formats.format import Format, SentencePair, Writer, reading_pair
from forest_align.data.text.csv_rows import csv_rows
from forest_align.data.text.lines import InputLines
from forest_align.types import InputError

_HEADER = "qtext,label,atext"


class _Numbers:
    """Numbers questions and the answers to each."""

    def __init__(self) -> None:
        self._question: str | None = None
        self._number = self._answer = 0

    def next(self, question: str) -> str:
        """The id of the next row; consecutive rows with the same question belong together."""
        if question != self._question:
            self._question, self._number, self._answer = question, self._number + 1, 0
        self._answer += 1
        return f"{self._number}.{self._answer}"


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield one answer at a time: source is the question, target the answer; ``group`` is the question.

    The id is the numbers of the question and of the answer, joined by a point. A row with other columns has
    the number of its line as id.
    """
    numbers = _Numbers()
    for begun, row in csv_rows(lines, strict=True):
        if begun == 1 and row == _HEADER.split(","):
            continue
        try:
            if isinstance(row, InputError):
                raise row
            texts = (*row, "", "", "")[0:3:2]
            name = numbers.next(row[0]) if len(row) == 3 else str(begun)
            with reading_pair(name, *texts):
                if len(row) != 3 or row[1] not in ("0", "1"):
                    found = f"found {len(row)} columns: {row!r:.80}"
                    raise InputError(f"expected question, 0 or 1, answer; {found}")
                source = plain_sentence(texts[0], tokenized, "qtext")
                target = plain_sentence(texts[1], tokenized, "atext")
            place = (lines.name, begun)
            yield SentencePair(name, source, target, label=row[1] == "1", group=texts[0], place=place)
        except InputError as error:
            yield error.at(file=lines.name, line=begun)


def matches(head: Sequence[str]) -> bool:
    """Whether the file begins with the corpus's header."""
    return bool(head) and head[0] == _HEADER


def _write_pair(pair: SentencePair) -> str:
    """One row."""
    if pair.label is None:
        raise InputError(f"pair {pair.id!r} has no label, which format qa needs")
    question, answer = need_texts(pair, "qa")
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([question, int(pair.label), answer])
    return out.getvalue()


def _numbering() -> Callable[[SentencePair], str]:
    numbers = _Numbers()
    return lambda pair: numbers.next(text_of(pair.source))


FORMAT = Format(
    "qa",
    "answer selection, CSV: question, 0 or 1, answer",
    read,
    matches,
    writer=Writer(_write_pair, frozenset({"label"}), header=f"{_HEADER}\n", numbering=_numbering),
)
