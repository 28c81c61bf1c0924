"""The passes of the link model: probabilities of links from features of word pairs, and their explanation.

A cell (i, j) has the features of :data:`BASE_FEATURES`; its class (:data:`LINK_CLASSES`) picks the weights
of the first pass, which is log-linear. The second and the third pass are networks
(:mod:`forest_align.aligners.contextual.messages`) with two more groups of features.
:data:`DIRECTION_FEATURES` describe the two words themselves. :data:`CONTEXT_FEATURES` read the probabilities
of the previous pass around the cell: the context evidence of Sultan et al. (2014, §3.2) enters as
expectations. The second pass scores cells independently; in the third they exchange messages. Every feature
is symmetric in the two sentences.
"""

from __future__ import annotations

from typing import NamedTuple

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
)
from forest_align.aligners.contextual.messages import MessageNetwork
from forest_align.cext import contextual as kernel

#: Later passes skip a cell whose probability after the first pass is below this.
HOPELESS = 0.003
#: The third pass skips a cell whose probability after the second pass is below this.
UNLIKELY = 0.01
#: Names of the features of the later passes, in the order of their columns.
FEATURES = (*BASE_FEATURES, *DIRECTION_FEATURES, *CONTEXT_FEATURES)
_DIRECTIONS_FROM = len(BASE_FEATURES)
_CONTEXT_FROM = _DIRECTIONS_FROM + len(DIRECTION_FEATURES)
# All directions together count as one reason, because a single direction has no meaning.
_WORDS_THEMSELVES = "the words themselves"
_MESSAGES = "messages from the links around"


class Pass(NamedTuple):
    """The cells that a network scored, and its results; see :meth:`MessageNetwork.probabilities`."""

    network: MessageNetwork
    cells: np.ndarray
    classes: np.ndarray
    features: np.ndarray
    probability: np.ndarray
    collected: np.ndarray


class LinkPasses(NamedTuple):
    """The weights of all passes; see :class:`forest_align.aligners.contextual.model.LinkModel`."""

    directions: np.ndarray
    first: np.ndarray
    second: MessageNetwork
    third: MessageNetwork

    def run(
        self, source: SentenceFeatures, target: SentenceFeatures, evidence: np.ndarray
    ) -> tuple[Pass, Pass]:
        """Run the second pass on the cells that the first one keeps, and the third on those it keeps.

        Shapes: ``evidence`` int32 (n, m).
        """
        inputs, names = kernel_inputs(source, target, evidence)
        probability, cells, base, classes = kernel.first_pass(*inputs, self.first, HOPELESS)
        features = np.empty((len(cells), len(FEATURES)), dtype=np.float32)
        features[:, :_DIRECTIONS_FROM] = base
        directions = direction_features(source, target, self.directions, cells)
        features[:, _DIRECTIONS_FROM:_CONTEXT_FROM] = directions
        words = source.kinds, target.kinds, source.related, target.related

        def run(
            network: MessageNetwork,
            before: np.ndarray,
            cells: np.ndarray,
            classes: np.ndarray,
            features: np.ndarray,
        ) -> Pass:
            features[:, _CONTEXT_FROM:] = kernel.context_features(before, names, evidence, *words, cells)
            after, collected = network.probabilities(before, cells, classes, features, *words)
            return Pass(network, cells, classes, features, after, collected)

        second = run(self.second, probability, cells, classes, features)
        (likely,) = np.nonzero(second.probability.take(cells) >= UNLIKELY)
        left = (part.take(likely, axis=0) for part in (cells, classes, features))
        return second, run(self.third, second.probability, *left)

    def explain(
        self, source: SentenceFeatures, target: SentenceFeatures, evidence: np.ndarray, i: int, j: int
    ) -> dict[str, float]:
        """What each feature of a cell adds to the log-odds of its link, strongest first.

        The parts add up to the log-odds, because the networks are linear around the values of a cell.
        """
        cell = i * len(target.kinds) + j
        for done in reversed(self.run(source, target, evidence)):
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
        parts = dict(zip(FEATURES, weights * values, strict=False))
        parts[_WORDS_THEMSELVES] = sum(parts.pop(name, 0.0) for name in DIRECTION_FEATURES)
        parts[_MESSAGES] = messages
        parts[f"being of class: {LINK_CLASSES[kind]}"] = bias
        ordered = sorted(parts.items(), key=lambda item: -abs(item[1]))
        return {name: float(value) for name, value in ordered if value}
