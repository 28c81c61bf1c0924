"""Minimises a smooth function by L-BFGS, in steps, so that a resumed run has the same result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Function = Callable[[np.ndarray], tuple[float, np.ndarray]]

#: Number of last steps from which the curvature is estimated.
MEMORY = 10
_SUFFICIENT = 1e-4
_CURVATURE = 0.9
_MOST_TRIALS = 30


@dataclass(frozen=True, slots=True, eq=False)
class Descent:
    """State of a minimisation: everything that the next step depends on.

    Attributes
    ----------
    point : numpy.ndarray
        float64, shape (d,).
    value : float
        The function's value at the point.
    gradient : numpy.ndarray
        float64, shape (d,).
    moves, changes : numpy.ndarray
        float64, shape (k, d): the last steps and how the gradient changed by each, oldest first.
    stuck : bool
        Whether no lower value was found along the last direction.
    """

    point: np.ndarray
    value: float
    gradient: np.ndarray
    moves: np.ndarray
    changes: np.ndarray
    stuck: bool = False

    @classmethod
    def start(cls, function: Function, point: np.ndarray) -> Descent:
        """Begin at a point."""
        value, gradient = function(point)
        nothing = np.zeros((0, len(point)))
        return cls(np.array(point, dtype=np.float64), value, gradient, nothing, nothing)

    def step(self, function: Function) -> Descent:
        """One step, with a line search for the weak Wolfe conditions (Nocedal & Wright 2006, ch. 3 and 7)."""
        direction = self._direction()
        slope = float(direction @ self.gradient)
        if not slope < 0:
            return self._stay()
        length, low, high = 1.0, 0.0, np.inf
        if not len(self.moves):
            length = 1 / max(float(np.linalg.norm(self.gradient)), 1.0)
        best: tuple[float, float, np.ndarray] | None = None
        for _ in range(_MOST_TRIALS):
            value, gradient = function(self.point + length * direction)
            if not value <= self.value + _SUFFICIENT * length * slope:
                high = length
            else:
                best = length, value, gradient
                if float(direction @ gradient) >= _CURVATURE * slope:
                    break
                low = length
            length = (low + high) / 2 if high < np.inf else 2 * length
        return self._stay() if best is None else self._moved(direction, *best)

    def _stay(self) -> Descent:
        return Descent(self.point, self.value, self.gradient, self.moves, self.changes, stuck=True)

    def _moved(self, direction: np.ndarray, length: float, value: float, gradient: np.ndarray) -> Descent:
        move, change = length * direction, gradient - self.gradient
        moves, changes = self.moves, self.changes
        if float(move @ change) > 1e-12 * float(change @ change):
            moves = np.concatenate((moves, move[None]))[-MEMORY:]
            changes = np.concatenate((changes, change[None]))[-MEMORY:]
        return Descent(self.point + move, value, gradient, moves, changes)

    def _direction(self) -> np.ndarray:
        direction = -self.gradient
        shares = []
        for move, change in zip(self.moves[::-1], self.changes[::-1], strict=True):
            share = float(move @ direction) / float(move @ change)
            direction = direction - share * change
            shares.append(share)
        if len(self.moves):
            move, change = self.moves[-1], self.changes[-1]
            direction = direction * (float(move @ change) / float(change @ change))
        for move, change, share in zip(self.moves, self.changes, reversed(shares), strict=True):
            direction = direction + move * (share - float(change @ direction) / float(move @ change))
        return direction
