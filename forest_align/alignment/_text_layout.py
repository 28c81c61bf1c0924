"""Where words are: in lines of terminals, and in pictures, below each other or side by side."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from forest_align.types import Sentence

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


#: Pixels that a column of text takes at the size of words, rather too many than too few.
_CHARACTER_WIDTH = 7.6
_WORD_GAP = 18.0
#: From the baseline of one word to that of the next if they stand upright.
ROW_HEIGHT = 24.0
#: From the middle of a word to where a bracket or link begins.
WORD_HEIGHT = 9.0


@dataclass(frozen=True, slots=True)
class PictureLayout:
    """Places in pixels along the sentences (``along``) and across, from source to target (``across``)."""

    upright: bool  # sentences run from the top down: along is vertical
    places: tuple[list[float], list[float]]  # per side, the middle of each word along the sentence
    sizes: tuple[list[float], list[float]]  # per side, the extent of each word along it
    inner: tuple[float, float]  # per side, the edge of its words that faces the other side
    outer: tuple[float, float]  # the edge that faces away from it

    def point(self, along: float, across: float) -> tuple[float, float]:
        """The horizontal and the vertical coordinate of a place."""
        return (across, along) if self.upright else (along, across)

    def coordinates(self, *places: tuple[float, float]) -> str:
        """Places as in the attributes of a path."""
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in (self.point(*place) for place in places))

    def curve(self, start: tuple[float, float], end: tuple[float, float]) -> str:
        """A curve that leaves and enters its ends across the sentences."""
        middle = (start[1] + end[1]) / 2
        return f"M{self.coordinates(start)} C{self.coordinates((start[0], middle), (end[0], middle), end)}"

    def extent(self, side: int, start: int, end: int) -> tuple[float, float]:
        """Where the words of a span begin and end along their sentence."""
        places, sizes = self.places[side], self.sizes[side]
        return places[start] - sizes[start] / 2, places[end - 1] + sizes[end - 1] / 2


def text_width(text: str) -> float:
    """Pixels that a word takes."""
    return width_of(text) * _CHARACTER_WIDTH


def tight_places(sentence: Sentence, labels: Sequence[str], upright: bool) -> tuple[list[float], float]:
    """The middle of each word, as tight as words and labels allow, and the total extent."""
    if upright:
        return [ROW_HEIGHT * (index + 0.5) for index in range(len(sentence))], ROW_HEIGHT * len(sentence)
    middles, end = [], 0.0
    for token, label in zip(sentence.tokens, labels, strict=True):
        size = max(text_width(token.text), text_width(label), 3 * _CHARACTER_WIDTH)
        middles.append(end + size / 2)
        end += size + _WORD_GAP
    return middles, end - _WORD_GAP
