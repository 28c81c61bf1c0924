"""What a picture shows of each phrase pair, and where its words are, below each other or side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forest_align.alignment._phrase_pair import PhrasePair
from forest_align.alignment._phrase_relation import RELATION_NAMES
from forest_align.alignment._record import AlignmentRecord
from forest_align.alignment._shown_pairs import (
    core_places,
    ordered_pairs,
    relation_note,
    similarity_note,
    spans_of,
)
from forest_align.alignment.text import width_of
from forest_align.types import Sentence

#: One for each of :data:`RELATION_NAMES`.
SIGNS = dict(zip(RELATION_NAMES, "≡⊏⊐≈∼≠#", strict=True))
#: Numbers of their colours: two relations have no colour in common.
SIGN_COLOURS = dict(zip(RELATION_NAMES, (2, 0, 3, 1, 4, 5, 1), strict=True))


def sign_of(pair: PhrasePair) -> str:
    """The sign of a pair's relation; empty if it has none or is simply equivalent."""
    return "" if pair.relation is None or pair.relation.name == "equivalent" else SIGNS[pair.relation.name]


@dataclass(frozen=True, slots=True)
class Mark:
    """A phrase pair in a picture."""

    place: int  # place of the pair among all
    number: int | None  # from 0; None if its difference is not its own
    title: str  # probability, relation and similarity
    sign: str  # sign of its relation
    words: str
    spans: tuple[tuple[int, int], tuple[int, int]]  # half-open, per side
    is_whole: bool  # the pair of the whole sentences

    @property
    def lights(self) -> str:
        """Attributes that name what lights up with it."""
        return f' data-with="{self.words}" data-pair="{self.place}"'


def marks_of(alignment: AlignmentRecord) -> list[Mark]:
    """The mark of each phrase pair, in the order of the source."""
    pairs = ordered_pairs(alignment)
    numbers = core_places(alignment, pairs)
    return [
        Mark(
            place,
            numbers.get(place),
            " ".join(filter(None, (f"{pair.probability:.2f}", relation_note(pair), similarity_note(pair)))),
            sign_of(pair),
            words_of_pair(pair),
            spans_of(pair),
            alignment.is_root_pair(pair),
        )
        for place, pair in enumerate(pairs)
    ]


def number_of_words(marks: list[Mark], *words: tuple[int, int]) -> int | None:
    """The number of the smallest numbered pair that has all words (side and index); None if there is none."""
    around = [
        (sum(end - start for start, end in mark.spans), mark.number)
        for mark in marks
        if mark.number is not None
        and not mark.is_whole
        and all(mark.spans[side][0] <= index < mark.spans[side][1] for side, index in words)
    ]
    return min(around)[1] if around else None


def word_names(side: int, start: int, end: int) -> list[str]:
    """Names of words of a side in pages and pictures."""
    return [f"{'st'[side]}{index}" for index in range(start, end)]


def words_of_pair(pair: PhrasePair) -> str:
    """Names of the words of both phrases."""
    return " ".join(name for side, span in enumerate(spans_of(pair)) for name in word_names(side, *span))


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
