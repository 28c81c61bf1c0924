"""A message says where the trouble is: file, line and field, as far as they are known."""

from __future__ import annotations

import pytest

from forest_align.types import ForestAlignError, InputError, ModelError


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ({}, "wrong"),
        ({"file": "a b.tsv"}, "a b.tsv: wrong"),
        ({"file": "a.tsv", "line": 3}, "a.tsv:3: wrong"),
        ({"line": 3}, "line 3: wrong"),
        ({"field": "id"}, "field 'id': wrong"),
        ({"file": "a.tsv", "line": 3, "field": "id"}, "a.tsv:3: field 'id': wrong"),
    ],
)
def test_the_place_stands_before_the_message(place: dict[str, object], message: str) -> None:
    assert str(InputError("wrong", **place)) == message  # type: ignore[arg-type]


def test_one_except_clause_catches_every_error_of_ours() -> None:
    assert issubclass(InputError, ForestAlignError) and issubclass(ModelError, ForestAlignError)
    assert issubclass(InputError, ValueError)
