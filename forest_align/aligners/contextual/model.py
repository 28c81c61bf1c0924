"""The link model: the probability that two words correspond, given all evidence, and its explanation.

A cell (i, j) has the features of :data:`BASE_FEATURES`; its class (:data:`LINK_CLASSES`) picks the weights
of the first pass, which is log-linear. The second and the third pass are networks
(:mod:`forest_align.aligners.contextual.messages`) with two more groups of features.
:data:`DIRECTION_FEATURES` describe the two words themselves. :data:`CONTEXT_FEATURES` read the probabilities
of the previous pass around the cell: the context evidence of Sultan et al. (2014, §3.2) enters as
expectations. The second pass scores cells independently; in the third they exchange messages. Every feature
is symmetric in the two sentences.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, log
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from forest_align.aligners.canonical_order import is_after
from forest_align.aligners.contextual.features import (
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
from forest_align.aligners.contextual.messages import MessageNetwork
from forest_align.aligners.model_folder import (
    check_arrays,
    check_card,
    damaged,
    notes_of,
    read_card,
    read_weights,
    write_model,
)
from forest_align.cext import contextual as kernel
from forest_align.lexicon.word_vectors import check_finite
from forest_align.types import InputError, ModelError
from forest_align.types.json_fields import check_probability

if TYPE_CHECKING:
    from forest_align.types import Sentence

FORMAT_VERSION = 5
#: Later passes skip a cell whose probability after the first pass is below this.
HOPELESS = 0.003
#: The third pass skips a cell whose probability after the second pass is below this.
UNLIKELY = 0.01
#: Probability that a word is linked to itself if both sentences are the same. In all 24 such pairs of
#: Edinburgh++ train, every word is linked to itself and to no other word.
IDENTICAL = 0.999
_WEIGHTS = "model.safetensors"
_FEATURES = (*BASE_FEATURES, *DIRECTION_FEATURES, *CONTEXT_FEATURES)
_DIRECTIONS_FROM = len(BASE_FEATURES)
_CONTEXT_FROM = _DIRECTIONS_FROM + len(DIRECTION_FEATURES)
# All directions together count as one reason, because a single direction has no meaning.
_WORDS_THEMSELVES = "the words themselves"
_MESSAGES = "messages from the links around"
_SHAPES = {
    "mean": ("D",),
    "projection": ("D", "d"),
    "directions": ("D", len(DIRECTION_FEATURES)),
    "first": (len(LINK_CLASSES), len(BASE_FEATURES) + 1),
}
_NETWORK_SHAPES = {name: MessageNetwork.shapes(name, len(_FEATURES)) for name in ("second", "third")}


class _Pass(NamedTuple):
    """The cells that a network scored, and its results; see :meth:`MessageNetwork.probabilities`."""

    network: MessageNetwork
    cells: np.ndarray
    classes: np.ndarray
    features: np.ndarray
    probability: np.ndarray
    collected: np.ndarray


def _have_same_words(source: Sentence, target: Sentence) -> bool:
    """Whether two sentences are the same, ignoring case."""
    return len(source) == len(target) and all(
        one.lower() == other.lower() for one, other in zip(source.words, target.words, strict=True)
    )


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
        float32, shape (D, 32): the directions of :data:`DIRECTION_FEATURES`.
    first : numpy.ndarray
        float32, shape (9, 69): weights of the first pass by class, the bias last.
    second, third : MessageNetwork
        The later passes, over 135 features.
    threshold : float
        Minimum probability of a link.
    card : dict
        Notes for people: how the model was trained, and on what data.
    """

    mean: np.ndarray
    projection: np.ndarray
    directions: np.ndarray
    first: np.ndarray
    second: MessageNetwork
    third: MessageNetwork
    threshold: float = 0.5
    card: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: str | Path) -> LinkModel:
        """Read ``model.safetensors`` and ``model.json`` from a folder.

        Raises
        ------
        ModelError
            If a file is missing or damaged, its features are not those of this version, or it is an old model
            of the sultan aligner.
        """
        card = read_card(folder)
        if card.get("variant") == "published":
            raise ModelError(
                f"the model in {str(folder)!r} is for the sultan aligner now: "
                'change its format in model.json from "contextual" to "sultan"'
            )
        lists = {
            "base_features": BASE_FEATURES,
            "direction_features": DIRECTION_FEATURES,
            "context_features": CONTEXT_FEATURES,
            "classes": LINK_CLASSES,
        }
        check_card(card, folder, "contextual", FORMAT_VERSION, **lists)
        shapes = _SHAPES | _NETWORK_SHAPES["second"] | _NETWORK_SHAPES["third"]
        arrays = read_weights(Path(folder) / _WEIGHTS, shapes)
        check_arrays(arrays, shapes, folder)
        for name in _NETWORK_SHAPES:
            if arrays[f"{name}_hidden"].shape[1] != len(arrays[f"{name}_output"]) + 1:
                raise ModelError(f"expected an output for each hidden unit but the last in {str(folder)!r}")
        try:
            threshold = check_probability(card.get("threshold"), "threshold")
        except InputError as error:
            raise damaged(folder, error) from None
        values = {name: np.ascontiguousarray(arrays[name], dtype=np.float32) for name in shapes}
        own = {name: values[name] for name in _SHAPES}
        second, third = (MessageNetwork.from_arrays(name, values) for name in _NETWORK_SHAPES)
        return cls(**own, second=second, third=third, threshold=threshold, card=notes_of(card))

    def save(self, folder: str | Path) -> None:
        """Write the model into a folder, which is created if needed; see :meth:`load`."""
        arrays = {name: getattr(self, name) for name in _SHAPES}
        arrays["projection"] = self.projection.astype(np.float16)
        arrays |= self.second.arrays("second") | self.third.arrays("third")
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
        """Compute the data that the model needs from each of two sentences.

        Raises
        ------
        InputError
            If a sentence has no word vectors.
        ModelError
            If its vectors have another size than those of the model.
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
                "the contextual aligner needs word vectors, which the parser gives; "
                "parse the sentences, or choose the aligner sultan"
            )
        if sentence.vectors.shape[1] != len(self.mean):
            raise ModelError(
                f"the link model expects word vectors of {len(self.mean)} numbers, "
                f"found {sentence.vectors.shape[1]}: it was trained with other ones"
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

        The result for swapped sentences is the transpose, to the last digit. Sums may round differently in
        another order, so the sentences are first put into a canonical order. If both sentences have the same
        words, each word is linked to itself; otherwise repeated words as in *No, no, no!* would be ambiguous.

        Parameters
        ----------
        source, target : Sentence
            Sentences of n and m words.
        evidence : numpy.ndarray
            int32, shape (n, m), see :meth:`probabilities`.

        Returns
        -------
        numpy.ndarray
            float32, shape (n, m).

        Raises
        ------
        InputError, ModelError
            See :meth:`prepare`; also if numbers of the vectors are not finite.
        """
        check_finite(source, target)
        if is_after(source, target):
            return self._in_canonical_order(target, source, np.ascontiguousarray(evidence.T)).T
        return self._in_canonical_order(source, target, evidence)

    def _in_canonical_order(self, source: Sentence, target: Sentence, evidence: np.ndarray) -> np.ndarray:
        """:meth:`link_probabilities` of sentences that are in canonical order."""
        prepared = self.prepare(source, target)
        if _have_same_words(source, target):
            return np.eye(len(source), dtype=np.float32) * np.float32(IDENTICAL)
        return self.probabilities(*prepared, evidence)

    def explain_link(
        self, source: Sentence, target: Sentence, evidence: np.ndarray, i: int, j: int
    ) -> dict[str, float]:
        """The parts of the log-odds of :meth:`link_probabilities` for two words, strongest first.

        Raises
        ------
        InputError, ModelError
            See :meth:`prepare`; also if numbers of the vectors are not finite.
        """
        check_finite(source, target)
        if is_after(source, target):
            return self.explain_link(target, source, np.ascontiguousarray(evidence.T), j, i)
        prepared = self.prepare(source, target)
        if _have_same_words(source, target):
            return {"the same sentence": log(IDENTICAL / (1 - IDENTICAL)) if i == j else -inf}
        return self.explain(*prepared, evidence, i, j)

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
        return self._later_passes(source, target, evidence)[-1].probability

    def explain(
        self, source: SentenceFeatures, target: SentenceFeatures, evidence: np.ndarray, i: int, j: int
    ) -> dict[str, float]:
        """What each feature of a cell adds to the log-odds of its link, strongest first.

        The parts add up to the log-odds, because the networks are linear around the values of a cell.
        """
        cell = i * len(target.kinds) + j
        for done in reversed(self._later_passes(source, target, evidence)):
            if cell in done.cells:
                at = np.searchsorted(done.cells, cell)
                values, kind = done.features[at], done.classes[at]
                weights, bias, messages = done.network.linear_parts(values, kind, done.collected[:, at])
                break
        else:
            base, classes, _ = base_table(source, target, evidence)
            values, kind = base[cell], classes[cell]
            weights, bias, messages = self.first[kind, :-1], self.first[kind, -1], 0.0
        # Cells that are hopeless after the first pass only have base features.
        parts = dict(zip(_FEATURES, weights * values, strict=False))
        parts[_WORDS_THEMSELVES] = sum(parts.pop(name, 0.0) for name in DIRECTION_FEATURES)
        parts[_MESSAGES] = messages
        parts[f"being of class: {LINK_CLASSES[kind]}"] = bias
        ordered = sorted(parts.items(), key=lambda item: -abs(item[1]))
        return {name: float(value) for name, value in ordered if value}

    def _later_passes(
        self, source: SentenceFeatures, target: SentenceFeatures, evidence: np.ndarray
    ) -> tuple[_Pass, _Pass]:
        """Run the second pass on the cells that the first one keeps, and the third on those it keeps."""
        inputs, names = kernel_inputs(source, target, evidence)
        probability, cells, base, classes = kernel.first_pass(*inputs, self.first, HOPELESS)
        features = np.empty((len(cells), len(_FEATURES)), dtype=np.float32)
        features[:, :_DIRECTIONS_FROM] = base
        directions = direction_features(source, target, self.directions, cells)
        features[:, _DIRECTIONS_FROM:_CONTEXT_FROM] = directions
        kinds = source.kinds, target.kinds

        def run(
            network: MessageNetwork,
            before: np.ndarray,
            cells: np.ndarray,
            classes: np.ndarray,
            features: np.ndarray,
        ) -> _Pass:
            features[:, _CONTEXT_FROM:] = kernel.context_features(before, names, evidence, *kinds, cells)
            after, collected = network.probabilities(before, cells, classes, features, *kinds)
            return _Pass(network, cells, classes, features, after, collected)

        second = run(self.second, probability, cells, classes, features)
        (likely,) = np.nonzero(second.probability.take(cells) >= UNLIKELY)
        left = (part.take(likely, axis=0) for part in (cells, classes, features))
        return second, run(self.third, second.probability, *left)
