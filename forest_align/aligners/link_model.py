"""The link model: how probable it is that two words correspond, given all evidence, and why.

A cell (i, j) has the features of :data:`BASE_FEATURES`; its class (:data:`LINK_CLASSES`) picks the weights of
the first pass, which is log-linear and scores cells apart. The second pass is a network with a hidden layer
that also sees :data:`DIRECTION_FEATURES`, which tell what words the two are, and :data:`CONTEXT_FEATURES`,
which read the probabilities of the pass before around the cell: the context evidence of Sultan et al. (2014,
§3.2) enters as expectations. In the third pass the cells also exchange messages
(:mod:`forest_align.aligners.link_messages`). Every feature is symmetric in the two sentences.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from forest_align.aligners.canonical_order import is_after
from forest_align.aligners.link_features import (
    BASE_FEATURES,
    CONTEXT_FEATURES,
    DIRECTION_FEATURES,
    LINK_CLASSES,
    SentenceFeatures,
    base_table,
    direction_features,
    kernel_inputs,
    word_features,
)
from forest_align.aligners.link_messages import UNLIKELY, MessageNetwork, through_units
from forest_align.aligners.model_folder import (
    check_arrays,
    check_card,
    notes_of,
    read_card,
    read_weights,
    write_model,
)
from forest_align.cext import contextual as kernel
from forest_align.types import InputError, ModelError

if TYPE_CHECKING:
    from forest_align.types import Sentence

FORMAT_VERSION = 4
#: Probability of the first pass below which later passes leave a cell alone.
HOPELESS = 0.003
_WEIGHTS = "model.safetensors"
_FEATURES = (*BASE_FEATURES, *DIRECTION_FEATURES, *CONTEXT_FEATURES)
_DIRECTIONS_FROM = len(BASE_FEATURES)
_CONTEXT_FROM = _DIRECTIONS_FROM + len(DIRECTION_FEATURES)
# All directions together are one reason: alone none has a meaning.
_WORDS_THEMSELVES = "the words themselves"
_MESSAGES = "messages from the links around"
_SHAPES = {
    "mean": ("D",),
    "projection": ("D", "d"),
    "directions": ("D", len(DIRECTION_FEATURES)),
    "first": (len(LINK_CLASSES), len(BASE_FEATURES) + 1),
    "hidden": (len(_FEATURES), "H + 1"),
    "hidden_bias": (len(LINK_CLASSES), "H + 1"),
    "output": ("H",),
}
_MESSAGE_SHAPES = MessageNetwork.shapes(len(_FEATURES))


class _Cells(NamedTuple):
    """Cells that a pass scores: int32 numbers and classes of shape (k,), float32 features of shape (k, F)."""

    numbers: np.ndarray
    classes: np.ndarray
    features: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class LinkModel:
    """Weights of the link model.

    Attributes
    ----------
    mean : numpy.ndarray
        float32, shape (D,): subtracted from word vectors before they are projected.
    projection : numpy.ndarray
        float32, shape (D, d).
    directions : numpy.ndarray
        float32, shape (D, 32): what :data:`DIRECTION_FEATURES` are measured along.
    first : numpy.ndarray
        float32, shape (9, 69): weights of the first pass by class, the bias last.
    hidden : numpy.ndarray
        float32, shape (135, H + 1): weights of the hidden units of the second pass; the last unit is linear
        and belongs to the score itself.
    hidden_bias : numpy.ndarray
        float32, shape (9, H + 1): by class.
    output : numpy.ndarray
        float32, shape (H,): weights of the hidden units, rectified, in the score.
    messages : MessageNetwork
        The third pass.
    threshold : float
        Probability from which on two words are linked.
    card : dict
        What the model was trained on and how, for people.
    """

    mean: np.ndarray
    projection: np.ndarray
    directions: np.ndarray
    first: np.ndarray
    hidden: np.ndarray
    hidden_bias: np.ndarray
    output: np.ndarray
    messages: MessageNetwork
    threshold: float = 0.5
    card: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: str | Path) -> LinkModel:
        """Read ``model.safetensors`` and ``model.json`` from a folder.

        Raises
        ------
        ModelError
            If a file is missing or damaged, or its features are not those of this version.
        """
        card = read_card(folder)
        lists = {
            "base_features": BASE_FEATURES,
            "direction_features": DIRECTION_FEATURES,
            "context_features": CONTEXT_FEATURES,
            "classes": LINK_CLASSES,
        }
        check_card(card, folder, "contextual", FORMAT_VERSION, **lists)
        shapes = {**_SHAPES, **_MESSAGE_SHAPES}
        arrays = read_weights(Path(folder) / _WEIGHTS, shapes)
        check_arrays(arrays, shapes, folder)
        for prefix in ("", "message_"):
            if arrays[f"{prefix}hidden"].shape[1] != len(arrays[f"{prefix}output"]) + 1:
                raise ModelError(f"expected an output for each hidden unit but the last in {str(folder)!r}")
        threshold = card.get("threshold")
        if isinstance(threshold, bool) or not isinstance(threshold, (int, float)) or not 0 <= threshold <= 1:
            raise ModelError(f"the threshold in {folder} is no probability: {threshold!r}")
        values = {name: np.ascontiguousarray(arrays[name], dtype=np.float32) for name in shapes}
        messages = MessageNetwork.from_arrays(values)
        own = {name: values[name] for name in _SHAPES}
        return cls(**own, messages=messages, threshold=float(threshold), card=notes_of(card))

    def save(self, folder: str | Path) -> None:
        """Write the model into a folder, which is made if need be; see :meth:`load`."""
        arrays = {name: getattr(self, name) for name in _SHAPES} | self.messages.arrays()
        arrays["projection"] = self.projection.astype(np.float16)
        card = {
            "format": "contextual",
            "version": FORMAT_VERSION,
            "threshold": self.threshold,
            "classes": LINK_CLASSES,
            "base_features": BASE_FEATURES,
            "direction_features": DIRECTION_FEATURES,
            "context_features": CONTEXT_FEATURES,
            "card": self.card,
        }
        write_model(folder, card, _WEIGHTS, arrays)

    def prepare(self, source: Sentence, target: Sentence) -> tuple[SentenceFeatures, SentenceFeatures]:
        """Compute what the model asks of each of two sentences.

        Raises
        ------
        InputError
            If a sentence has no word vectors.
        ModelError
            If its vectors are of another size than the model's.
        """
        vectors = self._vectors(source), self._vectors(target)
        # One product for both is faster.
        projected = self.project(np.concatenate(vectors))
        return (
            SentenceFeatures(*word_features(source), vectors[0], projected[: len(source)]),
            SentenceFeatures(*word_features(target), vectors[1], projected[len(source) :]),
        )

    def _vectors(self, sentence: Sentence) -> np.ndarray:
        if sentence.vectors is None:
            raise InputError(
                "the contextual aligner's default variant needs word vectors, which the parser gives; "
                "parse the sentences, or choose the published variant"
            )
        if sentence.vectors.shape[1] != len(self.mean):
            raise ModelError(
                f"the link model expects word vectors of {len(self.mean)} numbers, "
                f"found {sentence.vectors.shape[1]}: it was trained with another parser"
            )
        return np.ascontiguousarray(sentence.vectors, dtype=np.float32)

    def project(self, vectors: np.ndarray) -> np.ndarray:
        """Project word vectors, float32 (n, D), to unit vectors, float32 (n, d)."""
        projected = (vectors - self.mean) @ self.projection
        norms = np.sqrt(np.einsum("nd,nd->n", projected, projected))
        projected /= np.maximum(norms, 1e-9)[:, None]
        return projected

    def link_probabilities(self, source: Sentence, target: Sentence, evidence: np.ndarray) -> np.ndarray:
        """Probability of a link for every two words of two sentences with word vectors.

        Those of swapped sentences are the transpose, to the last digit: sums may round differently in another
        order, so that the sentences are taken in one canonical order.

        Parameters
        ----------
        source, target : Sentence
            Of n and m words.
        evidence : numpy.ndarray
            int32, shape (n, m), see :meth:`probabilities`.

        Returns
        -------
        numpy.ndarray
            float32, shape (n, m).

        Raises
        ------
        InputError, ModelError
            See :meth:`prepare`.
        """
        if is_after(source, target):
            return self.link_probabilities(target, source, np.ascontiguousarray(evidence.T)).T
        probability = self.probabilities(*self.prepare(source, target), evidence)
        if not is_after(target, source):
            # Twice the same sentence. Matrix products need not round alike on both sides of the diagonal.
            probability = np.maximum(probability, probability.T)
        return probability

    def probabilities(
        self, source: SentenceFeatures, target: SentenceFeatures, evidence: np.ndarray
    ) -> np.ndarray:
        """Probability of a link for every two words of two prepared sentences, in this order.

        Parameters
        ----------
        source, target : SentenceFeatures
            From :meth:`prepare`.
        evidence : numpy.ndarray
            int32, shape (n, m), from :func:`forest_align.lexicon.evidence.lexical_evidence`.

        Returns
        -------
        numpy.ndarray
            float32, shape (n, m).
        """
        _, cells, probability = self._second_pass(source, target, evidence)
        return self._third_pass(source, target, cells, probability)[0]

    def explain(
        self, source: SentenceFeatures, target: SentenceFeatures, evidence: np.ndarray, i: int, j: int
    ) -> dict[str, float]:
        """What each feature of a cell adds to the log-odds of its link, strongest first.

        The parts add up to the log-odds: where a cell stands, the networks are linear.
        """
        second, third, probability = self._second_pass(source, target, evidence)
        cell, messages = i * len(target.kinds) + j, 0.0
        if cell in third.numbers:
            at = np.searchsorted(third.numbers, cell)
            values, kind = third.features[at], third.classes[at]
            _, collected = self._third_pass(source, target, third, probability)
            weights, bias, messages = self.messages.linear_parts(values, kind, collected[:, at])
        elif cell in second.numbers:
            at = np.searchsorted(second.numbers, cell)
            values, kind = second.features[at], second.classes[at]
            units = values @ self.hidden + self.hidden_bias[kind]
            weights, bias = through_units(self.output, units[:-1] > 0, self.hidden, self.hidden_bias[kind])
        else:
            base, classes, _ = base_table(source, target, evidence)
            values, kind = base[cell], classes[cell]
            weights, bias = self.first[kind, :-1], self.first[kind, -1]
        # Cells that are hopeless after the first pass have base features alone.
        parts = dict(zip(_FEATURES, weights * values, strict=False))
        parts[_WORDS_THEMSELVES] = sum(parts.pop(name, 0.0) for name in DIRECTION_FEATURES)
        parts[_MESSAGES] = messages
        parts[f"being of class: {LINK_CLASSES[kind]}"] = bias
        ordered = sorted(parts.items(), key=lambda item: -abs(item[1]))
        return {name: float(value) for name, value in ordered if value}

    def _second_pass(
        self, source: SentenceFeatures, target: SentenceFeatures, evidence: np.ndarray
    ) -> tuple[_Cells, _Cells, np.ndarray]:
        """The cells of the second pass, those that it leaves to the third, and its probabilities of all."""
        inputs, names = kernel_inputs(source, target, evidence)
        probability, numbers, base, classes = kernel.first_pass(*inputs, self.first, HOPELESS)

        def fill_context(features: np.ndarray, numbers: np.ndarray) -> None:
            features[:, _CONTEXT_FROM:] = kernel.context_features(
                probability, names, evidence, source.kinds, target.kinds, numbers
            )

        features = np.empty((len(numbers), len(_FEATURES)), dtype=np.float32)
        features[:, :_DIRECTIONS_FROM] = base
        directions = direction_features(source, target, self.directions, numbers)
        features[:, _DIRECTIONS_FROM:_CONTEXT_FROM] = directions
        fill_context(features, numbers)
        second = _Cells(numbers, classes, features)
        probability = kernel.later_probabilities(
            probability, numbers, classes, features @ self.hidden, self.hidden_bias, self.output
        )
        (likely,) = np.nonzero(probability.take(numbers) >= UNLIKELY)
        third = _Cells(*(part.take(likely, axis=0) for part in second))
        fill_context(third.features, third.numbers)
        return second, third, probability

    def _third_pass(
        self, source: SentenceFeatures, target: SentenceFeatures, cells: _Cells, probability: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities of all cells, and the messages that the cells of the pass collected."""
        return self.messages.probabilities(probability, *cells, source.kinds, target.kinds)
