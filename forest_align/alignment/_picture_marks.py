"""What a picture says of each phrase pair: its number, its title, its sign, and what lights up with it."""

from __future__ import annotations

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
