"""The edits that make the target of an alignment from its source, and their formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.edits.edit import EDIT_KINDS, Edit, apply_edits
    from forest_align.edits.edit_choice import (
        EditConventions,
        best_path,
        bundled_conventions,
        path_probabilities,
        possible_edits,
    )
    from forest_align.edits.edit_extraction import edits_of
    from forest_align.edits.edit_lattice import Arc, EditLattice
    from forest_align.edits.edit_reasons import EDIT_REASONS
    from forest_align.edits.edit_views import (
        edits_to_html,
        edits_to_markup,
        edits_to_text,
    )
    from forest_align.edits.exchange import edits_to_easse, edits_to_m2, edits_to_thresh

_PACKAGE = "forest_align.edits"
_HOME_OF = {
    "EDIT_KINDS": f"{_PACKAGE}.edit",
    "Edit": f"{_PACKAGE}.edit",
    "apply_edits": f"{_PACKAGE}.edit",
    "EditConventions": f"{_PACKAGE}.edit_choice",
    "best_path": f"{_PACKAGE}.edit_choice",
    "bundled_conventions": f"{_PACKAGE}.edit_choice",
    "path_probabilities": f"{_PACKAGE}.edit_choice",
    "possible_edits": f"{_PACKAGE}.edit_choice",
    "edits_of": f"{_PACKAGE}.edit_extraction",
    "Arc": f"{_PACKAGE}.edit_lattice",
    "EditLattice": f"{_PACKAGE}.edit_lattice",
    "EDIT_REASONS": f"{_PACKAGE}.edit_reasons",
    "edits_to_html": f"{_PACKAGE}.edit_views",
    "edits_to_markup": f"{_PACKAGE}.edit_views",
    "edits_to_text": f"{_PACKAGE}.edit_views",
    "edits_to_easse": f"{_PACKAGE}.exchange",
    "edits_to_m2": f"{_PACKAGE}.exchange",
    "edits_to_thresh": f"{_PACKAGE}.exchange",
}

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

__getattr__, __dir__ = lazy_face(__name__, _HOME_OF)
