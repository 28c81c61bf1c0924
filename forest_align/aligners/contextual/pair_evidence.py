"""What lexicon, quantities and oppositions say about every two words of a pair, in one bit mask per cell."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from forest_align.lexicon.evidence import lexical_evidence
from forest_align.lexicon.lexicon import SAME_LEMMA
from forest_align.lexicon.oppositions import Opposition, oppositions
from forest_align.lexicon.quantities import quantity_relations
from forest_align.lexicon.word_parts import acronym_clashes, part_relations
from forest_align.lexicon.written_forms import look_alikes

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.lexicon.pair_table import PairTable
    from forest_align.types import Sentence

#: The lowest bit of :class:`~forest_align.lexicon.quantities.QuantityRelation`; evidence lies below it.
QUANTITIES_FROM = 16
#: Antonyms, and all other kinds of :class:`~forest_align.lexicon.oppositions.Opposition`.
ANTONYMS, OPPOSED = 1 << 20, 1 << 21
#: A word within another one: *#StarWars*, *Star*; *gon* of *gonna*, *going*.
WITHIN = 1 << 22


@lru_cache(maxsize=4)
def pair_evidence(
    source: Sentence, target: Sentence, lexicon: Lexicon, ppdb: PairTable | None = None
) -> np.ndarray:
    """Find the evidence for and against a link of every two words. Shapes: returns int32 (n, m).

    The result for swapped sentences is the transpose. That of the last few pairs of sentences is kept,
    because the models of links, phrases and edits all read it.
    """
    evidence = lexical_evidence(source, target, lexicon, ppdb)
    words = source.words, target.words
    tags = [[token.tag or "" for token in side.tokens] for side in (source, target)]
    evidence |= quantity_relations(*words, *tags).astype(np.int32) << QUANTITIES_FROM
    opposed = oppositions(*words, *tags)
    if opposed.any():
        evidence[opposed & Opposition.ANTONYM != 0] |= ANTONYMS
        evidence[opposed & ~np.uint8(Opposition.ANTONYM) != 0] |= OPPOSED
    evidence[part_relations(*words)] |= WITHIN
    evidence[acronym_clashes(*words, *tags)] &= ~SAME_LEMMA
    evidence.flags.writeable = False
    return evidence


def link_evidence(
    source: Sentence, target: Sentence, lexicon: Lexicon, ppdb: PairTable | None = None
) -> np.ndarray:
    """:func:`pair_evidence` for the link model: different words that look alike count as opposed.

    The link model has seen such words only where one is the other one misspelled. To other models,
    opposed words say something about the meaning, which words that look alike do not.
    """
    evidence = pair_evidence(source, target, lexicon, ppdb)
    cells = list(look_alikes(lexicon.profiles(source), lexicon.profiles(target)))
    if cells:
        evidence = evidence.copy()
        evidence[tuple(zip(*cells, strict=True))] |= ANTONYMS | OPPOSED
    return evidence
