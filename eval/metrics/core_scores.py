"""Phrase pairs measured where they differ: the smallest differing pairs, against phrases that people marked.

Most pairs of a phrase alignment only repeat a smaller difference: if *bought ↔ acquired* is a pair, so are
the verb phrases, clauses and sentences around it. So precision is taken over *core* pairs alone. A core pair

- is no pair of two single words, nor that of the two whole sentences;
- has sides that differ by more than words left out on one side: neither is a subsequence of the other;
- has no other such pair inside, not even one of two single words.

A pair that repeats a smaller difference can neither raise nor lower precision. A core pair is right if a
unit is near (the intersection of their spans is at least half of their union on both sides), or exactly the
same. Recall is the share of the units of several words that some reported pair, core or not, is near or
the same.

Units are those that people marked, contiguous, of at most :data:`LONGEST` words on a side, and with different
words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from forest_align.alignment import SpanPair
from forest_align.data.formats.format import PhraseUnit
from forest_align.eval.metrics.calibration_error import calibrate
from forest_align.eval.metrics.scores import MatchCounts, Statistic
from forest_align.eval.metrics.unit_scores import IDENTITY
from forest_align.types.spans import is_different

#: Words of the longest side of a unit that counts; longer ones are mostly free rewordings.
LONGEST = 8


@dataclass(frozen=True, slots=True)
class CoreFindings:
    """The core pairs of one alignment, and the units of several words."""

    probabilities: tuple[float, ...]
    near: tuple[bool, ...]  # per core pair: is a unit near it?
    exact: tuple[bool, ...]  # per core pair: is a unit the same?
    units: int
    near_units: int
    exact_units: int

    def counts(self, name: str) -> tuple[int, int, int, int]:
        """What is counted for ``near`` or ``exact``, as :class:`MatchCounts` has it."""
        right = getattr(self, name)
        return sum(right), len(right), getattr(self, f"{name}_units"), self.units


def judge_core(
    words: tuple[Sequence[str], Sequence[str]],
    units: Iterable[PhraseUnit],
    reported: Mapping[SpanPair, float],
) -> CoreFindings:
    """Compare the phrase pairs of an alignment (half-open token spans) with the units of a sentence pair.

    The case of words does not count.
    """
    sides = [word.lower() for word in words[0]], [word.lower() for word in words[1]]
    whole = (0, len(sides[0])), (0, len(sides[1]))
    marked = marked_spans(words, units)
    several = [unit for unit in marked if _has_several(unit)]
    pairs = [pair for pair in reported if pair != whole]
    core = core_pairs(sides, pairs)
    return CoreFindings(
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
    return [
        spans
        for spans in map(_spans_of, units)
        if spans is not None and sides[0][slice(*spans[0])] != sides[1][slice(*spans[1])]
    ]


def core_pairs(words: tuple[Sequence[str], Sequence[str]], pairs: Iterable[SpanPair]) -> list[SpanPair]:
    """The core pairs among pairs of spans other than the whole sentences."""
    differing = [pair for pair in pairs if is_different(words[0][slice(*pair[0])], words[1][slice(*pair[1])])]
    return [
        pair
        for pair in differing
        if _has_several(pair) and not any(_lies_inside(other, pair) for other in differing)
    ]


def is_near(one: SpanPair, other: SpanPair) -> bool:
    """Whether the intersection of the spans of two pairs is at least half of their union on both sides."""
    return all(
        2 * (min(a[1], b[1]) - max(a[0], b[0])) >= max(a[1], b[1]) - min(a[0], b[0])
        for a, b in zip(one, other, strict=True)
    )


def core_statistics(findings: Sequence[CoreFindings]) -> dict[str, Statistic]:
    """Precision, recall and F1, near and exact, ready for significance tests."""
    found: dict[str, Statistic] = {}
    for name in ("near", "exact"):
        statistics = MatchCounts.of([one.counts(name) for one in findings]).micro_statistics()
        found |= {f"{name}_{figure}": statistic for figure, statistic in statistics.items()}
    return found


def core_calibration_error(findings: Sequence[CoreFindings]) -> float:
    """Expected calibration error: the probabilities of core pairs against whether a unit is near."""
    probabilities = [value for one in findings for value in one.probabilities]
    return calibrate(probabilities, [right for one in findings for right in one.near]).expected_error


def _spans_of(unit: PhraseUnit) -> SpanPair | None:
    """The spans of a unit that counts."""
    if unit.type == IDENTITY or not all(map(_is_short_span, (unit.source, unit.target))):
        return None
    return (unit.source[0], unit.source[-1] + 1), (unit.target[0], unit.target[-1] + 1)


def _is_short_span(tokens: Sequence[int]) -> bool:
    return 0 < len(tokens) <= LONGEST and tokens[-1] - tokens[0] == len(tokens) - 1


def _has_several(pair: SpanPair) -> bool:
    return max(end - start for start, end in pair) > 1


def _lies_inside(inner: SpanPair, outer: SpanPair) -> bool:
    return inner != outer and all(
        around[0] <= span[0] and span[1] <= around[1] for around, span in zip(outer, inner, strict=True)
    )
