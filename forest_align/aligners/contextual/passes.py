"""The passes of the link model: probabilities of links from features of word pairs, and their explanation.

A cell (i, j) has the features of :data:`BASE_FEATURES`; its class (:data:`LINK_CLASSES`) picks the weights
of the first pass, which is log-linear. The second and the third pass are networks
(:mod:`forest_align.aligners.contextual.passes`) with two more groups of features.
:data:`DIRECTION_FEATURES` describe the two words themselves. :data:`CONTEXT_FEATURES` read the probabilities
of the previous pass around the cell: the context evidence of Sultan et al. (2014, §3.2) enters as
expectations. The second pass scores cells independently; in the third they exchange messages. Every feature
is symmetric in the two sentences.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, NamedTuple

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
from forest_align.cext import contextual as kernel

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, eq=False)
class MessageNetwork:
    """Weights of a later pass, over F features, with h hidden units and messages of s numbers.

    Each cell that the previous pass considers likely enough starts from its features. In each round, every
    cell sends messages to its neighbours along the diagonal, the nearest content words, related words, and
    its rivals in row and column. A message encodes how probable the cell is and what kind of link it is. Each
    cell then updates its state. So the decisions of a pair are made together, whereas context features read
    those of the previous pass one by one. A network without rounds scores its cells independently.
    """

    # float32, shape (F, h + 1): from the features to the initial state of a cell, before rectification. The
    # last unit is linear and is part of every score.
    hidden: np.ndarray
    hidden_bias: np.ndarray  # float32, shape (9, h + 1): by class
    # send, send_bias: float32, shapes (rounds, h, s) and (rounds, s): from the state to the message
    send: np.ndarray
    send_bias: np.ndarray
    # own, receive, receive_bias: float32, shapes (rounds, h, h), (rounds, 27, s, h) and (rounds, h): from the
    # state and the collected messages to the change of the state, see message_pass
    own: np.ndarray
    receive: np.ndarray
    receive_bias: np.ndarray
    output: np.ndarray  # float32, shape (h,): weights of the last state in the score

    @classmethod
    def without_rounds(
        cls, hidden: np.ndarray, hidden_bias: np.ndarray, output: np.ndarray
    ) -> MessageNetwork:
        """A network with these weights whose cells exchange no messages."""
        units = len(output)

        def nothing(*shape: int) -> np.ndarray:
            return np.zeros((0, *shape), dtype=np.float32)

        return cls(
            hidden=hidden,
            hidden_bias=hidden_bias,
            send=nothing(units, 1),
            send_bias=nothing(1),
            own=nothing(units, units),
            receive=nothing(kernel.MESSAGE_SLOTS, 1, units),
            receive_bias=nothing(units),
            output=output,
        )

    @staticmethod
    def shapes(name: str, features: int) -> dict[str, tuple[int | str, ...]]:
        """The shape of each array that :meth:`arrays` returns for this name of a pass.

        Sizes that are not fixed have names, for :func:`forest_align.aligners.model_folder.check_arrays`.
        """
        rounds, units, size = (f"{name} {what}" for what in ("rounds", "units", "numbers in a message"))
        shapes: dict[str, tuple[int | str, ...]] = {
            "output": (units,),
            "hidden": (features, f"{units} + 1"),
            "hidden_bias": (len(LINK_CLASSES), f"{units} + 1"),
            "send": (rounds, units, size),
            "send_bias": (rounds, size),
            "own": (rounds, units, units),
            "receive": (rounds, kernel.MESSAGE_SLOTS, size, units),
            "receive_bias": (rounds, units),
        }
        return {f"{name}_{array}": shape for array, shape in shapes.items()}

    def arrays(self, name: str) -> dict[str, np.ndarray]:
        """All weights by their names in a file: the name of the pass, then that of the field."""
        return {f"{name}_{one.name}": getattr(self, one.name) for one in fields(self)}

    @classmethod
    def from_arrays(cls, name: str, arrays: Mapping[str, np.ndarray]) -> MessageNetwork:
        """Build the network whose :meth:`arrays` of this name are among these."""
        return cls(**{one.name: arrays[f"{name}_{one.name}"] for one in fields(cls)})

    def probabilities(
        self,
        probability: np.ndarray,
        cells: np.ndarray,
        classes: np.ndarray,
        features: np.ndarray,
        source_kinds: np.ndarray,
        target_kinds: np.ndarray,
        source_related: np.ndarray,
        target_related: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Run the pass.

        Shapes: ``probability`` float32 (n, m); ``cells``, ``classes`` int32 (k,); ``features`` float32 (k,
        F); ``source_kinds``, ``target_kinds`` int32 (n,) and (m,); ``source_related``, ``target_related``
        int32 (n, 10, 3) and (m, 10, 3); returns float32 (n, m); returns float32 (rounds, k, 27, s).
        """
        return kernel.message_pass(
            probability,
            cells,
            classes,
            features @ self.hidden,
            self.hidden_bias,
            source_kinds,
            target_kinds,
            source_related,
            target_related,
            self.send,
            self.send_bias,
            self.own,
            self.receive,
            self.receive_bias,
            self.output,
        )

    def linear_parts(
        self, features: np.ndarray, kind: int, collected: np.ndarray
    ) -> tuple[np.ndarray, float, float]:
        """The parts of a cell's score, which is linear if the set of active units is held fixed.

        Shapes: ``features`` float32 (F,); ``collected`` float32 (rounds, 27, s); returns float32 (F,).
        """
        units = features @ self.hidden + self.hidden_bias[kind]
        active, state = [units[:-1] > 0], np.maximum(units[:-1], 0)
        arriving = np.einsum("rts,rtsh->rh", collected, self.receive)
        for own, arrived, shift in zip(self.own, arriving, self.receive_bias, strict=True):
            change = state @ own + arrived + shift
            active.append(change > 0)
            state = state + np.maximum(change, 0)
        # Propagate backwards from the score to the features.
        weights, bias, messages = self.output, 0.0, 0.0
        for number in reversed(range(len(self.own))):
            through = np.where(active[number + 1], weights, 0)
            messages += float(arriving[number] @ through)
            bias += float(self.receive_bias[number] @ through)
            weights = weights + self.own[number] @ through
        units_and_score = np.append(np.where(active[0], weights, 0), 1)
        bias += float(self.hidden_bias[kind] @ units_and_score)
        return self.hidden @ units_and_score, bias, messages


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
