"""Joins of natural logic: laws, and the table that the docs print."""

from __future__ import annotations

from itertools import product

import pytest

from forest_align.meaning.relation_algebra import (
    DIFFERENT,
    EQUIVALENT,
    GENERAL,
    MIXED,
    OPPOSITE,
    SPECIFIC,
    STRENGTH,
    UNKNOWN,
    flipped,
    join,
    joined,
)
from tests.places import ROOT

_PAGE = ROOT / "docs" / "background" / "meaning.md"


def test_joins_are_commutative_associative_and_idempotent() -> None:
    for one, two, three in product(STRENGTH, repeat=3):
        assert join(one, two) == join(two, one)
        assert join(join(one, two), three) == join(one, join(two, three))
        assert join(one, one) == one


@pytest.mark.parametrize("relation", STRENGTH)
def test_a_join_never_becomes_weaker_when_words_are_added(relation: str) -> None:
    for other in STRENGTH:
        assert joined([relation, other, EQUIVALENT]) == join(relation, other)
        assert STRENGTH.index(join(relation, other)) >= STRENGTH.index(relation)


def test_flipping_turns_the_order_around_and_joins_with_it() -> None:
    assert flipped(SPECIFIC) == GENERAL
    for one, two in product(STRENGTH, repeat=2):
        assert flipped(flipped(one)) == one
        assert flipped(join(one, two)) == join(flipped(one), flipped(two))


def test_the_table_of_the_page_is_that_of_the_code() -> None:
    names = {
        "equivalent": EQUIVALENT,
        "more specific": SPECIFIC,
        "more general": GENERAL,
        "different": DIFFERENT,
        "opposite": OPPOSITE,
        "each says more": MIXED,
        "nothing known": UNKNOWN,
    }
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in _PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith(("| joined", *(f"| **{name}**" for name in names)))
    ]
    head = rows[0][1:]
    assert len(rows) == len(head) + 1 == len(names) + 1
    for row in rows[1:]:
        for name, cell in zip(head, row[1:], strict=True):
            assert names[cell] == join(names[row[0].strip("*")], names[name]), (row[0], name)
