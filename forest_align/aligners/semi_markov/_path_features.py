"""Features of words aligned to null, and classes of transitions (Yao et al. 2013, §3.2 and §3.3)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from forest_align.aligners.semi_markov._word_features import WordPairs
from forest_align.aligners.semi_markov.sentence_arrays import CONTENT, LatticeSentence, tag_chunks

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
    found = words.same.sum(1)
    features = np.zeros((len(NULL_FEATURES), rows), dtype=np.float32)
    features[0] = 1
    features[1], features[2] = found > 0, found > 1
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
    boundaries, found = begins.cumsum(), known.cumsum()
    for more in range(1, min(longest, count)):
        here = features[:, : count - more, more - 1]
        first, last = np.arange(count - more), np.arange(more, count)
        here[0 if more == 1 else 1] = 1
        here[2] = more - 1
        here[-3] = begins[first] & after[last + 1]
        here[-2] = boundaries[last] - boundaries[first]
        here[-1] = found[last] - found[first] + known[first]
    for start, end, name in tag_chunks(tags):
        if 2 <= end - start <= longest:
            features[3 + _LONG_CHUNKS.index(name), start, end - start - 2] = 1
    return features


#: Transitions between steps: the distance from the last target word of a step to the first of the next one,
#: null, and the ends.
TRANSITIONS = (
    *(
        "back by 10 or more",
        "back by 6 to 9",
        "back by 4 or 5",
        "back by 3",
        "back by 2",
        "back by 1",
        "on the spot",
    ),
    *("to the next", "over 1", "over 2", "over 3", "over 4 or 5", "over 6 to 9", "over 10 or more"),
    *("to null", "from null", "from null to null", "beginning at null"),
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
