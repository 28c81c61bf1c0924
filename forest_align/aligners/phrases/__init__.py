"""Phrases as units of their own: what differs between two phrases that correspond."""

from __future__ import annotations

from forest_align.aligners.phrases.changes import WordChanges, changes_of

__all__ = [
    "WordChanges",
    "changes_of",
]
