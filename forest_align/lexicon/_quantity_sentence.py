"""The words of a sentence as readers of quantities see them, and units behind numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from forest_align.lexicon._quantity_lexeme import unit_kind
from forest_align.lexicon._quantity_record import Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.lexicon._quantity_lexeme import Lexeme

_U = int(Part.UNIT)
_ONE = Fraction(1)


class SentenceWords(NamedTuple):
    """The words of a sentence, lower-cased too, with their lexemes and tags (or none)."""

    words: Sequence[str]
    lower: list[str]
    lexemes: list[Lexeme | None]
    tags: Sequence[str]

    def at(self, index: int) -> Lexeme | None:
        return self.lexemes[index] if 0 <= index < len(self.lexemes) else None

    def word(self, index: int) -> str:
        return self.lower[index] if 0 <= index < len(self.lower) else ""

    def tag(self, index: int) -> str:
        return self.tags[index] if 0 <= index < len(self.tags) else ""


def unit_at(sentence: SentenceWords, at: int, is_digits: bool) -> tuple[tuple[str, ...], Fraction, list[int]]:
    """Units that the next words are, what they are worth, and the parts of these words."""
    if sentence.word(at) == "per" and sentence.word(at + 1) == "cent":
        return ("%",), _ONE, [_U, _U]
    skip = 1 if sentence.word(at) in ("us", "u.s.", "american", "canadian", "australian", "-") else 0
    found = sentence.at(at + skip)
    if found is None or not found.units or (found.is_digits and not is_digits):
        return (), _ONE, []
    if skip and sentence.word(at) != "-" and unit_kind(found.units[0]) != "money":
        return (), _ONE, []
    units, tail = found.units, [0] * skip + [_U]
    if found.is_sign and (nxt := sentence.at(at + skip + 1)) is not None and nxt.number is not None:
        return (), _ONE, []  # the sign of the next amount
    if units == ("degree",):
        scale = sentence.at(at + skip + 1)
        if scale is not None and scale.units and scale.units[0][0] == "°":
            return scale.units, _ONE, [*tail, _U]
    return units, found.unit_factor, tail
