"""Adds to the phrase pairs of an alignment how their phrases are related.

Natural logic decides (:mod:`forest_align.meaning`). A model judges the smallest phrases around words of which
nothing is known; what it holds for equivalent counts as equivalent in all phrases around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forest_align.aligners.phrases.features import SpanPairIndex
from forest_align.aligners.phrases.relation_features import relation_features
from forest_align.alignment import (
    CHUNK_RELATIONS,
    Alignment,
    AtomicRelation,
    PhrasePair,
    PhraseRelation,
    Span,
)
from forest_align.lexicon.tables import is_content_word
from forest_align.meaning.changes import WordChanges
from forest_align.meaning.relation_algebra import (
    DIFFERENT,
    EQUIVALENT,
    MIXED,
    OPPOSITE,
    UNKNOWN,
    SentenceRelations,
    related_by,
)
from forest_align.meaning.sentence_comparison import atomic_relations

if TYPE_CHECKING:
    from forest_align.aligners.phrases.features import SpanEvidence
    from forest_align.aligners.phrases.relation_model import RelationModel

# The model learned from phrases of a few words.
_MOST_WORDS = 6
# Rules whose relations the model may settle. It knows neither chairs from couches nor values, and does not
# see which claim a word without a partner adds.
_JUDGED_RULES = ("other words", "taxonomy")
# The phrases that it judges have at most so many words around those in question: an article on each side.
_MOST_AROUND = 2
# From which probability on phrases count as equivalent, chosen on PAWS dev and relations read by hand. Less
# is asked of words other than names if the sentences share most words: then they speak of the same.
_EQUIVALENT_FROM, _EQUIVALENT_AMONG_SHARED_FROM = 0.6, 0.3
_MOSTLY_SHARED = 0.8
# Words that are linked elsewhere do not change them.
_STRONG = (DIFFERENT, OPPOSITE)
# Nothing is said of phrases that may not correspond: below, half of the relations read by hand were wrong.
_CORRESPONDING_FROM = 0.6


class JudgedRelations(NamedTuple):
    """What is known about the words and the short phrases of an alignment."""

    known: SentenceRelations  # The words that do not say the same
    # By the place of a short phrase pair, how similar its phrases are, from 0 to 5
    similarity: dict[int, float]


def judged_relations(
    alignment: Alignment, model: RelationModel | None = None, phrases: SpanEvidence | None = None
) -> JudgedRelations:
    """Compare the linked words of an alignment, and judge its short phrases.

    The model judges nodes of the forests only, not rules, and needs the ``phrases`` of both sentences.
    """
    pairs = alignment.phrases
    known = atomic_relations(alignment.source, alignment.target, alignment.words.pairs)
    if model is None or phrases is None:
        return JudgedRelations(known, {})
    short = [k for k, pair in enumerate(pairs) if _longer_side(pair) <= _MOST_WORDS and not pair.is_rule]
    judged = _judged(alignment, short, model, phrases)
    settled = known._replace(relations=_settled(alignment, known.relations, judged))
    return JudgedRelations(settled, {k: one[1] for k, one in judged.items()})


def with_relations(alignment: Alignment, judged: JudgedRelations) -> Alignment:
    """Set ``relation`` of the phrase pairs where it is known, and ``similarity`` of short phrases."""
    source, target = alignment.source, alignment.target
    changes = WordChanges(source, target, alignment.words.pairs)
    related = []
    for k, pair in enumerate(alignment.phrases):
        if pair.probability < _CORRESPONDING_FROM:
            related.append(replace(pair, similarity=judged.similarity.get(k)))
            continue
        spans = pair.source_node.span, pair.target_node.span
        name = related_by(judged.known.inside(*spans))
        relation = None
        inside = tuple(one for one in judged.known.relations if one.lies_in(*spans))
        if name not in (MIXED, UNKNOWN) and not (name not in _STRONG and _leads_out(alignment, pair)):
            words = source.words[slice(*spans[0])], target.words[slice(*spans[1])]
            # Of most pairs both sides are one and the same word: nothing can have changed.
            is_same = words[0] == words[1]
            # Function words that differ replace each other only in a phrase: by Ann, of Ann.
            if is_same or name != EQUIVALENT or any(map(is_content_word, chain(*words))):
                relation = PhraseRelation(name, None, () if is_same else changes.of(*spans), inside)
        related.append(replace(pair, relation=relation, similarity=judged.similarity.get(k)))
    return replace(alignment, phrases=tuple(related))


def _shared_words(alignment: Alignment) -> float:
    """The share of the content words of both sentences that are linked to the same word."""
    same: tuple[set[int], set[int]] = (set(), set())
    for i, j in alignment.words.pairs:
        if alignment.source.words[i].lower() == alignment.target.words[j].lower():
            same[0].add(i)
            same[1].add(j)
    content = [
        [word in linked for word, text in enumerate(side.words) if is_content_word(text.lower())]
        for side, linked in zip((alignment.source, alignment.target), same, strict=True)
    ]
    return sum(map(sum, content)) / max(1, sum(map(len, content)))


def _longer_side(pair: PhrasePair) -> int:
    return max(node.end - node.start for node in (pair.source_node, pair.target_node))


def _judged(
    alignment: Alignment, places: Sequence[int], model: RelationModel, phrases: SpanEvidence
) -> dict[int, tuple[float, float]]:
    """For some phrase pairs the probability that they are equivalent, and their similarity."""
    if not places:
        return {}
    pairs = [alignment.phrases[k] for k in places]
    sides = [
        side.places(np.array([(node.start, node.end) for node in nodes], np.int64))
        for side, nodes in (
            (phrases.source, [pair.source_node for pair in pairs]),
            (phrases.target, [pair.target_node for pair in pairs]),
        )
    ]
    features = relation_features(alignment.source, alignment.target, phrases, SpanPairIndex(*sides))
    probabilities, similarity = model.judge(*features)
    equivalent = probabilities[:, CHUNK_RELATIONS.index(EQUIVALENT)].tolist()
    return dict(zip(places, zip(equivalent, similarity.tolist(), strict=True), strict=True))


def _settled(
    alignment: Alignment, known: Sequence[AtomicRelation], judged: dict[int, tuple[float, float]]
) -> list[AtomicRelation]:
    """The relations without those that the model holds for equivalent."""
    spans = {
        k: (alignment.phrases[k].source_node.span, alignment.phrases[k].target_node.span) for k in judged
    }
    are_shared = _shared_words(alignment) >= _MOSTLY_SHARED
    found = []
    for one in known:
        if one.rule in _JUDGED_RULES and not _are_names(alignment, one):
            around = {k: _size(*spans[k]) for k in judged if one.lies_in(*spans[k])}
            smallest = min(around, key=around.__getitem__, default=-1)
            if around and around[smallest] <= _size(one.source, one.target) + _MOST_AROUND:
                is_easy = are_shared and not _has_name(alignment, one)
                least = _EQUIVALENT_AMONG_SHARED_FROM if is_easy else _EQUIVALENT_FROM
                if judged[smallest][0] >= least:
                    continue
        found.append(one)
    return found


def _size(*spans: Span | None) -> int:
    """The number of words in spans."""
    return sum(len(range(*span)) for span in spans if span is not None)


def _has_name(alignment: Alignment, one: AtomicRelation) -> bool:
    """Whether one of the words of a relation is a part of a name."""
    return any(chain.from_iterable(_names(alignment, one)))


def _are_names(alignment: Alignment, one: AtomicRelation) -> bool:
    """Whether both sides of a relation are names alone: *Cuba*, *Havana*."""
    return all(names and all(names) for names in _names(alignment, one))


def _names(alignment: Alignment, one: AtomicRelation) -> list[list[bool]]:
    """For each side of a relation whether its words are parts of names."""
    return [
        [] if span is None else [tag.startswith("NNP") for tag in side.tags[slice(*span)]]
        for side, span in zip((alignment.source, alignment.target), (one.source, one.target), strict=True)
    ]


def _leads_out(alignment: Alignment, pair: PhrasePair) -> bool:
    """Whether content words of a phrase have partners outside of the other one only: *a sliding tube*."""
    spans = pair.source_node.span, pair.target_node.span
    for link in alignment.outside:
        for side, sentence in enumerate((alignment.source, alignment.target)):
            word, other = link[side], link[1 - side]
            if (
                not spans[side][0] <= word < spans[side][1]
                or spans[1 - side][0] <= other < spans[1 - side][1]
            ):
                continue
            partners = (one[1 - side] for one in alignment.words.pairs if one[side] == word)
            is_linked_inside = any(spans[1 - side][0] <= one < spans[1 - side][1] for one in partners)
            if is_content_word(sentence.words[word].lower()) and not is_linked_inside:
                return True
    return False
