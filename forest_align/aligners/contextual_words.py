"""What the contextual aligner knows of one sentence: stop words, categories, neighbours."""

# ruff: noqa: SIM905
from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from forest_align.aligners.contextual_equivalence import category
from forest_align.parsing.annotation import Annotation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.parsing.dependencies import Dependency
    from forest_align.parsing.entities import Entity
    from forest_align.types import Sentence

Neighbours = tuple[tuple[tuple[int, str, bool], ...], ...]

#: Function words, with the clitics that tokenization splits off.
STOP_WORDS = frozenset(
    "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she "
    "her hers herself it its itself they them their theirs themselves what which who whom this that "
    "these those am is are was were be been being have has had having do does did doing a an the and "
    "but if or because as until while of at by for with about against between into through during "
    "before after above below to from up down in out on off over under again further then once here "
    "there when where why how all any both each few more most other some such no nor not only own "
    "same so than too very can will just should now would could may might must shall also 's 'd 'll "
    "n't 're 've 'm s t don ca wo sha ’s ’d ’ll n’t ’re ’ve ’m".split()
)


@dataclass(frozen=True, slots=True, eq=False)
class SentenceView:
    """One sentence as the pipeline of Sultan et al. (2014) sees it.

    Attributes
    ----------
    words : tuple of str
        Lower-cased words.
    forms : tuple of str
        Words as written, for acronyms.
    lemmas : tuple of str
        Lemmas; the lower-cased words where there are none.
    categories : tuple of str
        Lexical category of each word, see :func:`category`.
    stop : tuple of bool
        Whether a word is a stop word or punctuation.
    neighbours : tuple of tuple of (int, str, bool)
        For each word the words that it has a collapsed dependency with: index, type, whether the other is its
        parent.
    basic_neighbours : tuple of tuple of (int, str, bool)
        The same of basic dependencies, in which prepositions and conjunctions are words too.
    entities : tuple of Entity
        Names.
    """

    words: tuple[str, ...]
    forms: tuple[str, ...]
    lemmas: tuple[str, ...]
    categories: tuple[str, ...]
    stop: tuple[bool, ...]
    neighbours: Neighbours
    basic_neighbours: Neighbours
    entities: tuple[Entity, ...]

    @classmethod
    def of(
        cls,
        sentence: Sentence,
        lemmas: Sequence[str],
        annotation: Annotation = Annotation(),  # noqa: B008 - immutable
    ) -> SentenceView:
        """Prepare a sentence.

        Parameters
        ----------
        sentence : Sentence
            Tokens, with their tags where there are any.
        lemmas : sequence of str
            One a token; the word itself where it is empty.
        annotation : Annotation
            Dependencies and names; with none only the text counts as context.
        """
        forms = sentence.words
        words = tuple([form.lower() for form in forms])
        return cls(
            words,
            forms,
            tuple([lemma or word for lemma, word in zip(lemmas, words, strict=True)]),
            tuple(map(category, sentence.tags)),
            tuple(map(is_stop, words)),
            _neighbours(annotation.collapsed, len(words)),
            _neighbours(annotation.basic, len(words)),
            annotation.entities,
        )

    def __len__(self) -> int:
        return len(self.words)


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
    return word in STOP_WORDS or is_punctuation(word)


@lru_cache(maxsize=100_000)
def is_clitic(word: str) -> bool:
    """Whether a word is what tokenization splits off after an apostrophe, such as *'s* or *'d*."""
    return word[:1] in ("'", "’") and len(word) > 1 and word[1].isalpha()


@lru_cache(maxsize=100_000)
def is_punctuation(word: str) -> bool:
    """Whether a word holds no letter and no digit, or names a bracket."""
    return not any(letter.isalnum() for letter in word) or word in _BRACKETS


_BRACKETS = frozenset("-lrb- -rrb- -lsb- -rsb- -lcb- -rcb-".split())
