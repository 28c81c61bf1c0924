"""Names and values of the features of the joint aligner's edits, after MacCartney et al. (2008).

Each edit is scored relative to the deletion of all its words and arcs. So the alignment of two phrases has
the features of the alignment minus those of the deletions that it saves. Scores are therefore those of
Thadani et al. (2012, eq. 1) minus the score of the alignment that deletes everything. This difference is the
same for all alignments of a pair. All features are symmetric in the two sentences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.contextual.features import (
    BASE_FEATURES,
    SentenceFeatures,
    base_table,
    related_word_features,
)
from forest_align.aligners.contextual.pair_evidence import link_evidence, pair_evidence
from forest_align.aligners.joint._link_features import (
    LINK_DELETION_FEATURES,
    LINK_WORD_FEATURES,
    LinkTable,
    link_table,
)
from forest_align.aligners.joint._phrase_edits import (
    deleted_phrase_features,
    deleted_phrases,
    phrase_features,
)
from forest_align.aligners.joint.edit_table import (
    ArcPairs,
    arc_features,
    arc_pairs,
    arcs_of,
    phrase_pairs,
    possible_links,
)
from forest_align.aligners.parsing_aligner import check_tokens
from forest_align.lexicon.evidence import check_comparable
from forest_align.lexicon.groups import lexical_groups
from forest_align.lexicon.lexicon import SAME_LEMMA
from forest_align.types import InputError, Sentence
from forest_align.types.spans import inside_sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.aligners.contextual.model import LinkModel
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.lexicon.pair_table import PairTable
    from forest_align.parsing.dependencies.typed import Dependency

#: Features of a pair of words; each class of :data:`LINK_CLASSES` has its own weights. *Centred* cosines are
#: those of the vectors minus the mean of both sentences.
WORD_FEATURES = (
    *(name.replace("projected", "centred") for name in BASE_FEATURES),
    "a pair of words",
    *LINK_WORD_FEATURES,
)

_KINDS = ("content word", "function word", "punctuation")
_TAGS = ("NN", "NNS", "NNP", "VB", "MD", "JJ", "RB", "IN", "TO", "DT", "PRP", "CD", "CC", "WP", "POS")
_BY_KIND = (
    *("", ", cosine of the nearest word", ", that over 0.4"),
    *(", the same word is there", ", relative length"),
)
#: Features of a deletion of one word.
DELETION_FEATURES = (
    *(f"{kind}{name}" for kind in _KINDS for name in _BY_KIND),
    *(f"tagged {tag}" for tag in _TAGS),
    "first word",
    "last word",
    *LINK_DELETION_FEATURES,
)
#: Places of the features that say which kind of word is deleted: every word has exactly one.
KINDS_OF_DELETED_WORDS = tuple(DELETION_FEATURES.index(kind) for kind in _KINDS)


@dataclass(frozen=True, slots=True, eq=False)
class PairEdits:
    """All considered edits of a sentence pair, with their features."""

    lengths: tuple[int, int]  # Numbers of words n and m
    # int32, shape (P, 4): phrase pairs as half-open spans; the first W of them are pairs of words
    spans: np.ndarray
    word_features: np.ndarray  # float32, shape (W, len(WORD_FEATURES))
    word_classes: np.ndarray  # int32, shape (W,): index in LINK_CLASSES
    phrase_features: np.ndarray  # float32, shape (P - W, len(PHRASE_FEATURES))
    # float32, shapes (n, D) and (m, D), D = len(DELETION_FEATURES): of the deletion of each word
    deletions: tuple[np.ndarray, np.ndarray]
    # int32, shape (K, 3): phrases of several words that can be deleted as wholes: side, start, end
    deleted: np.ndarray
    deleted_features: np.ndarray  # float32, shape (K, len(DELETED_PHRASE_FEATURES))
    # The arcs of both sentences; empty if arcs are not aligned
    arcs: tuple[Sequence[Dependency], Sequence[Dependency]]
    arc_pairs: ArcPairs
    # float32, shape (A, len(ARC_FEATURES)): of the alignment, minus those of the two deletions
    arc_features: np.ndarray

    def covered(self, chosen: np.ndarray) -> np.ndarray:
        """The words that chosen phrase pairs link, bool (n, m)."""
        linked = np.zeros(self.lengths, dtype=bool)
        for start, end, other_start, other_end in self.spans[chosen].tolist():
            linked[start:end, other_start:other_end] = True
        return linked


def pair_edits(
    source: Sentence,
    target: Sentence,
    lexicon: Lexicon,
    *,
    longest: int,
    arcs: bool,
    phrase_deletions: bool = False,
    link_model: LinkModel | None = None,
    ppdb: PairTable | None = None,
    links: str = "sure",
) -> PairEdits:
    """Find the edits of a pair and compute their features."""
    check_parsed(source, target)
    sides, lengths = _sides(source, target), (len(source), len(target))
    # Only evidence of words: the kernel and the link model use the cosines themselves.
    evidence = pair_evidence(source, target, lexicon, ppdb)
    groups = lexical_groups(source, target, lexicon, ppdb)
    cosine = sides[0].vectors @ sides[1].vectors.T
    spans = phrase_pairs(evidence, cosine, groups, longest)
    spans = inside_sentences(spans, source.starts, target.starts)
    dependencies = arcs_of(source), arcs_of(target)
    base, classes, _ = base_table(*sides, evidence)
    likely = None
    if link_model is not None:
        own = link_evidence(source, target, lexicon, ppdb)
        likely = link_table(link_model, source, target, own, links)
    count = int(((spans[:, 1] - spans[:, 0]) * (spans[:, 3] - spans[:, 2]) == 1).sum())
    words = spans[:count, 0], spans[:count, 2]
    cells = words[0] * len(target) + words[1]
    phrases, table = spans[count:], base.reshape(len(source), len(target), -1)
    same = (evidence & SAME_LEMMA) != 0
    aligned_arcs = dependencies if arcs else ((), ())
    pairs = arc_pairs(*aligned_arcs, possible_links(spans, lengths))
    deleted = deleted_phrases(lengths, longest if phrase_deletions else 1)
    return PairEdits(
        lengths,
        spans,
        _word_pair_features(base[cells], words, likely),
        classes[cells],
        phrase_features(phrases, source, target, sides, table, evidence, dependencies, groups, likely),
        (
            _deletion_features(source, 0, sides, cosine, same, likely),
            _deletion_features(target, 1, sides, cosine, same, likely),
        ),
        deleted,
        deleted_phrase_features(deleted, (source, target), sides, cosine, same),
        aligned_arcs,
        pairs,
        arc_features(pairs, *dependencies),
    )


def check_parsed(source: Sentence, target: Sentence) -> None:
    """Check that both sentences have tokens, a forest and word vectors that can be compared."""
    check_tokens(source, target)
    for side, sentence in (("source", source), ("target", target)):
        if sentence.forest is None:
            raise InputError("the joint aligner needs a parse tree; parse the sentence", field=side)
        if sentence.vectors is None:
            message = "the joint aligner needs word vectors, which the parser gives; parse the sentence"
            raise InputError(message, field=side)
    check_comparable(source, target)


def _sides(source: Sentence, target: Sentence) -> tuple[SentenceFeatures, SentenceFeatures]:
    """The kernel's data of both sentences, with centred vectors instead of projected ones."""
    assert source.vectors is not None and target.vectors is not None
    vectors = np.concatenate([source.vectors, target.vectors]).astype(np.float32)
    centred = vectors - vectors.mean(axis=0)
    centred /= np.maximum(np.linalg.norm(centred, axis=1), 1e-9)[:, None]
    n = len(source)
    return (
        SentenceFeatures(*related_word_features(source), vectors[:n], centred[:n]),
        SentenceFeatures(*related_word_features(target), vectors[n:], centred[n:]),
    )


def _word_pair_features(
    base: np.ndarray, words: tuple[np.ndarray, np.ndarray], links: LinkTable | None
) -> np.ndarray:
    """Features of pairs of words, float32 (W, len(WORD_FEATURES)); the kernel computes the first ones."""
    features = np.zeros((len(base), len(WORD_FEATURES)), np.float32)
    known = len(BASE_FEATURES)
    features[:, :known] = base
    features[:, known] = 1
    if links is not None:
        features[:, known + 1 :] = links.of_words(*words)
    return features


def _deletion_features(
    sentence: Sentence,
    side: int,
    sides: tuple[SentenceFeatures, SentenceFeatures],
    cosine: np.ndarray,
    same: np.ndarray,
    links: LinkTable | None,
) -> np.ndarray:
    """Features of the deletion of each word of a side, float32 (n, len(DELETION_FEATURES))."""
    nearest = cosine.max(axis=1 - side)
    ratio = cosine.shape[side] / cosine.shape[1 - side]
    features = np.zeros((len(sentence), len(DELETION_FEATURES)), np.float32)
    rows = np.arange(len(sentence))
    is_there, length = same.any(axis=1 - side), np.clip(np.log(ratio), -1, 1)
    for place, value in enumerate((1.0, nearest, np.maximum(nearest - 0.4, 0), is_there, length)):
        features[rows, len(_BY_KIND) * sides[side].kinds + place] = value
    start = len(_BY_KIND) * len(_KINDS)
    for row, tag in enumerate(sentence.tags):
        known = next((name for name in (tag, tag[:3], tag[:2]) if name in _TAGS), None)
        if known is not None:
            features[row, start + _TAGS.index(known)] = 1
    start += len(_TAGS)
    features[0, start] = features[-1, start + 1] = 1
    if links is not None:
        features[:, start + 2 :] = links.of_deletions(side)
    return features
