"""Direct access to any line of a large file: offsets are kept in memory, contents are not."""

from __future__ import annotations

from array import array
from pathlib import Path

from forest_align.data.text.lines import MAX_LINE, TOO_LONG
from forest_align.types import InputError


class LineIndex:
    """The lines of a UTF-8 file, by number; several threads may read at the same time.

    The file is scanned once, keeping eight bytes per line, and opened again for each requested line. Raises
    OSError if it cannot be read, InputError if it is gzipped.
    """

    def __init__(self, path: str | Path) -> None:
        self.name = str(path)
        self._path = Path(path)
        self._starts = array("Q")
        with self._path.open("rb") as file:
            if file.peek(2)[:2] == b"\x1f\x8b":
                raise InputError("expected a file that is not compressed: unpack it first", file=self.name)
            start, begins = 0, True
            while line := file.readline(MAX_LINE):
                if begins:
                    self._starts.append(start)
                start, begins = start + len(line), line.endswith(b"\n")

    def __len__(self) -> int:
        """Number of lines when the file was scanned."""
        return len(self._starts)

    def __getitem__(self, index: int) -> str:
        """Line ``index`` from 0, without its end; raises IndexError, or InputError if it is unusable."""
        start = self._starts[index]
        with self._path.open("rb") as file:
            file.seek(start)
            line = file.readline(MAX_LINE + 1)
        if len(line) > MAX_LINE:
            raise InputError(TOO_LONG, file=self.name, line=index + 1)
        try:
            return line.decode("utf-8-sig" if start == 0 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            problem = f"expected UTF-8, found byte 0x{line[error.start]:02x}"
            raise InputError(problem, file=self.name, line=index + 1) from None
