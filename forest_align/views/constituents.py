"""Which phrase pairs a view shows, in which order and under which numbers, so that all views agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from forest_align.types import PhrasePair


def constituent_pairs(phrases: Iterable[PhrasePair]) -> list[PhrasePair]:
    """Pairs of constituents in the order of the source, the longest first where several begin at a word."""
    return sorted(
        (pair for pair in phrases if pair.constituents),
        key=lambda pair: (
            pair.source_node.start,
            -pair.source_node.end,
            pair.target_node.start,
            -pair.target_node.end,
        ),
    )


def numbers_of(pairs: Sequence[PhrasePair]) -> dict[int, int]:
    """Numbers, and so colours, of the pairs of more than one word on a side, by their places in the list."""
    longer = [
        place
        for place, pair in enumerate(pairs)
        if max(end - start for start, end in (pair.source_node.span, pair.target_node.span)) > 1
    ]
    return {place: number for number, place in enumerate(longer)}
