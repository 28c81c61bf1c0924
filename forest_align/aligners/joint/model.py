"""The weights of the joint aligner, the scores computed from them, and their folder."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.aligners.contextual.features import LINK_CLASSES
from forest_align.aligners.joint._phrase_edits import DELETED_PHRASE_FEATURES, PHRASE_FEATURES
from forest_align.aligners.joint.edit_table import ARC_FEATURES, deleted_arc_features
from forest_align.aligners.joint.features import (
    DELETION_FEATURES,
    KINDS_OF_DELETED_WORDS,
    WORD_FEATURES,
    PairEdits,
)
from forest_align.aligners.joint.program import Solution, best_edits
from forest_align.aligners.link_convention import FreerLinks, no_all_links
from forest_align.aligners.logistic_function import logistic
from forest_align.aligners.model_folder import ModelFormat, damaged
from forest_align.types import InputError
from forest_align.types.json_fields import check_boolean, check_list, check_number, is_number, is_whole_number

_FORMAT_VERSION = 2
#: ``"phrase+arc"``: phrases and arcs; ``"phrase"``: only phrases, the paper's phrase-based baseline.
VARIANTS = ("phrase+arc", "phrase")
#: Meaning of the weights; a model with other features cannot be used.
FEATURE_LISTS = {
    "word_features": WORD_FEATURES,
    "classes": LINK_CLASSES,
    "phrase_features": PHRASE_FEATURES,
    "deletion_features": DELETION_FEATURES,
    "arc_features": ARC_FEATURES,
}
# Those of the deletions of phrases, which only some models have.
_DELETION_LISTS = {"deleted_phrase_features": DELETED_PHRASE_FEATURES}
_SHAPES = {
    "words": (len(LINK_CLASSES), len(WORD_FEATURES)),
    "phrases": (len(PHRASE_FEATURES),),
    "deletions": (len(DELETION_FEATURES),),
    "arcs": (len(ARC_FEATURES),),
    "deleted_phrases": (len(DELETED_PHRASE_FEATURES),),
}
_SIZES = [int(np.prod(shape)) for shape in _SHAPES.values()]
#: Number of weights.
WEIGHT_COUNT = sum(_SIZES)


@dataclass(frozen=True, slots=True, eq=False)
class JointModel:
    """Weights of the joint aligner.

    Attributes
    ----------
    weights : numpy.ndarray
        float64, shape (WEIGHT_COUNT,): of pairs of words by class, pairs of phrases, deletions of words,
        arcs, and deletions of phrases of several words.
    variant : str
        One of :data:`VARIANTS`.
    longest : int
        Maximum number of words in a phrase, λ of the paper.
    calibration : (float, float)
        The probability of a link is the logistic function of its margin times the first, plus the second.
    link_features : bool
        Whether it was trained with the features of the contextual aligner's link model.
    phrase_deletions : bool
        Whether phrases of up to ``longest`` words are deleted as wholes.
    all_links : FreerLinks, optional
        For annotators who also mark possible links, see :meth:`for_all_links`.
    card : dict
        Notes for people: how the model was trained, and on what data.

    Raises
    ------
    InputError
        If the variant is unknown, the length of phrases is invalid, or the calibration is not finite.
    """

    weights: np.ndarray
    variant: str = "phrase+arc"
    longest: int = 3
    calibration: tuple[float, float] = (1.0, 0.0)
    link_features: bool = False
    card: dict[str, Any] = field(default_factory=dict)
    phrase_deletions: bool = False
    all_links: FreerLinks | None = None

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise InputError(
                f"expected one of {', '.join(VARIANTS)}, found {self.variant!r}", field="variant"
            )
        if not is_whole_number(self.longest) or self.longest < 1:
            message = f"expected a whole number of at least 1, found {self.longest!r}"
            raise InputError(message, field="longest")
        if not all(map(is_number, self.calibration)):
            raise InputError(f"expected finite numbers, found {self.calibration}", field="calibration")

    @property
    def arcs(self) -> bool:
        """Whether arcs are aligned too."""
        return self.variant == "phrase+arc"

    @classmethod
    def load(cls, folder: str | Path) -> JointModel:
        """Read ``model.json`` and ``model.safetensors`` from a folder.

        Raises
        ------
        ModelError
            If a file is missing or damaged, or its features are not those of this version.
        """
        try:
            card = _format(False).card(folder)
            phrase_deletions = check_boolean(card.get("phrase_deletions", False), "phrase_deletions")
        except InputError as error:
            raise damaged(folder, error) from None
        saved = _format(phrase_deletions).load(folder)
        arrays = {name: np.zeros(shape) for name, shape in _SHAPES.items()} | saved.arrays
        try:
            values = check_list(card.get("calibration"), "calibration", 2)
            slope, offset = (check_number(value, "calibration") for value in values)
            return cls(
                np.concatenate([arrays[name].astype(np.float64).ravel() for name in _SHAPES]),
                card.get("variant", ""),
                card.get("longest", 0),
                (slope, offset),
                check_boolean(card.get("link_features"), "link_features"),
                saved.notes(),
                phrase_deletions,
                FreerLinks.from_card(card),
            )
        except InputError as error:
            raise damaged(folder, error) from None

    def save(self, folder: str | Path) -> None:
        """Write the model into a folder, which is created if needed; see :meth:`load`."""
        arrays = {
            name: part.reshape(shape).astype(np.float32)
            for (name, shape), part in zip(_SHAPES.items(), self._parts(), strict=True)
            if name in _shapes(self.phrase_deletions)
        }
        card = {
            "variant": self.variant,
            "longest": self.longest,
            "calibration": list(self.calibration),
            "link_features": self.link_features,
            "card": self.card,
        }
        if self.all_links is not None:
            card["all_links"] = asdict(self.all_links)
        if self.phrase_deletions:
            card["phrase_deletions"] = True
        _format(self.phrase_deletions).save(folder, card, arrays)

    def for_all_links(self) -> JointModel:
        """The model that makes possible links too, with the link model's probabilities of all links.

        Raises
        ------
        InputError
            If the model knows sure links only.
        """
        if self.all_links is None:
            raise no_all_links("joint model")
        parts = [part.copy() for part in self._parts()]
        deletions = parts[list(_SHAPES).index("deletions")]
        deletions[list(KINDS_OF_DELETED_WORDS)] -= self.all_links.deletion
        return replace(self, weights=np.concatenate(parts), calibration=self.all_links.calibration)

    def scores(self, edits: PairEdits) -> tuple[np.ndarray, np.ndarray]:
        """Scores of phrase pairs, float64 (P,), and of arc pairs, float64 (A,), minus those of deletions."""
        words, phrases, deletions, arcs, _ = self._parts()
        table = words.reshape(_SHAPES["words"])
        aligned = [
            np.einsum("pf,pf->p", edits.word_features, table[edits.word_classes]),
            edits.phrase_features @ phrases,
        ]
        saved = [np.concatenate([[0.0], np.cumsum(side @ deletions)]) for side in edits.deletions]
        s, e, t, f = edits.spans.T
        scores = np.concatenate(aligned) - (saved[0][e] - saved[0][s]) - (saved[1][f] - saved[1][t])
        return scores, edits.arc_features @ arcs

    def deletion_scores(self, edits: PairEdits) -> np.ndarray:
        """Scores of deleted phrases, float64 (K,), minus those of the deletions of their words."""
        return np.asarray(edits.deleted_features @ self.named_weights("deleted_phrases"))

    def best_edits(self, edits: PairEdits, cost: np.ndarray | None = None) -> Solution:
        """The edits with the highest sum of scores; phrase pairs lose ``cost``, float64 (P,)."""
        phrases, arcs = self.scores(edits)
        if cost is not None:
            phrases = phrases - cost
        deleted = edits.deleted, self.deletion_scores(edits)
        return best_edits(edits.lengths, edits.spans, phrases, edits.arc_pairs, arcs, *deleted)

    def score_of_nothing(self, edits: PairEdits) -> float:
        """Score of the alignment that deletes every word and every arc, each by itself.

        Added to the scores of the chosen edits, it gives the score of the alignment (eq. 1).
        """
        deletions = self.named_weights("deletions")
        words = sum(float((side @ deletions).sum()) for side in edits.deletions)
        return words + float(deleted_arc_features(*edits.arcs) @ self.named_weights("arcs"))

    def probabilities(self, margins: np.ndarray) -> np.ndarray:
        """Probabilities of links with these :func:`~forest_align.aligners.joint.aligner.margins`."""
        slope, offset = self.calibration
        return logistic(slope * margins + offset)

    def named_weights(self, name: str) -> np.ndarray:
        """The weights of ``words``, ``phrases``, ``deletions``, ``arcs`` or ``deleted_phrases``."""
        return self._parts()[list(_SHAPES).index(name)].reshape(_SHAPES[name])

    def _parts(self) -> list[np.ndarray]:
        return np.split(self.weights, np.cumsum(_SIZES)[:-1])


def _format(phrase_deletions: bool) -> ModelFormat:
    lists = FEATURE_LISTS | (_DELETION_LISTS if phrase_deletions else {})
    return ModelFormat("joint", _FORMAT_VERSION, "model.safetensors", _shapes(phrase_deletions), lists)


def _shapes(phrase_deletions: bool) -> dict[str, tuple[int, ...]]:
    """The arrays of a model's file."""
    return {name: shape for name, shape in _SHAPES.items() if phrase_deletions or name != "deleted_phrases"}


def summed_features(edits: PairEdits, chosen: Solution) -> np.ndarray:
    """Sum of the features of chosen edits, float64 (WEIGHT_COUNT,); times the weights, it is their score."""
    phrases = chosen.phrases
    words = np.zeros(_SHAPES["words"])
    count = len(edits.word_features)
    singles, longer = phrases[phrases < count], phrases[phrases >= count] - count
    np.add.at(words, edits.word_classes[singles], edits.word_features[singles])
    deletions = np.zeros(_SHAPES["deletions"])
    own, others = edits.deletions
    for start, end, other_start, other_end in edits.spans[phrases].tolist():
        deletions -= own[start:end].sum(axis=0) + others[other_start:other_end].sum(axis=0)
    phrase_sums, arc_sums, deleted_sums = (
        table[rows].sum(axis=0, dtype=np.float64)
        for table, rows in (
            (edits.phrase_features, longer),
            (edits.arc_features, chosen.arcs),
            (edits.deleted_features, chosen.deletions),
        )
    )
    return np.concatenate([words.ravel(), phrase_sums, deletions, arc_sums, deleted_sums])


def feature_squares(edits: PairEdits) -> tuple[np.ndarray, np.ndarray]:
    """For each weight, sum of squares of its feature and number of edits; both float64 (WEIGHT_COUNT,)."""
    words, counts = np.zeros(_SHAPES["words"]), np.zeros(_SHAPES["words"])
    np.add.at(words, edits.word_classes, edits.word_features.astype(np.float64) ** 2)
    np.add.at(counts, edits.word_classes, 1)
    sums, sizes = [words.ravel()], [counts.ravel()]
    deletions = np.concatenate(edits.deletions)
    for table in (edits.phrase_features, deletions, edits.arc_features, edits.deleted_features):
        sums.append((table.astype(np.float64) ** 2).sum(axis=0))
        sizes.append(np.full(table.shape[1], float(len(table))))
    return np.concatenate(sums), np.concatenate(sizes)
