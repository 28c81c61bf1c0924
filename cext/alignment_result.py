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
    """

    # item_log_inside, item_log_total: float64, shape (I,): log inside score of an item's best derivation, and
    # of the sum over its derivations (tempered)
    item_log_inside: np.ndarray
    item_log_total: np.ndarray
    first_support: np.ndarray  # shape (I + 1,): where the supports of each item begin
    support_kind: np.ndarray  # int8, shape (S,): BASE, COMPOSITIONAL, NONCOMPOSITIONAL or SINGLE
    # float64, shape (S,): log score of the support without the inside scores of its members
    support_log_local: np.ndarray
    first_member: np.ndarray  # shape (S + 1,)
    members: np.ndarray  # shape (M,): items that each support rests on
    # first_source_edge, first_target_edge: shape (S + 1,): where the hyperedges of each support begin
    first_source_edge: np.ndarray
    # source_edges, target_edges: hyperedges that lead from the item's nodes to those of the members
    source_edges: np.ndarray
    first_target_edge: np.ndarray
    target_edges: np.ndarray
    root_items: np.ndarray  # shape (R,): items that pair two roots, best first


class AlignmentArrays(NamedTuple):
    """The best alignment of two forests."""

    # Whether a pair of roots was reached; otherwise the derivation is a set of partial ones
    root_aligned: bool
    narrowed: bool  # Whether the budget forced a narrower beam than asked for
    log_score: float  # Log score of the derivation
    # Log of the summed scores of all derivations of the root pairs (of the partial ones, multiplied), each
    # raised to the power 1 / temperature
    log_total: float
    # source, target: int32, shape (D,): aligned nodes, parents before what supports them
    source: np.ndarray
    target: np.ndarray
    kind: np.ndarray  # int8, shape (D,): how each pair is supported
    parent: np.ndarray  # int32, shape (D,): position of the pair that each one supports; -1 at the top
    # bool, shape (D,): pairs that gave way to their parent, which has one node in common with them: not to be
    # reported
    absorbed: np.ndarray
    # float64, shape (D,): log posterior probability that the two spans of each pair are aligned, at most 0;
    # nodes of one span (with other labels or heads, in other trees) count together
    log_posterior: np.ndarray
    # source_edges, target_edges: int32: hyperedges between the aligned nodes, ascending
    source_edges: np.ndarray
    target_edges: np.ndarray
    # source_nulls, target_nulls: int32: maximal null-aligned nodes, ascending
    source_nulls: np.ndarray
    target_nulls: np.ndarray
    # item_source, item_target: int32, shape (I,): the items, all pairs of nodes that the search kept. They
    # are sorted by source and then target node, so that supporting items come first; root pairs that only
    # pairs far below support come last.
    item_source: np.ndarray
    item_target: np.ndarray
    item_log_posterior: np.ndarray  # float64, shape (I,): log posterior of the two spans of each item
    support_count: int  # Number of supports of all items
    packed: PackedArrays | None  # The packed alignment forest, when asked for
