"""Training of the contextual aligner: its link model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.em.contextual._first_pass import LinkSettings
    from forest_align.em.contextual.examples import LinkExample

__all__ = [
    "LinkExample",
    "LinkSettings",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "LinkExample": "forest_align.em.contextual.examples",
        "LinkSettings": "forest_align.em.contextual._first_pass",
    },
)
