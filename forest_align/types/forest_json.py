"""Forests as JSON values, and back: every list is checked, item by item, before a forest is made of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from forest_align.types.errors import InputError
from forest_align.types.forest import ParseForest
from forest_align.types.forest_check import check_forest
from forest_align.types.json_fields import (
    Fields,
    check_boolean,
    check_integer,
    check_list,
    check_number,
    check_texts,
)

JSON_VERSION = 1

_NUMBERS: dict[str, Any] = {
    "start": np.int32,
    "end": np.int32,
    "is_constituent": np.bool_,
    "head": np.int32,
    "log_marginal": np.float64,
    "edges": np.int32,
    "edge_log_marginal": np.float64,
    "roots": np.int32,
    "best_edge": np.int32,
}
_ORDER = ("start", "end", "labels", *list(_NUMBERS)[2:])
_CHECKS: dict[Any, Callable[[Any, str], Any]] = {
    np.int32: check_integer,
    np.bool_: check_boolean,
    np.float64: check_number,
}
_INT32 = np.iinfo(np.int32)


def values_of(forest: ParseForest) -> dict[str, Any]:
    """JSON values of a forest, see :meth:`ParseForest.to_dict`."""
    values = {name: np.asarray(getattr(forest, name)).tolist() for name in _ORDER}
    if not np.isnan(forest.log_posterior).all():
        values["log_posterior"] = [None if x != x else x for x in forest.log_posterior.tolist()]
    return {"version": JSON_VERSION, **values}


def read_forest(data: Any, path: str = "") -> ParseForest:
    """Make a forest of JSON values, see :meth:`ParseForest.from_dict`."""
    fields = Fields(data, path)
    version = fields.integer("version")
    if version != JSON_VERSION:
        raise InputError(f"expected version {JSON_VERSION}, found {version}", field=fields.name("version"))
    arrays = {name: _read_array(fields, name, kind) for name, kind in _NUMBERS.items()}
    if fields.has("log_posterior"):
        name = fields.name("log_posterior")
        listed = [
            np.nan if x is None else check_number(x, f"{name}[{k}]")
            for k, x in enumerate(fields.items("log_posterior"))
        ]
        arrays["log_posterior"] = np.array(listed, dtype=np.float64)
    labels = check_texts(fields.items("labels"), fields.name("labels"))
    forest = ParseForest(labels=tuple(labels), **arrays)
    try:
        check_forest(forest)
    except InputError as error:
        raise InputError(error.message, field=error.field and fields.name(error.field)) from None
    return forest


def _read_array(fields: Fields, key: str, kind: Any) -> np.ndarray:
    """The array of a field, of items that are all of its kind; hyperedges are triples of them."""
    name, check = fields.name(key), _CHECKS[kind]
    listed = fields.items(key)
    if key == "edges":
        found = [_edge(item, f"{name}[{k}]") for k, item in enumerate(listed)]
        return np.array(found, dtype=np.int32).reshape(-1, 3)
    values = [check(item, f"{name}[{k}]") for k, item in enumerate(listed)]
    if kind is np.int32:
        _check_size(values, name)
    return np.array(values, dtype=kind)


def _edge(value: Any, name: str) -> list[int]:
    edge = [check_integer(item, name) for item in check_list(value, name, 3)]
    _check_size(edge, name)
    return edge


def _check_size(values: list[int], name: str) -> None:
    if any(not _INT32.min <= value <= _INT32.max for value in values):
        raise InputError("expected 32-bit numbers", field=name)
