"""Which phrase pairs a view shows, in which order and under which numbers, so that all views agree.

And what a view says of them: how probable the whole sentences are, and how many pairs it leaves out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from forest_align.alignment import Alignment, PhrasePair

#: A pair that is less probable is more likely wrong than right; views show it pale.
LIKELY = 0.5


def shown_pairs(alignment: Alignment) -> list[PhrasePair]:
    """The phrase pairs that a view lists, in the order of the source, the longest first at each word.

    In a derivation what is no constituent is a part that binarization made. It is left out, unless nothing in
    it is aligned by itself: these are words that correspond as a group, and are in no smaller pair. Where
    there is no derivation, all phrases are what the aligner found.
    """
    phrases = alignment.phrases
    if not alignment.has_derivation:
        return _in_order(phrases)
    return _in_order(pair for pair in phrases if pair.constituents or _is_smallest(pair, phrases))


def hidden_note(alignment: Alignment, shown: Sequence[PhrasePair]) -> str:
    """Words on the pairs that :func:`shown_pairs` leaves out; empty if there are none."""
    hidden = len(alignment.phrases) - len(shown)
    pairs = "phrase pair" if hidden == 1 else "phrase pairs"
    return f"{hidden} {pairs} with parts of constituents; --to jsonl has all" if hidden else ""


def roots_note(alignment: Alignment) -> str:
    """Words on the whole sentences: aligned or, where that is more likely wrong, how probable it is."""
    if not alignment.root_aligned:
        return ""
    for pair in alignment.phrases:
        if alignment.is_root_pair(pair) and pair.probability < LIKELY:
            return f"whole sentences improbable: {pair.probability:.2f}"
    return "whole sentences aligned"


def _is_smallest(pair: PhrasePair, phrases: Iterable[PhrasePair]) -> bool:
    """Whether no other pair lies inside of one."""
    start, end = pair.source_node.span
    inside = (one for one in phrases if start <= one.source_node.start and one.source_node.end <= end)
    return all(one is pair for one in inside)


def _in_order(phrases: Iterable[PhrasePair]) -> list[PhrasePair]:
    return sorted(
        phrases,
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
