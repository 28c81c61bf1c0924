"""The model of changed spans: where two sentences have other words, and whether they mean something else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from forest_align.aligners.changed_spans.equal_words import (
    WORD_FEATURES,
    equal_word_features,
    marked_spans,
    pieces,
)
from forest_align.aligners.changed_spans.meaning import MEANING_FEATURES, meaning_features
from forest_align.aligners.contextual.pair_evidence import pair_evidence
from forest_align.aligners.logistic_function import logistic
from forest_align.aligners.model_folder import (
    bundled_folder,
    check_arrays,
    check_card,
    notes_of,
    read_card,
    read_weights,
    write_model,
)
from forest_align.aligners.phrases.features import unit_vectors
from forest_align.aligners.phrases.word_tables import WordMatrices
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.word_vectors import check_comparable
from forest_align.types import InputError, ModelError

if TYPE_CHECKING:
    from forest_align.alignment import Alignment, Span

_KIND, _VERSION, _FILE = "changed spans", 1, "weights.safetensors"
_LISTS = {"words": WORD_FEATURES, "meaning": MEANING_FEATURES}
_SHAPES: dict[str, tuple[int | str, ...]] = {
    f"{name}_{part}": (len(features) + (part == "weights"),)
    for name, features in _LISTS.items()
    for part in ("mean", "scale", "weights")
}


class ChangedSpans(NamedTuple):
    """Corresponding spans of two sentences that have other words; one of them may be empty.

    Attributes
    ----------
    source, target : (int, int)
        Half-open token spans.
    probability : float
        Probability that they differ in meaning.
    """

    source: tuple[int, int]
    target: tuple[int, int]
    probability: float


@dataclass(frozen=True, slots=True, eq=False)
class Regression:
    """A logistic regression on standardised inputs.

    Attributes
    ----------
    mean, scale : numpy.ndarray
        Shape (F,).
    weights : numpy.ndarray
        Shape (F + 1,), constant last.
    """

    mean: np.ndarray
    scale: np.ndarray
    weights: np.ndarray

    def probabilities(self, features: np.ndarray) -> np.ndarray:
        """Probabilities of rows of features, float64 (N,)."""
        inputs = (features - self.mean) / self.scale
        return logistic(inputs @ self.weights[:-1].astype(np.float64) + self.weights[-1])


@dataclass(frozen=True, slots=True, eq=False)
class ChangedSpanModel:
    """Two logistic regressions: which equal words belong to a change, and whether its meaning is another.

    Attributes
    ----------
    words : Regression
        Reads :data:`~.equal_words.WORD_FEATURES` of equal words.
    meaning : Regression
        Reads :data:`~.meaning.MEANING_FEATURES` of the spans.
    card : mapping
        Notes about the training.
    """

    words: Regression
    meaning: Regression
    card: Mapping[str, Any] = field(default_factory=dict)

    def spans(self, alignment: Alignment) -> list[ChangedSpans]:
        """The spans of two aligned sentences that have other words, in their order.

        Words between them are equal in both sentences. The spans do not overlap.

        Parameters
        ----------
        alignment : Alignment
            With tags and word vectors; constituents are looked at if there are forests.

        Raises
        ------
        InputError
            If a sentence has no word vectors, or they cannot be compared.
        """
        spans, rows = spans_with_features(alignment, self.words)
        probabilities = self.meaning.probabilities(rows).tolist()
        return [ChangedSpans(*both, p) for both, p in zip(spans, probabilities, strict=True)]

    @classmethod
    def load(cls, folder: str | Path) -> ChangedSpanModel:
        """Read a model's folder.

        Raises
        ------
        ModelError
            If it is not there, damaged, or of another version.
        """
        folder = Path(folder)
        card = read_card(folder)
        check_card(card, folder, _KIND, _VERSION, **_LISTS)
        path = folder / _FILE
        arrays = read_weights(path, _SHAPES)
        check_arrays(arrays, _SHAPES, path)
        if not all((arrays[f"{name}_scale"] > 0).all() for name in _LISTS):
            raise ModelError(f"expected scales above 0 in {str(path)!r}")
        words, meaning = (
            Regression(*(arrays[f"{name}_{part}"] for part in ("mean", "scale", "weights")))
            for name in _LISTS
        )
        return cls(words, meaning, notes_of(card))

    def save(self, folder: str | Path) -> None:
        """Write the model into a folder."""
        card = {
            "format": _KIND,
            "version": _VERSION,
            **{name: list(features) for name, features in _LISTS.items()},
            "card": dict(self.card),
        }
        arrays = {
            f"{name}_{part}": np.asarray(getattr(getattr(self, name), part), dtype=np.float32)
            for name in _LISTS
            for part in ("mean", "scale", "weights")
        }
        write_model(folder, card, _FILE, arrays)


def spans_with_features(
    alignment: Alignment, words: Regression
) -> tuple[list[tuple[Span, Span]], np.ndarray]:
    """The changed spans of two sentences, and what tells whether they differ in meaning.

    Parameters
    ----------
    alignment : Alignment
        See :meth:`ChangedSpanModel.spans`.
    words : Regression
        Says which equal words belong to a change.

    Returns
    -------
    list of ((int, int), (int, int))
        Half-open token spans in order; one of two may be empty.
    numpy.ndarray
        float64, shape (K, len(MEANING_FEATURES)).
    """
    source, target = alignment.source, alignment.target
    runs = pieces(source.words, target.words)
    places, features = equal_word_features(source, target, runs)
    marked = words.probabilities(features) >= 0.5
    spans = marked_spans(runs, places, marked.tolist())
    return spans, meaning_features(source, target, word_matrices(alignment), spans)


def word_matrices(alignment: Alignment) -> WordMatrices:
    """What is known about every two words of an alignment.

    Raises
    ------
    InputError
        If a sentence has no word vectors, or they cannot be compared.
    """
    source, target = alignment.source, alignment.target
    if source.vectors is None or target.vectors is None:
        raise InputError("expected sentences with word vectors, found none")
    check_comparable(source, target)
    links = np.zeros((len(source), len(target)))
    words = alignment.words
    for link, score in zip(words, words.scores or (1.0,) * len(words), strict=True):
        links[link] = score
    cosines = unit_vectors(source.vectors) @ unit_vectors(target.vectors).T
    return WordMatrices(links, cosines, pair_evidence(source, target, load_lexicon()))


def bundled_model() -> ChangedSpanModel:
    """The model that comes with the package."""
    with bundled_folder("parts/changed-spans") as folder:
        return ChangedSpanModel.load(folder)
