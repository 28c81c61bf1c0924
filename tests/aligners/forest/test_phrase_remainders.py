"""Words that are left over in sure pairs of phrases."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from forest_align.aligners.forest._phrase_remainders import left_over_links
from forest_align.types import Sentence

SOURCE = Sentence.from_words(["He", "had", "a", "heart", "attack", "yesterday"])
TARGET = Sentence.from_words(["Yesterday", "he", "had", "a", "myocardial", "infarction"])
LINKS = {(0, 1): 1.0, (1, 2): 1.0, (2, 3): 1.0, (4, 5): 0.8, (5, 0): 1.0}
SCORES = {**LINKS, (3, 4): 0.3, (3, 5): 0.4}


def pair(source: tuple[int, int], target: tuple[int, int], probability: float) -> Any:
    return SimpleNamespace(
        source_node=SimpleNamespace(span=source),
        target_node=SimpleNamespace(span=target),
        probability=probability,
    )


def left_over(*pairs: Any, links: Any = LINKS, scores: Any = SCORES) -> dict[tuple[int, int], float]:
    return left_over_links(SOURCE, TARGET, pairs, links, scores)


def test_the_two_content_words_that_a_sure_pair_leaves_over_are_linked() -> None:
    assert left_over(pair((3, 5), (4, 6), 0.95)) == {(3, 4): 0.3}
    assert left_over(pair((2, 5), (3, 6), 0.95), pair((3, 5), (4, 6), 0.95)) == {(3, 4): 0.3}


@pytest.mark.parametrize(
    "pairs",
    [
        (pair((3, 5), (4, 6), 0.9),),  # not sure
        (pair((0, 5), (1, 6), 0.95),),  # long
        (pair((4, 5), (4, 6), 0.95),),  # a word is left over on one side only
        (),
    ],
)
def test_other_pairs_link_nothing(pairs: Any) -> None:
    assert left_over(*pairs) == {}


def test_nothing_is_linked_among_several_words_or_without_a_probability() -> None:
    sure = pair((3, 5), (4, 6), 0.95)
    assert left_over(sure, links={key: value for key, value in LINKS.items() if key != (4, 5)}) == {}
    assert left_over(sure, scores=LINKS) == {}
