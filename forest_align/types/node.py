"""A node of a packed forest, a tree of one, and the arrays of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a forest, resolved: a phrase that can be aligned.

    Attributes
    ----------
    start, end : int
        Half-open token span.
    label : str
        Category. A collapsed unary chain is joined by ``"::"`` from the top (``"S::VP"``); for leaves, the
        part-of-speech tag comes last (``"NP::NNP"``). Nodes added by binarization have their parent's
        topmost label and a prime (``"NP'"``).
    is_constituent : bool
        False for nodes added by binarization.
    head : int
        Token index of the semantic head.
    """

    start: int
    end: int
    label: str
    is_constituent: bool = True
    head: int = -1

    @property
    def span(self) -> tuple[int, int]:
        """Half-open token span."""
        return (self.start, self.end)


@dataclass(frozen=True, slots=True)
class Derivation:
    """One tree of a packed forest: the hyperedge that it uses at each inner node."""

    root: int  # the node at the top; any node, for a phrase's tree
    edges: Mapping[int, int]  # inner node -> number of its hyperedge
    log_probability: float = 0.0  # see ParseForest.derivations


class ForestArrays(Protocol):
    """The arrays of a ``ParseForest``, for modules below it."""

    def __len__(self) -> int:
        """The number of nodes."""

    @property
    def labels(self) -> tuple[str, ...]:
        """See the forest."""

    @property
    def start(self) -> np.ndarray:
        """See the forest."""

    @property
    def end(self) -> np.ndarray:
        """See the forest."""

    @property
    def is_constituent(self) -> np.ndarray:
        """See the forest."""

    @property
    def head(self) -> np.ndarray:
        """See the forest."""

    @property
    def log_marginal(self) -> np.ndarray:
        """See the forest."""

    @property
    def edges(self) -> np.ndarray:
        """See the forest."""

    @property
    def edge_log_marginal(self) -> np.ndarray:
        """See the forest."""

    @property
    def roots(self) -> np.ndarray:
        """See the forest."""

    @property
    def best_edge(self) -> np.ndarray:
        """See the forest."""

    @property
    def log_posterior(self) -> np.ndarray:
        """See the forest."""
