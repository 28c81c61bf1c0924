"""What differs in an aligned pair: the one place from which views, differences and edits learn it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align.meaning.sentence_comparison import atomic_relations

if TYPE_CHECKING:
    from forest_align.alignment import Alignment, AtomicRelation


def known_relations(alignment: Alignment) -> list[AtomicRelation]:
    """The words that do not say the same, in the order of their rules.

    Phrase pairs with a relation know more than words: exchanged roles, which need a tree, and words that a
    model held for equivalent.

    Parameters
    ----------
    alignment : Alignment
        With word links.
    """
    return known_and_settled(alignment)[0]


def known_and_settled(alignment: Alignment) -> tuple[list[AtomicRelation], list[AtomicRelation]]:
    """The words that do not say the same, and those of which a phrase pair around them holds that they do."""
    related = [pair for pair in alignment.phrases if pair.relation is not None]
    known = dict.fromkeys(
        one for pair in related if pair.relation is not None for one in pair.relation.evidence
    )
    settled = []
    for one in atomic_relations(alignment.source, alignment.target, alignment.words.pairs).relations:
        # A relation that a phrase pair around it does not rest on is settled: the two say the same.
        if one not in known and any(
            one.lies_in(pair.source_node.span, pair.target_node.span) for pair in related
        ):
            settled.append(one)
        else:
            known.setdefault(one)
    return list(known), settled
