"""Pairs of documents of the input: two files, a list of pairs of files, or JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from forest_align.data.formats.column_names import require_columns
from forest_align.data.text.lines import STANDARD_INPUT, InputLines
from forest_align.types import InputError, Sentence
from forest_align.types.json_fields import Fields, describe, parse_json_object

Sentences = str | list[str | Sentence]


class DocumentPair(NamedTuple):
    """Two documents of the input: texts, or lists of their sentences."""

    name: str
    source: Sentences
    target: Sentences


class BrokenPair(NamedTuple):
    """Two documents that cannot be read."""

    name: str
    error: InputError


def read_document(path: str, lines: bool) -> Sentences:
    """Read a document: its text or, with ``lines``, each line as a sentence.

    Raises InputError if the file cannot be read, or is not UTF-8.
    """
    try:
        with InputLines(path) as found:
            return list(found) if lines else found.text()
    except OSError as error:
        raise InputError(error.strerror or str(error), file=path) from None


def read_document_pairs(
    path: str, target: str | None, lines: bool, names: tuple[str, str] | None = None
) -> Iterator[DocumentPair | BrokenPair]:
    """Yield pairs of documents; one that cannot be read yields its error.

    Without a target, ``path`` is JSON lines if it begins with a brace, or else a list of two tab-separated
    paths per line. ``names`` are the keys of JSON lines, by default those of table columns. Raises InputError
    or OSError if a file or the list cannot be read.
    """
    if target is not None:
        if [path, target].count(STANDARD_INPUT) > 1:
            raise InputError("standard input can be read but once; expected a file for the other document")
        yield DocumentPair("1", read_document(path, lines), read_document(target, lines))
        return
    is_json: bool | None = None
    with InputLines(path) as found:
        for number, line in found.numbered(blank_end=False):
            try:
                if isinstance(line, InputError):
                    raise line
                if is_json is None:
                    is_json = line.lstrip().startswith("{")
                yield _of_json(line, number, names) if is_json else _of_paths(line, number, lines)
            except InputError as error:
                yield BrokenPair(_name(line, number), error.at(file=found.name, line=number))


def _of_paths(line: str, number: int, lines: bool) -> DocumentPair:
    paths = line.split("\t")
    if len(paths) not in (2, 3) or not all(paths):
        raise InputError(
            f"expected two paths with a tab between them, and perhaps an id, found {describe(line)}"
        )
    for path in paths[:2]:
        if not Path(path).is_file():
            raise InputError(f"there is no file {path!r}")
    first, second = (read_document(path, lines) for path in paths[:2])
    return DocumentPair(paths[2] if len(paths) == 3 else str(number), first, second)


def _of_json(line: str, number: int, names: tuple[str, str] | None) -> DocumentPair:
    if not line.strip():
        raise InputError("blank line; expected a JSON object")
    values = parse_json_object(line)
    fields = Fields(values)
    if names is None:
        keys = list(values)
        columns = require_columns(keys, what="fields")
        names = keys[columns.source], keys[columns.target]
    first, second = (_read_sentences(fields, name) for name in names)
    return DocumentPair(fields.identifier("id", str(number)), first, second)


def _read_sentences(fields: Fields, side: str) -> Sentences:
    value = fields.raw(side)
    if isinstance(value, str):
        return value
    return [_read_sentence(one, f"{fields.name(side)}[{k}]") for k, one in enumerate(fields.items(side))]


def _read_sentence(value: Any, path: str) -> str | Sentence:
    return value if isinstance(value, str) else Sentence.from_dict(value, path)


def _name(line: str | InputError, number: int) -> str:
    if isinstance(line, str) and line.lstrip().startswith("{"):
        with suppress(InputError):
            return Fields(parse_json_object(line)).identifier("id", str(number))
    return str(number)
