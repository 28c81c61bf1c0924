"""What is read from JSON has the type and range that was expected, or is refused with field and reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from forest_align.types import InputError, Sentence
from forest_align.types.json_fields import (
    Fields,
    check_integer,
    check_number,
    check_probability,
    parse_json_object,
)
from forest_align.types.json_records import check_span


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a" 1}', "not JSON: Expecting ':' delimiter at column 6"),
        ("", "not JSON: Expecting value at column 1"),
        ('{"a": NaN}', "not JSON: NaN is not a JSON number"),
        ('{"a": -Infinity}', "not JSON: -Infinity is not a JSON number"),
        (f'{{"a": {"9" * 5000}}}', "not JSON: Exceeds the limit"),
        ("[" * 100_000, "not JSON: maximum recursion depth"),
        ("[1]", "expected a JSON object, found list"),
        ('"a"', 'expected a JSON object, found string "a"'),
        (json.dumps("a" * 500), "expected a JSON object, found string"),
        ("7", "expected a JSON object, found number 7"),
        ("true", "expected a JSON object, found true"),
        ("null", "expected a JSON object, found null"),
    ],
)
def test_what_is_no_json_object_is_refused_with_what_it_is(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_json_object(text)
    assert caught.value.message.startswith(message)
    assert len(caught.value.message) < 200
    with pytest.raises(InputError) as caught:
        Sentence.from_json(text, file="x.jsonl", line=3)
    assert (caught.value.file, caught.value.line) == ("x.jsonl", 3)


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (check_integer, [0, -3], [True, 1.0, "1", None]),
        (check_number, [0, -3, 1.5], [True, "1", 10**400, float("inf"), float("nan"), None]),
        (check_probability, [0, 0.0, 0.5, 1, 1.0], [-1e-9, 1.0000001, True, 2]),
        (check_span, [(0, 1), (3, 9)], [(1, 1), (2, 1)]),
    ],
)
def test_only_values_of_the_type_and_in_range_are_taken(
    check: Callable[[Any, str], Any], good: list[Any], bad: list[Any]
) -> None:
    for value in good:
        assert check(value, "a[2].b") == value
    for value in bad:
        with pytest.raises(InputError) as caught:
            check(value, "a[2].b")
        assert caught.value.field == "a[2].b"


def test_whole_numbers_are_names_too_and_truth_values_are_not() -> None:
    fields = Fields({"a": 7, "b": 7.0, "c": "7", "d": True, "e": 7.5, "f": None, "g": float("inf")}, "x")
    assert [fields.identifier(key) for key in "abc"] == ["7"] * 3
    for key, message in (("d", "found true"), ("e", "found number 7.5"), ("g", "found number Infinity")):
        with pytest.raises(InputError, match=message) as caught:
            fields.identifier(key)
        assert caught.value.field == f"x.{key}"
    assert fields.identifier("f", "") == "" and not fields.has("f")
    with pytest.raises(InputError, match="this field is required"):
        fields.identifier("f")
