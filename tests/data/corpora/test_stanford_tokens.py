from __future__ import annotations

import pytest

from forest_align.alignment import Links
from forest_align.data.corpora.retokenize import conform


@pytest.mark.parametrize(
    ("source", "target", "stays"),
    [
        ("-", ",", False),
        ("'", "'s", False),
        ("...", ".", False),
        (".", ".", True),
        ("%", "percent", True),
        ("by", "'", True),
    ],
)
def test_different_marks_of_punctuation_are_not_linked(source: str, target: str, stays: bool) -> None:
    links = Links.of([(0, 0)])
    assert conform(links, [source, "x"], [target, "x"]) == (links if stays else Links())


def test_behind_a_mixed_number_links_are_found_a_token_too_far_left_but_at_the_end() -> None:
    words = ["for", "33", "1\\/3", "hours", "of", "flight", "."]
    links = Links.of([(0, 0), (1, 0), (5, 1), (6, 2)], sure=[True, True, False, True])
    found = conform(links, words, ["For", "flight", "."])
    assert found == Links.of([(0, 0), (1, 0), (4, 1), (6, 2)], sure=[True, True, False, True])
    assert conform(links, ["and", "1\\/3", "b", "c", "d", "e", "."], ["a", "b", "."]) == links
