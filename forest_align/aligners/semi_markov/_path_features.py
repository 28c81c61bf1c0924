"""Features of null alignments, classes of transitions, and further features (Yao et al. 2013, §3.2 and §3.3).

The further ones are on request: more of WordNet, names, groups, and scores of paraphrases. The bundled models
do without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.semi_markov._phrase_features import phrases_of
from forest_align.aligners.semi_markov._sentence_arrays import CONTENT, LatticeSentence, tag_chunks
from forest_align.aligners.semi_markov._word_features import WordPairs
from forest_align.lexicon.evidence import paraphrase_scores
from forest_align.lexicon.lexicon import SAME_LEMMA, WORDNET_RELATIONS, wordnet_relations
from forest_align.lexicon.written_forms import name_similarities

if TYPE_CHECKING:
    from forest_align.lexicon.groups import Group
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.lexicon.pair_table import PairTable
    from forest_align.types import Sentence

#: Features of a source word aligned to null; each has a weight in each of :data:`NULL_CLASSES`.
NULL_FEATURES = (
    "bias",
    "same word in target",
    "several same words in target",
    "alike word in target",
    "best Dice",
    "capitalised",
    "first",
    "last",
    "same word at left in target",
    "same word at right in target",
    "share of the target in both lengths",
)
#: Kinds of source words.
NULL_CLASSES = ("content word", "function word", "punctuation")
# Types of chunks that may have several words.
_LONG_CHUNKS = ("NP", "VP", "ADVP", "ADJP")
#: Features of several source words that one step aligns to null, beside those of its words.
NULL_PHRASE_FEATURES = (
    "two words",
    "more than two words",
    "words beyond two",
    *(f"is a chunk: {name}" for name in _LONG_CHUNKS),
    "begins where a chunk begins, ends where one ends",
    "chunk boundaries inside",
    "words in the target",
)


def null_features(source: LatticeSentence, words: WordPairs) -> np.ndarray:
    """Compute :data:`NULL_FEATURES` of every word: float32, shape (features, n)."""
    rows, columns = words.same.shape
    partners = words.same.sum(1)
    features = np.zeros((len(NULL_FEATURES), rows), dtype=np.float32)
    features[0] = 1
    features[1], features[2] = partners > 0, partners > 1
    features[3], features[4] = words.alike.any(1), words.dice.max(1)
    features[5] = source.capital
    features[6, 0] = features[7, -1] = 1
    content = (words.same & (source.kinds == CONTENT)[:, None]).any(1)
    features[8, 1:], features[9, :-1] = content[:-1], content[1:]
    features[10] = columns / (rows + columns)
    return features


def null_phrase_features(
    source: LatticeSentence, tags: tuple[str, ...], words: WordPairs, longest: int
) -> np.ndarray:
    """Compute :data:`NULL_PHRASE_FEATURES` of every phrase of 2 to ``longest`` words.

    Shapes: returns float32 (features, n, longest - 1).
    """
    count = len(source)
    features = np.zeros((len(NULL_PHRASE_FEATURES), count, longest - 1), dtype=np.float32)
    begins = np.diff(source.inside, prepend=-1) != 0
    after = np.append(begins, True)
    known = np.asarray(words.same.any(axis=1), dtype=np.int64)
    boundaries, so_far = begins.cumsum(), known.cumsum()
    for more in range(1, min(longest, count)):
        here = features[:, : count - more, more - 1]
        first, last = np.arange(count - more), np.arange(more, count)
        here[0 if more == 1 else 1] = 1
        here[2] = more - 1
        here[-3] = begins[first] & after[last + 1]
        here[-2] = boundaries[last] - boundaries[first]
        here[-1] = so_far[last] - so_far[first] + known[first]
    for start, end, name in tag_chunks(tags):
        if 2 <= end - start <= longest:
            features[3 + _LONG_CHUNKS.index(name), start, end - start - 2] = 1
    return features


#: Transitions between steps: the distance from the last target word of a step to the first of the next one,
#: null, and the ends.
TRANSITIONS = (
    *("back by 10 or more", "back by 6 to 9", "back by 4 or 5", "back by 3", "back by 2", "back by 1"),
    *("on the spot", "to the next", "over 1", "over 2", "over 3", "over 4 or 5", "over 6 to 9"),
    *("over 10 or more", "to null", "from null", "from null to null", "beginning at null"),
    *("beginning at the first word", "beginning at the second or third", "beginning farther on"),
    *("ending at the last word", "ending at the last but one", "ending before", "ending at null"),
)
_NEXT, _TO_NULL, _BEGINNING, _ENDING = (
    TRANSITIONS.index(name)
    for name in ("to the next", "to null", "beginning at the first word", "ending at the last word")
)
_OVER = np.array([0, 1, 2, 3, 4, 4, 5, 5, 5, 5, 6])  # class of a distance from 0 to 10


@lru_cache(maxsize=64)
def transition_classes(columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes of the transitions, and of the ends, over a target sentence; see the kernel for the rows."""
    places = np.arange(columns)
    steps = places - places[:, None] - 1
    table = np.full((columns + 2, columns + 1), _TO_NULL, dtype=np.int64)
    onward = _NEXT + _OVER[np.clip(steps, 0, 10)]
    back = _NEXT - 1 - _OVER[np.clip(-steps - 1, 0, 10)]
    table[:columns, :columns] = np.where(steps >= 0, onward, back)
    table[columns, :columns] = TRANSITIONS.index("from null")
    table[columns, columns] = TRANSITIONS.index("from null to null")
    table[columns + 1, :columns] = _BEGINNING + (places > 0) + (places > 2)
    table[columns + 1, columns] = TRANSITIONS.index("beginning at null")
    ends = np.full(columns + 1, TRANSITIONS.index("ending at null"), dtype=np.int64)
    ends[:columns] = _ENDING + np.minimum(columns - 1 - places, 2)
    table.setflags(write=False)
    ends.setflags(write=False)
    return table, ends


_DIRECTIONS = ("paraphrase score of target given source", "paraphrase score of source given target")
#: Features of word pairs by resource.
MORE_WORD_FEATURES: dict[str, tuple[str, ...]] = {
    "wordnet": WORDNET_RELATIONS,
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
        self._resources, self._pair = resources, (source, target)
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
                same = (self._evidence & SAME_LEMMA) != 0
                tables.append(name_similarities(*self._pair)[None] * ~same)
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
            if resource == "groups":
                for group in self._paired():
                    values[first] += phrases_of(group, spans)
            elif resource == "paraphrases" and self._ppdb is not None:
                for group in self._groups:
                    if group.kind == "ppdb":
                        scores = self._ppdb.scores(*self._texts(group))
                        values[first : first + 2] += np.outer(scores, phrases_of(group, spans))
            first += len(MORE_PHRASE_FEATURES.get(resource, ()))
        longer = np.maximum(spans[:, 1] - spans[:, 0], spans[:, 3] - spans[:, 2])
        return np.asarray(values * longer, dtype=np.float32)

    def _same_places(self) -> np.ndarray:
        """1 for words at the same place of paired groups of as many words: *closed up*, *closed down*."""
        places = np.zeros(self._evidence.shape, dtype=np.float32)
        for (start, end), (first, last), _ in self._paired():
            if end - start == last - first:
                places[np.arange(start, end), np.arange(first, last)] = 1
        return places

    def _paired(self) -> set[Group]:
        """Groups of several words on both sides, each once."""
        return {
            group._replace(kind="")
            for group in self._groups
            if min(group.source[1] - group.source[0], group.target[1] - group.target[0]) > 1
        }

    def _texts(self, group: Group) -> tuple[str, str]:
        """The phrases of a group as the table has them."""
        sides = zip(self._pair, (group.source, group.target), strict=True)
        profiles = (self._lexicon.profiles(sentence)[slice(*span)] for sentence, span in sides)
        source, target = (" ".join(word.lower for word in words) for words in profiles)
        return source, target
