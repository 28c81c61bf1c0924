"""The annotators: from the parse, or from spaCy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align.parsing.dependencies.annotation import Annotation
from forest_align.parsing.dependencies.entities import find_entities
from forest_align.parsing.dependencies.typed import forest_dependencies
from forest_align.types import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.parsing.dependencies.annotation import Annotator
    from forest_align.types import Sentence

ANNOTATORS = ("trees", "spacy")


def load_annotator(name: str) -> Annotator:
    """Load the annotator of a name: ``"trees"`` or ``"spacy"``.

    Raises
    ------
    InputError
        If no annotator has that name.
    ModelError
        If spaCy or its model is not installed.
    """
    if name not in ANNOTATORS:
        raise InputError(f"expected one of {', '.join(ANNOTATORS)}, found {name!r}", field="annotator")
    if name == "trees":
        return TreeAnnotator()
    from forest_align.parsing.dependencies._spacy import SpacyAnnotator

    return SpacyAnnotator()


class TreeAnnotator:
    """Derives the annotation from the best tree of the forest; a sentence without one has names only."""

    name = "trees"

    def annotate(self, sentence: Sentence) -> Annotation:
        """Annotate one sentence from its forest and tags."""
        words = sentence.words
        entities = find_entities(words, sentence.tags)
        if sentence.forest is None:
            return Annotation(entities=entities)
        return Annotation(*forest_dependencies(sentence.forest, words), entities)

    def prepare(self, sentences: Sequence[Sentence | str]) -> None:
        """Return None: the annotator needs the parser's trees."""
        return None
