"""The iSTS corpora as a benchmark: gold chunks, aligned through an aligner's word links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from forest_align.eval.chunks import ChunkPair, count_chunks, score_chunks
from forest_align.eval.tasks.task import Figures
from forest_align.types import Alignment, Links

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ChunkedPair:
    """Gold chunks of one sentence pair and their alignment.

    Attributes
    ----------
    source, target : sequence of (int, int)
        Half-open token spans of the chunks.
    gold : sequence of (sequence of int, sequence of int)
        Aligned chunks as token indices.
    """

    source: Sequence[Span]
    target: Sequence[Span]
    gold: Sequence[ChunkPair]


def align_chunks(source: Sequence[Span], target: Sequence[Span], links: Links) -> list[ChunkPair]:
    """Align two chunks if for both of them no other chunk has more word links to it."""
    source_of = {i: k for k, (start, end) in enumerate(source) for i in range(start, end)}
    target_of = {j: k for k, (start, end) in enumerate(target) for j in range(start, end)}
    counts = Counter((source_of[i], target_of[j]) for i, j in links if i in source_of and j in target_of)
    most_source: Counter[int] = Counter()
    most_target: Counter[int] = Counter()
    for (ours, theirs), count in counts.items():
        most_source[ours] = max(most_source[ours], count)
        most_target[theirs] = max(most_target[theirs], count)
    return [
        (range(*source[ours]), range(*target[theirs]))
        for (ours, theirs), count in sorted(counts.items())
        if count == most_source[ours] == most_target[theirs]
    ]


def chunk_scorer(
    sets: Sequence[str], chunked: Sequence[ChunkedPair]
) -> Callable[[Sequence[Alignment]], list[Figures]]:
    """Alignment F1 of each set and of all together, one table each: ``ists headlines`` and so on."""

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        rows = [
            count_chunks(
                alignment.source.words,
                alignment.target.words,
                pair.gold,
                align_chunks(pair.source, pair.target, alignment.words),
            )
            for alignment, pair in zip(alignments, chunked, strict=True)
        ]
        found = []
        for name in dict.fromkeys(sets):
            of_set = [row for row, its_set in zip(rows, sets, strict=True) if its_set == name]
            found.append(Figures.of(f"ists {name}", score_chunks(of_set).statistics()))
        return [*found, Figures.of("ists", score_chunks(rows).statistics())]

    return score
