"""Lines of text for terminals: how wide they are, where they break, and two columns of phrases."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

_NAME_WIDTH = 13
SEPARATOR = " │ "


def paragraph(name: str, text: str, width: int) -> list[str]:
    """Wrap text next to a name on its left; a no-break space keeps words on one line if it is long enough."""
    rows = wrapped(text, width - _NAME_WIDTH) or [""]
    return [
        f"{name if k == 0 else '':<{_NAME_WIDTH - 1}} {row}".replace("\N{NO-BREAK SPACE}", " ").rstrip()
        for k, row in enumerate(rows)
    ]


def plain(text: str) -> str:
    """Text that cannot move the cursor, change colours or reverse the line."""
    if text.isprintable():
        return text
    return "".join(
        " "
        if c in "\t\n\r"
        else "\N{REPLACEMENT CHARACTER}"
        if unicodedata.category(c) in ("Cc", "Cf", "Cs")
        else c
        for c in text
    )


def columns_of(character: str) -> int:
    """The columns that a character takes on a terminal."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def width_of(text: str) -> int:
    """The columns that a text takes on a terminal."""
    return len(text) if text.isascii() else sum(map(columns_of, text))


def padded(text: str, width: int) -> str:
    """Text with blanks up to a width."""
    return text + " " * (width - width_of(text))


def wrapped(text: str, width: int) -> list[str]:
    """Break text into lines of at most ``width`` columns, at blanks if possible; only outer blanks go."""
    rows: list[str] = []
    used = width
    for word in filter(None, text.split(" ")):
        own = width_of(word)
        if used + 1 + own <= width:
            rows[-1] += f" {word}"
            used += 1 + own
        else:
            rows += _pieces(word, width)
            used = width_of(rows[-1])
    return rows


def _pieces(word: str, width: int) -> list[str]:
    """A word in pieces of at most ``width`` columns."""
    pieces, used = [""], 0
    for character in word:
        used += columns_of(character)
        if used > width and pieces[-1]:
            pieces.append("")
            used = columns_of(character)
        pieces[-1] += character
    return pieces


def shared_columns(cells: Sequence[tuple[str, str]], room: int) -> tuple[int, int]:
    """Widths of two columns for the cells that fit side by side into ``room`` columns, without separators."""
    widths = [(width_of(left), width_of(right)) for left, right in cells]
    if max(left for left, _ in widths) + max(right for _, right in widths) <= room:
        fitting = widths
    else:
        fitting = [row for row in widths if max(row) <= room // 2] or [(room // 2, room - room // 2)]
    return max(left for left, _ in fitting), max(right for _, right in fitting)


def row_lines(cells: tuple[str, str], columns: tuple[int, int], width: int, indent: int) -> list[str]:
    """The lines of a row: cells side by side if their columns suffice, otherwise one below the other.

    The last line is padded to ``width``; ``indent`` columns are blank before each cell.
    """
    blanks = " " * indent
    source, target = (blanks + cell for cell in cells)
    if width_of(source) <= columns[0] and width_of(target) <= columns[1]:
        return [padded(f"{padded(source, columns[0])}{SEPARATOR}{target}", width)]
    upper = [blanks + line for line in wrapped(cells[0], width - indent)]
    lower = [f"{blanks}│ {line}" for line in wrapped(cells[1], width - indent - 2) or [""]]
    return [*upper, *lower[:-1], padded(lower[-1], width)]
