"""The JSON objects of a sentence and of its forest, made of both and read with checks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import numpy as np
from msgspec import Meta

from forest_align.types.brackets import is_chain
from forest_align.types.errors import InputError
from forest_align.types.json_records import JsonObject, Span, Written, check_length
from forest_align.types.node import ForestArrays

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def usual_offsets(words: Sequence[str], text: str) -> Iterator[tuple[int, int]]:
    """Offsets of words joined by single spaces; unknown (-1) if the text is anything else."""
    known, at = " ".join(words) == text, 0
    for word in words:
        yield (at, at + len(word)) if known else (-1, -1)
        at += len(word) + 1


def starts_of(spans: Sequence[tuple[int, int]], count: int) -> tuple[int, ...]:
    """Where further sentences begin, from the spans of all of them."""
    starts = tuple(start for start, _ in spans[1:])
    if spans and (spans != list(pairwise((0, *starts, count))) or any(start >= end for start, end in spans)):
        raise InputError(
            f"expected spans that follow each other through all {count} tokens", field="sentences"
        )
    return starts


def check_offsets(
    offsets: list[tuple[int, int]] | None, count: int, length: int
) -> list[tuple[int, int]] | None:
    """Check the offsets of ``count`` tokens in a text of ``length`` characters; -1 and -1 are unknown."""
    for place, (start, end) in enumerate(check_length(offsets, count, "offsets") or ()):
        if (start, end) != (-1, -1) and not 0 <= start <= end <= length:
            raise InputError(
                f"expected offsets inside a text of {length} characters, found [{start}, {end}]",
                field=f"offsets[{place}]",
            )
    return offsets


_Int32 = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Offsets = Annotated[
    tuple[Annotated[int, Meta(ge=-1)], Annotated[int, Meta(ge=-1)]],
    Meta(description="Characters of text; -1 if unknown."),
]
_PerToken = Meta(description="One a token.")


class SentenceObject(JsonObject, kw_only=True, frozen=True):
    """A sentence, or a text of several."""

    text: Written[str] = None
    tokens: list[str]
    tags: Annotated[list[str] | None, _PerToken] = None
    lemmas: Annotated[list[str] | None, _PerToken] = None
    offsets: Annotated[list[Offsets] | None, _PerToken] = None
    sentences: Annotated[list[Span] | None, Meta(description="If there are several sentences.")] = None
    tree: Annotated[str | None, Meta(description="The tree that the alignment chose, in Penn brackets.")] = (
        None
    )


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


class ParsedSentenceObject(SentenceObject, kw_only=True, frozen=True):
    """A sentence with its forest."""

    forest: ForestObject | None = None


Forest = TypeVar("Forest", bound=ForestArrays)

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


def forest_of_object(make: Callable[..., Forest], listed: ForestObject, path: str = "") -> Forest:
    """Build a forest from its JSON object, see :meth:`ParseForest.from_dict`."""
    try:
        if listed.version != _JSON_VERSION:
            raise InputError(f"expected version {_JSON_VERSION}, found {listed.version}", field="version")
        arrays = {name: np.array(getattr(listed, name), dtype=kind) for name, kind in _DTYPES.items()}
        arrays["edges"] = arrays["edges"].reshape(-1, 3)
        if listed.log_posterior is not None:
            arrays["log_posterior"] = np.array(listed.log_posterior, dtype=np.float64)
        forest = make(labels=tuple(listed.labels), **arrays)
        check_forest(forest)
    except InputError as error:
        raise error.inside(path) from None
    return forest


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
        shape == (len(edges),), "edge_log_marginal", f"{len(edges)} values, one an edge, found shape {shape}"
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
    for node, label in enumerate(forest.labels):
        well_formed = is_chain(label)
        _require(
            well_formed,
            f"labels[{node}]",
            f"a chain of labels without blanks and brackets, joined by '::', found {label!r}",
        )
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
    _require_sums(
        forest, below, inner, "edge_log_marginal", "sums over the edges below each node to equal its own"
    )
    _require_sums(
        forest, above, under, "edge_log_marginal", "sums over the edges above each node to equal its own"
    )


def _require_sums(
    forest: ForestArrays, sums: np.ndarray, chosen: np.ndarray, field: str, expected: str
) -> None:
    given = np.maximum(forest.log_marginal[chosen], _FLOOR)
    with np.errstate(divide="ignore"):
        found = np.maximum(np.log(sums[chosen]), _FLOOR)
    _require((np.abs(given - found) <= _ROUNDING).all(), field, expected)
