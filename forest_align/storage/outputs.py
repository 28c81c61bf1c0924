"""Outputs that can be resumed after a kill, and the check that they belong to this run."""

from __future__ import annotations

import gzip
import io
import os
import reprlib
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from itertools import islice
from pathlib import Path
from typing import IO, Any

from forest_align.data.text.lines import STANDARD_INPUT, InputLines, path_beside, refuse_compressed
from forest_align.system.replacing import OutputFile, as_text, lock, replacing, sync_folder
from forest_align.types import InputError
from forest_align.types.json_fields import Fields, parse_json_object

# Characters of a long value that messages show.
_SHOWN = 80

# Words of the source and of the target; none if a sentence could not be read.
_Sides = tuple[Sequence[str], Sequence[str]]


def check_made_with(earlier: Fields, made_with: Mapping[str, str], output: str | None) -> None:
    """Raise InputError that names the first setting that differs from the output's."""
    for name, value in made_with.items():
        if (then := earlier.text(name, "")) != value:
            raise InputError(
                f"cannot resume: {name} was {shown(then)} in the earlier run, now it is {shown(value)}; "
                "start over without --resume",
                file=output,
            )


def check_same_pair(expected: tuple[str, _Sides], found: tuple[str, _Sides], *, file: str, line: int) -> None:
    """Raise InputError if a line belongs to another pair: another name, or other words if both have words."""
    (name, words), (written_name, written_words) = expected, found
    problem = ""
    if name != written_name:
        problem = f"expected the alignment of pair {name!r}, found that of {written_name!r}"
    for side, ours, theirs in zip(("source", "target"), words, written_words, strict=True):
        if not problem and ours and theirs and tuple(ours) != tuple(theirs):
            now, then = (reprlib.repr(" ".join(tokens)) for tokens in (ours, theirs))
            problem = f"the {side} of pair {name!r} is {now} now and {then} in it"
    if problem:
        message = f"cannot resume: {problem}; the file was made from other input"
        raise InputError(message, file=file, line=line)


def check_same_run(
    written: str, line: int, pair_id: str, texts: tuple[str, str], path: str, aligner: str = ""
) -> None:
    """Check that the last line of a file to be resumed was made from the same pair by the same aligner.

    Empty ``texts`` or ``aligner`` are not compared. Raises InputError otherwise.
    """
    try:
        fields = Fields(parse_json_object(written))
        written_id, made_by = fields.text("id", ""), fields.text("aligner", "")
        written_texts = [fields.fields(side, {}).text("text", "") for side in ("source", "target")]
    except InputError as error:
        raise error.at(file=path, line=line) from None
    # Blanks may differ: without raw text, tokens are written with blanks between them.
    now, then = ((source.split(), target.split()) for source, target in (texts, written_texts))
    check_same_pair((pair_id, now), (written_id, then), file=path, line=line)
    if aligner and made_by not in ("", aligner):
        message = f"cannot resume: the {made_by} aligner made it, not the {aligner} aligner"
        raise InputError(message, file=path, line=line)


def shown(value: str) -> str:
    """A value in a message: quoted, and cut off if it is long."""
    if not value:
        return "not given"
    return repr(value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…")


_CHUNK = 1 << 16


@contextmanager
def open_output(
    path: str | None, keep: int = 0, *, may_pack: bool = False, replace: bool = False
) -> Iterator[IO[str]]:
    """Open a file, or standard output, as UTF-8; characters that cannot be encoded are escaped.

    If no error ends the block, the disk has the whole file after it. ``keep`` bytes of the file stay; new
    text follows them. With ``may_pack`` a name in ``.gz`` is compressed; a member ends at each
    :func:`end_block`, so the bytes depend on the blocks alone. With ``replace`` an older file is replaced
    when everything is written (:mod:`forest_align.system.replacing`). Raises InputError if standard output is
    closed, the name wrongly implies compression, or another process writes to the file; OSError names the
    file.
    """
    if path is None:
        if sys.stdout is None:
            raise InputError("standard output is closed; -o names a file")
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        yield sys.stdout
        return
    packs = may_pack and is_packed(path)
    if not packs:
        refuse_compressed(path)
    if replace:
        with replacing(Path(path), text=not packs) as new:
            packed: Any = _Packed(new) if packs else nullcontext(new)
            with packed as out:
                yield out
        return
    with OutputFile(path, "ab", path) as raw, io.BufferedWriter(raw) as file:
        if os.path.isfile(path):
            if lock(file) is False:
                raise InputError("another process is writing to it", file=path)
            file.truncate(keep)
            file.seek(keep)
        opened: Any = _Packed(file) if packs else as_text(file)
        with opened as out:
            yield out
            end_block(out)
            raw.sync()
    if os.path.isfile(path):
        sync_folder(Path(path).resolve().parent)


def is_packed(path: str | Path) -> bool:
    """Whether a file of this name is gzipped."""
    return str(path).endswith(".gz")


class _Packed(io.TextIOBase):
    """Text that is buffered, and gzipped as one member at the end of each block."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._text = file, bytearray()

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._text += text.encode("utf-8", "backslashreplace")
        return len(text)

    def end_member(self) -> None:
        # A file without any member could not be decompressed.
        if not self._text and self._file.tell():
            return
        # With a time stamp, the same lines would give different bytes.
        member = gzip.compress(self._text, compresslevel=6, mtime=0)
        # Clear the buffer before writing: after an error, closing must not write the text again.
        self._text = bytearray()
        self._file.write(member)
        self._file.flush()

    def close(self) -> None:
        if self.closed:
            return
        try:
            self.end_member()
        finally:
            super().close()


def end_block(out: IO[str]) -> None:
    """Write all buffered text to the file, so that a later run can keep the file up to here."""
    if isinstance(out, _Packed):
        out.end_member()
    out.flush()


def blocks(path: Path, lines: int) -> Iterator[tuple[int, int, str]]:
    """Yield the lines of each block of a finished output, the byte after it, and its last line.

    Raises InputError if the file has blocks of another size, or ends within a line.
    """
    done, size = 0, lines
    for text, end in _members(path, lines) if is_packed(path) else _parts(path, lines):
        if size < lines or not text.endswith(b"\n"):
            raise _other_file(path, lines, done + text.count(b"\n") + 1)
        size = text.count(b"\n")
        done += size
        yield size, end, last_line(text)


def block_text(path: Path, start: int, end: int, lines: int) -> bytes:
    """Read lines of an output between two byte positions; raises InputError if the file has others there."""
    with path.open("rb") as file:
        file.seek(start)
        text = file.read(end - start)
    try:
        text = gzip.decompress(text) if is_packed(path) else text
    except (OSError, EOFError, zlib.error):
        text = b""
    if text.count(b"\n") != lines or not text.endswith(b"\n"):
        raise InputError(f"cannot resume: it is not what {path.name}.run says; another file?", file=str(path))
    return text


def _parts(path: Path, lines: int) -> Iterator[tuple[bytes, int]]:
    end = 0
    with path.open("rb") as file:
        while text := b"".join(islice(file, lines)):
            end += len(text)
            yield text, end


def _members(path: Path, lines: int) -> Iterator[tuple[bytes, int]]:
    ahead = b""
    with path.open("rb") as file:
        while ahead := ahead or file.read(_CHUNK):
            member, text = zlib.decompressobj(wbits=31), bytearray()
            while ahead and not member.eof:
                try:
                    text += member.decompress(ahead)
                except zlib.error:
                    raise _other_file(path, lines) from None
                if text.count(b"\n") > lines:
                    raise _other_file(path, lines)
                ahead = member.unused_data or file.read(_CHUNK)
            if not member.eof:
                raise _other_file(path, lines)
            if text or ahead:
                yield bytes(text), file.tell() - len(ahead)


def _other_file(path: Path, lines: int, line: int | None = None) -> InputError:
    content = f"gzip members of {lines} lines" if is_packed(path) else "whole lines"
    message = (
        f"cannot resume: expected {content}, as finished runs leave them; another file, "
        f"or an unfinished one whose record ({path.name}.run) is missing?"
    )
    return InputError(message, file=str(path), line=line)


def last_line(text: bytes) -> str:
    """The last line of a text of whole lines; empty if there are none."""
    return text[text.rfind(b"\n", 0, -1) + 1 :].decode("utf-8", errors="replace").rstrip("\n")


def refuse_overwriting(source: str, outputs: Iterable[Path]) -> None:
    """Raise InputError if an output is the input, or the file with the sentences of the input's links."""
    if source == STANDARD_INPUT or not os.path.exists(source):
        return
    for out in filter(Path.exists, outputs):
        if out.samefile(source):
            raise InputError("the output would overwrite the input", file=str(out))
        beside = path_beside(Path(source), ".tsv")
        # Pharaoh links are read with the sentences beside them. A pipe cannot be read twice.
        if os.path.isfile(source) and beside.is_file() and out.samefile(beside) and _has_links(source):
            raise InputError(f"the output would overwrite the sentences of {source}", file=str(out))


def _has_links(source: str) -> bool:
    """Whether a file holds Pharaoh links."""
    from forest_align.data.formats.pharaoh import FORMAT

    with InputLines(source) as lines:
        return lines.suffix in FORMAT.extensions or FORMAT.matches(lines.head())
