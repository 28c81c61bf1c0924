"""Reads and writes sentence pairs in any of the formats, so that callers need not know the formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import IO

from forest_align.data.formats import arrow_tables, ists, jacana, json_lines, pharaoh, rte, spade
from forest_align.data.formats.arrow_tables import Table
from forest_align.data.formats.block_formats import M2, MSR_RTE
from forest_align.data.formats.csv_tables import QA, TABLE
from forest_align.data.formats.format import ChunkLink, ColumnNames, Format, PairError, SentencePair
from forest_align.data.formats.line_formats import BARS, MSRP, MULTIMWA, SSD, STS, TREES, TSV
from forest_align.data.text.lines import InputLines, refuse_compressed
from forest_align.data.text.raw_text import ESCAPES, unescape_sentence
from forest_align.system.replacing import replacing
from forest_align.types import InputError

__all__ = ["FORMATS", "ChunkLink", "Format", "SentencePair", "find_format", "read_pairs", "write_pairs"]

# The order matters if lines of one format could be taken for another's: stricter formats first.
FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        *(SSD, json_lines.FORMAT, jacana.FORMAT, MSR_RTE, ists.FORMAT, spade.FORMAT, rte.FORMAT, MSRP, QA),
        *(TABLE, MULTIMWA, TREES, M2, BARS, STS, TSV, pharaoh.FORMAT, arrow_tables.FORMAT),
    )
}


def find_format(name: str) -> Format:
    """The format of that name.

    Raises
    ------
    InputError
        If there is none; the message lists all formats.
    """
    if name not in FORMATS:
        raise InputError(f"unknown format {name!r}; expected one of: {', '.join(FORMATS)}")
    return FORMATS[name]


def read_pairs(
    path: str | Path | Table,
    format: str | None = None,
    *,
    tokenized: bool = False,
    escapes: str | None = None,
    columns: ColumnNames | None = None,
) -> Iterator[SentencePair | InputError]:
    """Read sentence pairs lazily, in the order of the file or table.

    Parameters
    ----------
    path : str or Path or table
        A file (UTF-8, optionally gzipped; Parquet), a folder of ``s-NAME.xml`` and ``t-NAME.xml``, or ``"-"``
        for standard input. Or a table of pyarrow, pandas, polars, ``datasets``, or of another library with
        Arrow's interface. Columns of Parquet files and tables are found by their names, as in CSV.
    format : str, optional
        Name of the format; by default it is recognised by the file's extension and first lines.
    tokenized : bool
        Plain text is already tokenized: split it on spaces.
    escapes : str, optional
        How characters of texts and tokens are escaped. ``"moses"`` replaces ``&apos;``, ``@-@`` and others,
        see :mod:`forest_align.data.text.raw_text`. A pair with trees or
        marked spans is then broken.
    columns : (str, str), optional
        Names of the columns of source and target, in a table or in JSON objects. By default usual names are
        looked for.

    Yields
    ------
    SentencePair or InputError
        An error, with file and line, replaces each broken pair; the other pairs are still yielded.

    Raises
    ------
    OSError
        If the file cannot be read.
    InputError
        If the format cannot be recognised, the file as a whole is invalid, or the escapes are unknown. Also
        if a table lacks the columns of two sentences.
    """
    if escapes is not None:
        if escapes not in ESCAPES:
            raise InputError(f"unknown escapes {escapes!r}; expected one of: {', '.join(ESCAPES)}")
        yield from map(without_escapes, read_pairs(path, format, tokenized=tokenized, columns=columns))
        return
    if not isinstance(path, str | Path):
        yield from arrow_tables.read_table(path, tokenized=tokenized, wanted=columns)
        return
    if format == arrow_tables.FORMAT.name or (format is None and arrow_tables.is_parquet(path)):
        yield from arrow_tables.read_parquet(path, tokenized=tokenized, wanted=columns)
        return
    if columns is None and format in (None, spade.FORMAT.name) and Path(path).is_dir():
        yield from spade.read_folder(Path(path))
        return
    with InputLines(path) as lines:
        yield from read_pairs_of_lines(lines, format, tokenized=tokenized, columns=columns)


def without_escapes(pair: SentencePair | InputError) -> SentencePair | InputError:
    """A pair without the escapes of its texts and tokens; an error where that is impossible."""
    if isinstance(pair, InputError):
        return pair
    try:
        if pair.alignment is not None or any(pair.brackets) or pair.marked:
            what = "marked spans" if pair.marked else "trees"
            raise InputError(f"escapes are replaced in texts and tokens only, and this pair has {what}")
        return replace(
            pair,
            source=unescape_sentence(pair.source, "source.text"),
            target=unescape_sentence(pair.target, "target.text"),
        )
    except InputError as error:
        return PairError(pair.located(error), pair.id, pair.source.text, pair.target.text)


def read_pairs_of_lines(
    lines: InputLines,
    format: str | None = None,
    *,
    tokenized: bool = False,
    columns: ColumnNames | None = None,
) -> Iterator[SentencePair | InputError]:
    """Read sentence pairs from an open file; see :func:`read_pairs`."""
    if not lines.head() and format is None:
        return
    chosen = find_format(format) if format else guess_format(lines, columns)
    yield from read_with(chosen, lines, tokenized, columns)


def read_with(
    format: Format, lines: InputLines, tokenized: bool, columns: ColumnNames | None
) -> Iterator[SentencePair | InputError]:
    """Read sentence pairs of a format from an open file; see :func:`read_pairs`.

    Raises InputError if columns are given, and the format has none with names.
    """
    if columns is None:
        return format.read(lines, tokenized)
    if format.read_columns is None:
        with_names = ", ".join(f.name for f in FORMATS.values() if f.read_columns)
        raise InputError(
            f"format {format.name} has no columns with names; {with_names} have", file=lines.name
        )
    return format.read_columns(lines, tokenized, columns)


def guess_format(lines: InputLines, columns: ColumnNames | None = None) -> Format:
    """The format of an open file that has at least one line, by its extension and first lines.

    If columns are given, it is one that has columns with names. Raises InputError if the format cannot be
    recognised.
    """
    head = lines.head()
    candidates = [f for f in FORMATS.values() if columns is None or f.read_columns is not None]
    for candidate in candidates:
        if lines.suffix in candidate.extensions:
            return candidate
    for candidate in candidates:
        if candidate.matches(head):
            return candidate
    # Its error lists the columns that are there.
    if columns is not None or (lines.suffix == ".csv" and not QA.matches(head)):
        return TABLE
    # TSV is often typed by hand: a file with some broken lines is still TSV.
    if lines.suffix == ".tsv" or any("\t" in line for line in head):
        return TSV
    expected = (
        "source<TAB>target, a header line with the columns source and target, or --from with a format's name "
        f"(one of {', '.join(FORMATS)})"
    )
    if lines.suffix == ".json":
        expected = "a JSON list of objects with source and target, or one such object per line (jsonl)"
    message = f"cannot recognise the format of {head[0][:60]!r}; expected {expected}"
    raise InputError(message, file=lines.name, line=1)


def format_of_path(path: str | Path) -> Format | None:
    """The format for a file name's extension, None if several are possible."""
    suffix = Path(path).suffix.lower()
    by_suffix = {extension: f for f in FORMATS.values() for extension in f.extensions}
    return by_suffix.get(suffix) or {".tsv": TSV, ".json": jacana.FORMAT}.get(suffix)


def write_pairs(
    pairs: Iterable[SentencePair | InputError], path: str | Path, format: str | None = None
) -> int:
    """Write sentence pairs to a file, replacing it once all of them are written.

    Until then they are in a temporary file in the same folder. After an error the old file is unchanged, and
    the pairs may come from the same file.

    Parameters
    ----------
    pairs : iterable of SentencePair
        They are written one by one. An error that :func:`read_pairs` yields in place of a broken pair is
        raised.
    path : str or Path
        The file. For Pharaoh links the sentences are written to a ``.tsv`` file in the same folder.
    format : str, optional
        Name of the format; by default the one of the extension.

    Returns
    -------
    int
        Number of pairs written.

    Raises
    ------
    InputError
        If the format is unknown or cannot be written, the name ends in ``.gz``, or the output's two files
        would be the same. Also if a pair is broken or lacks data that the format needs.
    OSError
        If the file cannot be written.
    """
    refuse_compressed(path)
    chosen = find_format(format) if format else format_of_path(path)
    if chosen is None or chosen.writer is None:
        writable = ", ".join(f.name for f in FORMATS.values() if f.writer)
        raise InputError(f"cannot recognise the format of {path}; name one of: {writable}")
    writer, written = chosen.writer, 0
    with ExitStack() as stack:
        out, *beside = open_replacing(stack, output_files(path, chosen))
        out.write(writer.header)
        for pair in pairs:
            if isinstance(pair, InputError):
                raise pair
            out.write((writer.separator if written else "") + writer.pair(pair))
            if writer.beside is not None:
                beside[0].write(writer.beside[1](pair))
            written += 1
        out.write(writer.footer)
    return written


def output_files(path: str | Path, format: Format) -> list[Path]:
    """The files that a format writes: the requested one, and for some formats one beside it.

    Raises InputError if the two are the same file.
    """
    first = Path(path)
    if format.writer is None or format.writer.beside is None:
        return [first]
    beside = first.with_suffix(format.writer.beside[0])
    if beside == first:
        raise InputError(
            f"the {format.name} format writes its sentences to a {beside.suffix} file beside it; "
            "give the output another extension",
            file=str(path),
        )
    return [first, beside]


def open_replacing(stack: ExitStack, files: Sequence[Path]) -> list[IO[str]]:
    """Open the files of an output, which replace older ones when the stack is closed without an error.

    The first file is replaced first. So after a kill in between, the output can be written again: the
    sentences alone would be taken for the only copy.
    """
    return [stack.enter_context(replacing(file, text=True)) for file in reversed(files)][::-1]
