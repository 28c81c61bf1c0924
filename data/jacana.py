"""The JSON of jacana-align: one list of pairs with ``sureAlign`` and ``possibleAlign`` (Yao et al. 2013)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from forest_align.data.lines import InputLines
from forest_align.data.pair_types import (
    Format,
    SentencePair,
    Writer,
    join_links,
    need_links,
    plain_sentence,
    reading_pair,
    split_links,
    text_of,
)
from forest_align.types import InputError
from forest_align.types.validation import Fields


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield the pairs of the list; the file is read as a whole.

    A pair with a wrong field becomes an InputError item; broken JSON ends the reading with one.
    """
    try:
        text = lines.text()
    except InputError as error:
        yield error
        return
    for line, item in _items(text):
        try:
            yield _pair(item)
        except InputError as error:
            yield error.at(file=lines.name, line=line)


def _items(text: str) -> Iterator[tuple[int, object]]:
    """Items of a JSON list with the lines where they begin; broken JSON gives an InputError and the end."""
    decoder = json.JSONDecoder()
    line, at = 1, _skip(text, 0)
    if text[at : at + 1] != "[":
        yield line, InputError("expected a JSON list of objects with source, target and sureAlign")
        return
    line += text.count("\n", 0, at)
    if text[_skip(text, at + 1) :][:1] == "]":
        return
    while True:
        start = _skip(text, at + 1)
        line += text.count("\n", at, start)
        try:
            item, at = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            yield line + text.count("\n", start, error.pos), InputError(f"not JSON: {error.msg}")
            return
        except RecursionError:
            yield line, InputError("not JSON: nested too deeply")
            return
        except ValueError as error:  # a number of thousands of digits
            yield line, InputError(f"not JSON: {error}")
            return
        yield line, item
        end = _skip(text, at)
        line += text.count("\n", start, end)
        at = end
        if text[at : at + 1] == "]":
            return
        if text[at : at + 1] != ",":
            found = text[at : at + 1] or "the end of the file"
            yield line, InputError(f"expected ',' or ']' after a pair, found {found!r}")
            return


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _pair(item: object) -> SentencePair:
    if isinstance(item, InputError):
        raise item
    fields = Fields(item)
    name = _name(fields)
    known = [fields.raw(side, "") for side in ("source", "target")]
    with reading_pair(name, *(text if isinstance(text, str) else "" for text in known)):
        source, target = (plain_sentence(fields.text(side), True, side) for side in ("source", "target"))
        if not fields.has("sureAlign"):
            message = "a JSON list (jacana) has links here; pairs without links go one a line (jsonl)"
            raise InputError(message, field="sureAlign")
        links = join_links(
            fields.text("sureAlign"),
            fields.text("possibleAlign", ""),
            ("sureAlign", "possibleAlign"),
            (len(source), len(target)),
        )
    return SentencePair(name, source, target, links)


def _name(fields: Fields) -> str:
    """The pair's ``id``, a string or a number, or else its ``name``: files have both, or one of them."""
    key = "id" if fields.has("id") or not fields.has("name") else "name"
    return fields.identifier(key)


def matches(head: Sequence[str]) -> bool:
    """Whether the file begins with a JSON list."""
    return bool(head) and re.match(r"\s*\[\s*(\{|\]|$)", head[0]) is not None


def write_pair(pair: SentencePair) -> str:
    """One object of the list."""
    sure, possible = split_links(need_links(pair, "jacana"))
    values = {
        "id": pair.id,
        "name": pair.id,
        "source": text_of(pair.source),
        "target": text_of(pair.target),
        "sureAlign": sure,
        "possibleAlign": possible,
    }
    return json.dumps(values, ensure_ascii=False, indent=1)


FORMAT = Format(
    "jacana",
    "JSON list with sureAlign and possibleAlign",
    read,
    matches,
    writer=Writer(write_pair, frozenset({"links", "possible links"}), "[\n", ",\n", "\n]\n"),
)
