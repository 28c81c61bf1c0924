"""Phrase pairs measured by phrase correspondences that people marked, as in ETPC.

A *unit* has a type and words on both sides; words of one side alone were added or deleted. Units with several
words on a side are phrases. They are looked for in the phrase pairs that a system reports. A link of two
words counts as the pair of these words.

- *exact*: some pair has exactly the words of both sides.
- *near*: some pair has at least half of both sides: on each side the words that the phrase and the unit share
  are at least half of those that either of them has.
- *linked*: some word link leads from one side to the other.
- *clean*: no word link leads from inside the unit to outside it.

A unit with a gap is found exactly by no pair, because phrases have none, but it can be near.

A reported pair is *contradicted* if it contains one side of some unit as a whole and no word of the other
side. People marked only some of what corresponds, so a pair without such a unit is accepted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from forest_align.alignment import Links, SpanPair
from forest_align.data.formats.format import PhraseUnit

#: The type of one unit with all words of a pair that are equal; it is no correspondence of phrases.
IDENTITY = "Identity"


@dataclass(frozen=True, slots=True)
class UnitFindings:
    """What a system's alignment says about one unit; see the module."""

    exact: bool
    near: bool
    linked: bool
    clean: bool


def is_phrase_unit(unit: PhraseUnit) -> bool:
    """Whether a unit has words on both sides, several on one of them, and is not all equal words."""
    return _is_corresponding(unit) and max(len(unit.source), len(unit.target)) > 1


def _is_corresponding(unit: PhraseUnit) -> bool:
    """Whether a unit has words on both sides, and is not all equal words."""
    return unit.type != IDENTITY and bool(unit.source and unit.target)


def judge_unit(unit: PhraseUnit, phrases: Iterable[SpanPair], links: Links) -> UnitFindings:
    """Look for a unit with words on both sides among phrase pairs (half-open token spans) and links."""
    source, target = frozenset(unit.source), frozenset(unit.target)
    pairs = [(range(*ours), range(*theirs)) for ours, theirs in phrases]
    pairs += [(range(i, i + 1), range(j, j + 1)) for i, j in links]
    return UnitFindings(
        any(source == {*ours} and target == {*theirs} for ours, theirs in pairs),
        any(_is_half(source, ours) and _is_half(target, theirs) for ours, theirs in pairs),
        any(i in source and j in target for i, j in links),
        all((i in source) == (j in target) for i, j in links),
    )


def _is_half(unit: frozenset[int], phrase: range) -> bool:
    shared = sum(word in phrase for word in unit)
    return 2 * shared >= len(unit) + len(phrase) - shared


def _is_contradicted(phrase: SpanPair, units: Iterable[PhraseUnit]) -> bool:
    """Whether a phrase pair has one side of a unit as a whole, and no word of the other side."""
    source, target = range(*phrase[0]), range(*phrase[1])
    return any(
        _is_broken(unit.source, source, unit.target, target)
        or _is_broken(unit.target, target, unit.source, source)
        for unit in units
        if _is_corresponding(unit)
    )


def _is_broken(whole: Sequence[int], phrase: range, other: Sequence[int], partner: range) -> bool:
    return all(word in phrase for word in whole) and not any(word in partner for word in other)


def count_contradicted(phrases: Collection[SpanPair], units: Sequence[PhraseUnit]) -> tuple[int, int]:
    """Count phrase pairs with several words on a side: those that no unit contradicts, and all."""
    several = [pair for pair in phrases if any(end - start > 1 for start, end in pair)]
    return sum(not _is_contradicted(pair, units) for pair in several), len(several)


def count_left_alone(units: Iterable[PhraseUnit], links: Links) -> tuple[int, int]:
    """Count added and deleted words: those without a link, and all."""
    alone = total = 0
    for unit in units:
        if bool(unit.source) != bool(unit.target):
            linked = {pair[0 if unit.source else 1] for pair in links}
            words = unit.source or unit.target
            alone += sum(word not in linked for word in words)
            total += len(words)
    return alone, total
