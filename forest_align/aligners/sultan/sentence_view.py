"""One sentence as Sultan's aligner reads it: stop words, categories, neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from forest_align.aligners.sultan._equivalence import category
from forest_align.lexicon.function_words import FUNCTION_WORDS
from forest_align.lexicon.tables import plain_apostrophes
from forest_align.parsing.dependencies.annotation import Annotation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.parsing.dependencies.entities import Entity
    from forest_align.parsing.dependencies.typed import Dependency
    from forest_align.types import Sentence

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
    return word in FUNCTION_WORDS or is_punctuation(word)


@lru_cache(maxsize=100_000)
def is_clitic(word: str) -> bool:
    """Whether a word is split off by tokenization at an apostrophe, such as *'s* or *'d*."""
    return word[:1] in ("'", "’") and len(word) > 1 and word[1].isalpha()


@lru_cache(maxsize=100_000)
def is_punctuation(word: str) -> bool:
    """Whether a word has neither letters nor digits, or is the name of a bracket."""
    return not any(letter.isalnum() for letter in word) or word in _BRACKETS


_BRACKETS = frozenset(["-lrb-", "-rrb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-"])
