"""The smallest edits of an alignment: units that correspond, words that moved, and gaps between the units."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from forest_align.alignment import Alignment, Span
from forest_align.lexicon.tables import NEGATIONS, is_content_word, is_punctuation
from forest_align.types.spans import gaps

#: Links below this probability are not used.
_LEAST_LINK = 0.3
# Gaps of more words are cut at punctuation and placeholders only.
_SHORT_GAP = 8
_SEPARATORS = frozenset(",;:.")
# Function words that change the meaning when they move.
_SCOPE = NEGATIONS | {"only"}
# How much a word weighs in the choice of the words that keep their order.
_WORD, _PLACEHOLDER, _PUNCTUATION, _CHANGED = 1.0, 0.5, 0.3, 0.8


class Unit(NamedTuple):
    """Two spans that correspond; ``kept`` if they are one and the same word."""

    source: Span
    target: Span
    kept: bool


class Gap(NamedTuple):
    """What lies between two units: pieces that are in one text only, and the two spans they come from."""

    deleted: Sequence[Span]
    inserted: Sequence[Span]
    source: Span
    target: Span


class EditUnits(NamedTuple):
    """The units of an alignment in the order of both texts, with the gaps around them, and those that moved.

    ``kept`` of a moved unit says whether it is one word that differs at most in letter case.
    """

    sequence: Sequence[Unit | Gap]
    moved: Sequence[Unit]


def is_placeholder(word: str) -> bool:
    """Whether a word stands for something that is no text: *[MATH]*, or a command of LaTeX."""
    return (word[:1] == "[" and word[-1:] == "]" and word[1:-1].isupper()) or (
        len(word) > 1 and (word[0] == "\\" or (word[0] == word[-1] == "$"))
    )


def edit_units(alignment: Alignment) -> EditUnits:
    """Divide both texts of an alignment.

    Linked words are units. Words of one unit that are equal become units of their own, and so do equal words
    that face each other in a gap. The units with the greatest weight that keep their order are the sequence.
    Of the rest, equal words have moved, and changed words beside them on both sides. Other words are taken as
    not linked.
    """
    same = _Sameness(alignment)
    units = []
    for source, target in _linked_spans(alignment, same):
        equal = [] if _is_word(source, target) else _equal_words(source, target, same, (set(), set()))
        units += equal or [(source, target)]
    used = (
        {i for source, _ in units for i in range(*source)},
        {j for _, target in units for j in range(*target)},
    )
    for source, target, _ in _gaps(_longest_chain(units, same), same):
        units += _equal_words(source, target, same, used)
    chain = _longest_chain(units, same)
    moved = _moved(set(units).difference(chain), same)
    gone = (
        {i for unit in moved for i in range(*unit.source)},
        {j for unit in moved for j in range(*unit.target)},
    )
    sequence: list[Unit | Gap] = []
    for source, target, unit in _gaps(chain, same):
        deleted, inserted = _runs(source, gone[0]), _runs(target, gone[1])
        pieces = _pieces(deleted, same.words[0]), _pieces(inserted, same.words[1])
        sequence.append(Gap(*pieces, source, target))
        if unit is not None:
            kept = _is_word(*unit) and same.here(unit[0][0], unit[1][0])
            sequence.append(Unit(*unit, kept))
    return EditUnits(sequence, moved)


def _moved(units: Collection[tuple[Span, Span]], same: _Sameness) -> list[Unit]:
    """The units that moved: equal words, and what continues them in both texts; no function words alone."""
    moves = {unit for unit in units if same.can_move(unit)}
    starts = {(source[0], target[0]) for source, target in moves}
    ends = {(source[1], target[1]) for source, target in moves}
    moves |= {
        (source, target)
        for source, target in units
        if (source[1], target[1]) in starts or (source[0], target[0]) in ends
    }
    moved: list[Unit] = []
    run: list[Unit] = []
    for source, target in sorted(moves):
        if run and (run[-1].source[1], run[-1].target[1]) != (source[0], target[0]):
            moved += same.without_light_ends(run)
            run = []
        run.append(Unit(source, target, same.is_equal_word(source, target)))
    return [*moved, *same.without_light_ends(run)]


class _Sameness:
    """Which words of two texts are the same."""

    def __init__(self, alignment: Alignment) -> None:
        self.words = alignment.source.words, alignment.target.words
        self.lower = tuple([word.lower() for word in words] for words in self.words)
        self._first = tuple({start for start, _ in s.sentences} for s in (alignment.source, alignment.target))

    def anywhere(self, i: int, j: int) -> bool:
        """Whether two words differ at most in letter case."""
        return self.lower[0][i] == self.lower[1][j]

    def here(self, i: int, j: int) -> bool:
        """Whether two words are equal, or differ in case because one of them begins a sentence."""
        if self.words[0][i] == self.words[1][j]:
            return True
        begins = (i in self._first[0]) != (j in self._first[1])
        return begins and self.anywhere(i, j)

    def is_equal_word(self, source: Span, target: Span) -> bool:
        """Whether two spans are one word each, and differ at most in letter case."""
        return _is_word(source, target) and self.anywhere(source[0], target[0])

    def can_move(self, unit: tuple[Span, Span]) -> bool:
        """Whether a unit is an equal word, but for punctuation and placeholders, which occur everywhere."""
        word = self.words[0][unit[0][0]]
        return self.is_equal_word(*unit) and not is_punctuation(word) and not is_placeholder(word)

    def without_light_ends(self, run: Sequence[Unit]) -> Sequence[Unit]:
        """Moved units without commas and stops at both ends; none if they have only function words."""
        heavy = [k for k, unit in enumerate(run) if any(map(self._has_content, range(*unit.source)))]
        if not heavy:
            return ()
        words = [k for k, unit in enumerate(run) if self.words[0][unit.source[0]] not in _SEPARATORS]
        return run[words[0] : words[-1] + 1]

    def _has_content(self, i: int) -> bool:
        """Whether a source word says something where it stands: *May* and *not* do, *and* does not."""
        word = self.words[0][i]
        is_name = len(word) > 1 and word[0].isupper() and i not in self._first[0]
        return is_content_word(word) or is_name or is_placeholder(word) or word.lower() in _SCOPE

    def weight(self, unit: tuple[Span, Span]) -> float:
        """How much a unit counts among those that keep their order."""
        (start, end), (other_start, other_end) = unit
        word = self.words[0][start]
        weight = _PUNCTUATION if is_punctuation(word) else _PLACEHOLDER if is_placeholder(word) else _WORD
        if not (_is_word(*unit) and self.here(start, other_start)):
            weight *= _CHANGED
        return weight * max(end - start, other_end - other_start)


def _is_word(source: Span, target: Span) -> bool:
    return source[1] - source[0] == 1 == target[1] - target[0]


def _linked_spans(alignment: Alignment, same: _Sameness) -> Iterator[tuple[Span, Span]]:
    """Groups of linked words that are spans of both texts; of other groups the best links of single words."""
    words = alignment.words
    scores = words.scores or (1.0,) * len(words)
    links = {pair: score for pair, score in zip(words.pairs, scores, strict=True) if score >= _LEAST_LINK}
    for sources, targets in _groups(links):
        source, target = (min(sources), max(sources) + 1), (min(targets), max(targets) + 1)
        if (source[1] - source[0], target[1] - target[0]) == (len(sources), len(targets)):
            yield source, target
            continue
        used: set[tuple[int, int]] = set()
        inside = [(i, j) for i, j in links if i in sources and j in targets]
        for i, j in sorted(inside, key=lambda link: (not same.here(*link), -links[link], link)):
            if used.isdisjoint({(0, i), (1, j)}):
                used |= {(0, i), (1, j)}
                yield (i, i + 1), (j, j + 1)


def _groups(links: Iterable[tuple[int, int]]) -> Iterator[tuple[Collection[int], Collection[int]]]:
    """Words that links connect, directly or through others."""
    partners: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for i, j in links:
        partners[0, i].append((1, j))
        partners[1, j].append((0, i))
    seen: set[tuple[int, int]] = set()
    for start in partners:
        if start in seen:
            continue
        group, waiting = {start}, [start]
        while waiting:
            new = [word for word in partners[waiting.pop()] if word not in group]
            group.update(new)
            waiting += new
        seen |= group
        yield {k for side, k in group if side == 0}, {k for side, k in group if side == 1}


def _equal_words(
    source: Span, target: Span, same: _Sameness, used: tuple[Collection[int], Collection[int]]
) -> list[tuple[Span, Span]]:
    """Unused words of two spans that match in order; letter case counts, except where a sentence begins."""
    first = not source[0] or not target[0]
    sides = same.lower if first else same.words
    ours, theirs = (
        [
            (word, None) if k not in out else (word, (side, k))
            for k, word in enumerate(words[start:end], start)
        ]
        for side, (words, (start, end), out) in enumerate(zip(sides, (source, target), used, strict=True))
    )
    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    return [
        ((source[0] + a + k, source[0] + a + k + 1), (target[0] + b + k, target[0] + b + k + 1))
        for a, b, size in blocks
        for k in range(size)
    ]


def _longest_chain(units: Iterable[tuple[Span, Span]], same: _Sameness) -> list[tuple[Span, Span]]:
    """The units of the greatest total weight that stand in the same order in both texts."""
    ordered = sorted(units)
    best: list[tuple[float, int]] = []
    for place, (source, target) in enumerate(ordered):
        before = [
            (best[k][0], k)
            for k in range(place)
            if ordered[k][0][1] <= source[0] and ordered[k][1][1] <= target[0]
        ]
        weight, previous = max(before, default=(0.0, -1), key=lambda one: one[0])
        best.append((weight + same.weight((source, target)), previous))
    chain = []
    k = max(range(len(best)), key=lambda place: best[place][0], default=-1)
    while k >= 0:
        chain.append(ordered[k])
        k = best[k][1]
    return chain[::-1]


def _gaps(
    chain: Sequence[tuple[Span, Span]], same: _Sameness
) -> Iterator[tuple[Span, Span, tuple[Span, Span] | None]]:
    """The spans before each unit of a chain, with the unit, and those after the last, with None."""
    start, other_start = 0, 0
    for source, target in chain:
        yield (start, source[0]), (other_start, target[0]), (source, target)
        start, other_start = source[1], target[1]
    yield (start, len(same.words[0])), (other_start, len(same.words[1])), None


def _runs(span: Span, gone: Collection[int]) -> list[Span]:
    """Maximal spans of the words of a span that are not gone."""
    start, end = span
    used = [k - start for k in gone if start <= k < end]
    return [(start + first, start + last) for first, last in gaps(used, end - start)]


def _pieces(runs: Sequence[Span], words: Sequence[str]) -> list[Span]:
    """The runs of a gap, cut into single words if they are few, otherwise at punctuation."""
    if sum(end - start for start, end in runs) <= _SHORT_GAP:
        return [(k, k + 1) for run in runs for k in range(*run)]
    pieces = []
    for start, end in runs:
        begin = start
        for k in range(start + 1, end):
            if is_punctuation(words[k]) or is_punctuation(words[k - 1]):
                pieces.append((begin, k))
                begin = k
        pieces.append((begin, end))
    return pieces
