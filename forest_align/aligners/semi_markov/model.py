"""The weights of the semi-Markov aligner, and their file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.aligners.model_folder import ModelFormat, damaged
from forest_align.aligners.semi_markov.lattice import DEFAULT_OPTIONS, Lattice, LatticeOptions
from forest_align.types import InputError, ModelError
from forest_align.types.json_fields import check_boolean, check_list, check_texts

KIND = "semi-markov"
_FORMAT = ModelFormat(KIND, 1, "model.safetensors")
# Weights of transitions may differ by as much as the kernel allows.
_SPREAD = 600.0
#: Scores of the pairs, of null, of transitions and of ends: the arguments of the kernel after the spans.
Scores = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, slots=True, eq=False)
class SemiMarkovModel:
    """Weights of the semi-Markov CRF.

    Attributes
    ----------
    weights : mapping of str to numpy.ndarray
        float32 arrays with the names and shapes of ``options.weight_shapes``.
    card : dict
        Notes for people: how the model was trained, and on what data.
    options : LatticeOptions
        The steps of a path, and which features there are.
    both_directions : bool
        Whether a second path reads the other sentence; the alignment is the union of both.
    """

    weights: Mapping[str, np.ndarray]
    card: dict[str, Any] = field(default_factory=dict)
    options: LatticeOptions = DEFAULT_OPTIONS
    both_directions: bool = False

    @classmethod
    def load(cls, folder: str | Path) -> SemiMarkovModel:
        """Read ``model.json`` and ``model.safetensors`` from a folder.

        Raises
        ------
        ModelError
            If a file is missing or damaged, weights are out of range, or the model has other features than
            this version computes.
        """
        card = _FORMAT.card(folder)
        try:
            options = _options_of(card)
            both = check_boolean(card.get("both_directions", False), "both_directions")
        except InputError as error:
            raise damaged(folder, error) from None
        saved = _format(options).load(folder)
        weights = {name: np.ascontiguousarray(array, np.float32) for name, array in saved.arrays.items()}
        if np.ptp(weights["transitions"]) > _SPREAD:
            raise ModelError(
                f"expected weights transitions at most {_SPREAD:.0f} apart in {str(saved.path)!r}"
            )
        return cls(weights, saved.notes(), options, both)

    def save(self, folder: str | Path) -> None:
        """Write the model into a folder, which is created if needed; see :meth:`load`."""
        options = self.options
        fields = {**asdict(options), "both_directions": self.both_directions, "card": self.card}
        weights = {name: self.weights[name] for name in options.weight_shapes}
        _format(options).save(folder, fields, weights)

    def scores(self, lattice: Lattice) -> Scores:
        """Scores of a lattice as the kernel takes them: float64 (k,), (n, l), (m + 2, m + 1) and (m + 1,)."""
        weights = self.weights
        words = _by_class(weights["words"], lattice.words, lattice.word_classes)
        words += weights["tag_pairs"][lattice.tag_pairs]
        phrases = _by_class(weights["phrases"], lattice.phrases, lattice.phrase_classes)
        phrases += weights["chunk_pairs"][lattice.chunk_pairs]
        words_to_null = _by_class(weights["null"], lattice.null, lattice.null_classes)
        words_to_null += weights["null_tags"][lattice.null_tags]
        transitions = weights["transitions"].astype(np.float64)
        pairs = np.concatenate((words, phrases))[lattice.order]
        return (
            pairs.astype(np.float64),
            null_scores(words_to_null.astype(np.float64), lattice.null_phrases, weights.get("null_phrases")),
            transitions[lattice.transitions],
            transitions[lattice.ends],
        )


def null_scores(words: np.ndarray, phrases: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Scores of null for one word and for several: those of the words and of the phrase.

    Shapes: ``words`` float64 (n,); ``phrases`` float32 (features, n, l - 1); returns float64 (n, l).
    """
    scores = np.zeros((len(words), 1 + phrases.shape[2]))
    scores[:, 0] = words
    for more in range(1, min(scores.shape)):
        scores[:-more, more] = scores[:-more, more - 1] + words[more:]
    if weights is not None and phrases.shape[2]:
        scores[:, 1:] += np.tensordot(weights, phrases, 1)
    return scores


def _format(options: LatticeOptions) -> ModelFormat:
    return replace(_FORMAT, shapes=options.weight_shapes, lists=options.feature_lists)


def _options_of(card: Mapping[str, Any]) -> LatticeOptions:
    """The options of a model; models that were saved before there were some have the default ones."""
    default = DEFAULT_OPTIONS
    first, second = check_list(card.get("longest", list(default.longest)), "longest", 2)
    resources = check_texts(card.get("resources", []), "resources")
    return LatticeOptions((first, second), card.get("longest_null", default.longest_null), tuple(resources))


def _by_class(weights: np.ndarray, features: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Weighted sums of features, (d, k), with the weights of each column's class; shape (k,)."""
    # Computing the sums of all classes at once is faster than gathering the weights of each column.
    every: np.ndarray = weights @ features
    return every[classes, np.arange(len(classes))]
