"""What the semi-Markov CRF scores for two sentences, as features without weights, and its options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.semi_markov._path_features import (
    MORE_PHRASE_FEATURES,
    MORE_WORD_FEATURES,
    NULL_CLASSES,
    NULL_FEATURES,
    NULL_PHRASE_FEATURES,
    RESOURCES,
    TRANSITIONS,
    MoreFeatures,
    null_features,
    null_phrase_features,
    transition_classes,
)
from forest_align.aligners.semi_markov._phrase_features import (
    CHUNK_PAIRS,
    PHRASE_CLASSES,
    PHRASE_FEATURES,
    PhrasePairs,
)
from forest_align.aligners.semi_markov._sentence_arrays import CHUNK_TYPES, LONGEST, TAGS, LatticeSentence
from forest_align.aligners.semi_markov._word_features import WORD_CLASSES, WORD_FEATURES, WordPairs
from forest_align.lexicon.evidence import lexical_evidence
from forest_align.lexicon.groups import lexical_groups
from forest_align.types import InputError, Sentence
from forest_align.types.json_fields import is_whole_number

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.lexicon.pair_table import PairTable


# A phrase of more words would only cost time and memory.
_MOST = 20


@dataclass(frozen=True, slots=True)
class LatticeOptions:
    """The steps of a path, and the features beyond those that every model has.

    Attributes
    ----------
    longest : (int, int)
        Maximum words in a phrase of the sentence that the path reads and of the other (L_s and L_t in the
        paper). With 1 and 1 this is the token-based model (§3.1).
    longest_null : int
        Maximum words of the sentence that is read that one step aligns to nothing.
    resources : tuple of str
        Names of :data:`~forest_align.aligners.semi_markov._path_features.RESOURCES` whose features are added.

    Raises
    ------
    InputError
        If a length is not a whole number from 1 to 20, or there is no such resource.
    """

    longest: tuple[int, int] = LONGEST
    longest_null: int = 1
    resources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field, values in (("longest", self.longest), ("longest_null", (self.longest_null,))):
            for value in values:
                if not is_whole_number(value) or not 1 <= value <= _MOST:
                    message = f"expected a whole number from 1 to {_MOST}, found {value!r}"
                    raise InputError(message, field=field)
        for name in self.resources:
            if name not in RESOURCES:
                message = f"expected names from {', '.join(RESOURCES)}, found {name!r}"
                raise InputError(message, field="resources")
        # The order of the features is that of the table, whatever the order of the names.
        ordered = tuple(name for name in RESOURCES if name in self.resources)
        object.__setattr__(self, "resources", ordered)

    @property
    def feature_lists(self) -> dict[str, tuple[str, ...]]:
        """Meaning of the weights; a model with other lists cannot be used."""
        lists = {
            "word_features": WORD_FEATURES + _names(self.resources, MORE_WORD_FEATURES),
            "word_classes": WORD_CLASSES,
            "phrase_features": PHRASE_FEATURES + _names(self.resources, MORE_PHRASE_FEATURES),
            "phrase_classes": PHRASE_CLASSES,
            "null_features": NULL_FEATURES,
            "null_classes": NULL_CLASSES,
            "transitions": TRANSITIONS,
            "tags": TAGS,
            "chunk_types": CHUNK_TYPES,
        }
        if self.longest_null > 1:
            lists["null_phrase_features"] = NULL_PHRASE_FEATURES
        return lists

    @property
    def weight_shapes(self) -> dict[str, tuple[int, ...]]:
        """Names and shapes of the weights."""
        lists = self.feature_lists
        shapes: dict[str, tuple[int, ...]] = {
            "words": (len(WORD_CLASSES), len(lists["word_features"])),
            "phrases": (len(PHRASE_CLASSES), len(lists["phrase_features"])),
            "null": (len(NULL_CLASSES), len(NULL_FEATURES)),
            "tag_pairs": (len(TAGS) ** 2,),
            "chunk_pairs": (CHUNK_PAIRS,),
            "null_tags": (len(TAGS),),
            "transitions": (len(TRANSITIONS),),
        }
        if self.longest_null > 1:
            shapes["null_phrases"] = (len(NULL_PHRASE_FEATURES),)
        return shapes


#: What models have unless they say otherwise.
DEFAULT_OPTIONS = LatticeOptions()


def _names(resources: Sequence[str], features: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(name for resource in resources for name in features.get(resource, ()))


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """All possible word and phrase pairs of two sentences of n and m words, with their features."""

    # int32, shape (k, 4): all word and phrase pairs in the order that the kernel needs, by source start
    spans: np.ndarray
    # int64, shape (k,): for each of `spans`, its index in the n * m word pairs followed by the phrase pairs
    order: np.ndarray
    words: np.ndarray  # float32, shape (features, n * m)
    phrases: np.ndarray  # float32, shape (features, k - n * m)
    null: np.ndarray  # float32, shape (features, n)
    null_phrases: np.ndarray  # float32, shape (features, n, l - 1): nulls of 2 to l words, by first word
    word_classes: np.ndarray  # int64, like all that follow
    phrase_classes: np.ndarray
    null_classes: np.ndarray
    tag_pairs: np.ndarray  # pairs of tags of the word pairs
    chunk_pairs: np.ndarray  # pairs of chunk types of the phrase pairs
    null_tags: np.ndarray  # tags of the source words
    transitions: np.ndarray  # shape (m + 2, m + 1): indices in TRANSITIONS
    ends: np.ndarray  # shape (m + 1,): indices in TRANSITIONS

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
    options: LatticeOptions = DEFAULT_OPTIONS,
) -> Lattice:
    """Build the lattice of two sentences with tags."""
    evidence = lexical_evidence(source, target, lexicon, ppdb)
    groups = lexical_groups(source, target, lexicon, ppdb)
    first, second = map(LatticeSentence.of, (source, target), options.longest)
    more = MoreFeatures(options.resources, source, target, lexicon, ppdb, groups, evidence)
    words = WordPairs.of(first, second, evidence, more.alike())
    phrases = PhrasePairs.of(first, second, words, groups)
    i, j = np.indices(evidence.shape, dtype=np.int32).reshape(2, -1)
    spans = np.concatenate((np.stack([i, i + 1, j, j + 1], axis=1), phrases.spans))
    order = spans[:, 0].argsort(kind="stable")
    transitions, ends = transition_classes(len(second))
    return Lattice(
        np.ascontiguousarray(spans[order]),
        order,
        _joined(words.features, more.of_words()).reshape(-1, evidence.size),
        _joined(phrases.features, more.of_phrases(phrases.spans)),
        null_features(first, words),
        null_phrase_features(first, source.tags, words, options.longest_null),
        words.classes.ravel(),
        phrases.classes,
        first.kinds.astype(np.int64),
        (first.tags[:, None] * len(TAGS) + second.tags).astype(np.int64).ravel(),
        phrases.chunks,
        first.tags.astype(np.int64),
        transitions,
        ends,
    )


def _joined(features: np.ndarray, more: np.ndarray) -> np.ndarray:
    return np.concatenate((features, more)) if len(more) else features
