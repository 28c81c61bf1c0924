"""Relations of WordNet between two words beyond synonymy: more general, part and whole, consequence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.types import Sentence

#: The tables of :func:`wordnet_relations`.
RELATION_NAMES = ("more general", "more special", "part or whole", "consequence or condition")

# A word as its lemma and its senses.
_Word = tuple[str, Sequence[int]]


def wordnet_relations(source: Sentence, target: Sentence, lexicon: Lexicon) -> np.ndarray:
    """Compute how closely WordNet relates each word of a sentence to each word of another one.

    A word is more general than another one if one of its senses is at most three steps above one of the
    other's: *animal* and *dog*. The value is 1 divided by the least number of steps. Words are part and whole
    (also member and group, substance and thing), or a verb entails or causes the other, if their senses are
    related directly: the value is 1. Function words and words of one lemma are not related.

    Shapes: returns float32 (4, n, m).
    """
    lefts, rights = _words(source, lexicon), _words(target, lexicon)
    found = np.zeros((len(RELATION_NAMES), len(lefts), len(rights)), dtype=np.float32)
    general, special, parts, consequences = found
    _add((parts, consequences, special), lefts, rights, lexicon)
    _add((parts.T, consequences.T, general.T), rights, lefts, lexicon)
    return found


def _words(sentence: Sentence, lexicon: Lexicon) -> list[_Word]:
    words = zip(lexicon.profiles(sentence), sentence.tags, strict=True)
    return [
        (profile.lemma, () if profile.is_function else lexicon.senses(profile.lemma, tag))
        for profile, tag in words
    ]


def _add(
    tables: Sequence[np.ndarray], words: Sequence[_Word], others: Sequence[_Word], lexicon: Lexicon
) -> None:
    """Raise the cells of words with a sense that leads to one of the other's; one table a relation."""
    places: dict[int, list[int]] = {}
    for j, (_, senses) in enumerate(others):
        for sense in senses:
            places.setdefault(sense, []).append(j)
    for i, (lemma, senses) in enumerate(words):
        for sense in senses:
            for table, related in zip(tables, lexicon.related_synsets(sense), strict=True):
                for other, steps in related:
                    for j in places.get(other, ()):
                        if others[j][0] != lemma:
                            table[i, j] = max(table[i, j], 1 / steps)
