"""The edits that make the target of an alignment from its source, and their formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.edits._edit import (
        EDIT_KINDS,
        Edit,
        apply_edits,
        edits_to_easse,
        edits_to_m2,
        edits_to_thresh,
    )
    from forest_align.edits._edit_choice import (
        EditConventions,
        best_path,
        bundled_conventions,
        path_probabilities,
        possible_edits,
    )
    from forest_align.edits._edit_extraction import edits_of
    from forest_align.edits._edit_lattice import Arc, EditLattice
    from forest_align.edits._edit_reasons import EDIT_REASONS
    from forest_align.edits.edit_views import edits_to_html, edits_to_markup, edits_to_text

__all__ = [
    "EDIT_KINDS",
    "EDIT_REASONS",
    "Arc",
    "Edit",
    "EditConventions",
    "EditLattice",
    "apply_edits",
    "best_path",
    "bundled_conventions",
    "edits_of",
    "edits_to_easse",
    "edits_to_html",
    "edits_to_m2",
    "edits_to_markup",
    "edits_to_text",
    "edits_to_thresh",
    "path_probabilities",
    "possible_edits",
]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "forest_align.edits._edit": (
            "EDIT_KINDS Edit apply_edits edits_to_easse edits_to_m2 edits_to_thresh"
        ),
        "forest_align.edits._edit_choice": (
            "EditConventions best_path bundled_conventions path_probabilities possible_edits"
        ),
        "forest_align.edits._edit_extraction": "edits_of",
        "forest_align.edits._edit_lattice": "Arc EditLattice",
        "forest_align.edits._edit_reasons": "EDIT_REASONS",
        "forest_align.edits.edit_views": "edits_to_html edits_to_markup edits_to_text",
    },
)
