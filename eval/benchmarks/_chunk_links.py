"""The iSTS corpora as a benchmark: gold chunks, aligned through an aligner's word links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from forest_align.aligners.chunks.related_chunks import CHUNK_ALIGNER, related_links
from forest_align.alignment import Alignment
from forest_align.data.formats.format import ChunkLink
from forest_align.eval.benchmarks.task import Figures
from forest_align.eval.metrics.chunk_scores import (
    ChunkPair,
    chunk_relation_statistics,
    count_chunk_relations,
    count_chunks,
    score_chunks,
)
from forest_align.lexicon.tables import is_content_word

Span = tuple[int, int]

# By whether the chunk of the source is covered, and that of the target.
_RELATIONS = {
    (True, True): ("EQUI", "5"),
    (False, True): ("SPE1", "4"),
    (True, False): ("SPE2", "4"),
    (False, False): ("SIMI", "3"),
}


@dataclass(frozen=True, slots=True)
class ChunkedPair:
    """Gold chunks of one sentence pair, as half-open token spans, and their alignment."""

    source: Sequence[Span]
    target: Sequence[Span]
    gold: Sequence[ChunkLink]


def align_chunks(source: Sequence[Span], target: Sequence[Span], alignment: Alignment) -> list[ChunkPair]:
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


def relate_chunks(chunk_pairs: Sequence[ChunkPair], alignment: Alignment) -> list[ChunkLink]:
    """Types and similarity scores of aligned chunks from word links alone.

    A chunk is covered if each of its essential words, see :func:`align_chunks`, is linked to its partner. Two
    covered chunks are equivalent (EQUI, 5). A chunk that is not covered says more than one that is (SPE1 or
    SPE2, 4). Two chunks that are not covered are similar (SIMI, 3).
    """
    found = []
    links = set(alignment.words)
    for ours, theirs in chunk_pairs:
        source = _essential(alignment.source.words, (ours[0], ours[-1] + 1))
        target = _essential(alignment.target.words, (theirs[0], theirs[-1] + 1))
        source_covered = all(any((i, j) in links for j in theirs) for i in source)
        target_covered = all(any((i, j) in links for i in ours) for j in target)
        type_and_score = _RELATIONS[source_covered, target_covered]
        found.append(ChunkLink(tuple(ours), tuple(theirs), *type_and_score))
    return found


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
    """Score the chunks of each set and of all sets, one table each: ``ists headlines`` etc.

    Precision, recall and F1 are those of the alignment alone ("F1 Ali"). Types and scores are those of the
    chunk aligner, for others those of :func:`relate_chunks`.
    """

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        found = []
        for alignment, pair in zip(alignments, chunked, strict=True):
            if alignment.aligner == CHUNK_ALIGNER:
                found.append(related_links(alignment.phrases))
            else:
                pairs = align_chunks(pair.source, pair.target, alignment)
                found.append(relate_chunks(pairs, alignment))
        return _chunk_figures(sets, chunked, alignments, found)

    return score


def _chunk_figures(
    sets: Sequence[str],
    chunked: Sequence[ChunkedPair],
    alignments: Sequence[Alignment],
    found: Sequence[Sequence[ChunkLink]],
) -> list[Figures]:
    """Figures of predicted chunk pairs, of each set and of all sets."""
    rows, relations = [], []
    for alignment, pair, chunks in zip(alignments, chunked, found, strict=True):
        words = alignment.source.words, alignment.target.words
        pairs = ([(chunk.source, chunk.target) for chunk in side] for side in (pair.gold, chunks))
        rows.append(count_chunks(*words, *pairs))
        relations.append(count_chunk_relations(*words, pair.gold, chunks))
    tables = {
        f"ists {name}": [k for k, its in enumerate(sets) if its == name] for name in dict.fromkeys(sets)
    }
    return [
        Figures.of(
            table,
            score_chunks([rows[k] for k in places]).statistics()
            | {
                name: one
                for name, one in chunk_relation_statistics([relations[k] for k in places]).items()
                if name != "f1.alignment"  # the same as F1
            },
        )
        for table, places in {**tables, "ists": list(range(len(rows)))}.items()
    ]
