"""Names and values of the features of word links, and the data that they need from each sentence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.aligners.contextual.relations import RELATIONS, related_words
from forest_align.aligners.sultan.sentence_view import is_mark_or_bracket, is_stop
from forest_align.cext import contextual as kernel

if TYPE_CHECKING:
    from forest_align.types import Sentence

_MARGINS = (" won", " lost", " near 0", " ≥ 0")
_SIMILARITY_FEATURES = (
    "{}",
    *(f"{{}} over knot {knot}" for knot in range(1, 6)),
    *(f"{{}} {which} margin{part}" for which in ("smaller", "larger") for part in _MARGINS),
    *("{} soft-max", "{} soft-max, worse side"),
)
#: Features of the first pass, in the order of the kernel.
BASE_FEATURES: tuple[str, ...] = (
    *(name.format("cosine") for name in _SIMILARITY_FEATURES),
    *(name.format("projected cosine") for name in _SIMILARITY_FEATURES),
    "letter bigrams in common",
    "letter bigrams in common over 0.5",
    "same word several times",
    "same word elsewhere, either side",
    "same word elsewhere, both sides",
    "distance from diagonal",
    "length ratio",
    "shorter length",
    "identical sequence of 2",
    "identical sequence of 3",
    "length of identical sequence",
    *(f"similar neighbours at {sign}{step}" for step in (1, 2, 3) for sign in "+-"),
    "similar neighbours crosswise",
    "same content words around",
    "any same content word around",
    *(f"projected neighbours at {sign}{step}" for step in (1, 2) for sign in "+-"),
    "both first or both last",
    "same spelling",
    "same number",
    "abbreviation",
    "synonym",
    "derivation",
    "same stem",
    "substring",
    "both prepositions",
    "same function",
    "acronym",
    "both capitalised",
    "equal quantities",
    "unit of equal quantities",
    "different quantities",
    "unit of different quantities",
    "antonyms",
    "opposed persons or countries",
    "word within word",
)
#: Number of directions of the word vector space along which words differ most, used by later passes.
DIRECTIONS = 32
#: Features of the two words themselves in later passes: the sum of their vectors along each direction.
#: From these, the passes learn which kinds of words stay unaligned.
DIRECTION_FEATURES: tuple[str, ...] = tuple(f"words along direction {k}" for k in range(1, DIRECTIONS + 1))
#: Features that later passes add, in the order of the kernel.
CONTEXT_FEATURES: tuple[str, ...] = (
    "log-odds before",
    "probability before",
    "stronger rival",
    "weaker rival",
    "odds against stronger rival",
    "odds against weaker rival",
    *(f"aligned neighbours at {sign}{step}" for step in (1, 2, 3) for sign in "+-"),
    "aligned on both sides",
    "aligned over a gap after",
    "aligned over a gap before",
    "aligned crosswise",
    "neighbour aligned to same word",
    "aligned words around",
    "unaligned neighbours",
    "off the neighbours' path, nearer side",
    "off the neighbours' path, farther side",
    "share aligned",
    "neighbour of a name aligned to same word",
    "best link up to 3 words after",
    "best link up to 3 words before",
    "best links on both sides",
    "best link on either side",
    "next content words aligned",
    "previous content words aligned",
    "content words aligned on both sides",
    "other links of the words, fewer",
    "other links of the words, more",
    "stronger rival that is the same word",
    "neighbours aligned as in a block",
    "content words aligned crosswise",
    *(f"{relation}{part}" for relation in RELATIONS[:-1] for part in (" aligned", " aligned elsewhere")),
    "particle or its verb aligned to same word",
    "participant or its verb aligned to same word",
    "kinds of participants on one side only",
)
#: Classes of cells; each has its own weights.
LINK_CLASSES: tuple[str, ...] = (
    "same content word",
    "same function word",
    "same punctuation",
    "same lemma",
    "two content words",
    "two function words",
    "two punctuation marks",
    "punctuation and word",
    "function and content word",
)


@dataclass(frozen=True, slots=True, eq=False)
class SentenceFeatures:
    """The data of one sentence that the link model needs."""

    kinds: np.ndarray  # int32, shape (n,): 0 content word, 1 function word, 2 punctuation
    capital: np.ndarray  # uint8, shape (n,): whether a word begins with a capital
    # letters, ends: int32: code points of all lower-cased words, and the end of each word's
    letters: np.ndarray
    ends: np.ndarray
    related: np.ndarray  # int32, shape (n, 10, 3): the words that each is related to, see related_words
    # vectors, projected: float32, shapes (n, D) and (n, d): unit vectors, original and projected
    vectors: np.ndarray
    projected: np.ndarray


def related_word_features(
    sentence: Sentence,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """:func:`word_features`, in which acronyms are content words, and the relations of words."""
    kinds, capital, letters, ends = word_features(sentence)
    words, tags = sentence.words, [token.tag or "" for token in sentence.tokens]
    acronyms = [place for place, word in enumerate(words) if is_noun_in_capitals(word, tags[place])]
    if acronyms:
        kinds[acronyms] = np.where(kinds[acronyms] == 1, 0, kinds[acronyms])
    return kinds, capital, letters, ends, related_words(words, tags)


def word_features(sentence: Sentence) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Kinds, capitals, letters and word ends of a sentence; see :class:`SentenceFeatures`."""
    known = [_word(token.text) for token in sentence.tokens]
    kinds, capital, words = zip(*known, strict=True) if known else ((), (), ())
    letters = "".join(words).encode("utf-32-le")
    return (
        np.fromiter(kinds, np.int32, len(known)),
        np.fromiter(capital, np.uint8, len(known)),
        np.frombuffer(letters, dtype="<i4").astype(np.int32, copy=False),
        np.fromiter(accumulate(map(len, words)), np.int32, len(known)),
    )


def base_table(
    source: SentenceFeatures, target: SentenceFeatures, evidence: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features and class of every cell, and which cells join two capitalised words.

    Shapes: returns float32 (n * m, 75); returns int32 (n * m,); returns uint8 (n, m).
    """
    inputs, names = kernel_inputs(source, target, evidence)
    return *kernel.base_features(*inputs), names


def direction_features(
    source: SentenceFeatures, target: SentenceFeatures, directions: np.ndarray, cells: np.ndarray
) -> np.ndarray:
    """Values of :data:`DIRECTION_FEATURES`.

    Shapes: ``directions`` float32 (D, DIRECTIONS); ``cells`` int32 (K,); returns float32 (K, DIRECTIONS).
    """
    rows, columns = np.divmod(cells, len(target.kinds))
    # One product for both is faster.
    along = np.concatenate((source.vectors, target.vectors)) @ directions
    values = along.take(rows, axis=0)
    values += along.take(columns + len(source.kinds), axis=0)
    return values


def kernel_inputs(
    source: SentenceFeatures, target: SentenceFeatures, evidence: np.ndarray
) -> tuple[tuple[Any, ...], np.ndarray]:
    """Inputs from which the kernel computes :data:`BASE_FEATURES`, and the cells of two capitalised words."""
    inputs = (
        *(source.vectors @ target.vectors.T, source.projected @ target.projected.T, evidence),
        *(source.kinds, target.kinds, source.capital, target.capital),
        *(source.letters, source.ends, target.letters, target.ends),
    )
    return inputs, source.capital[:, None] & target.capital[None]


@lru_cache(maxsize=100_000)
def _word(word: str) -> tuple[int, bool, str]:
    """Kind, capital and lower-cased form of a word; lone surrogates, which have no encoding, become ``?``."""
    lower = word.lower().encode("utf-8", "replace").decode()
    kind = 2 if is_mark_or_bracket(lower) else 1 if is_stop(lower) else 0
    return kind, word[:1].isupper(), lower


def is_noun_in_capitals(word: str, tag: str) -> bool:
    """Whether a word is a noun in capitals, as *IT* in *IT firms*, which is not *it*."""
    return word.isupper() and len(word) > 1 and tag.startswith("NN")
