"""Words of two sentences as Sultan's aligner reads them: categories, neighbours, similar words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from forest_align.lexicon.evidence import word_relations
from forest_align.lexicon.lexicon import Evidence
from forest_align.lexicon.tables import FUNCTION_WORDS, is_punctuation, plain_apostrophes
from forest_align.parsing.dependencies.annotators import Annotation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from forest_align.lexicon.lexicon import Lexicon, WordProfile
    from forest_align.parsing.dependencies.entities import Entity
    from forest_align.parsing.dependencies.typed import Dependency
    from forest_align.types import Sentence


# Orientation (a), both words are the parents: their category, that of the children, the equivalent types.
_PARALLEL: tuple[tuple[str, str, str], ...] = (
    ("verb", "verb", "purpcl xcomp"),
    ("verb", "noun", "agent nsubj xsubj"),
    ("verb", "noun", "dobj nsubjpass rel"),
    ("verb", "noun", "tmod prep_in prep_at prep_on"),
    ("verb", "noun", "iobj prep_to"),
    ("noun", "verb", "infmod partmod rcmod"),
    ("noun", "noun", "poss nn prep_of prep_in prep_at prep_for"),
    ("noun", "adjective", "amod rcmod"),
)
# Orientation (c): the first word is the parent, the second the child; the types of both dependencies.
_CROSSED: tuple[tuple[str, str, str, str], ...] = (
    ("verb", "noun", "dobj nsubjpass rel", "infmod partmod rcmod"),
    ("verb", "adjective", "acomp", "cop csubj"),
    ("noun", "adjective", "amod rcmod", "nsubj"),
    *(
        (category, category, conjunction, conjunction)
        for category in ("verb", "noun", "adjective", "adverb")
        for conjunction in ("conj_and", "conj_or", "conj_nor")
    ),
)

_CATEGORIES = {"V": "verb", "N": "noun", "J": "adjective", "R": "adverb"}


@lru_cache(maxsize=1000)
def category(tag: str) -> str:
    """Lexical category of a Penn tag: verb, noun, adjective, adverb, else the tag itself."""
    return "noun" if tag == "PRP" else tag if tag == "RP" else _CATEGORIES.get(tag[:1], tag)


@lru_cache(maxsize=100_000)
def parallel(parent: str, child: str, left: str, right: str) -> bool:
    """Whether two dependencies are equivalent if parent corresponds to parent and child to child."""
    if left == right:
        return True
    return any(
        (parent, child) == row[:2] and left in row[2].split() and right in row[2].split() for row in _PARALLEL
    )


@lru_cache(maxsize=100_000)
def crossed(first: str, second: str, left: str, right: str) -> bool:
    """Whether two dependencies are equivalent if the parent of each corresponds to the child of the other."""
    return any(
        row[:2] == ends and types[0] in row[2].split() and types[1] in row[3].split()
        for ends, types in (((first, second), (left, right)), ((second, first), (right, left)))
        for row in _CROSSED
    )


#: One word of each sentence.
Pair = tuple[int, int]
Neighbours = tuple[tuple[tuple[int, str, bool], ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class SentenceView:
    """One sentence as the pipeline of Sultan et al. (2014) reads it."""

    words: tuple[str, ...]  # Lower-cased words with plain apostrophes
    forms: tuple[str, ...]  # Words as written, for acronyms
    lemmas: tuple[str, ...]  # Lemmas; the lower-cased words if there are none
    categories: tuple[str, ...]  # Lexical category of each word, see category
    stop: tuple[bool, ...]  # Whether a word is a stop word or punctuation
    # For each word, the words with which it has a collapsed dependency: index, type, and whether the other
    # word is its parent
    neighbours: Neighbours
    # The same for basic dependencies, in which prepositions and conjunctions are words too
    basic_neighbours: Neighbours
    entities: tuple[Entity, ...]

    @classmethod
    def of(
        cls,
        sentence: Sentence,
        lemmas: Sequence[str],
        annotation: Annotation = Annotation(),  # noqa: B008 - immutable
    ) -> SentenceView:
        """Prepare a sentence."""
        forms = sentence.words
        words = tuple([plain_apostrophes(form.lower()) for form in forms])
        return cls(
            words,
            forms,
            tuple([lemma or word for lemma, word in zip(lemmas, words, strict=True)]),
            tuple([category(token.tag) for token in sentence.tokens]),
            tuple([is_stop(word) for word in words]),
            _neighbours(annotation.collapsed, len(words)),
            _neighbours(annotation.basic, len(words)),
            annotation.entities,
        )

    def __len__(self) -> int:
        return len(self.words)

    def head_of(self, name: Entity) -> int:
        """Index of the head word of a name: its last word that depends on no other word of the name.

        *University* in *University of Oxford*; the last word if there are no dependencies.
        """
        inside = range(name.start, name.end)
        for index in reversed(inside):
            if not any(is_parent and other in inside for other, _, is_parent in self.basic_neighbours[index]):
                return index
        return name.end - 1


def _neighbours(dependencies: Sequence[Dependency], length: int) -> Neighbours:
    around: list[list[tuple[int, str, bool]]] = [[] for _ in range(length)]
    for governor, dependent, kind in dependencies:
        if governor >= 0 and governor != dependent:
            around[governor].append((dependent, kind, False))
            around[dependent].append((governor, kind, True))
    return tuple(map(tuple, around))


@lru_cache(maxsize=100_000)
def is_stop(word: str) -> bool:
    """Whether a lower-cased word is a stop word or punctuation."""
    return word in FUNCTION_WORDS or is_mark_or_bracket(word)


@lru_cache(maxsize=100_000)
def is_clitic(word: str) -> bool:
    """Whether a word is split off by tokenization at an apostrophe, such as *'s* or *'d*."""
    return word[:1] in ("'", "’") and len(word) > 1 and word[1].isalpha()


_BRACKETS = frozenset(("-lrb-", "-rrb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-"))


@lru_cache(maxsize=100_000)
def is_mark_or_bracket(word: str) -> bool:
    """Whether a word has neither letters nor digits, or is the name of a bracket."""
    return is_punctuation(word) or word in _BRACKETS


def word_similarity(
    source: SentenceView,
    target: SentenceView,
    synonyms: Callable[[str], Iterable[str]],
    ppdb_similarity: float,
) -> dict[Pair, float]:
    """Similarity of words that are similar at all (§3.1): 1 for equal words or lemmas, else ppdbSim.

    A clitic such as *'s* can represent several words, so it is only similar to itself. Similarity does not
    depend on which sentence comes first.
    """
    places: dict[str, list[int]] = {}
    lemma_places: dict[str, list[int]] = {}
    for j, (word, lemma) in enumerate(zip(target.words, target.lemmas, strict=True)):
        places.setdefault(word, []).append(j)
        if not is_clitic(word):
            lemma_places.setdefault(lemma, []).append(j)
    similar: dict[Pair, float] = {}
    for i, (word, lemma) in enumerate(zip(source.words, source.lemmas, strict=True)):
        for j in places.get(word, ()):
            similar[i, j] = 1.0
        if is_clitic(word):
            continue
        for j in lemma_places.get(lemma, ()):
            similar[i, j] = 1.0
        for other in synonyms(word):
            if other in places and not is_clitic(other):
                for j in places[other]:
                    similar.setdefault((i, j), ppdb_similarity)
    return similar


#: The bonus of a relation in the lexicon, in cosine. Chosen on MSR-RTE dev and Edinburgh++ train among 0,
#: 0.05, 0.1 and 0.15. The choice matters little there: the mean of their F1 is between 88.7 and 88.8.
RELATION_WORTH = 0.1


def similar_words(source: Sentence, target: Sentence, lexicon: Lexicon, least_cosine: float) -> list[Pair]:
    """Different content words that can replace each other (for §3.1, instead of PPDB).

    They are similar if the cosine of their contextual vectors reaches a threshold. The threshold is lower if
    the lexicon relates their lemmas. Without vectors, such a relation is enough. Two numbers are similar only
    if they have the same value, because contexts make all numbers similar.
    """
    lefts, rights = lexicon.profiles(source), lexicon.profiles(target)
    lowest = least_cosine - RELATION_WORTH
    left, right = source.vectors, target.vectors
    if left is None or right is None or left.shape[1] != right.shape[1]:  # of two kinds of parsers
        cosines = np.full((len(lefts), len(rights)), lowest)
    else:
        cosines = left @ right.T
    # Relations are looked up only in the few cells where they make a difference.
    candidates = (cosines >= lowest) & _are_content(lefts)[:, None] & _are_content(rights)
    rows, columns = np.nonzero(candidates)
    return [
        (i, j)
        for i, j, cosine in zip(rows.tolist(), columns.tolist(), cosines[candidates].tolist(), strict=True)
        if _is_similar(lefts[i], rights[j], cosine >= least_cosine)
    ]


def _are_content(profiles: Sequence[WordProfile]) -> np.ndarray:
    return np.array([not is_stop(word.lower) and not is_clitic(word.lower) for word in profiles], dtype=bool)


def _is_similar(left: WordProfile, right: WordProfile, are_near: bool) -> bool:
    if left.word_class == right.word_class == "CD":
        return bool(word_relations(left, right) & Evidence.NUMBER)
    return are_near or bool(word_relations(left, right))
