"""Pharaoh links, ``0-0 1-2`` a line, with the sentences in a separate file in the same folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from forest_align.alignment import Links
from forest_align.data.formats.fields import need_links, one_line, tokens_of
from forest_align.data.formats.format import Format, SentencePair, Writer, most, reading_pair
from forest_align.data.formats.line_formats import TSV
from forest_align.data.text.lines import InputLines, path_beside
from forest_align.types import InputError

_LINE = re.compile(r"\s*([0-9]+[-p?][0-9]+(\s+|$))*")


def read(lines: InputLines, tokenized: bool) -> Iterator[SentencePair | InputError]:
    """Yield pairs of ``NAME.pharaoh`` with the sentences of ``NAME.tsv`` beside it (tokens split on spaces).

    A blank line means a pair without links; after the last sentences it is ignored. A pair with broken links
    or sentences becomes an InputError item. So does a pair that is missing because one file is shorter.
    Raises InputError if the file of sentences does not exist.
    """
    with InputLines(_sentences_beside(lines.path)) as text:
        for pair, links in zip_longest(TSV.read(text, True), read_links(lines)):
            if pair is None:
                if isinstance(links, Links) and not links:
                    continue  # ignore blank lines at the end of the file
                pair = lines.error(f"expected sentences for these links, those in {text.name} end earlier")
            if links is None:
                links = text.error(f"expected links for these sentences, those in {lines.name} end earlier")
            if isinstance(pair, InputError):
                yield pair
                continue
            try:
                with reading_pair(pair.id, pair.source.text, pair.target.text):
                    if isinstance(links, InputError):
                        raise links
                    check_links(links, len(pair.source), len(pair.target))
                yield replace(pair, links=links)
            except InputError as error:
                yield error.at(file=lines.name, line=lines.number)


def read_links(lines: InputLines) -> Iterator[Links | InputError]:
    """Yield the links of each line, without checking them against sentences."""
    for number, line in lines.numbered():
        try:
            yield line if isinstance(line, InputError) else Links.from_pharaoh(line)
        except InputError as error:
            yield error.at(file=lines.name, line=number)


def check_links(links: Links, source_length: int, target_length: int) -> Links:
    """Return the links of a line if they lie inside two sentences of these lengths in tokens.

    Raises InputError if one does not; the message says which tokens links count.
    """
    try:
        return links.check(source_length, target_length)
    except InputError as error:
        counted = "the tokens that the file of sentences has, in plain text those between spaces"
        message = f"{error.message}; links count {counted} ('align --tokenized' makes such links)"
        raise InputError(message) from None


def _sentences_beside(path: Path | None) -> Path:
    if path is None:
        raise InputError("Pharaoh links need a file, NAME.pharaoh, with the sentences in NAME.tsv beside it")
    beside = path_beside(path, ".tsv")
    if not beside.is_file() or beside == path:
        expected = "source<TAB>target, tokens split on spaces"
        raise InputError(f"expected the sentences beside the links, in {beside}: {expected}", file=str(path))
    return beside


def _write_pair(pair: SentencePair) -> str:
    return need_links(pair, "pharaoh").to_pharaoh() + "\n"


def _write_tokens(pair: SentencePair) -> str:
    return "\t".join((tokens_of(pair.source), tokens_of(pair.target), one_line(pair.id))) + "\n"


FORMAT = Format(
    "pharaoh",
    "lines of links 0-0 1-2 (1p2 or 1?2: possible); sentences in NAME.tsv beside NAME.pharaoh",
    read,
    lambda head: most(head, lambda line: _LINE.fullmatch(line) is not None),
    (".pharaoh", ".align"),
    Writer(_write_pair, frozenset({"links", "possible links"}), beside=(".tsv", _write_tokens), id=one_line),
)
