from __future__ import annotations

import pytest

from forest_align.alignment import Alignment, Links
from forest_align.service.line_index import FILTERS, PairQuery, find_pairs
from forest_align.types import Sentence


def pair(number: int, words: Links, error: str = "") -> Alignment:
    source, target = Sentence.from_words(["Number", str(number)]), Sentence.from_words(["Straße"])
    return Alignment(source, target, words, id=f"id-{number}", error=error)


SURE, UNSURE = Links.of([(0, 0)], scores=[0.9]), Links.of([(0, 0), (1, 0)], scores=[0.9, 0.4])
#: Of twelve pairs, the third is broken, the fifth has no links, each fourth an improbable one.
PAIRS = [
    pair(k, UNSURE if k % 4 == 0 else Links() if k in (3, 5) else SURE, "broken" if k == 3 else "")
    for k in range(1, 13)
]


def lines_of(query: PairQuery, first: int = 1, size: int = 10) -> list[int]:
    found = find_pairs(lambda line: PAIRS[line - 1], query, first, len(PAIRS), size)
    assert found.first == first
    return [line for line, _ in found.pairs]


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        (PairQuery(), list(range(1, 11))),
        (PairQuery("NUMBER 1"), [1, 10, 11, 12]),
        (PairQuery("strasse"), list(range(1, 11))),
        (PairQuery("id-7"), [7]),
        (PairQuery("nothing"), []),
        (PairQuery(show="errors"), [3]),
        (PairQuery("BROKEN"), [3]),
        (PairQuery(show="unlinked"), [5]),
        (PairQuery(show="unsure"), [4, 8, 12]),
        (PairQuery("12", "unsure"), [12]),
    ],
)
def test_pairs_are_found_by_text_and_by_what_became_of_them(query: PairQuery, lines: list[int]) -> None:
    assert lines_of(query) == lines
    assert bool(query) == (query != PairQuery()) and query.show in FILTERS


def test_a_search_ends_with_its_page_and_goes_on_behind_it() -> None:
    found = find_pairs(lambda line: PAIRS[line - 1], PairQuery(show="unsure"), 1, len(PAIRS), 2)
    assert [line for line, _ in found.pairs] == [4, 8] and found.last == 8
    assert lines_of(PairQuery(show="unsure"), first=9) == [12]
