"""The arrays of a packed forest, their JSON object, and the checks of a forest that was read."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from forest_align.types.brackets import is_chain
from forest_align.types.errors import InputError
from forest_align.types.json_records import JsonObject


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ForestArrays:
    """The fields of :class:`ParseForest`, which documents them, for what it is read from and checked by."""

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
    log_posterior: np.ndarray = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        if not len(self.log_posterior):
            object.__setattr__(self, "log_posterior", np.full(len(self.labels), np.nan))
        for array in fields(self):
            value = getattr(self, array.name)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False


_Int32 = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]


class ForestObject(JsonObject, kw_only=True, frozen=True):
    """A packed forest: lists with an item per node, and with one per hyperedge."""

    version: int
    start: list[_Int32]
    end: list[_Int32]
    labels: list[str]
    is_constituent: list[bool]
    head: list[_Int32]
    log_marginal: list[float]
    edges: list[tuple[_Int32, _Int32, _Int32]]
    edge_log_marginal: list[float]
    roots: list[_Int32]
    best_edge: list[_Int32]
    log_posterior: list[float | None] | None = None


_JSON_VERSION = 1

_INT32 = dict.fromkeys(("start", "end", "head", "edges", "roots", "best_edge"), np.int32)
_FLOAT64 = dict.fromkeys(("log_marginal", "edge_log_marginal"), np.float64)
_DTYPES: dict[str, Any] = {"is_constituent": np.bool_, **_INT32, **_FLOAT64}


def object_of_forest(forest: ForestArrays) -> ForestObject:
    """The JSON object of a forest, see :meth:`ParseForest.to_dict`."""
    lists: dict[str, Any] = {name: np.asarray(getattr(forest, name)).tolist() for name in _DTYPES}
    if not np.isnan(forest.log_posterior).all():
        lists["log_posterior"] = [None if x != x else x for x in forest.log_posterior.tolist()]
    return ForestObject(version=_JSON_VERSION, labels=list(forest.labels), **lists)


def arrays_of_object(listed: ForestObject) -> dict[str, Any]:
    """The fields of a forest by name, from its JSON object."""
    if listed.version != _JSON_VERSION:
        raise InputError(f"expected version {_JSON_VERSION}, found {listed.version}", field="version")
    arrays: dict[str, Any] = {
        name: np.array(getattr(listed, name), dtype=kind) for name, kind in _DTYPES.items()
    }
    arrays["edges"] = arrays["edges"].reshape(-1, 3)
    if listed.log_posterior is not None:
        arrays["log_posterior"] = np.array(listed.log_posterior, dtype=np.float64)
    return {"labels": tuple(listed.labels), **arrays}


def check_forest(forest: ForestArrays) -> None:
    """Check the invariants that :class:`ParseForest` documents; raises InputError that names the field."""
    _check_shapes(forest)
    _check_nodes(forest)
    _check_labels(forest)
    _check_edges(forest)
    _check_roots(forest)
    _check_sums(forest)


# The writer may have rounded logarithms; probabilities below the floor do not matter.
_ROUNDING = 1e-3
_FLOOR = -500.0
_AT_MOST_ZERO = "finite values of at most 0"


def _require(condition: bool | np.bool_, field: str, expected: str) -> None:
    if not condition:
        raise InputError(f"expected {expected}", field=field)


def _check_shapes(forest: ForestArrays) -> None:
    count = len(forest.labels)
    _require(count > 0, "labels", "at least one node")
    for name in ("start", "end", "is_constituent", "head", "log_marginal", "best_edge", "log_posterior"):
        shape = getattr(forest, name).shape
        _require(shape == (count,), name, f"{count} values, one per node, found shape {shape}")
    edges = forest.edges
    _require(edges.ndim == 2 and edges.shape[1] == 3, "edges", "triples (parent, left, right)")
    shape = forest.edge_log_marginal.shape
    _require(
        shape == (len(edges),), "edge_log_marginal", f"{len(edges)} values, one per edge, found shape {shape}"
    )
    _require(forest.roots.ndim == 1 and len(forest.roots) > 0, "roots", "at least one root")


def _check_nodes(forest: ForestArrays) -> None:
    start, end = forest.start, forest.end
    _require((start >= 0).all() and (start < end).all(), "end", "spans start < end from 0")
    inside = (forest.head >= start) & (forest.head < end)
    _require(inside.all(), "head", "the head of each node inside its span")
    lengths = end - start
    _require((np.diff(lengths) >= 0).all(), "start", "nodes in bottom-up order, shorter spans first")
    finite = np.isfinite(forest.log_marginal)
    _require((finite & (forest.log_marginal <= 0)).all(), "log_marginal", _AT_MOST_ZERO)
    known = forest.log_posterior[~np.isnan(forest.log_posterior)]
    _require((np.isfinite(known) & (known <= 0)).all(), "log_posterior", _AT_MOST_ZERO)


def _check_labels(forest: ForestArrays) -> None:
    expected = "a chain of labels without blanks and brackets, joined by '::'"
    for node, label in enumerate(forest.labels):
        _require(is_chain(label), f"labels[{node}]", f"{expected}, found {label!r}")
    # Nodes that are not constituents do not appear in brackets: a word or a sentence must be one.
    leaves = forest.end - forest.start == 1
    _require(forest.is_constituent[leaves].all(), "is_constituent", "constituents at all leaves")
    of_others = forest.log_posterior[~forest.is_constituent]
    _require(np.isnan(of_others).all(), "log_posterior", "null where a node is no constituent")


def _check_edges(forest: ForestArrays) -> None:
    count, edges, start, end = len(forest.labels), forest.edges, forest.start, forest.end
    _require(((edges >= 0) & (edges < count)).all(), "edges", f"node numbers below {count}")
    parent, left, right = edges.T
    adjacent = (start[parent] == start[left]) & (end[left] == start[right]) & (end[right] == end[parent])
    _require(adjacent.all(), "edges", "children that lie side by side and fill their parent")
    in_order = [tuple(edge) for edge in edges.tolist()]
    _require(in_order == sorted(set(in_order)), "edges", "edges in ascending order without duplicates")
    has_edge = np.zeros(count, dtype=bool)
    has_edge[parent] = True
    _require((has_edge == (end - start > 1)).all(), "edges", "an edge below every node of several tokens")
    finite = np.isfinite(forest.edge_log_marginal)
    _require((finite & (forest.edge_log_marginal <= 0)).all(), "edge_log_marginal", _AT_MOST_ZERO)


def _check_roots(forest: ForestArrays) -> None:
    roots, best = forest.roots, forest.best_edge
    _require(((roots >= 0) & (roots < len(forest.labels))).all(), "roots", "numbers of nodes")
    whole = (forest.start[roots] == 0) & (forest.end[roots] == forest.end.max())
    _require(whole.all(), "roots", "nodes that cover the whole sentence")
    _require(len(np.unique(roots)) == len(roots), "roots", "every root once")
    _require(forest.is_constituent[roots].all(), "is_constituent", "constituents at all roots")
    _require(((best >= -1) & (best < len(forest.edges))).all(), "best_edge", "numbers of edges, or -1")
    chosen = np.flatnonzero(best >= 0)
    _require((forest.edges[best[chosen], 0] == chosen).all(), "best_edge", "edges of the node itself")
    todo = [int(roots[0])]
    while todo:
        node = todo.pop()
        if forest.end[node] - forest.start[node] > 1:
            _require(best[node] >= 0, "best_edge", "a choice at every inner node of the best tree")
            todo.extend(forest.edges[best[node], 1:].tolist())


def _check_sums(forest: ForestArrays) -> None:
    """Check sums of edges: each tree has one edge below an inner node and one above any node but its root."""
    count = len(forest.labels)
    shares = np.exp(forest.edge_log_marginal)
    below, above = np.zeros(count), np.zeros(count)
    np.add.at(below, forest.edges[:, 0], shares)
    np.add.at(above, forest.edges[:, 1], shares)
    np.add.at(above, forest.edges[:, 2], shares)
    inner, under = forest.end - forest.start > 1, np.ones(count, dtype=bool)
    under[forest.roots] = False
    for place, sums, nodes in (("below", below, inner), ("above", above, under)):
        given = np.maximum(forest.log_marginal[nodes], _FLOOR)
        with np.errstate(divide="ignore"):
            summed = np.maximum(np.log(sums[nodes]), _FLOOR)
        expected = f"sums over the edges {place} each node to equal its own"
        _require((np.abs(given - summed) <= _ROUNDING).all(), "edge_log_marginal", expected)
