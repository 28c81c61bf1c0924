"""Everything that the semi-Markov CRF scores for two sentences, as features without weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.semi_markov._more_features import MoreFeatures
from forest_align.aligners.semi_markov._null_features import null_features, null_phrase_features
from forest_align.aligners.semi_markov._phrase_features import PhrasePairs
from forest_align.aligners.semi_markov._transition_classes import transition_classes
from forest_align.aligners.semi_markov._word_features import WordPairs
from forest_align.aligners.semi_markov.lattice_options import DEFAULT_OPTIONS, LatticeOptions
from forest_align.aligners.semi_markov.sentence_arrays import TAGS, LatticeSentence
from forest_align.lexicon.evidence import lexical_evidence
from forest_align.lexicon.groups import lexical_groups
from forest_align.types import Sentence

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.lexicon.pair_table import PairTable


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """All possible word and phrase pairs of two sentences of n and m words, with their features."""

    # int32, shape (k, 4): all word and phrase pairs in the order that the kernel needs, by source start
    spans: np.ndarray
    # int64, shape (k,): for each of `spans`, its index in the n * m word pairs followed by the phrase pairs
    order: np.ndarray
    # words, phrases, null: float32, shapes (features, n * m), (features, k - n * m), (features, n)
    words: np.ndarray
    phrases: np.ndarray
    null: np.ndarray
    # float32, shape (features, n, l - 1): nulls of 2 to l words, by first word and length
    null_phrases: np.ndarray
    # word_classes, phrase_classes, null_classes: int64: their classes
    word_classes: np.ndarray
    phrase_classes: np.ndarray
    null_classes: np.ndarray
    # tag_pairs, chunk_pairs, null_tags: int64: pairs of tags of the word pairs, of chunk types of the phrase
    # pairs, tags of the source words
    tag_pairs: np.ndarray
    chunk_pairs: np.ndarray
    null_tags: np.ndarray
    # transitions, ends: int64, shapes (m + 2, m + 1) and (m + 1,): indices in TRANSITIONS
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
    options: LatticeOptions = DEFAULT_OPTIONS,
) -> Lattice:
    """Build the lattice of two sentences with tags."""
    evidence = lexical_evidence(source, target, lexicon, ppdb)
    groups = lexical_groups(source, target, lexicon, ppdb)
    first, second = map(LatticeSentence.of, (source, target), options.longest)
    more = MoreFeatures(options.resources, source, target, lexicon, ppdb, groups, evidence)
    words = WordPairs.of(first, second, evidence, more.alike())
    phrases = PhrasePairs.of(first, second, words, groups)
    singles = _single_spans(*evidence.shape)
    spans = np.concatenate((singles, phrases.spans))
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


def _single_spans(rows: int, columns: int) -> np.ndarray:
    i, j = np.divmod(np.arange(rows * columns, dtype=np.int32), np.int32(columns))
    return np.stack([i, i + 1, j, j + 1], axis=1)
