"""The link model: the probability that two words correspond, given all evidence, and its explanation.

A cell (i, j) has the features of :data:`BASE_FEATURES`; its class (:data:`LINK_CLASSES`) picks the weights
of the first pass, which is log-linear. The second and the third pass are networks
(:mod:`forest_align.aligners.contextual.passes`) with two more groups of features.
:data:`DIRECTION_FEATURES` describe the two words themselves. :data:`CONTEXT_FEATURES` read the probabilities
of the previous pass around the cell: the context evidence of Sultan et al. (2014, §3.2) enters as
expectations. The second pass scores cells independently; in the third they exchange messages. Every feature
is symmetric in the two sentences.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, log
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forest_align.aligners.contextual.features import (
    BASE_FEATURES,
    CONTEXT_FEATURES,
    DIRECTION_FEATURES,
    LINK_CLASSES,
    SentenceFeatures,
    base_table,
    direction_features,
    kernel_inputs,
    related_word_features,
)
from forest_align.aligners.contextual.passes import FEATURES, HOPELESS, UNLIKELY, MessageNetwork, Pass
from forest_align.aligners.link_convention import AllLinks
from forest_align.aligners.model_folder import ModelFormat, damaged
from forest_align.aligners.pair import is_after
from forest_align.cext import contextual as kernel
from forest_align.lexicon.evidence import check_finite
from forest_align.types import InputError, ModelError
from forest_align.types.json_fields import check_probability

if TYPE_CHECKING:
    from forest_align.types import Sentence

#: Probability that a word is linked to itself if both sentences are the same. In all 24 such pairs of
#: Edinburgh++ train, every word is linked to itself and to no other word.
IDENTICAL = 0.999
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
_NETWORK_SHAPES = {name: MessageNetwork.shapes(name, len(FEATURES)) for name in ("second", "third")}
FORMAT = ModelFormat(
    "contextual",
    6,
    "model.safetensors",
    _SHAPES | _NETWORK_SHAPES["second"] | _NETWORK_SHAPES["third"],
    {
        "classes": LINK_CLASSES,
        "base_features": BASE_FEATURES,
        "direction_features": DIRECTION_FEATURES,
        "context_features": CONTEXT_FEATURES,
    },
)


def _have_same_words(source: Sentence, target: Sentence) -> bool:
    """Whether two sentences are the same, ignoring case."""
    return len(source) == len(target) and all(
        word.lower() == other.lower() for word, other in zip(source.words, target.words, strict=True)
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
        float32, shape (9, 76): weights of the first pass by class, the bias last.
    second, third : MessageNetwork
        The later passes, over 163 features.
    threshold : float
        Minimum probability of a link.
    card : dict
        Notes for people: how the model was trained, and on what data.
    all_links : AllLinks, optional
        For annotators who also mark possible links; :meth:`link_probabilities` are those of sure links.
    """

    mean: np.ndarray
    projection: np.ndarray
    directions: np.ndarray
    first: np.ndarray
    second: MessageNetwork
    third: MessageNetwork
    threshold: float = 0.5
    card: dict[str, Any] = field(default_factory=dict)
    all_links: AllLinks | None = None

    @classmethod
    def load(cls, folder: str | Path) -> LinkModel:
        """Read ``model.safetensors`` and ``model.json`` from a folder.

        Raises
        ------
        ModelError
            If a file is missing or damaged, or its features are not those of this version.
        """
        saved = FORMAT.load(folder)
        arrays = saved.arrays
        for name in _NETWORK_SHAPES:
            if arrays[f"{name}_hidden"].shape[1] != len(arrays[f"{name}_output"]) + 1:
                raise ModelError(
                    f"expected an output for each hidden unit but the last in {str(saved.path)!r}"
                )
        try:
            threshold = check_probability(saved.card.get("threshold"), "threshold")
            all_links = AllLinks.from_card(saved.card)
        except InputError as error:
            raise damaged(folder, error) from None
        values = {name: np.ascontiguousarray(arrays[name], dtype=np.float32) for name in FORMAT.shapes}
        mean, projection, directions, first = (values[name] for name in _SHAPES)
        second, third = (MessageNetwork.from_arrays(name, values) for name in _NETWORK_SHAPES)
        notes = saved.notes()
        return cls(mean, projection, directions, first, second, third, threshold, notes, all_links)

    def save(self, folder: str | Path) -> None:
        """Write the model into a folder, which is created if needed; see :meth:`load`."""
        arrays = {name: getattr(self, name) for name in _SHAPES}
        arrays["projection"] = self.projection.astype(np.float16)
        arrays |= self.second.arrays("second") | self.third.arrays("third")
        all_links = {"all_links": self.all_links.to_fields()} if self.all_links else {}
        FORMAT.save(folder, {"threshold": self.threshold, **all_links, "card": self.card}, arrays)

    def prepare(self, source: Sentence, target: Sentence) -> tuple[SentenceFeatures, SentenceFeatures]:
        """Compute the data that the model needs from each of two sentences; refuse unfit word vectors."""
        vectors = self._vectors(source), self._vectors(target)
        # One product for both is faster.
        projected = self.project(np.concatenate(vectors))
        return (
            SentenceFeatures(*related_word_features(source), vectors[0], projected[: len(source)]),
            SentenceFeatures(*related_word_features(target), vectors[1], projected[len(source) :]),
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
            int32, shape (n, m), from :func:`~forest_align.aligners.contextual.pair_evidence.link_evidence`.

        Returns
        -------
        numpy.ndarray
            float32, shape (n, m).

        Raises
        ------
        InputError, ModelError
            If a sentence has no word vectors, or vectors that are not finite or of another size.
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
        return self.run(*prepared, evidence)[-1].probability

    def explain_link(
        self, source: Sentence, target: Sentence, evidence: np.ndarray, i: int, j: int
    ) -> dict[str, float]:
        """The parts of the log-odds of :meth:`link_probabilities` for two words, strongest first."""
        check_finite(source, target)
        if is_after(source, target):
            return self.explain_link(target, source, np.ascontiguousarray(evidence.T), j, i)
        prepared = self.prepare(source, target)
        if _have_same_words(source, target):
            return {"the same sentence": log(IDENTICAL / (1 - IDENTICAL)) if i == j else -inf}
        return self._explain(*prepared, evidence, i, j)

    def run(
        self, source: SentenceFeatures, target: SentenceFeatures, evidence: np.ndarray
    ) -> tuple[Pass, Pass]:
        """Run the second pass on the cells that the first one keeps, and the third on those it keeps.

        Shapes: ``evidence`` int32 (n, m). The sentences keep their order; they come from :meth:`prepare`.
        """
        inputs, names = kernel_inputs(source, target, evidence)
        probability, cells, base, classes = kernel.first_pass(*inputs, self.first, HOPELESS)
        features = np.empty((len(cells), len(FEATURES)), dtype=np.float32)
        features[:, :_DIRECTIONS_FROM] = base
        directions = direction_features(source, target, self.directions, cells)
        features[:, _DIRECTIONS_FROM:_CONTEXT_FROM] = directions
        words = source.kinds, target.kinds, source.related, target.related

        def later(
            network: MessageNetwork,
            before: np.ndarray,
            cells: np.ndarray,
            classes: np.ndarray,
            features: np.ndarray,
        ) -> Pass:
            features[:, _CONTEXT_FROM:] = kernel.context_features(before, names, evidence, *words, cells)
            after, collected = network.probabilities(before, cells, classes, features, *words)
            return Pass(network, cells, classes, features, after, collected)

        second = later(self.second, probability, cells, classes, features)
        (likely,) = np.nonzero(second.probability.take(cells) >= UNLIKELY)
        kept = (part.take(likely, axis=0) for part in (cells, classes, features))
        return second, later(self.third, second.probability, *kept)

    def _explain(
        self, source: SentenceFeatures, target: SentenceFeatures, evidence: np.ndarray, i: int, j: int
    ) -> dict[str, float]:
        """What each feature of a cell adds to the log-odds of its link, strongest first.

        The parts add up to the log-odds, because the networks are linear around the values of a cell.
        """
        cell = i * len(target.kinds) + j
        for scored in reversed(self.run(source, target, evidence)):
            if cell in scored.cells:
                row = np.searchsorted(scored.cells, cell)
                values, kind = scored.features[row], scored.classes[row]
                weights, bias, messages = scored.network.linear_parts(values, kind, scored.collected[:, row])
                break
        else:
            base, classes, _ = base_table(source, target, evidence)
            values, kind = base[cell], classes[cell]
            weights, bias, messages = self.first[kind, :-1], self.first[kind, -1], 0.0
        # Cells that are hopeless after the first pass only have base features.
        parts = dict(zip(FEATURES, weights * values, strict=False))
        parts[_WORDS_THEMSELVES] = sum(parts.pop(name, 0.0) for name in DIRECTION_FEATURES)
        parts[_MESSAGES] = messages
        parts[f"being of class: {LINK_CLASSES[kind]}"] = bias
        ordered = sorted(parts.items(), key=lambda item: -abs(item[1]))
        return {name: float(value) for name, value in ordered if value}
