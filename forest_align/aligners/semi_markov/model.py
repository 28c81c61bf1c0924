"""The weights of the semi-Markov aligner, and their file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.aligners.model_folder import (
    check_arrays,
    check_card,
    damaged,
    notes_of,
    read_card,
    read_weights,
    write_model,
)
from forest_align.aligners.semi_markov._base_phrases import CHUNK_TYPES
from forest_align.aligners.semi_markov._phrase_features import PHRASE_CLASSES, PHRASE_FEATURES
from forest_align.aligners.semi_markov._word_features import WORD_CLASSES, WORD_FEATURES
from forest_align.aligners.semi_markov.lattice import (
    NULL_CLASSES,
    NULL_FEATURES,
    TRANSITIONS,
    WEIGHTS,
    Lattice,
)
from forest_align.aligners.semi_markov.sentence_arrays import LONGEST, TAGS
from forest_align.types import InputError, ModelError
from forest_align.types.json_fields import check_boolean, check_list, is_whole_number

KIND = "semi-markov"
FORMAT_VERSION = 1
_WEIGHTS_FILE = "model.safetensors"
# Weights of transitions may differ by as much as the kernel allows.
_SPREAD = 600.0
# A phrase of more words would only cost time and memory.
_MOST = 20
#: Meaning of the weights; a model with other features cannot be used.
FEATURE_LISTS = {
    "word_features": WORD_FEATURES,
    "word_classes": WORD_CLASSES,
    "phrase_features": PHRASE_FEATURES,
    "phrase_classes": PHRASE_CLASSES,
    "null_features": NULL_FEATURES,
    "null_classes": NULL_CLASSES,
    "transitions": TRANSITIONS,
    "tags": TAGS,
    "chunk_types": CHUNK_TYPES,
}

#: Scores of the pairs, of null, of transitions and of ends: the arguments of the kernel after the spans.
Scores = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, slots=True, eq=False)
class SemiMarkovModel:
    """Weights of the semi-Markov CRF.

    Attributes
    ----------
    weights : mapping of str to numpy.ndarray
        float32 arrays with the names and shapes of
        :data:`~forest_align.aligners.semi_markov.lattice.WEIGHTS`.
    card : dict
        Notes for people: how the model was trained, and on what data.
    longest : (int, int)
        Maximum words in a phrase of the sentence that the path reads and of the other (L_s and L_t in the
        paper). With 1 and 1 this is the token-based model (§3.1).
    both_directions : bool
        Whether a second path reads the other sentence; the alignment is the union of both.

    Raises
    ------
    InputError
        If a length is not a whole number from 1 to 20.
    """

    weights: Mapping[str, np.ndarray]
    card: dict[str, Any] = field(default_factory=dict)
    longest: tuple[int, int] = LONGEST
    both_directions: bool = False

    def __post_init__(self) -> None:
        check_longest(self.longest)

    @classmethod
    def load(cls, folder: str | Path) -> SemiMarkovModel:
        """Read ``model.json`` and ``model.safetensors`` from a folder.

        Raises
        ------
        ModelError
            If a file is missing or damaged, weights are out of range, or the model has other features than
            this version computes.
        """
        card = read_card(folder)
        check_card(card, folder, KIND, FORMAT_VERSION, **FEATURE_LISTS)
        path = Path(folder) / _WEIGHTS_FILE
        arrays = read_weights(path, WEIGHTS)
        check_arrays(arrays, WEIGHTS, path)
        weights = {name: np.ascontiguousarray(arrays[name], dtype=np.float32) for name in WEIGHTS}
        if np.ptp(weights["transitions"]) > _SPREAD:
            raise ModelError(f"expected weights transitions at most {_SPREAD:.0f} apart in {str(path)!r}")
        try:
            first, second = check_list(card.get("longest", list(LONGEST)), "longest", 2)
            both = check_boolean(card.get("both_directions", False), "both_directions")
            return cls(weights, notes_of(card), (first, second), both)
        except InputError as error:
            raise damaged(folder, error) from None

    def save(self, folder: str | Path) -> None:
        """Write the model into a folder, which is created if needed; see :meth:`load`."""
        lists = {name: list(values) for name, values in FEATURE_LISTS.items()}
        kind = {"longest": list(self.longest), "both_directions": self.both_directions}
        card = {"format": KIND, "version": FORMAT_VERSION, **kind, **lists, "card": self.card}
        write_model(folder, card, _WEIGHTS_FILE, {name: self.weights[name] for name in WEIGHTS})

    def scores(self, lattice: Lattice) -> Scores:
        """Scores of everything in a lattice, in the order of the kernel's arguments.

        Returns
        -------
        tuple of numpy.ndarray
            float64, shapes (k,), (n,), (m + 2, m + 1) and (m + 1,).
        """
        weights = self.weights
        words = _by_class(weights["words"], lattice.words, lattice.word_classes)
        words += weights["tag_pairs"][lattice.tag_pairs]
        phrases = _by_class(weights["phrases"], lattice.phrases, lattice.phrase_classes)
        phrases += weights["chunk_pairs"][lattice.chunk_pairs]
        null = _by_class(weights["null"], lattice.null, lattice.null_classes)
        null += weights["null_tags"][lattice.null_tags]
        transitions = weights["transitions"].astype(np.float64)
        pairs = np.concatenate((words, phrases))[lattice.order]
        return (
            pairs.astype(np.float64),
            null.astype(np.float64),
            transitions[lattice.transitions],
            transitions[lattice.ends],
        )


def check_longest(longest: Sequence[int]) -> None:
    """Check the maximum words in a phrase of either sentence.

    Raises
    ------
    InputError
        If one is not a whole number from 1 to 20.
    """
    for value in longest:
        if not is_whole_number(value) or not 1 <= value <= _MOST:
            raise InputError(f"expected a whole number from 1 to {_MOST}, found {value!r}", field="longest")


def _by_class(weights: np.ndarray, features: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Weighted sums of features, (d, k), with the weights of each column's class; shape (k,)."""
    # Computing the sums of all classes at once is faster than gathering the weights of each column.
    every: np.ndarray = weights @ features
    return every[classes, np.arange(len(classes))]
