"""Given chunks, aligned through word links, with relations and similarities; and the chunk links of iSTS."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from forest_align.aligners.contextual.pair_evidence import pair_evidence
from forest_align.aligners.pair import GivenChunks
from forest_align.aligners.phrases.features import span_evidence
from forest_align.aligners.phrases.relation_model import RelationModel, relation_features
from forest_align.aligners.phrases.sentence_spans import SentenceSpans
from forest_align.alignment import CHUNK_RELATIONS, Alignment, Links, PhrasePair, PhraseRelation, Span
from forest_align.data.formats.format import ChunkLink
from forest_align.lexicon.lexicon import Lexicon
from forest_align.lexicon.tables import is_content_word
from forest_align.meaning.relation_algebra import OPPOSITE, related_by
from forest_align.meaning.sentence_comparison import atomic_relations
from forest_align.types import Node, Sentence

#: Name of the aligner of chunks.
CHUNK_ALIGNER = "chunks"
# The label of chunks in an alignment.
_CHUNK = "CHUNK"
_LINKED_FROM = 0.5
# The type of iSTS that stands for each relation.
_TYPE_OF_RELATION = dict(zip(CHUNK_RELATIONS, ("EQUI", "SPE1", "SPE2", "SIMI", "REL", "OPPO"), strict=True))


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
    # Chunks may be no nodes of the forests.
    ours, theirs = zip(*pairs, strict=True)
    sides = _over(evidence.source, source, ours), _over(evidence.target, target, theirs)
    features = relation_features(source, target, *evidence.over((source, target), sides))
    relations, similarities = model.judge(*features)
    known = atomic_relations(source, target, words.pairs).relations
    phrases = []
    for spans, of_pair, similarity in zip(pairs, relations, similarities.tolist(), strict=True):
        inside = tuple(relation for relation in known if relation.lies_in(*spans))
        best = int(of_pair.argmax())
        relation = PhraseRelation(CHUNK_RELATIONS[best], float(of_pair[best]))
        if related_by(inside) == OPPOSITE:
            relation = PhraseRelation(OPPOSITE, evidence=inside)
        best_link = float(min(1.0, probability[slice(*spans[0]), slice(*spans[1])].max()))
        nodes = Node(*spans[0], _CHUNK), Node(*spans[1], _CHUNK)
        phrases.append(PhrasePair(*nodes, best_link, relation=relation, similarity=similarity))
    return _with_pairs(linked, chunks, tuple(phrases))


def _with_pairs(linked: Alignment, chunks: GivenChunks, pairs: tuple[PhrasePair, ...]) -> Alignment:
    ours, theirs = {pair.source_node.span for pair in pairs}, {pair.target_node.span for pair in pairs}
    return replace(
        linked,
        phrases=pairs,
        unaligned_source=tuple(span for span in chunks.source if span not in ours),
        unaligned_target=tuple(span for span in chunks.target if span not in theirs),
    )


def _over(spans: SentenceSpans, sentence: Sentence, chunks: Sequence[Span]) -> SentenceSpans:
    ends = np.array(chunks, np.int64)
    heads = [
        int(spans.head[place]) if place >= 0 else essential_words(sentence.words, chunk)[-1]
        for place, chunk in zip(spans.places(ends).tolist(), chunks, strict=True)
    ]
    labels = [sentence.tags[head] or "" for head in heads]
    return spans.over(sentence, ends, np.array(heads, np.int64), labels)


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
    sums = [[counted[a:b, c:d].sum() for c, d in target] for a, b in source]
    shared = np.array(sums, dtype=float).reshape(len(source), len(target))
    partners = _competitive_linking(shared)
    swapped = [(theirs, ours) for ours, theirs in partners]
    joined = _left_over(counted.T, shared.T, swapped, essential[1], source)
    pairs = {*partners, *_left_over(counted, shared, partners, essential[0], target)}
    pairs |= {(ours, theirs) for theirs, ours in joined}
    return [(source[ours], target[theirs]) for ours, theirs in sorted(pairs)]


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
    partners: list[tuple[int, int]] = []
    for ours, theirs in sorted(cells, key=lambda cell: -shared[cell]):
        if all(ours != a and theirs != b for a, b in partners):
            partners.append((ours, theirs))
    return partners


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


def related_links(phrases: Iterable[PhrasePair]) -> list[ChunkLink]:
    """The chunk links of phrase pairs with a relation and a similarity, one each; others are left out."""
    return [
        ChunkLink(
            tuple(range(*pair.source_node.span)),
            tuple(range(*pair.target_node.span)),
            _TYPE_OF_RELATION[pair.relation.name],
            f"{pair.similarity:.0f}",
        )
        for pair in phrases
        if pair.relation is not None and pair.similarity is not None
    ]


def chunk_links(alignment: Alignment) -> list[ChunkLink]:
    """All chunk links of a result of the chunk aligner, as a ``.wa`` file has them.

    Chunks that share a partner are one link with the type and score of its most probable pair. Chunks without
    partner are links of type ``NOALI``.
    """
    groups: list[list[PhrasePair]] = []
    for pair in alignment.phrases:
        spans = pair.source_node.span, pair.target_node.span
        touched = [
            group
            for group in groups
            if any(
                spans[0] == other.source_node.span or spans[1] == other.target_node.span for other in group
            )
        ]
        groups = [group for group in groups if group not in touched] + [[*chain(*touched), pair]]
    links = []
    for group in groups:
        (best,) = related_links([max(group, key=lambda pair: pair.probability)])
        tokens = [
            sorted({token for span in spans for token in range(*span)})
            for spans in zip(*((pair.source_node.span, pair.target_node.span) for pair in group), strict=True)
        ]
        links.append(ChunkLink(tuple(tokens[0]), tuple(tokens[1]), best.type, best.score))
    links += [ChunkLink(tuple(range(*span)), (), "NOALI") for span in alignment.unaligned_source]
    links += [ChunkLink((), tuple(range(*span)), "NOALI") for span in alignment.unaligned_target]
    return sorted(links, key=lambda link: (not link.source, link.source, link.target))
