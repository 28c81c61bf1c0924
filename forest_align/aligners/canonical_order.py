"""Canonical order of the two sentences of a pair: swapping the sentences then only swaps the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forest_align.types import Sentence


def is_after(source: Sentence, target: Sentence) -> bool:
    """Whether the target comes first in canonical order: by length, words, tags, lemmas, vectors."""
    if words_are_after(source, target):
        return True
    if words_are_after(target, source) or source.vectors is None or target.vectors is None:
        return False
    return source.vectors.tobytes() > target.vectors.tobytes()


def words_are_after(source: Sentence, target: Sentence) -> bool:
    """Like :func:`is_after`, without vectors: their last digits may depend on what was parsed together."""
    if len(source) != len(target):
        return len(source) > len(target)
    return (source.words, source.tags, source.lemmas) > (target.words, target.tags, target.lemmas)
