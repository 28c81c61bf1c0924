"""What the alignment kernel and its plain-Python twin return: arrays only."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# How a pair is supported.
BASE = 0  # by word links
COMPOSITIONAL = 1  # by two pairs, one in each child on both sides
NONCOMPOSITIONAL = 2  # by pairs whose own parents gave way (Arase & Tsujii 2017, §4.3)
SINGLE = 3  # by one pair, the rest of both phrases null


class PackedArrays(NamedTuple):
    """The packed alignment forest: items (aligned pairs) with their supports; int32 unless said otherwise.

    The items are those of :class:`AlignmentArrays`. The supports of an item are sorted by score, best first.

    Attributes
    ----------
    item_log_inside, item_log_total : float64, shape (I,)
        Log inside score of an item's best derivation, and of the sum over its derivations (tempered).
    first_support : shape (I + 1,)
        Where the supports of each item begin.
    support_kind : int8, shape (S,)
        BASE, COMPOSITIONAL, NONCOMPOSITIONAL or SINGLE.
    support_log_local : float64, shape (S,)
        Log score of the support without the inside scores of its members.
    first_member : shape (S + 1,)
    members : shape (M,)
        Items that each support rests on.
    first_source_edge, first_target_edge : shape (S + 1,)
    source_edges, target_edges
        Hyperedges that lead from the item's nodes to those of the members.
    root_items : shape (R,)
        Items that pair two roots, best first.
    """

    item_log_inside: np.ndarray
    item_log_total: np.ndarray
    first_support: np.ndarray
    support_kind: np.ndarray
    support_log_local: np.ndarray
    first_member: np.ndarray
    members: np.ndarray
    first_source_edge: np.ndarray
    source_edges: np.ndarray
    first_target_edge: np.ndarray
    target_edges: np.ndarray
    root_items: np.ndarray


class AlignmentArrays(NamedTuple):
    """The best alignment of two forests.

    Attributes
    ----------
    root_aligned : bool
        Whether a pair of roots was reached; otherwise the derivation is a set of partial ones.
    narrowed : bool
        Whether the budget forced a narrower beam than asked for.
    log_score : float
        Log score of the derivation.
    log_total : float
        Log of the summed scores of all derivations of the root pairs (of the partial ones, multiplied), each
        raised to the power 1 / temperature.
    source, target : int32, shape (D,)
        Aligned nodes, parents before what supports them.
    kind : int8, shape (D,)
        How each pair is supported.
    parent : int32, shape (D,)
        Position of the pair that each one supports; -1 at the top.
    absorbed : bool, shape (D,)
        Pairs that gave way to their parent, which has one node in common with them: not to be reported.
    log_posterior : float64, shape (D,)
        Log posterior probability that the two spans of each pair are aligned, at most 0; nodes of one span
        (with other labels or heads, in other trees) count together.
    source_edges, target_edges : int32
        Hyperedges between the aligned nodes, ascending.
    source_nulls, target_nulls : int32
        Maximal null-aligned nodes, ascending.
    item_source, item_target : int32, shape (I,)
        The items, all pairs of nodes that the search kept. They are sorted by source and then target node, so
        that supporting items come first; root pairs that only pairs far below support come last.
    item_log_posterior : float64, shape (I,)
        Log posterior of the two spans of each item.
    support_count : int
        Number of supports of all items.
    packed : PackedArrays or None
        The packed alignment forest, when asked for.
    """

    root_aligned: bool
    narrowed: bool
    log_score: float
    log_total: float
    source: np.ndarray
    target: np.ndarray
    kind: np.ndarray
    parent: np.ndarray
    absorbed: np.ndarray
    log_posterior: np.ndarray
    source_edges: np.ndarray
    target_edges: np.ndarray
    source_nulls: np.ndarray
    target_nulls: np.ndarray
    item_source: np.ndarray
    item_target: np.ndarray
    item_log_posterior: np.ndarray
    support_count: int
    packed: PackedArrays | None
