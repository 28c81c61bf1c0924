"""Learns from marked edits how people divide changes into edits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.em.edits.edit_training import cross_fitted_f1, edit_examples, train_conventions

__all__ = ["cross_fitted_f1", "edit_examples", "train_conventions"]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "cross_fitted_f1": "forest_align.em.edits.edit_training",
        "edit_examples": "forest_align.em.edits.edit_training",
        "train_conventions": "forest_align.em.edits.edit_training",
    },
)
