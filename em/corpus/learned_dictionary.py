"""What a training corpus adds to the dictionaries of word candidates (Arase & Tsujii 2017, §6.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.words.lexical import Dictionary, suffix_pairs
from forest_align.lexicon.evidence import check_comparable, lexical_evidence

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.types import Sentence

#: Words are similar from the similarity on that is this high in the ranking of the corpus.
RANK = 100
# Similarities that are kept at a time.
_MOST_KEPT = 20 * RANK


def learn_dictionary(pairs: Iterable[tuple[Sentence, Sentence]], lexicon: Lexicon) -> Dictionary:
    """Find the words that a corpus relates.

    Words are compared if they are in the two sentences of a pair, as by the aligner. The similarity of two
    lemmas is the highest cosine of two of their occurrences. Words of equal lemmas do not count, nor words
    without a letter.
    """
    similarities: dict[tuple[str, str], float] = {}
    derivations: set[tuple[str, str]] = set()
    least = -1.0
    for source, target in pairs:
        evidence = lexical_evidence(source, target, lexicon)
        derivations.update(words for _, _, words in suffix_pairs(source, target, evidence, lexicon))
        check_comparable(source, target)
        if source.vectors is None or target.vectors is None or not evidence.size:
            continue
        cosines = np.asarray(source.vectors @ target.vectors.T, np.float64)
        lemmas = [[word.lemma for word in lexicon.profiles(side)] for side in (source, target)]
        for i, j in np.argwhere(cosines >= least).tolist():
            one, two = sorted((lemmas[0][i], lemmas[1][j]))
            if one != two and _has_letters(one) and _has_letters(two):
                found = min(1.0, float(cosines[i, j]))
                similarities[one, two] = max(found, similarities.get((one, two), -1.0))
        if len(similarities) > _MOST_KEPT:
            least = _ranked(similarities)
            similarities = {words: found for words, found in similarities.items() if found >= least}
    cosine = _ranked(similarities) if similarities else None
    return Dictionary(cosine, frozenset(derivations))


def _ranked(similarities: dict[tuple[str, str], float]) -> float:
    """The similarity of rank :data:`RANK`."""
    return sorted(similarities.values(), reverse=True)[:RANK][-1]


def _has_letters(word: str) -> bool:
    return any(map(str.isalpha, word))
