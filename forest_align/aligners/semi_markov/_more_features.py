"""Features that a model may have besides: more of WordNet, names, groups, and scores of paraphrases.

Yao et al. (2013, §3.3) have these kinds. The bundled models do without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from forest_align.lexicon.evidence import paraphrase_scores
from forest_align.lexicon.lexicon import Evidence
from forest_align.lexicon.wordnet_relations import RELATION_NAMES, wordnet_relations
from forest_align.lexicon.written_forms import name_similarities

if TYPE_CHECKING:
    from forest_align.lexicon.groups import Group
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.lexicon.pair_table import PairTable
    from forest_align.types import Sentence

_DIRECTIONS = ("paraphrase score of target given source", "paraphrase score of source given target")
#: Features of word pairs by resource.
MORE_WORD_FEATURES: dict[str, tuple[str, ...]] = {
    "wordnet": RELATION_NAMES,
    "names": ("similar names",),
    "groups": ("same place in groups of several words",),
    "paraphrases": _DIRECTIONS,
}
#: Features of phrase pairs by resource.
MORE_PHRASE_FEATURES: dict[str, tuple[str, ...]] = {
    "groups": ("synonyms of several words each by length",),
    "paraphrases": tuple(f"{name} by length" for name in _DIRECTIONS),
}
#: What the features are computed from, in their order: hypernyms, parts and consequences of WordNet; spelling
#: of names; words at one place of two groups that the lexicon pairs; scores of the user's paraphrases.
RESOURCES = tuple(MORE_WORD_FEATURES)


class MoreFeatures:
    """The values of the further features of two sentences of n and m words.

    Shapes: ``evidence`` int32 (n, m).
    """

    def __init__(
        self,
        resources: Sequence[str],
        source: Sentence,
        target: Sentence,
        lexicon: Lexicon,
        ppdb: PairTable | None,
        groups: Sequence[Group],
        evidence: np.ndarray,
    ) -> None:
        self._resources = resources
        self._pair = source, target
        self._lexicon, self._ppdb, self._groups, self._evidence = lexicon, ppdb, groups, evidence

    def alike(self) -> np.ndarray | None:
        """Words that count as alike at the same place of paired groups: bool, shape (n, m), or None."""
        return self._same_places() > 0 if "groups" in self._resources else None

    def of_words(self) -> np.ndarray:
        """Values of the word pairs, float32, shape (features, n, m)."""
        tables = [np.zeros((0, *self._evidence.shape), dtype=np.float32)]
        for resource in self._resources:
            if resource == "wordnet":
                tables.append(wordnet_relations(*self._pair, self._lexicon))
            elif resource == "names":
                tables.append(name_similarities(*self._pair)[None] * ~self._same)
            elif resource == "groups":
                tables.append(self._same_places()[None])
            else:
                tables.append(paraphrase_scores(*self._pair, self._lexicon, self._ppdb))
        return np.concatenate(tables)

    def of_phrases(self, spans: np.ndarray) -> np.ndarray:
        """Values of phrase pairs, by length: float32, shape (features, k). Shapes: ``spans`` int32 (k, 4)."""
        count = sum(len(MORE_PHRASE_FEATURES.get(name, ())) for name in self._resources)
        values = np.zeros((count, len(spans)), dtype=np.float32)
        first = 0
        for resource in self._resources:
            names = MORE_PHRASE_FEATURES.get(resource, ())
            if resource == "groups":
                for group in self._paired():
                    values[first] += self._at(spans, group)
            elif resource == "paraphrases" and self._ppdb is not None:
                for group in self._groups:
                    if group.kind == "ppdb":
                        scores = self._ppdb.scores(*self._texts(group))
                        values[first : first + 2] += np.outer(scores, self._at(spans, group))
            first += len(names)
        longer = np.maximum(spans[:, 1] - spans[:, 0], spans[:, 3] - spans[:, 2])
        return np.asarray(values * longer, dtype=np.float32)

    @property
    def _same(self) -> np.ndarray:
        return (self._evidence & int(Evidence.IDENTICAL | Evidence.LEMMA)) != 0

    def _same_places(self) -> np.ndarray:
        """1 for words at the same place of paired groups of as many words: *closed up*, *closed down*."""
        found = np.zeros(self._evidence.shape, dtype=np.float32)
        for (start, end), (first, last), _ in self._paired():
            if end - start == last - first:
                found[np.arange(start, end), np.arange(first, last)] = 1
        return found

    def _paired(self) -> set[Group]:
        """Groups of several words on both sides, each once."""
        several = {
            group
            for group in self._groups
            if min(group.source[1] - group.source[0], group.target[1] - group.target[0]) > 1
        }
        return {group._replace(kind="") for group in several}

    @staticmethod
    def _at(spans: np.ndarray, group: Group) -> np.ndarray:
        found: np.ndarray = (spans == (*group.source, *group.target)).all(1)
        return found

    def _texts(self, group: Group) -> tuple[str, str]:
        """The phrases of a group as the table has them."""
        sides = zip(self._pair, (group.source, group.target), strict=True)
        profiles = (self._lexicon.profiles(sentence)[slice(*span)] for sentence, span in sides)
        one, two = (" ".join(word.lower for word in words) for words in profiles)
        return one, two
