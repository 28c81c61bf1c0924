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

Most pairs of a phrase alignment only repeat a smaller difference: if *bought ↔ acquired* is a pair, so are
the verb phrases, clauses and sentences around it. So precision is taken over *core* pairs alone. A core pair

- is no pair of two single words, nor that of the two whole sentences;
- has sides that differ by more than words left out on one side: neither is a subsequence of the other;
- has no other such pair inside, not even one of two single words.

A pair that repeats a smaller difference can neither raise nor lower precision. A core pair is right if a
unit is near (the intersection of their spans is at least half of their union on both sides), or exactly the
same. Recall is the share of the units of several words that some reported pair, core or not, is near or
the same.

For core pairs, units are contiguous, of at most :data:`LONGEST` words on a side, and with different words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from forest_align.alignment import Links, SpanPair
from forest_align.data.formats.format import PhraseUnit
from forest_align.eval.metrics.scores import MatchCounts, Statistic, calibrate
from forest_align.types.spans import is_different

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
    return _has_both_sides(unit) and max(len(unit.source), len(unit.target)) > 1


def _has_both_sides(unit: PhraseUnit) -> bool:
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
        if _has_both_sides(unit)
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


#: Words of the longest side of a unit that counts; longer ones are mostly free rewordings.
LONGEST = 8


@dataclass(frozen=True, slots=True)
class _CoreFindings:
    """The core pairs of one alignment, and the units of several words."""

    probabilities: tuple[float, ...]
    near: tuple[bool, ...]  # per core pair: is a unit near it?
    exact: tuple[bool, ...]  # per core pair: is a unit the same?
    units: int
    near_units: int
    exact_units: int

    def counts(self, name: str) -> tuple[int, int, int, int]:
        """The row of :class:`MatchCounts` for ``near`` or ``exact``."""
        right = getattr(self, name)
        return sum(right), len(right), getattr(self, f"{name}_units"), self.units


def judge_core(
    words: tuple[Sequence[str], Sequence[str]],
    units: Iterable[PhraseUnit],
    reported: Mapping[SpanPair, float],
) -> _CoreFindings:
    """Compare the phrase pairs of an alignment (half-open token spans) with the units of a sentence pair.

    The case of words does not count.
    """
    sides = [word.lower() for word in words[0]], [word.lower() for word in words[1]]
    whole = (0, len(sides[0])), (0, len(sides[1]))
    marked = marked_spans(words, units)
    several = [unit for unit in marked if _has_several(unit)]
    pairs = [pair for pair in reported if pair != whole]
    core = core_pairs(sides, pairs)
    return _CoreFindings(
        tuple(reported[pair] for pair in core),
        tuple(any(is_near(pair, unit) for unit in marked) for pair in core),
        tuple(pair in marked for pair in core),
        len(several),
        sum(any(is_near(unit, pair) for pair in pairs) for unit in several),
        sum(unit in pairs for unit in several),
    )


def marked_spans(words: tuple[Sequence[str], Sequence[str]], units: Iterable[PhraseUnit]) -> list[SpanPair]:
    """Half-open token spans of the units that count, of sentences with these words."""
    sides = [word.lower() for word in words[0]], [word.lower() for word in words[1]]
    spans = (
        ((unit.source[0], unit.source[-1] + 1), (unit.target[0], unit.target[-1] + 1))
        for unit in units
        if unit.type != IDENTITY and _is_short_span(unit.source) and _is_short_span(unit.target)
    )
    return [pair for pair in spans if sides[0][slice(*pair[0])] != sides[1][slice(*pair[1])]]


def core_pairs(words: tuple[Sequence[str], Sequence[str]], pairs: Iterable[SpanPair]) -> list[SpanPair]:
    """The core pairs among pairs of spans other than the whole sentences."""
    differing = [pair for pair in pairs if is_different(words[0][slice(*pair[0])], words[1][slice(*pair[1])])]
    return [
        pair
        for pair in differing
        if _has_several(pair) and not any(_lies_inside(inner, pair) for inner in differing)
    ]


def is_near(one: SpanPair, other: SpanPair) -> bool:
    """Whether the intersection of the spans of two pairs is at least half of their union on both sides."""
    return all(
        2 * (min(a[1], b[1]) - max(a[0], b[0])) >= max(a[1], b[1]) - min(a[0], b[0])
        for a, b in zip(one, other, strict=True)
    )


def core_statistics(findings: Sequence[_CoreFindings]) -> dict[str, Statistic]:
    """Precision, recall and F1, near and exact, ready for significance tests."""
    found: dict[str, Statistic] = {}
    for name in ("near", "exact"):
        statistics = MatchCounts.of([one.counts(name) for one in findings]).micro_statistics()
        found |= {f"{name}_{figure}": statistic for figure, statistic in statistics.items()}
    return found


def core_calibration_error(findings: Sequence[_CoreFindings]) -> float:
    """Expected calibration error: the probabilities of core pairs against whether a unit is near."""
    probabilities = [value for one in findings for value in one.probabilities]
    return calibrate(probabilities, [right for one in findings for right in one.near]).expected_error


def _is_short_span(tokens: Sequence[int]) -> bool:
    return 0 < len(tokens) <= LONGEST and tokens[-1] - tokens[0] == len(tokens) - 1


def _has_several(pair: SpanPair) -> bool:
    return max(end - start for start, end in pair) > 1


def _lies_inside(inner: SpanPair, outer: SpanPair) -> bool:
    return inner != outer and all(
        around[0] <= span[0] and span[1] <= around[1] for around, span in zip(outer, inner, strict=True)
    )
