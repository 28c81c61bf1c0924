"""The last pass of the link model: a network whose cells exchange messages.

Cells that the pass before thinks likely enough start from the same features as in that pass. In one or more
rounds each tells its neighbours along the diagonal, the nearest content words, and its rivals in row and
column how probable it is and what kind of link it is, and thinks again. So the decisions of a pair are made
together, where context features read those of the pass before one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from forest_align.aligners.link_features import LINK_CLASSES
from forest_align.cext import contextual as kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Probability of the pass before below which a cell neither sends nor receives messages.
UNLIKELY = 0.01
_PREFIX = "message_"


@dataclass(frozen=True, slots=True, eq=False)
class MessageNetwork:
    """Weights of the message pass, over F features, with h hidden units and messages of s numbers.

    Attributes
    ----------
    hidden : numpy.ndarray
        float32, shape (F, h + 1): what a cell's state is at first, before it is rectified; the last unit is
        linear and belongs to every score.
    hidden_bias : numpy.ndarray
        float32, shape (9, h + 1): by class.
    send, send_bias : numpy.ndarray
        float32, shapes (rounds, h, s) and (rounds, s): from the state to the message.
    own, receive, receive_bias : numpy.ndarray
        float32, shapes (rounds, h, h), (rounds, 16, s, h) and (rounds, h): from the state and the messages
        collected, see :func:`forest_align.cext.contextual.message_pass`, to the change of the state.
    output : numpy.ndarray
        float32, shape (h,): weights of the last state in the score.
    """

    hidden: np.ndarray
    hidden_bias: np.ndarray
    send: np.ndarray
    send_bias: np.ndarray
    own: np.ndarray
    receive: np.ndarray
    receive_bias: np.ndarray
    output: np.ndarray

    @staticmethod
    def shapes(features: int) -> dict[str, tuple[int | str, ...]]:
        """The shape of each array of :meth:`arrays`; equal names are equal sizes."""
        shapes: dict[str, tuple[int | str, ...]] = {
            "output": ("h",),
            "hidden": (features, "h + 1"),
            "hidden_bias": (len(LINK_CLASSES), "h + 1"),
            "send": ("rounds", "h", "s"),
            "send_bias": ("rounds", "s"),
            "own": ("rounds", "h", "h"),
            "receive": ("rounds", kernel.MESSAGE_SLOTS, "s", "h"),
            "receive_bias": ("rounds", "h"),
        }
        return {_PREFIX + name: shape for name, shape in shapes.items()}

    def arrays(self) -> dict[str, np.ndarray]:
        """All weights, by the names that they have in a file."""
        return {_PREFIX + one.name: getattr(self, one.name) for one in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> MessageNetwork:
        """The network whose :meth:`arrays` are among these."""
        return cls(**{one.name: arrays[_PREFIX + one.name] for one in fields(cls)})

    def probabilities(
        self,
        probability: np.ndarray,
        cells: np.ndarray,
        classes: np.ndarray,
        features: np.ndarray,
        source_kinds: np.ndarray,
        target_kinds: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Run the pass.

        Parameters
        ----------
        probability : numpy.ndarray
            float32, shape (n, m): of the pass before; that of other cells stays.
        cells, classes : numpy.ndarray
            int32, shape (k,): the cells, as i * m + j, and the class of each.
        features : numpy.ndarray
            float32, shape (k, F).
        source_kinds, target_kinds : numpy.ndarray
            int32, shapes (n,) and (m,): 0 content word, 1 function word, 2 punctuation.

        Returns
        -------
        numpy.ndarray
            float32, shape (n, m).
        numpy.ndarray
            float32, shape (rounds, k, 16, s): the messages that each cell collected.
        """
        return kernel.message_pass(
            probability,
            cells,
            classes,
            features @ self.hidden,
            self.hidden_bias,
            source_kinds,
            target_kinds,
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
        """The score of a cell, taken apart; with the units that are active held fixed it is linear.

        Parameters
        ----------
        features : numpy.ndarray
            float32, shape (F,).
        kind : int
            Class of the cell.
        collected : numpy.ndarray
            float32, shape (rounds, 16, s): the messages that it collected.

        Returns
        -------
        weights : numpy.ndarray
            float32, shape (F,): what its features are multiplied by.
        bias, messages : float
            What the class and the messages add.
        """
        units = features @ self.hidden + self.hidden_bias[kind]
        active, state = [units[:-1] > 0], np.maximum(units[:-1], 0)
        arriving = np.einsum("rts,rtsh->rh", collected, self.receive)
        for own, arrived, shift in zip(self.own, arriving, self.receive_bias, strict=True):
            change = state @ own + arrived + shift
            active.append(change > 0)
            state = state + np.maximum(change, 0)
        # Back from the score to the features.
        weights, bias, messages = self.output, 0.0, 0.0
        for number in reversed(range(len(self.own))):
            through = np.where(active[number + 1], weights, 0)
            messages += float(arriving[number] @ through)
            bias += float(self.receive_bias[number] @ through)
            weights = weights + self.own[number] @ through
        weights, shift = through_units(weights, active[0], self.hidden, self.hidden_bias[kind])
        return weights, bias + shift, messages


def through_units(
    weights: np.ndarray, active: np.ndarray, hidden: np.ndarray, bias: np.ndarray
) -> tuple[np.ndarray, float]:
    """Take a score back from rectified units, and the linear one that stands last, to the features.

    Parameters
    ----------
    weights, active : numpy.ndarray
        float32 and bool, shape (h,): of the rectified units, and which of them are above zero.
    hidden, bias : numpy.ndarray
        float32, shapes (F, h + 1) and (h + 1,): what makes the units of the features.

    Returns
    -------
    weights : numpy.ndarray
        float32, shape (F,): what the features are multiplied by.
    bias : float
        What is added.
    """
    mixture = np.append(np.where(active, weights, 0), 1)
    return hidden @ mixture, float(bias @ mixture)
