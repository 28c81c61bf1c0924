"""Features of the joint aligner's arc edits: type of the edit and classes of the dependencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.aligners.joint._edit_table import ArcPairs
    from forest_align.parsing.dependencies.typed import Dependency

# Types of dependencies (de Marneffe & Manning 2008) and their classes; some types share a class.
_CLASS_OF = {
    "nsubj": "subj",
    "nsubjpass": "subj",
    "csubj": "subj",
    "csubjpass": "subj",
    "xsubj": "subj",
    "agent": "subj",
    "dobj": "obj",
    "iobj": "obj",
    "auxpass": "aux",
    "prepc": "prep",
    "attr": "cop",
    "number": "num",
    "quantmod": "num",
    "npadvmod": "tmod",
    "infmod": "partmod",
    "complm": "mark",
    "predet": "det",
}
#: Classes of dependencies; the last is for all types not listed.
ARC_CLASSES = (
    *("root", "subj", "obj", "ccomp", "xcomp", "acomp", "cop", "aux", "prep", "pobj", "pcomp", "det", "amod"),
    *("nn", "num", "poss", "possessive", "advmod", "neg", "advcl", "rcmod", "partmod", "appos", "conj", "cc"),
    *("mark", "tmod", "prt", "dep", "other"),
)
#: Features of an arc edit: its type and the classes of its dependencies, as in Thadani et al. (2012, §5.2).
ARC_FEATURES = (
    *(f"align two {name}" for name in ARC_CLASSES),
    *(f"align {name} with another" for name in ARC_CLASSES),
    *(f"delete {name}" for name in ARC_CLASSES),
)
_PLACE = {name: place for place, name in enumerate(ARC_CLASSES)}


def _arc_class(relation: str) -> int:
    name = relation.split("_")[0]
    return _PLACE.get(_CLASS_OF.get(name, name), len(ARC_CLASSES) - 1)


def deleted_arc_features(*sides: Sequence[Dependency]) -> np.ndarray:
    """Sum of the features of the deletions of all arcs of the sentences, float64 (len(ARC_FEATURES),)."""
    features = np.zeros(len(ARC_FEATURES))
    for arcs in sides:
        for arc in arcs:
            features[2 * len(ARC_CLASSES) + _arc_class(arc.relation)] += 1
    return features


def arc_features(pairs: ArcPairs, source: Sequence[Dependency], target: Sequence[Dependency]) -> np.ndarray:
    """Features of A pairs of arcs. Shapes: returns float32 (A, len(ARC_FEATURES)."""
    count = len(ARC_CLASSES)
    features = np.zeros((len(pairs), len(ARC_FEATURES)), np.float32)
    classes, others = (
        np.array([_arc_class(arc.relation) for arc in arcs], np.intp) for arcs in (source, target)
    )
    if not len(pairs):
        return features
    first, second = classes[pairs.arcs[:, 0]], others[pairs.arcs[:, 1]]
    rows, same = np.arange(len(pairs)), first == second
    features[rows[same], first[same]] = 1
    for one in (first, second):
        features[rows[~same], count + one[~same]] = 1
        np.subtract.at(features, (rows, 2 * count + one), 1)
    return features
