"""Makes pairs of sentences of many kinds that corpora of paraphrases seldom have, with exact links."""

from __future__ import annotations

import random
from collections.abc import Callable

from forest_align.em.contextual import _references as references
from forest_align.em.contextual import _wordings as wordings
from forest_align.em.contextual._constructions import CONSTRUCTIONS
from forest_align.em.contextual._marked import PairWriter
from forest_align.em.contextual._notations import amounts
from forest_align.em.contextual._vocabulary import Vocabulary
from forest_align.em.contextual.rearranging import RearrangedPair

#: Kinds of pairs, each as often as the number says.
KINDS: dict[Callable[[PairWriter], RearrangedPair], int] = {
    **CONSTRUCTIONS,
    references.opposed: 5,
    references.pronoun: 7,
    references.speech: 3,
    amounts: 13,
    wordings.particle: 4,
    wordings.same_particle: 2,
    wordings.light_verb: 2,
    wordings.auxiliary: 5,
    wordings.spoken: 3,
    wordings.hashtag: 2,
    wordings.acronym: 2,
}


def constructed_pairs(vocabulary: Vocabulary, number: int) -> list[RearrangedPair]:
    """Pairs of all kinds, always the same ones."""
    chance = random.Random(2)
    writer = PairWriter(vocabulary, chance)
    found: list[RearrangedPair] = []
    while len(found) < number:
        (kind,) = chance.choices(list(KINDS), list(KINDS.values()))
        pair = kind(writer)
        # Equal sentences are aligned without the model.
        if [word.lower() for word in pair.source] != [word.lower() for word in pair.target]:
            found.append(pair)
    return found
