"""Adds to the phrase pairs of an alignment how their phrases are related.

Natural logic decides (:mod:`forest_align.meaning`). A model judges the smallest phrases around words of which
nothing is known; what it holds for equivalent counts as equivalent in all phrases around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from forest_align.aligners.phrases.features import SpanEvidence, SpanPairIndex
from forest_align.aligners.phrases.relation_model import RelationModel, relation_features
from forest_align.alignment import CHUNK_RELATIONS, Alignment, AtomicRelation, PhraseRelation, Span
from forest_align.lexicon.tables import is_content_word
from forest_align.meaning.changes import WordChanges
from forest_align.meaning.meaning_words import TOP_KINDS
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
from forest_align.types import Token

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
    known = atomic_relations(alignment.source, alignment.target, alignment.words.pairs)
    if model is None or phrases is None:
        return JudgedRelations(known, {})
    short = [
        place
        for place, pair in enumerate(alignment.phrases)
        if not pair.is_rule
        and max(node.end - node.start for node in (pair.source_node, pair.target_node)) <= _MOST_WORDS
    ]
    judged = _judged(alignment, short, model, phrases)
    settled = known._replace(relations=_settled(alignment, known.relations, judged))
    return JudgedRelations(settled, {place: similarity for place, (_, similarity) in judged.items()})


def with_relations(alignment: Alignment, judged: JudgedRelations) -> Alignment:
    """Set ``relation`` of the phrase pairs where it is known, and ``similarity`` of short phrases."""
    source, target = alignment.source, alignment.target
    changes = WordChanges(source, target, alignment.words.pairs)
    related = []
    for place, pair in enumerate(alignment.phrases):
        relation, similarity = None, judged.similarity.get(place)
        if pair.probability < _CORRESPONDING_FROM:
            related.append(replace(pair, similarity=similarity))
            continue
        spans = pair.source_node.span, pair.target_node.span
        name = related_by(judged.known.inside(*spans))
        inside = tuple(one for one in judged.known.relations if one.lies_in(*spans))
        if name not in (MIXED, UNKNOWN) and (name in _STRONG or not _leads_out(alignment, spans)):
            words = source.words[slice(*spans[0])], target.words[slice(*spans[1])]
            # Of most pairs both sides are one and the same word: nothing can have changed.
            is_same = words[0] == words[1]
            # Function words that differ replace each other only in a phrase: by Ann, of Ann.
            if is_same or name != EQUIVALENT or any(map(is_content_word, chain(*words))):
                relation = PhraseRelation(name, None, () if is_same else changes.of(*spans), inside)
        related.append(replace(pair, relation=relation, similarity=similarity))
    return replace(alignment, phrases=tuple(related))


def _shared_words(alignment: Alignment) -> float:
    """The share of the content words of both sentences that are linked to the same word."""
    same: tuple[set[int], set[int]] = (set(), set())
    for i, j in alignment.words.pairs:
        if alignment.source.words[i].lower() == alignment.target.words[j].lower():
            same[0].add(i)
            same[1].add(j)
    content = [
        [place in linked for place, word in enumerate(side.words) if is_content_word(word.lower())]
        for side, linked in zip((alignment.source, alignment.target), same, strict=True)
    ]
    return sum(map(sum, content)) / max(1, sum(map(len, content)))


def _judged(
    alignment: Alignment, places: Sequence[int], model: RelationModel, phrases: SpanEvidence
) -> dict[int, tuple[float, float]]:
    """For some phrase pairs the probability that they are equivalent, and their similarity."""
    if not places:
        return {}
    pairs = [alignment.phrases[place] for place in places]
    ours = phrases.source.places(np.array([pair.source_node.span for pair in pairs], np.int64))
    theirs = phrases.target.places(np.array([pair.target_node.span for pair in pairs], np.int64))
    features = relation_features(alignment.source, alignment.target, phrases, SpanPairIndex(ours, theirs))
    probabilities, similarity = model.judge(*features)
    equivalent = probabilities[:, CHUNK_RELATIONS.index(EQUIVALENT)].tolist()
    return dict(zip(places, zip(equivalent, similarity.tolist(), strict=True), strict=True))


def _settled(
    alignment: Alignment, known: Sequence[AtomicRelation], judged: dict[int, tuple[float, float]]
) -> list[AtomicRelation]:
    """The relations without those that the model holds for equivalent."""
    spans = {
        place: (alignment.phrases[place].source_node.span, alignment.phrases[place].target_node.span)
        for place in judged
    }
    are_shared = _shared_words(alignment) >= _MOSTLY_SHARED

    def is_settled(relation: AtomicRelation) -> bool:
        if relation.rule not in _JUDGED_RULES:
            return False
        sides = _tokens(alignment, relation)
        names = [[token.tag.startswith("NNP") for token in side] for side in sides]
        around = {place: _size(*spans[place]) for place in judged if relation.lies_in(*spans[place])}
        if not around or all(side and all(side) for side in names):  # *Cuba*, *Havana*
            return False
        if any(token.lemma in TOP_KINDS for token in chain(*sides)):  # a *woman* is a *person*, and more
            return False
        smallest = min(around, key=around.__getitem__)
        is_easy = are_shared and not any(chain(*names))
        least = _EQUIVALENT_AMONG_SHARED_FROM if is_easy else _EQUIVALENT_FROM
        is_near = around[smallest] <= _size(relation.source, relation.target) + _MOST_AROUND
        return is_near and judged[smallest][0] >= least

    return [relation for relation in known if not is_settled(relation)]


def _size(*spans: Span | None) -> int:
    """The number of words in spans."""
    return sum(len(range(*span)) for span in spans if span is not None)


def _tokens(alignment: Alignment, relation: AtomicRelation) -> list[tuple[Token, ...]]:
    """The words of both sides of a relation; none of a side that it lacks."""
    sides = (alignment.source, relation.source), (alignment.target, relation.target)
    return [() if span is None else sentence.tokens[slice(*span)] for sentence, span in sides]


def _leads_out(alignment: Alignment, spans: tuple[Span, Span]) -> bool:
    """Whether content words of a phrase have partners outside of the other one only: *a sliding tube*."""
    inside = [range(*span) for span in spans]
    for link in alignment.outside:
        for side, sentence in enumerate((alignment.source, alignment.target)):
            word, other = link[side], link[1 - side]
            if word not in inside[side] or other in inside[1 - side]:
                continue
            partners = (pair[1 - side] for pair in alignment.words.pairs if pair[side] == word)
            is_linked_inside = any(partner in inside[1 - side] for partner in partners)
            if is_content_word(sentence.words[word].lower()) and not is_linked_inside:
                return True
    return False
