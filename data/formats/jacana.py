"""A JSON list of pairs, such as that of jacana-align with ``sureAlign``, ``possibleAlign`` (Yao et al. 2013).

Objects without these keys are those of JSON lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from forest_align.data.formats import json_lines
from forest_align.data.formats.fields import join_links, need_links, plain_sentences, split_links, tokens_of
from forest_align.data.formats.format import (
    ColumnNames,
    Format,
    PairError,
    SentencePair,
    Writer,
    reading_pair,
)
from forest_align.data.text.lines import InputLines
from forest_align.types import InputError
from forest_align.types.json_fields import Fields

_DECODER = json.JSONDecoder()
_NOT_BLANK = re.compile(r"[^ \t\r\n]")
_LINKS = {"sureAlign", "possibleAlign"}
_END = "the end of the file"


def read(
    lines: InputLines, tokenized: bool, wanted: ColumnNames | None = None
) -> Iterator[SentencePair | InputError]:
    """Yield the pairs of the list, each as soon as the lines that hold it are read.

    Several lists in one file are read as one. After broken JSON or a line that is not UTF-8, reading ends
    with an InputError item. A pair without a readable id is named by its number among the pairs, because all
    pairs may be on one line.
    """
    text, number = _Text(lines), 1
    try:
        for line, item in _items(text):
            try:
                if isinstance(item, dict) and not _LINKS & set(item):
                    pair = json_lines.pair_of(item, str(number), tokenized, wanted)
                else:
                    pair = _pair(item, str(number))
                yield replace(pair, place=(lines.name, line))
            except PairError as error:
                yield error.numbered(number).at(file=lines.name, line=line)
            number += 1
    except InputError as error:
        after = f"after pair {number - 1} of the file: " if number > 1 else ""
        problem = InputError(f"{after}{error.message}", file=error.file, line=error.line)
        yield PairError(problem, str(number)).at(file=lines.name, line=text.line)


class _Text:
    """The text still to be parsed; the file is read only as far as the next item needs."""

    def __init__(self, lines: InputLines) -> None:
        self.line = 1
        self._lines, self._text, self._place = lines, "", 0

    def peek(self) -> str:
        """The next character that is not blank, without consuming it; empty at the end of the file."""
        while True:
            character = _NOT_BLANK.search(self._text, self._place)
            if character is not None:
                self._advance(character.start())
                return character[0]
            if not self._read_more():
                return ""

    def take(self) -> str:
        """Consume the next character that is not blank; empty at the end of the file."""
        character = self.peek()
        self._advance(self._place + len(character))
        return character

    def take_item(self) -> object:
        """Consume the next JSON value. Raises InputError if there is none."""
        while True:
            try:
                item, end = _DECODER.raw_decode(self._text, self._place)
            except json.JSONDecodeError as error:
                # Strings cannot span lines: only a value cut off at the end can be completed by more lines.
                if self._text[error.pos :].strip() or not self._read_more():
                    line = self.line + self._text.count("\n", self._place, error.pos)
                    raise InputError(f"not JSON: {error.msg}", line=line) from None
            except RecursionError:
                raise InputError("not JSON: nested too deeply") from None
            except ValueError as error:  # a number of thousands of digits
                raise InputError(f"not JSON: {error}") from None
            else:
                self._advance(end)
                return item

    def _advance(self, place: int) -> None:
        self.line += self._text.count("\n", self._place, place)
        self._place = place

    def _read_more(self) -> bool:
        """Read lines up to one that may end an object; return whether there were any.

        The text at least doubles each time, so that a long value is not decoded again with each of its lines.
        """
        left = self._text[self._place :]
        pieces: list[str] = []
        size = 0
        for line in self._lines:
            pieces += ["\n" if self._lines.number > 1 else "", line]
            size += len(line)
            if "}" in line and size >= len(left):
                break
        self._text, self._place = left + "".join(pieces), 0
        return bool(pieces)


def _items(text: _Text) -> Iterator[tuple[int, object]]:
    """Items of JSON lists with the numbers of their first lines.

    Raises InputError if the text is not a JSON list.
    """
    while (mark := text.take()) == "[":
        if text.peek() == "]":
            mark = text.take()
        while mark != "]":
            text.peek()
            line = text.line
            yield line, text.take_item()
            mark = text.take()
            if mark not in (",", "]"):
                raise InputError(f"expected ',' or ']' after a pair, found {mark or _END!r}")
        if not text.peek():
            return
    expected = "a JSON list of objects with source and target"
    raise InputError(f"expected {expected}, found {mark or _END!r}")


def _pair(item: object, number: str) -> SentencePair:
    known = item if isinstance(item, dict) else {}
    texts = [text if isinstance(text := known.get(side), str) else "" for side in ("source", "target")]
    with reading_pair(number, *texts):
        fields = Fields(item)
        # Files have ids, which are strings or numbers, or names, or both.
        name = fields.identifier("id" if fields.has("id") or not fields.has("name") else "name")
    with reading_pair(name, *texts):
        source, target = plain_sentences([fields.text(side) for side in ("source", "target")], True)
        links = join_links(
            fields.text("sureAlign"),
            fields.text("possibleAlign", ""),
            ("sureAlign", "possibleAlign"),
            (len(source), len(target)),
        )
    return SentencePair(name, source, target, links)


def _write_pair(pair: SentencePair) -> str:
    sure, possible = split_links(need_links(pair, "jacana"))
    values = {
        "id": pair.id,
        "name": pair.id,
        "source": tokens_of(pair.source),
        "target": tokens_of(pair.target),
        "sureAlign": sure,
        "possibleAlign": possible,
    }
    return json.dumps(values, ensure_ascii=False, indent=1)


FORMAT = Format(
    "jacana",
    "JSON list of pairs: with sureAlign and possibleAlign, or as in jsonl",
    read,
    lambda head: bool(head) and re.match(r"\s*\[\s*(\{|\]|$)", head[0]) is not None,
    read_columns=read,
    writer=Writer(_write_pair, frozenset({"links", "possible links"}), "[\n", ",\n", "\n]\n"),
)
