"""Everything that the semi-Markov CRF scores for two sentences, as features without weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.semi_markov._phrase_features import (
    CHUNK_PAIRS,
    PHRASE_CLASSES,
    PHRASE_FEATURES,
    PhrasePairs,
)
from forest_align.aligners.semi_markov._word_features import WORD_CLASSES, WORD_FEATURES, WordPairs
from forest_align.aligners.semi_markov.sentence_arrays import CONTENT, LONGEST, TAGS, LatticeSentence
from forest_align.lexicon.evidence import lexical_evidence
from forest_align.lexicon.groups import lexical_groups
from forest_align.types import Sentence

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.lexicon.pair_table import PairTable

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
#: Shapes of the weights.
WEIGHTS = {
    "words": (len(WORD_CLASSES), len(WORD_FEATURES)),
    "phrases": (len(PHRASE_CLASSES), len(PHRASE_FEATURES)),
    "null": (len(NULL_CLASSES), len(NULL_FEATURES)),
    "tag_pairs": (len(TAGS) ** 2,),
    "chunk_pairs": (CHUNK_PAIRS,),
    "null_tags": (len(TAGS),),
    "transitions": (len(TRANSITIONS),),
}


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """All possible word and phrase pairs of two sentences of n and m words, with their features.

    Attributes
    ----------
    spans : numpy.ndarray
        int32, shape (k, 4): all word and phrase pairs in the order that the kernel needs, by source start.
    order : numpy.ndarray
        int64, shape (k,): for each of ``spans``, its index in the n * m word pairs followed by the phrase
        pairs.
    words, phrases, null : numpy.ndarray
        float32, shapes (features, n * m), (features, k - n * m), (features, n).
    word_classes, phrase_classes, null_classes : numpy.ndarray
        int64: their classes.
    tag_pairs, chunk_pairs, null_tags : numpy.ndarray
        int64: pairs of tags of the word pairs, of chunk types of the phrase pairs, tags of the source words.
    transitions, ends : numpy.ndarray
        int64, shapes (m + 2, m + 1) and (m + 1,): indices in :data:`TRANSITIONS`.
    """

    spans: np.ndarray
    order: np.ndarray
    words: np.ndarray
    phrases: np.ndarray
    null: np.ndarray
    word_classes: np.ndarray
    phrase_classes: np.ndarray
    null_classes: np.ndarray
    tag_pairs: np.ndarray
    chunk_pairs: np.ndarray
    null_tags: np.ndarray
    transitions: np.ndarray
    ends: np.ndarray

    @property
    def rows(self) -> int:
        """Words of the source sentence."""
        return len(self.null_tags)

    @property
    def columns(self) -> int:
        """Words of the target sentence."""
        return len(self.ends) - 1


def lattice_of(
    source: Sentence,
    target: Sentence,
    lexicon: Lexicon,
    ppdb: PairTable | None = None,
    longest: tuple[int, int] = LONGEST,
) -> Lattice:
    """Build the lattice of two sentences with tags.

    Parameters
    ----------
    source, target : Sentence
        Sentences of at least one word; vectors are not used.
    lexicon : Lexicon
        The lexicon.
    ppdb : PairTable, optional
        Paraphrases of the user, of words and of phrases.
    longest : (int, int)
        Maximum words in a phrase of each (L_s and L_t in the paper).
    """
    evidence = lexical_evidence(source, target, lexicon, ppdb)
    first, second = LatticeSentence.of(source, longest[0]), LatticeSentence.of(target, longest[1])
    words = WordPairs.of(first, second, evidence)
    phrases = PhrasePairs.of(first, second, words, lexical_groups(source, target, lexicon, ppdb))
    singles = _single_spans(*evidence.shape)
    spans = np.concatenate((singles, phrases.spans))
    order = spans[:, 0].argsort(kind="stable")
    transitions, ends = transition_classes(len(second))
    return Lattice(
        np.ascontiguousarray(spans[order]),
        order,
        words.features.reshape(len(WORD_FEATURES), -1),
        phrases.features,
        _null_features(first, words),
        words.classes.ravel(),
        phrases.classes,
        first.kinds.astype(np.int64),
        (first.tags[:, None] * len(TAGS) + second.tags).astype(np.int64).ravel(),
        phrases.chunks,
        first.tags.astype(np.int64),
        transitions,
        ends,
    )


def _single_spans(rows: int, columns: int) -> np.ndarray:
    i, j = np.divmod(np.arange(rows * columns, dtype=np.int32), np.int32(columns))
    return np.stack([i, i + 1, j, j + 1], axis=1)


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


def _null_features(source: LatticeSentence, words: WordPairs) -> np.ndarray:
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
