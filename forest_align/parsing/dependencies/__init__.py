"""Typed dependencies and named entities of a parsed sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.parsing.dependencies.annotators import Annotation, Annotator, load_annotator
    from forest_align.parsing.dependencies.entities import Entity
    from forest_align.parsing.dependencies.typed import Dependency, basic_dependencies

__all__ = [
    "Annotation",
    "Annotator",
    "Dependency",
    "Entity",
    "basic_dependencies",
    "load_annotator",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "forest_align.parsing.dependencies.annotators": "Annotation Annotator load_annotator",
        "forest_align.parsing.dependencies.entities": "Entity",
        "forest_align.parsing.dependencies.typed": "Dependency basic_dependencies",
    },
)
