"""Lines of text with their numbers: the only place that handles encodings, byte-order marks and line ends."""

from __future__ import annotations

import codecs
import gzip
import io
import re
import sys
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

from forest_align.types import InputError

STANDARD_INPUT = "-"
#: Bytes of the longest line that is read; a list of many pairs may be one line.
MAX_LINE = 1 << 26
TOO_LONG = f"expected lines of at most {MAX_LINE >> 20} MiB, found a longer one"
_SKIPPED_AT_ONCE = 1 << 20
_HEAD_LINES = 20
# Files that were joined, one after the other or side by side, have byte-order marks in the middle. Anywhere
# else the character is part of the text.
_MARK = re.compile("(^|\t)\ufeff+")
_GZIP = b"\x1f\x8b"
# How much of a line tells its encoding, and the share of NUL bytes that does.
_SAMPLE = 1000
_MOSTLY = 0.8
# The mark of UTF-32 begins like that of UTF-16.
_OTHER_ENCODINGS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


class InputLines(AbstractContextManager["InputLines"]):
    """Iterate over the lines of a UTF-8 file, lazily.

    Line ends (LF or CRLF) and byte-order marks before a line or column are removed. A line that is not UTF-8
    or longer than :data:`MAX_LINE` raises InputError, after which iteration can continue with the next line.
    ``number`` is that of the line returned last, from 1. Raises OSError if the file cannot be opened,
    InputError if it is in UTF-16 or UTF-32, has CR line ends, is compressed without a name that says so, or
    is damaged.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = None if str(path) == STANDARD_INPUT else Path(path)
        self.name = "standard input" if self.path is None else str(path)
        # Last suffix of the name in lower case, .gz aside.
        self.suffix = "" if self.path is None else Path(self.name.removesuffix(".gz")).suffix.lower()
        self.number = 0
        self._stream: IO[bytes] = _open(self.path)
        self._waiting: deque[bytes] = deque()
        self._text_line = 0  # the last line known not to be blank
        self._too_long: set[int] = set()
        if self.path is not None:
            self._waiting.extend(filter(None, [self._read_line()]))

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._waiting.popleft() if self._waiting else self._read_line()
        if not line:
            raise StopIteration
        self.number += 1
        if self.number in self._too_long:
            raise self.error(TOO_LONG)
        return self._decode(line, self.number)

    def numbered(self, *, blank_end: bool = True) -> Iterator[tuple[int, str | InputError]]:
        """Lines with their numbers; an unreadable line yields its error.

        Blank lines at the end are dropped without ``blank_end``, except those of standard input, because each
        line must be yielded before the next one is known.
        """
        while True:
            try:
                text = next(self, None)
                if text is None:
                    return
                if not blank_end and not text.strip(" ") and self._only_blank_lines_follow():
                    deque(self, maxlen=0)
                    return
                line: str | InputError = text
            except InputError as error:
                line = error
            yield self.number, line

    def _only_blank_lines_follow(self) -> bool:
        if self.path is None or self.number < self._text_line:
            return False
        for number, line in enumerate(self._look_ahead(), self.number + 1):
            if line.strip(b" \r\n"):
                self._text_line = number
                return False
        return True

    def _look_ahead(self) -> Iterator[bytes]:
        """The following lines, without consuming them."""
        yield from self._waiting
        while line := self._read_line():
            self._waiting.append(line)
            yield line

    def __exit__(self, *exception: object) -> None:
        if self.path is not None:
            self._stream.close()

    def head(self) -> list[str]:
        """The first lines that are not blank, without consuming them; undecodable bytes are replaced.

        For standard input only one line, so that a typed or piped pair is answered at once, and everything
        before the first element of XML.
        """
        head = [line for line in map(_lenient, self._waiting) if line.strip()]
        while self._tells_too_little(head) and (line := self._read_line()):
            self._waiting.append(line)
            if (text := _lenient(line)).strip():
                head.append(text)
        return head

    def _tells_too_little(self, head: list[str]) -> bool:
        if self.path is not None:
            return len(head) < _HEAD_LINES
        return not head or head[-1].lstrip().startswith(("<?xml", "<!DOCTYPE"))

    def text(self) -> str:
        """The remaining text, with line feeds between lines: for formats that are one document.

        Raises InputError if a line is not UTF-8.
        """
        return "\n".join(self)

    def error(self, message: str, field: str | None = None) -> InputError:
        """An error about the line that was returned last."""
        return InputError(message, file=self.name, line=self.number, field=field)

    def _read_line(self) -> bytes:
        number = self.number + len(self._waiting) + 1
        try:
            line = self._stream.readline(MAX_LINE + 1)
            if len(line) > MAX_LINE:
                line = self._skip_rest(line, number)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise self._give_up(f"cannot decompress the file: {error}", number) from None
        if number == 1 and line.startswith(_GZIP):
            raise self._give_up("expected text, found gzip data: name the file .gz, or unpack it", number)
        if number == 1 and (encoding := _other_encoding(line)):
            raise self._give_up(f"expected UTF-8, found {encoding}: convert the file first", number)
        # With CR line ends the whole file looks like one line: all its pairs would become one.
        if number == 1 and not line.endswith(b"\n") and b"\r" in line.rstrip(b"\r"):
            message = "expected lines that end in LF or CRLF, found CR alone: convert the file first"
            raise self._give_up(message, number)
        return line

    def _skip_rest(self, line: bytes, number: int) -> bytes:
        """Read to the end of a line that is too long; return as much as tells the format of the file."""
        self._too_long.add(number)
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = self._stream.readline(_SKIPPED_AT_ONCE)
        return line[:_SKIPPED_AT_ONCE] + (b"\n" if rest else b"")

    def _give_up(self, message: str, line: int) -> InputError:
        """An error after which a reader that continues finds the end of the file."""
        self.__exit__()
        self._stream = io.BytesIO()
        return InputError(message, file=self.name, line=line)

    def _decode(self, line: bytes, number: int) -> str:
        try:
            if encoding := _other_encoding(line):
                raise InputError(f"expected UTF-8, found {encoding}", file=self.name, line=number)
            return _clean(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise InputError(
                f"expected UTF-8, found byte 0x{line[error.start]:02x} at byte {error.start + 1} of the line",
                file=self.name,
                line=number,
            ) from None


class TextLines(InputLines):
    """The lines of a given text instead of a file; ``before`` lines of the file come before the text."""

    def __init__(self, text: str | bytes, name: str, before: int = 0, suffix: str = "") -> None:
        self.path, self.name, self.number, self.suffix = None, name, before, suffix
        # Text that was not UTF-8 on the command line is not UTF-8 here either.
        content = text if isinstance(text, bytes) else text.encode("utf-8", errors="surrogatepass")
        self._stream = io.BytesIO(content)
        self._waiting, self._text_line, self._too_long = deque(), 0, set()

    def _tells_too_little(self, head: list[str]) -> bool:
        return len(head) < _HEAD_LINES


def path_beside(path: Path, suffix: str) -> Path:
    """The path with its last suffix (ignoring ``.gz``) replaced; gzipped if only that file exists."""
    plain = (path.with_suffix("") if path.suffix == ".gz" else path).with_suffix(suffix)
    zipped = plain.with_name(f"{plain.name}.gz")
    return zipped if zipped.is_file() and not plain.is_file() else plain


def refuse_compressed(path: str | Path) -> None:
    """Refuse a name for plain text that readers would take for a gzipped file.

    Raises InputError if the name is that of a gzipped file.
    """
    if str(path).endswith(".gz"):
        message = "output is not compressed: leave .gz out of its name, and gzip it later"
        raise InputError(message, file=str(path))


def _open(path: Path | None) -> IO[bytes]:
    if path is None:
        if sys.stdin is None:
            raise InputError("standard input is closed")
        return sys.stdin.buffer
    if path.suffix == ".gz":
        return gzip.open(path, "rb")  # type: ignore[return-value]
    return path.open("rb")


def _other_encoding(line: bytes) -> str:
    """The encoding that a line is in, by its byte-order mark or its NUL bytes; empty if it may be UTF-8."""
    for mark, encoding in _OTHER_ENCODINGS.items():
        if line.startswith(mark):
            return encoding
    if b"\0" not in line:
        return ""
    # Of Latin letters in UTF-16, every second byte is NUL; in UTF-32, three of four.
    sample = line[:_SAMPLE]
    nuls = sorted(sample[place::4].count(0) / len(sample[place::4] or b" ") for place in range(4))
    if len(sample) < 4 or nuls[0] > 1 - _MOSTLY or nuls[2] < _MOSTLY:
        return ""
    if nuls[1] >= _MOSTLY:
        return "UTF-32 without a byte-order mark"
    return "UTF-16 without a byte-order mark" if nuls[1] <= 1 - _MOSTLY else ""


def _clean(line: str) -> str:
    line = line.removesuffix("\n").removesuffix("\r")
    # Searching for the character is fast in lines without it; the expression checks every character.
    return _MARK.sub(r"\1", line) if "\ufeff" in line else line


def _lenient(line: bytes) -> str:
    return _clean(line.decode("utf-8", errors="replace"))
