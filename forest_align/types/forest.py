"""Packed parse forests as immutable arrays."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a forest, resolved: a phrase that can be aligned.

    Attributes
    ----------
    start, end : int
        Half-open token span.
    label : str
        Category; a collapsed unary chain is joined by ``"::"`` from the top (``"S::VP"``; for leaves the
        part-of-speech tag comes last, ``"NP::NNP"``). Nodes made by binarization carry their parent's
        topmost label and a prime (``"NP'"``).
    is_constituent : bool
        False for nodes that binarization made.
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


@dataclass(frozen=True, slots=True, eq=False)
class ParseForest:
    """An immutable packed forest: ``N`` nodes in bottom-up topological order, leaves first, ``E`` hyperedges.

    A leaf covers one token and has no hyperedge; a token has several leaves when its unary chain differs
    between trees (``NNP`` and ``NP::NNP``). Every other node has at least one hyperedge; one node has several
    when trees disagree below it. Build forests with :mod:`forest_align.parsing`, not by hand.

    Attributes
    ----------
    start, end : numpy.ndarray
        int32, shape (N,): half-open token span of each node.
    labels : tuple of str
        Category of each node, see :class:`Node`.
    is_constituent : numpy.ndarray
        bool, shape (N,): False for nodes that binarization made.
    head : numpy.ndarray
        int32, shape (N,): token index of the semantic head.
    log_marginal : numpy.ndarray
        float64, shape (N,): log of the summed probability of the trees that contain the node
        (log ℓ(τ) in Arase & Tsujii 2017, §5.4); at most 0.
    edges : numpy.ndarray
        int32, shape (E, 3): hyperedges ``(parent, left, right)``, sorted.
    edge_log_marginal : numpy.ndarray
        float64, shape (E,): the same for hyperedges.
    roots : numpy.ndarray
        int32, shape (R,): nodes that cover the sentence as the root of a tree; the best tree's root first.
    best_edge : numpy.ndarray
        int32, shape (N,): the hyperedge that the parser's best tree uses at the node; -1 for leaves and for
        nodes outside that tree.
    """

    start: np.ndarray
    end: np.ndarray
    labels: tuple[str, ...]
    is_constituent: np.ndarray
    head: np.ndarray
    log_marginal: np.ndarray
    edges: np.ndarray
    edge_log_marginal: np.ndarray
    roots: np.ndarray
    best_edge: np.ndarray

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __len__(self) -> int:
        return len(self.labels)

    def node(self, index: int) -> Node:
        """Return node ``index`` resolved into a :class:`Node`."""
        return Node(
            int(self.start[index]),
            int(self.end[index]),
            self.labels[index],
            bool(self.is_constituent[index]),
            int(self.head[index]),
        )
