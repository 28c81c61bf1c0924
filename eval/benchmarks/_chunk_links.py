"""The iSTS corpora as a benchmark: gold chunks, aligned through an aligner's word links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from forest_align.alignment import Alignment
from forest_align.eval.benchmarks.task import Figures
from forest_align.eval.metrics.chunk_scores import ChunkPair, count_chunks, score_chunks
from forest_align.lexicon.function_words import is_content_word

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


def align_chunks(source: Sequence[Span], target: Sequence[Span], alignment: Alignment) -> list[ChunkPair]:
    """Align chunks through word links, one to one first, then the remaining ones many to one.

    The *essential* words of a chunk are its content words, or all its words if it has no content words. A
    link counts if one of its two words is essential. ``on a sofa`` and ``on a log`` therefore have nothing in
    common, but ``is`` and ``is contained`` do.

    1. The pair of chunks with the highest sum of link probabilities is aligned. Then the highest pair of two
       free chunks is aligned, and so on (competitive linking, Melamed 2000).
    2. An unaligned chunk joins the chunk with which it has most in common, if it shares that chunk with the
       chunk's partner: one essential word of the joined chunk must be linked better to the unaligned chunk
       than to the partner. So ``the switch`` and ``of the bulb`` both align to ``the switch and the bulb``.

    There are no parameters. Links without probabilities count 1.

    Parameters
    ----------
    source, target : sequence of (int, int)
        Half-open token spans of the chunks.
    alignment : Alignment
        Word links.

    Returns
    -------
    list of (range, range)
        Aligned chunks in ascending order.
    """
    words = alignment.source.words, alignment.target.words
    essential = [
        [_essential(words[side], span) for span in spans] for side, spans in enumerate((source, target))
    ]
    counted = _counted_links(alignment, essential)
    shared = np.array([[counted[a:b, c:d].sum() for c, d in target] for a, b in source], dtype=float).reshape(
        len(source), len(target)
    )
    partners = _competitive_linking(shared)
    found = set(partners) | _left_over(counted, shared, partners, essential[0], target)
    swapped = [(theirs, ours) for ours, theirs in partners]
    joined = _left_over(counted.T, shared.T, swapped, essential[1], source)
    found |= {(ours, theirs) for theirs, ours in joined}
    return [(range(*source[ours]), range(*target[theirs])) for ours, theirs in sorted(found)]


def _essential(words: Sequence[str], span: Span) -> list[int]:
    content = [index for index in range(*span) if is_content_word(words[index])]
    return content or list(range(*span))


def _counted_links(alignment: Alignment, essential: Sequence[Sequence[Sequence[int]]]) -> np.ndarray:
    """Probability of each link that counts, 0 for all other cells, float64 (n, m)."""
    links = alignment.words
    counted = np.zeros((len(alignment.source), len(alignment.target)))
    for (i, j), score in zip(links, links.scores or [1.0] * len(links), strict=True):
        counted[i, j] = score
    rows, columns = (np.zeros(size, bool) for size in counted.shape)
    rows[[i for chunk in essential[0] for i in chunk]] = True
    columns[[j for chunk in essential[1] for j in chunk]] = True
    return np.where(rows[:, None] | columns, counted, 0)


def _competitive_linking(shared: np.ndarray) -> list[tuple[int, int]]:
    cells = [(ours, theirs) for ours, theirs in np.ndindex(shared.shape) if shared[ours, theirs]]
    found: list[tuple[int, int]] = []
    for ours, theirs in sorted(cells, key=lambda cell: -shared[cell]):
        if all(ours != a and theirs != b for a, b in found):
            found.append((ours, theirs))
    return found


def _left_over(
    counted: np.ndarray,
    shared: np.ndarray,
    partners: Sequence[tuple[int, int]],
    essential: Sequence[Sequence[int]],
    target: Sequence[Span],
) -> set[tuple[int, int]]:
    """Target chunks without a partner, each with the source chunk that it joins."""
    partner_of = dict(partners)
    joined = set()
    for theirs in set(range(len(target))) - set(partner_of.values()):
        if not shared[:, theirs].any():
            continue
        ours = int(shared[:, theirs].argmax())
        to_left_over, to_partner = (
            counted[essential[ours], slice(*target[chunk])].max(axis=1)
            for chunk in (theirs, partner_of[ours])
        )
        if (to_left_over > to_partner).any():
            joined.add((ours, theirs))
    return joined


def chunk_scorer(
    sets: Sequence[str], chunked: Sequence[ChunkedPair]
) -> Callable[[Sequence[Alignment]], list[Figures]]:
    """Score the alignment F1 of each set and of all sets, one table each: ``ists headlines`` etc."""

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        rows = [
            count_chunks(
                alignment.source.words,
                alignment.target.words,
                pair.gold,
                align_chunks(pair.source, pair.target, alignment),
            )
            for alignment, pair in zip(alignments, chunked, strict=True)
        ]
        found = []
        for name in dict.fromkeys(sets):
            of_set = [row for row, its_set in zip(rows, sets, strict=True) if its_set == name]
            found.append(Figures.of(f"ists {name}", score_chunks(of_set).statistics()))
        return [*found, Figures.of("ists", score_chunks(rows).statistics())]

    return score
