"""Training of the paraphrase model from labelled sentence pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_align._faces import lazy_face

if TYPE_CHECKING:
    from forest_align.em.sentence_pairs.fitting import LabelledFeatures, cross_fitted, fit_paraphrases

__all__ = ["LabelledFeatures", "cross_fitted", "fit_paraphrases"]

__getattr__, __dir__ = lazy_face(
    __name__,
    {
        "LabelledFeatures": "forest_align.em.sentence_pairs.fitting",
        "cross_fitted": "forest_align.em.sentence_pairs.fitting",
        "fit_paraphrases": "forest_align.em.sentence_pairs.fitting",
    },
)
