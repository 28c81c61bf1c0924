"""Aligns chunks through word links; there are no parameters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from forest_align.alignment import Alignment, Span
from forest_align.lexicon.tables import is_content_word


def align_chunks(
    source: Sequence[Span], target: Sequence[Span], alignment: Alignment
) -> list[tuple[Span, Span]]:
    """Align chunks (half-open token spans) through word links, one to one first, then the rest many to one.

    The *essential* words of a chunk are its content words, or all its words if it has no content words. A
    link counts, by its probability or 1, if one of its two words is essential: ``on a sofa`` and ``on a log``
    have nothing in common, but ``is`` and ``is contained`` do. First, the pair of free chunks with the
    highest sum is aligned, and so on (competitive linking, Melamed 2000). Then an unaligned chunk joins the
    chunk with which it has most in common, if it shares that chunk with the chunk's partner: one essential
    word of the joined chunk must be linked better to the unaligned chunk than to the partner. So ``the
    switch`` and ``of the bulb`` both align to ``the switch and the bulb``. There are no parameters.
    """
    words = alignment.source.words, alignment.target.words
    essential = [
        [essential_words(words[side], span) for span in spans] for side, spans in enumerate((source, target))
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
    return [(source[ours], target[theirs]) for ours, theirs in sorted(found)]


def essential_words(words: Sequence[str], span: Span) -> list[int]:
    """The content words of a chunk, or all its words if it has none."""
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
