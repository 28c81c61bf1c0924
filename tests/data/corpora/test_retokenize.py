""""""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Links
from forest_align.data.corpora.retokenize import conform, move_links


def map_tokens(old: list[str], new: list[str]) -> list[tuple[int, ...]]:
    """For each old token the new tokens that its link to some other sentence goes to."""
    other = (["x"], ["x"])
    links = [move_links(Links.of([(index, 0)]), (old, new), other) for index in range(len(old))]
    return [tuple(index for index, _ in moved) for moved in links]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a b", "a b", [(0,), (1,)]),
        ("the end.", "the end .", [(0,), (1,)]),
        ("the end .", "the end.", [(0,), (1,), ()]),
        ("New York", "NewYork", [(0,), (0,)]),
        ("well-known", "well - known", [(0, 2)]),
        ("-LRB- `` x '' -RRB-", '( " x " )', [(0,), (1,), (2,), (3,), (4,)]),
        ("a extra b", "a b", [(0,), (), (1,)]),
        ("", "a", []),
    ],
)
def test_tokens_are_followed_by_their_characters(old: str, new: str, expected: list[tuple[int, ...]]) -> None:
    assert map_tokens(old.split(), new.split()) == expected


tokens = st.lists(st.text("ab.", min_size=1, max_size=3), max_size=6)


@given(tokens, tokens)
def test_indices_are_in_range_and_ascending(old: list[str], new: list[str]) -> None:
    found = map_tokens(old, new)
    assert len(found) == len(old)
    assert all(list(indices) == sorted(set(indices)) for indices in found)
    assert all(0 <= index < len(new) for indices in found for index in indices)


@given(tokens, st.data())
def test_links_stay_where_tokens_stay(words: list[str], data: st.DataObject) -> None:
    index = st.integers(0, max(len(words) - 1, 0))
    pairs = data.draw(st.lists(st.tuples(index, index), unique=True)) if words else []
    links = Links.of(pairs, sure=[False] * len(pairs), scores=[0.5] * len(pairs))
    assert move_links(links, (words, list(words)), (words, list(words))) == links


def test_a_link_to_a_split_token_goes_to_all_its_words() -> None:
    moved = move_links(
        Links.of([(0, 0)], sure=[False]), (["well-known"], ["well", "-", "known"]), (["famous"], ["famous"])
    )
    assert moved == Links.of([(0, 0), (2, 0)], sure=[False, False])


def test_moved_links_keep_their_classes_and_scores() -> None:
    links = Links.of([(0, 0), (1, 1)], sure=[True, False], scores=[0.9, 0.4])
    moved = move_links(links, (["a", "b-c"], ["a", "b", "-", "c"]), (["x", "y"], ["x", "y"]))
    assert moved == Links.of([(0, 0), (1, 1), (3, 1)], sure=[True, False, False], scores=[0.9, 0.4, 0.4])


def test_a_full_stop_that_became_part_of_an_abbreviation_is_not_taken_for_another_one() -> None:
    old, new = ["Co.", "Ltd", "."], ["Co.", ".", "Ltd."]
    assert map_tokens(old, new) == [(0,), (2,), ()]


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
