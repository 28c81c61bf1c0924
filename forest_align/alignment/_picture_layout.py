"""Where the words of a picture stand: the sentences one below the other, or upright side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forest_align.alignment._text_layout import width_of
from forest_align.types import Sentence

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
