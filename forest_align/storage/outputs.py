"""Where alignments go: one writer an output format, and a file that a killed run can be continued in."""

from __future__ import annotations

import errno
import io
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from forest_align.alignment import Alignment
from forest_align.data.text.lines import STANDARD_INPUT, InputLines, path_beside, refuse_compressed
from forest_align.storage.resumed import check_same_pair
from forest_align.types import InputError
from forest_align.types.json_fields import Fields, parse_json_object

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

# What the system says when nothing more can be written; it names no file.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EPIPE)


@dataclass(frozen=True, slots=True)
class AlignmentWriter:
    """How alignments are written in one format.

    Attributes
    ----------
    line : callable
        Text of one alignment; raises InputError if the format cannot hold it.
    header, footer : str
        Text before the first and after the last.
    one_line_each : bool
        Whether an alignment is exactly one line, so that a run can be resumed.
    """

    line: Callable[[Alignment], str]
    header: str = ""
    footer: str = ""
    one_line_each: bool = False


def alignment_writer(name: str, to_terminal: bool) -> AlignmentWriter:
    """The writer of ``jsonl``, ``pharaoh``, ``text`` or ``html``."""
    if name == "jsonl":
        return AlignmentWriter(lambda alignment: alignment.to_json() + "\n", one_line_each=True)
    if name == "pharaoh":
        return AlignmentWriter(lambda alignment: alignment.to_pharaoh() + "\n", one_line_each=True)
    if name == "html":
        from forest_align.alignment.html import PAGE_END, PAGE_START, to_section

        return AlignmentWriter(to_section, PAGE_START, PAGE_END)
    from forest_align.alignment.text import DEFAULT_WIDTH, to_text

    # Where nobody says how wide it is, a file can hold any line.
    has_width = to_terminal or os.environ.get("COLUMNS")
    width = shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns if has_width else None
    colour = to_terminal and not os.environ.get("NO_COLOR")
    return AlignmentWriter(lambda alignment: to_text(alignment, width=width, colour=colour) + "\n")


@contextmanager
def open_output(path: str | None, append: bool = False) -> Iterator[IO[str]]:
    """Open a file, or standard output, as UTF-8; what cannot be encoded is escaped.

    Raises
    ------
    InputError
        If the process was started with its standard output closed, the name promises a compressed file, or
        another process is writing to the file.
    OSError
        If the file cannot be written; names it.
    """
    if path is None:
        if sys.stdout is None:
            raise InputError("standard output is closed; -o names a file")
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        yield sys.stdout
        return
    refuse_compressed(path)
    with (
        open_claimed(path, append) as file,
        io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="\n") as out,
    ):
        yield out


@contextmanager
def open_claimed(path: str, append: bool = False) -> Iterator[IO[bytes]]:
    """Open a file for writing at its end; what is there goes away, unless ``append``.

    Raises
    ------
    InputError
        If another process is writing to it.
    OSError
        If it cannot be written; names it.
    """
    try:
        # What is there is cut off only when no other process is writing to it.
        with open(path, "ab") as file:
            claim(file, path)
            if not append and os.path.isfile(path):
                file.truncate(0)
            yield file
    except OSError as error:
        if error.errno in _FULL and error.filename is None:
            error.filename = path
        raise


def claim(file: IO[Any], path: str) -> None:
    """Keep other processes from writing to a file until it is closed, where the system can.

    Raises
    ------
    InputError
        If one is writing to it.
    """
    if fcntl is None or not os.path.isfile(path):
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError("another process is writing to it", file=path) from None
    except OSError:
        pass  # a file system without locks


def refuse_overwriting(source: str, outputs: Iterable[Path]) -> None:
    """Make sure that no output is the file that is read, or holds the sentences of the links in it.

    Raises
    ------
    InputError
        If one is: opening it would empty the input.
    """
    if source == STANDARD_INPUT or not os.path.exists(source):
        return
    for out in filter(Path.exists, outputs):
        if out.samefile(source):
            raise InputError("the output would overwrite the input", file=str(out))
        if _holds_sentences_of(source, out):
            raise InputError(f"the output would overwrite the sentences of {source}", file=str(out))


def _holds_sentences_of(source: str, file: Path) -> bool:
    """Whether an input is one of Pharaoh links, and this file the one beside it that is read with it."""
    from forest_align.data.formats import pharaoh

    if not os.path.isfile(source):  # what comes out of a pipe could not be read again
        return False
    beside = path_beside(Path(source), ".tsv")
    if not (beside.is_file() and file.samefile(beside)):
        return False
    with InputLines(source) as lines:
        return lines.suffix in pharaoh.FORMAT.extensions or pharaoh.matches(lines.head())


@dataclass(frozen=True, slots=True)
class Finished:
    """What an earlier run has written.

    Attributes
    ----------
    lines : int
        Number of whole lines.
    last : str
        The last of them.
    size : int
        Of a gzipped output, bytes of the members that are full.
    rest : bytes
        Of a gzipped output, the lines of its last member if that is not full.
    """

    lines: int = 0
    last: str = ""
    size: int = 0
    rest: bytes = b""


def repair(path: Path, kind: str | None = None) -> Finished:
    """Cut an unfinished last line off a file that a killed run has left, and count the whole ones.

    Raises
    ------
    InputError
        If the last line cannot have been begun by a run that writes ``kind``: alignments (``jsonl``,
        ``pharaoh``) or parses (``json``, ``trees``). None cuts off whatever there is. Also if another process
        is writing to the file.
    """
    if not path.exists():
        return Finished()
    with path.open("r+b") as file:
        claim(file, str(path))
        lines, end, last = 0, 0, b""
        for line in file:
            if not line.endswith(b"\n"):
                if not is_begun(line, kind):
                    message = "cannot resume: this line is not one that was being written; another file?"
                    raise InputError(message, file=str(path), line=lines + 1)
                break
            lines, end, last = lines + 1, end + len(line), line
        file.truncate(end)
    return Finished(lines, last_line(last))


def last_line(text: bytes) -> str:
    """The last of some whole lines; empty if there are none."""
    return text[text.rfind(b"\n", 0, -1) + 1 :].decode("utf-8", errors="replace").rstrip("\n")


# How lines of a kind begin.
_BEGINNINGS = {"jsonl": (b'{"id": ',), "json": (b'{"text": ', b'{"error": '), "trees": (b"(",)}


def is_begun(line: bytes, kind: str | None) -> bool:
    """Whether a line without its end can be the beginning of one of a kind: nothing else may be cut off."""
    if kind == "pharaoh":
        return not line.strip(b"0123456789-p ")
    return kind is None or any(line[: len(one)] == one[: len(line)] for one in _BEGINNINGS[kind])


def check_same_run(finished: Finished, pair_id: str, texts: tuple[str, str], path: str, aligner: str) -> None:
    """Make sure that the file to be continued was made from the same pairs by the same aligner.

    Parameters
    ----------
    finished : Finished
        What is in it.
    pair_id : str
        Name of the pair that its last line should be about.
    texts : tuple of str
        Raw texts of source and target of this pair; empty where they could not be read.
    path : str
        The file, for messages.
    aligner : str
        Name of the kind of aligner that goes on.

    Raises
    ------
    InputError
        If the last line is not JSON, or is about another pair or other sentences, or by another aligner.
    """
    try:
        fields = Fields(parse_json_object(finished.last))
        found, made_by = fields.text("id", ""), fields.text("aligner", "")
        written = [fields.fields(side, {}).text("text", "") for side in ("source", "target")]
    except InputError as error:
        raise error.at(file=path, line=finished.lines) from None
    # Blanks may differ: tokens are written with a blank between them where there was no raw text.
    now, then = ((source.split(), target.split()) for source, target in (texts, written))
    check_same_pair((pair_id, now), (found, then), file=path, line=finished.lines)
    if made_by not in ("", aligner):
        raise InputError(
            f"cannot resume: the {made_by} aligner made it, not the {aligner} aligner",
            file=path,
            line=finished.lines,
        )
