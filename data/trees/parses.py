"""Reads the output of ``forest-align parse --to json``: one sentence with its packed forest a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from forest_align.data.text.lines import InputLines
from forest_align.types import InputError, Sentence
from forest_align.types.json_fields import Fields, parse_json_object


def read_parses(path: str | Path) -> Iterator[Sentence | InputError]:
    """Yield the sentences of a file of parses, one per line; lines are read only when needed.

    Parameters
    ----------
    path : str or Path
        JSON lines, optionally gzipped; ``"-"`` is standard input.

    Yields
    ------
    Sentence or InputError
        The sentence with its forest, tags and offsets, without word vectors, which are not written. An
        unparsable sentence or a broken line yields an error that names file and line.

    Raises
    ------
    OSError
        If the file cannot be opened.
    InputError
        If it is not UTF-8 text.
    """
    with InputLines(path) as lines:
        for number, line in lines.numbered(blank_end=False):
            try:
                found: Sentence | InputError = _read(line)
            except InputError as error:
                found = error.at(file=lines.name, line=number)
            yield found


def _read(line: str | InputError) -> Sentence:
    if isinstance(line, InputError):
        raise line
    if not line.strip():
        raise InputError("blank line; expected a JSON object")
    values = parse_json_object(line)
    fields = Fields(values)
    if fields.has("error"):
        raise InputError(fields.text("error"))
    fields.raw("forest")  # optional in a sentence, required in a parse
    return Sentence.from_dict(values)
