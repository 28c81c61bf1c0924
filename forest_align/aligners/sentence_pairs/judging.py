"""Adds to an alignment how probable it is that its sentences are paraphrases."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from forest_align.meaning.relation_algebra import DIFFERENT, OPPOSITE, related_by
from forest_align.meaning.sentence_comparison import atomic_relations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.aligners.sentence_pairs.model import ParaphraseModel
    from forest_align.alignment import Alignment, AtomicRelation
    from forest_align.types import Node, Sentence

# Of sentences that say something different or opposite.
_MOST_PROBABLE = 0.5


def with_paraphrase_probability(
    alignment: Alignment, model: ParaphraseModel, relations: Sequence[AtomicRelation] | None = None
) -> Alignment:
    """Set ``paraphrase_probability``, and let no pair of whole sentences be more probable.

    Word links alone make every pair of whole sentences certain, because no link can leave it. A pair that
    leaves out punctuation alone counts as one, too. The probability of sentences that are known to say
    something different or opposite is 0.5 at most. A pair of two single words keeps the probability of its
    link. Alignments of sentences without word vectors stay as they are.

    Parameters
    ----------
    alignment : Alignment
        With word links.
    model : ParaphraseModel
        The model.
    relations : sequence of AtomicRelation, optional
        The words that do not say the same, if they are known.

    Raises
    ------
    InputError
        If the word vectors cannot be compared.
    """
    source, target = alignment.source, alignment.target
    if source.vectors is None or target.vectors is None or not (len(source) and len(target)):
        return alignment
    if relations is None:
        relations = atomic_relations(source, target, alignment.words.pairs)
    probability = model.probability(source, target, alignment.words, relations)
    if related_by(relations) in (DIFFERENT, OPPOSITE):
        probability = min(probability, _MOST_PROBABLE)
    phrases = tuple(
        replace(pair, probability=probability)
        if pair.probability > probability
        and max(pair.source_node.end - pair.source_node.start, pair.target_node.end - pair.target_node.start)
        > 1
        and _is_whole(pair.source_node, source)
        and _is_whole(pair.target_node, target)
        else pair
        for pair in alignment.phrases
    )
    return replace(alignment, phrases=phrases, paraphrase_probability=probability)


def _is_whole(node: Node, sentence: Sentence) -> bool:
    """Whether a phrase has all words of its sentence that have a letter or digit."""
    outside = sentence.words[: node.start] + sentence.words[node.end :]
    return not any(any(map(str.isalnum, word)) for word in outside)
