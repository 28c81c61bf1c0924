"""What aligned phrases say about each other, by natural logic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.meaning._word_pairs import word_relation
    from forest_align.meaning.changes import WordChanges, changes_of
    from forest_align.meaning.relation_algebra import STRENGTH, flipped, join, joined
    from forest_align.meaning.sentence_comparison import atomic_relations, known_relations

__all__ = [
    "STRENGTH",
    "WordChanges",
    "atomic_relations",
    "changes_of",
    "flipped",
    "join",
    "joined",
    "known_relations",
    "word_relation",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "forest_align.meaning._word_pairs": "word_relation",
        "forest_align.meaning.changes": "WordChanges changes_of",
        "forest_align.meaning.relation_algebra": "STRENGTH flipped join joined",
        "forest_align.meaning.sentence_comparison": "atomic_relations known_relations",
    },
)
