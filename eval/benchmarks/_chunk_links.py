"""The iSTS corpora as a benchmark: gold chunks, aligned through an aligner's word links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from forest_align.aligners.chunks import CHUNK_ALIGNER, align_chunks, essential_words, related_links
from forest_align.aligners.pair import GivenChunks
from forest_align.alignment import Alignment, Span
from forest_align.data.formats.format import ChunkLink, PairError
from forest_align.data.pairs import SentencePair
from forest_align.eval.benchmarks.task import Figures, Files, Scoring, Task, tokenized_sentences
from forest_align.eval.metrics.chunk_scores import (
    chunk_relation_statistics,
    count_chunk_relations,
    count_chunks,
    score_chunks,
)
from forest_align.types import InputError

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
    related = []
    links = set(alignment.words)
    for ours, theirs in chunk_pairs:
        essential = essential_words(alignment.source.words, ours)
        is_covered = all(any((i, j) in links for j in range(*theirs)) for i in essential)
        essential = essential_words(alignment.target.words, theirs)
        is_other_covered = all(any((i, j) in links for i in range(*ours)) for j in essential)
        type_and_score = _RELATIONS[is_covered, is_other_covered]
        related.append(ChunkLink(tuple(range(*ours)), tuple(range(*theirs)), *type_and_score))
    return related


def chunk_scorer(sets: Sequence[str], chunked: Sequence[ChunkedPair]) -> Scoring:
    """Score the chunks of each set and of all sets, one table each: ``ists headlines`` etc.

    Precision, recall and F1 are those of the alignment alone ("F1 Ali"). Types and scores are those of the
    chunk aligner, for others those of :func:`relate_chunks`.
    """
    tables: dict[str, list[int]] = {}
    for place, name in enumerate(sets):
        tables.setdefault(f"ists {name}", []).append(place)
    tables["ists"] = list(range(len(sets)))

    def score(alignments: Sequence[Alignment]) -> list[Figures]:
        rows, relations = [], []
        for alignment, pair in zip(alignments, chunked, strict=True):
            if alignment.aligner == CHUNK_ALIGNER:
                found = related_links(alignment.phrases)
            else:
                found = relate_chunks(align_chunks(pair.source, pair.target, alignment), alignment)
            words = alignment.source.words, alignment.target.words
            pairs = ([(chunk.source, chunk.target) for chunk in chunks] for chunks in (pair.gold, found))
            rows.append(count_chunks(*words, *pairs))
            relations.append(count_chunk_relations(*words, pair.gold, found))
        figures = []
        for table, places in tables.items():
            statistics = chunk_relation_statistics([relations[place] for place in places])
            del statistics["f1.alignment"]  # the same as F1
            statistics = score_chunks([rows[place] for place in places]).statistics() | statistics
            figures.append(Figures.of(table, statistics))
        return figures

    return score


def ists_task(files: Files, split: str) -> Task:
    """Make the iSTS task; ``.wa`` files come first, and files of chunks are read with theirs."""
    names = [path.name.split(".")[2] for path in files.paths if path.suffix == ".wa"]
    ids: list[str] = []
    sets: list[str] = []
    pairs: list[SentencePair] = []
    chunked: list[ChunkedPair] = []
    skipped: list[InputError] = []
    for index, name in enumerate(names):
        chunk_files = files.paths[index + len(names)], files.paths[index + 2 * len(names)]
        # Chunks of the k-th pair, broken or not, are in the k-th line of their files.
        place = 0
        for item in files.items(index):
            place += isinstance(item, SentencePair | PairError)
            try:
                if isinstance(item, InputError):
                    raise item
                chunked.append(_chunked(item, chunk_files, place))
            except InputError as error:
                skipped.append(error)
                continue
            ids.append(f"{name}:{item.id}")
            sets.append(name)
            pairs.append(item)
    if not pairs:
        raise skipped[0]
    return Task(
        ids,
        tokenized_sentences(pairs),
        chunk_scorer(sets, chunked),
        skipped=skipped,
        chunks=[GivenChunks(pair.source, pair.target) for pair in chunked],
    )


def _chunked(pair: SentencePair, chunk_files: Sequence[Path], line: int) -> ChunkedPair:
    """The chunks of a pair, of which the files of chunks have a line each."""
    sides = zip(
        chunk_files, (pair.source_chunks, pair.target_chunks), (pair.source, pair.target), strict=True
    )
    for path, chunks, sentence in sides:
        if not chunks:
            message = (
                f"pair {pair.id!r}: expected '[ … ] [ … ]' of the words {' '.join(sentence.words)[:60]!r}"
            )
            raise InputError(message, file=str(path), line=line)
    return ChunkedPair(pair.source_chunks, pair.target_chunks, pair.chunks or ())
