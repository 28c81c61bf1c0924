"""The annotations that Sultan's aligner reads besides words: typed dependencies and names."""

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
        Basic typed dependencies, one governor per word.
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
        Its name in :func:`~.annotators.load_annotator`.
    """

    name: str

    def annotate(self, sentence: Sentence) -> Annotation:
        """Annotate one sentence."""

    def prepare(self, sentences: Sequence[Sentence | str]) -> list[Sentence | InputError] | None:
        """Tokens and tags of sentences, if the annotator needs no more; None if it needs their parses."""
