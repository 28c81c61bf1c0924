"""The iSTS corpora as a benchmark: gold chunks, aligned through an aligner's word links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from forest_align.aligners.chunks.linked_chunks import align_chunks, essential_words
from forest_align.aligners.chunks.related_chunks import CHUNK_ALIGNER, related_links
from forest_align.alignment import Alignment, Span
from forest_align.data.formats.format import ChunkLink
from forest_align.eval.benchmarks.task import Figures
from forest_align.eval.metrics.chunk_scores import (
    chunk_relation_statistics,
    count_chunk_relations,
    count_chunks,
    score_chunks,
)

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


def relate_chunks(chunk_pairs: Sequence[tuple[Span, Span]], alignment: Alignment) -> list[ChunkLink]:
    """Types and similarity scores of aligned chunks from word links alone.

    A chunk is covered if each of its essential words, see :func:`align_chunks`, is linked to its partner. Two
    covered chunks are equivalent (EQUI, 5). A chunk that is not covered says more than one that is (SPE1 or
    SPE2, 4). Two chunks that are not covered are similar (SIMI, 3).
    """
    found = []
    links = set(alignment.words)
    for ours, theirs in chunk_pairs:
        source, target = (
            essential_words(side.words, chunk)
            for side, chunk in ((alignment.source, ours), (alignment.target, theirs))
        )
        source_covered = all(any((i, j) in links for j in range(*theirs)) for i in source)
        target_covered = all(any((i, j) in links for i in range(*ours)) for j in target)
        type_and_score = _RELATIONS[source_covered, target_covered]
        found.append(ChunkLink(tuple(range(*ours)), tuple(range(*theirs)), *type_and_score))
    return found


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
