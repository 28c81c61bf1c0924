"""What Sultan's aligner reads besides words: typed dependencies and names, from trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.parsing.dependencies.entities import Entity
    from forest_align.parsing.dependencies.typed import Dependency
    from forest_align.types import InputError, Sentence


class Annotation(NamedTuple):
    """Dependencies and names of one sentence.

    Attributes
    ----------
    basic : tuple of Dependency
        Basic typed dependencies, one governor a word.
    collapsed : tuple of Dependency
        The same with prepositions and conjunctions collapsed into types.
    entities : tuple of Entity
        Names.
    """

    basic: tuple[Dependency, ...] = ()
    collapsed: tuple[Dependency, ...] = ()
    entities: tuple[Entity, ...] = ()


class Annotator(Protocol):
    """A source of annotations.

    Attributes
    ----------
    name : str
        What :func:`~.annotators.load_annotator` knows it by.
    """

    name: str

    def annotate(self, sentence: Sentence) -> Annotation:
        """Annotate one sentence."""

    def prepare(self, sentences: Sequence[Sentence | str]) -> list[Sentence | InputError] | None:
        """Tokens and tags of sentences, all that the annotator needs; None if it needs their parses."""
