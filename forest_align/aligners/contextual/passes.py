"""The networks of the later passes of the link model, and what such a pass returns."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from forest_align.aligners.contextual.features import (
    BASE_FEATURES,
    CONTEXT_FEATURES,
    DIRECTION_FEATURES,
    LINK_CLASSES,
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
        shapes = ((units, 1), (1,), (units, units), (kernel.MESSAGE_SLOTS, 1, units), (units,))
        unused = [np.zeros((0, *shape), np.float32) for shape in shapes]
        return cls(hidden, hidden_bias, unused[0], unused[1], unused[2], unused[3], unused[4], output)

    @staticmethod
    def shapes(name: str, features: int) -> dict[str, tuple[int | str, ...]]:
        """The shape of each of the :meth:`arrays` of a pass of this name; free sizes have names."""
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
        return {f"{name}_{field.name}": getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, name: str, arrays: Mapping[str, np.ndarray]) -> MessageNetwork:
        """Build the network ``name`` from its :meth:`arrays`."""
        return cls(**{field.name: arrays[f"{name}_{field.name}"] for field in fields(cls)})

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
        """Run the pass on k cells of the probabilities of the previous one.

        Shapes: ``probability`` float32 (n, m); ``cells``, ``classes`` int32 (k,); ``features`` float32
        (k, F); kinds int32 (n,) and (m,); related words int32 (n, 10, 3) and (m, 10, 3); returns float32
        (n, m) and the collected messages, float32 (rounds, k, 27, s).
        """
        messages = self.send, self.send_bias, self.own, self.receive, self.receive_bias
        return kernel.message_pass(
            *(probability, cells, classes, features @ self.hidden, self.hidden_bias),
            *(source_kinds, target_kinds, source_related, target_related),
            *messages,
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


class Pass(NamedTuple):
    """The cells that a network scored, and its results; see :meth:`MessageNetwork.probabilities`."""

    network: MessageNetwork
    cells: np.ndarray
    classes: np.ndarray
    features: np.ndarray
    probability: np.ndarray
    collected: np.ndarray
