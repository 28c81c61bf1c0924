"""What the alignment kernel and its plain-Python twin take and return: arrays, numbers and switches only."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

# Tables of the search grow with the square of the number of nodes, and those of its paths with the square of
# the generation gap. With so many nodes on both sides (2,048 words that have one tree) the search takes about
# 550 MiB with a gap of 6 and 1.6 GiB with the largest. All of an alignment takes some 1.2 GiB then, and with
# twice as many nodes four times that.
MOST_NODES = 4096
MOST_GENERATIONS = 100
LARGEST_WHOLE_NUMBER = 2**31 - 1


class SideArrays(NamedTuple):
    """One packed forest of N nodes and E hyperedges."""

    # start, end: int32, shape (N,): token spans of the nodes, bottom-up, shorter spans first; N is at most
    # `MOST_NODES`. Every word is a node, so no span ends after N words.
    start: np.ndarray
    end: np.ndarray
    # int32, shape (E, 3): hyperedges (parent, left, right), sorted; the spans of the children make up that of
    # the parent
    edges: np.ndarray
    roots: np.ndarray  # int32, shape (R,): nodes over the whole sentence
    log_null: np.ndarray  # float64, shape (N,): log Pr(node, null)
    # float64, shape (E,): log weight of each hyperedge, at most 0 (the default): trees that the parser likes
    # less score less
    log_edge: np.ndarray | None = None


class BaseArrays(NamedTuple):
    """Pairs that need no support: word links, and groups of words that are linked as a whole."""

    # source, target: int32, shape (B,): the nodes of each pair
    source: np.ndarray
    target: np.ndarray
    log_prior: np.ndarray  # float64, shape (B,): log weight of each pair, added to its log score


class SearchOptions(NamedTuple):
    """How to search. :class:`forest_align.aligners.forest.options.ForestOptions` has the defaults."""

    # null_penalty, noncompositional_penalty: µ_n and µ_c of Arase & Tsujii (2017, §5.3)
    null_penalty: float
    noncompositional_penalty: float
    beam: int  # µ_b of §5.1: pairs kept for each source node, and supports kept for each pair
    generation_gap: int  # µ_g of §5.1: how many generations a pair may stand above what supports it
    # How many supports of a pair are tried when merging opens it. Each deeper level tries half as many, but
    # at least one.
    opened_supports: int
    max_items: int  # Budget of pairs in all; the beam narrows to keep it
    noncompositional: bool  # Whether pairs may be merged (Algorithm 4.2)
    single_support: bool  # Whether a pair may rest on a single pair below it
    # Whether the null words of a pair are those of everything below it, not of its own support alone
    count_all_nulls: bool
    # From 10⁻⁶ to 10⁶. A derivation is as probable as its score raised to the power 1 / temperature,
    # normalised. Only posteriors depend on it, not the best derivation.
    temperature: float = 1.0
    packed: bool = False  # Whether to return the packed alignment forest as well


#: Least and greatest value of the options that have bounds, both allowed.
BOUNDS: dict[str, tuple[float, float]] = {
    "null_penalty": (0, math.inf),
    "noncompositional_penalty": (0, math.inf),
    "beam": (1, LARGEST_WHOLE_NUMBER),
    "generation_gap": (1, MOST_GENERATIONS),
    "opened_supports": (0, LARGEST_WHOLE_NUMBER),
    "max_items": (1, LARGEST_WHOLE_NUMBER),
    "temperature": (1e-6, 1e6),
}

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
