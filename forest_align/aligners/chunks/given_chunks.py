"""Aligns the chunks that a caller gives, and says how the two of each pair are related and how similar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.chunks.linked_chunks import align_chunks, essential_words
from forest_align.aligners.chunks.related_chunks import CHUNK_ALIGNER
from forest_align.aligners.contextual.pair_evidence import pair_evidence
from forest_align.aligners.phrases.features import SpanEvidence, SpanPairIndex, sizes_of_sums, unit_vectors
from forest_align.aligners.phrases.proposals import span_evidence
from forest_align.aligners.phrases.relation_features import relation_features
from forest_align.alignment import CHUNK_RELATIONS, Alignment, Links, PhrasePair, PhraseRelation, Span
from forest_align.meaning.relation_algebra import OPPOSITE, related_by
from forest_align.meaning.sentence_comparison import atomic_relations
from forest_align.types import Node

if TYPE_CHECKING:
    from forest_align.aligners.pair import GivenChunks
    from forest_align.aligners.phrases.relation_model import RelationModel
    from forest_align.aligners.phrases.sentence_spans import SentenceSpans
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.types import Sentence

#: The label of chunks in an alignment.
CHUNK = "CHUNK"
_LINKED_FROM = 0.5


def aligned_chunks(
    source: Sentence,
    target: Sentence,
    chunks: GivenChunks,
    probability: np.ndarray,
    model: RelationModel,
    lexicon: Lexicon,
) -> Alignment:
    """Align the chunks of two sentences with forests and word vectors by their more probable links.

    The phrases of the alignment are the chunk pairs. A chunk may be in several pairs: chunks that share one
    between them. Chunks without partner are the unaligned spans. The relation is the most probable one of the
    model, or *opposite* if natural logic says so. The probability of a pair is that of its best link.

    Shapes: ``probability`` float64 (n, m), of word links.
    """
    cells = [(i, j) for i, j in np.argwhere(probability >= _LINKED_FROM).tolist()]
    words = Links(tuple(cells), None, tuple(min(1.0, float(probability[cell])) for cell in cells))
    linked = Alignment(source, target, words, aligner=CHUNK_ALIGNER)
    pairs = align_chunks(chunks.source, chunks.target, linked)
    if not pairs:
        return _with_pairs(linked, chunks, ())
    evidence = span_evidence(source, target, probability, pair_evidence(source, target, lexicon))
    relations, similarities = model.judge(
        *relation_features(source, target, *_over_chunks(evidence, source, target, pairs))
    )
    known = atomic_relations(source, target, words.pairs)
    found = []
    for (ours, theirs), of_pair, similarity in zip(pairs, relations, similarities.tolist(), strict=True):
        inside = tuple(one for one in known.relations if one.lies_in(ours, theirs))
        best = int(of_pair.argmax())
        relation = PhraseRelation(CHUNK_RELATIONS[best], float(of_pair[best]))
        if related_by(inside) == OPPOSITE:
            relation = PhraseRelation(OPPOSITE, evidence=inside)
        best_link = float(min(1.0, probability[slice(*ours), slice(*theirs)].max()))
        nodes = Node(*ours, CHUNK), Node(*theirs, CHUNK)
        found.append(PhrasePair(*nodes, best_link, relation=relation, similarity=similarity))
    return _with_pairs(linked, chunks, tuple(found))


def _with_pairs(linked: Alignment, chunks: GivenChunks, pairs: tuple[PhrasePair, ...]) -> Alignment:
    ours, theirs = {pair.source_node.span for pair in pairs}, {pair.target_node.span for pair in pairs}
    return Alignment(
        linked.source,
        linked.target,
        linked.words,
        pairs,
        unaligned_source=tuple(span for span in chunks.source if span not in ours),
        unaligned_target=tuple(span for span in chunks.target if span not in theirs),
        aligner=CHUNK_ALIGNER,
    )


def _over_chunks(
    evidence: SpanEvidence, source: Sentence, target: Sentence, pairs: Sequence[tuple[Span, Span]]
) -> tuple[SpanEvidence, SpanPairIndex]:
    """What is known about chunk pairs, which may be no nodes of the forests."""
    sides = [
        _over(spans, sentence, chunks)
        for spans, sentence, chunks in zip(
            (evidence.source, evidence.target), (source, target), zip(*pairs, strict=True), strict=True
        )
    ]
    sizes = [
        sizes_of_sums(unit_vectors(np.asarray(sentence.vectors)), side)
        for sentence, side in zip((source, target), sides, strict=True)
    ]
    every = np.arange(len(pairs))
    return evidence.over(sides[0], sides[1], (sizes[0], sizes[1])), SpanPairIndex(every, every)


def _over(spans: SentenceSpans, sentence: Sentence, chunks: Sequence[Span]) -> SentenceSpans:
    ends = np.array(chunks, np.int64)
    places = spans.places(ends).tolist()
    heads = [
        int(spans.head[place]) if place >= 0 else essential_words(sentence.words, chunk)[-1]
        for place, chunk in zip(places, chunks, strict=True)
    ]
    labels = [sentence.tags[head] or "" for head in heads]
    return spans.over(sentence, ends, np.array(heads, np.int64), labels)
