"""All ways to divide the changed parts of two texts into edits, as the paths of a lattice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from forest_align.alignment import Span
from forest_align.edits._edit_units import EditUnits, Gap, Unit

# Kept words that an edit may enclose, and pieces of which it may consist.
_MOST_KEPT = 4
_MOST_PIECES = 20
# Gaps with more pairs of pieces on both sides have all deletions before the insertions.
_MOST_CELLS = 64

#: Names of pieces, by what happens to their words.
KEPT, REPLACED, DELETED, INSERTED = "kept", "replaced", "deleted", "inserted"


class Piece(NamedTuple):
    """A part of an edit: what happens to it, and its spans; None where there is none."""

    kind: str
    source: Span | None
    target: Span | None


class Arc(NamedTuple):
    """A possible edit: the places in the lattice that it connects, its spans (None: empty) and its pieces."""

    start: int
    end: int
    source: Span | None
    target: Span | None
    pieces: Sequence[Piece]


class EditLattice(NamedTuple):
    """Places from 0 to ``size - 1``, arcs that are edits, and ``kept``: arcs over kept words, in order."""

    size: int
    arcs: Sequence[Arc]
    kept: Sequence[tuple[int, int, Unit]]


def edit_lattice(units: EditUnits) -> EditLattice:
    """Make the lattice of possible edits.

    Every path from the first place to the last one divides both texts. An edit is a span of pieces that is
    contiguous on both sides, begins and ends with a change, and encloses at most a few kept words.
    """
    places = _Places(units.sequence)
    arcs = []
    for begin, element in enumerate(units.sequence):
        if isinstance(element, Unit) and element.kept:
            continue
        for offset in places.offsets(begin)[:-1]:
            start = places.number(begin, offset)
            for end, pieces in _spans_from(units.sequence, places, begin, offset):
                if (arc := _arc(start, end, pieces)) is not None:
                    arcs.append(arc)
    kept = [
        (places.number(k, (0, 0)), places.number(k + 1, (0, 0)), element)
        for k, element in enumerate(units.sequence)
        if isinstance(element, Unit) and element.kept
    ]
    return EditLattice(places.count, arcs, kept)


class _Places:
    """Numbers of the places: before each unit, and in a gap for the pieces passed on both sides."""

    def __init__(self, sequence: Sequence[Unit | Gap]) -> None:
        self._offsets: list[list[tuple[int, int]]] = []
        self._numbers: list[dict[tuple[int, int], int]] = []
        at = 0
        for element in sequence:
            if isinstance(element, Unit):
                offsets = [(0, 0), (1, 1)]
            else:
                rows, columns = len(element.deleted), len(element.inserted)
                offsets = [
                    (row, column)
                    for row in range(rows + 1)
                    for column in range(columns + 1)
                    if rows * columns <= _MOST_CELLS or not column or row == rows
                ]
            # The last place of an element is the first one of the next.
            self._numbers.append({offset: at + k for k, offset in enumerate(offsets)})
            self._offsets.append(offsets)
            at += len(offsets) - 1
        self.count = at + 1

    def offsets(self, element: int) -> list[tuple[int, int]]:
        return self._offsets[element]

    def number(self, element: int, offset: tuple[int, int]) -> int:
        if element == len(self._numbers):
            return self.count - 1
        return self._numbers[element][offset]


def _spans_from(
    sequence: Sequence[Unit | Gap], places: _Places, begin: int, offset: tuple[int, int]
) -> Iterator[tuple[int, Sequence[Piece]]]:
    """Every span of pieces that starts at a place and ends with a change, with the place of its end."""
    passed: list[Piece] = []
    kept = 0
    for k in range(begin, len(sequence)):
        element = sequence[k]
        if isinstance(element, Unit):
            kept += element.kept
            if kept > _MOST_KEPT or (element.kept and not passed):
                return
            name = KEPT if element.kept else REPLACED
            passed = [*passed, Piece(name, element.source, element.target)]
            if not element.kept:
                yield places.number(k, (1, 1)), passed
        else:
            row, column = offset if k == begin else (0, 0)
            for end in places.offsets(k):
                if end[0] >= row and end[1] >= column and end != (row, column):
                    pieces = [*passed, *_pieces(element, (row, column), end)]
                    if len(pieces) <= _MOST_PIECES:
                        yield places.number(k, end), pieces
            passed = [*passed, *_pieces(element, (row, column), places.offsets(k)[-1])]
        if len(passed) > _MOST_PIECES:
            return


def _pieces(gap: Gap, start: tuple[int, int], end: tuple[int, int]) -> Iterator[Piece]:
    yield from (Piece(DELETED, span, None) for span in gap.deleted[start[0] : end[0]])
    yield from (Piece(INSERTED, None, span) for span in gap.inserted[start[1] : end[1]])


def _arc(start: int, end: int, pieces: Sequence[Piece]) -> Arc | None:
    """The edit of some pieces; None if moved words interrupt it."""
    spans = []
    for side in ([piece.source for piece in pieces], [piece.target for piece in pieces]):
        parts = [span for span in side if span is not None]
        span = (parts[0][0], parts[-1][1]) if parts else None
        if span is not None and sum(last - first for first, last in parts) != span[1] - span[0]:
            return None
        spans.append(span)
    return Arc(start, end, spans[0], spans[1], pieces)
