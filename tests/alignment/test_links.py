"""Links are a sorted set, whatever they were made from, and Pharaoh lines hold all but their scores."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Links
from forest_align.types import InputError

PAIRS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=12)


@st.composite
def links(draw: st.DrawFn) -> Links:
    pairs = draw(PAIRS)
    count = len(pairs)
    sure = draw(st.none() | st.lists(st.booleans(), min_size=count, max_size=count))
    scores = draw(st.none() | st.lists(st.floats(0, 1), min_size=count, max_size=count))
    return Links.of(pairs, sure=sure, scores=scores)


@given(links())
def test_pairs_are_sorted_and_each_is_there_once(found: Links) -> None:
    assert list(found) == sorted(set(found.pairs))
    assert all(pair in found for pair in found) and (99, 99) not in found
    assert all(values is None or len(values) == len(found) for values in (found.sure, found.scores))


@given(links())
def test_swapping_turns_every_link_and_twice_changes_nothing(found: Links) -> None:
    swapped = found.swap()
    assert {(j, i) for i, j in swapped} == set(found)
    for k, (i, j) in enumerate(found):
        at = swapped.pairs.index((j, i))
        assert found.sure is None or (swapped.sure or ())[at] == found.sure[k]
        assert found.scores is None or (swapped.scores or ())[at] == found.scores[k]
    assert swapped.swap() == found


@given(links())
def test_pharaoh_lines_hold_pairs_and_classes(found: Links) -> None:
    again = Links.from_pharaoh(found.to_pharaoh())
    assert again.pairs == found.pairs
    assert again.only_sure().pairs == found.only_sure().pairs


@given(links())
def test_the_sure_links_are_those_not_called_possible(found: Links) -> None:
    kept = found.only_sure()
    assert kept.sure is None
    expected = [pair for k, pair in enumerate(found) if found.sure is None or found.sure[k]]
    assert list(kept) == expected
    assert kept.scores is None or len(kept.scores) == len(kept)


@pytest.mark.parametrize(
    "item", ["0", "0-", "-1", "a-1", "0-1-2", "0:1", "0p", "0-1p2", "1.0-2", "٣-0", "0-²"]
)
def test_an_item_that_is_no_link_is_quoted(item: str) -> None:
    with pytest.raises(InputError, match="expected links such as 0-0 or 1p2, found") as caught:
        Links.from_pharaoh(f"0-0 {item}")
    assert repr(item) in str(caught.value)


def test_lists_of_other_lengths_and_negative_indices_are_refused() -> None:
    with pytest.raises(InputError, match="field 'sure': expected 1 values, one per link, found 2"):
        Links.of([(0, 0)], sure=[True, False])
    with pytest.raises(InputError, match="field 'scores': expected 1 values, one per link, found 0"):
        Links.of([(0, 0)], scores=[])
    with pytest.raises(InputError, match="token indices from 0, found 0--1"):
        Links.of([(0, -1)])


@pytest.mark.parametrize("pairs", [["0-0"], ["00"], [(0.5, 1)], [("1", "2")], [(0, 0, 0)], [0, 1], [None]])
def test_what_is_no_pair_of_indices_is_refused(pairs: Any) -> None:
    with pytest.raises(InputError, match="expected pairs of token indices, found") as caught:
        Links.of(pairs)
    assert repr(pairs[0]) in str(caught.value)


def test_a_text_is_not_taken_for_links() -> None:
    with pytest.raises(InputError, match=r"expected pairs, found '0-0'; Links\.from_pharaoh reads a text"):
        Links.of("0-0")  # type: ignore[arg-type]


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_not_finite_is_refused(score: float) -> None:
    with pytest.raises(InputError, match=f"field 'scores': expected finite numbers, found {score} for 1-0"):
        Links.of([(0, 0), (1, 0)], scores=[0.5, score])


@pytest.mark.parametrize(("pair", "fits"), [((1, 2), True), ((2, 0), False), ((0, 3), False)])
def test_links_beyond_a_sentence_are_named(pair: tuple[int, int], fits: bool) -> None:
    found = Links.of([(0, 0), pair])
    if fits:
        assert found.check(2, 3) is found
        return
    with pytest.raises(InputError, match=f"link {pair[0]}-{pair[1]} is out of range"):
        found.check(2, 3)


@given(links())
def test_json_holds_all_of_the_links(found: Links) -> None:
    assert Links.from_dict(json.loads(json.dumps(found.to_dict()))) == found


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({}, "gold.pairs"),
        ({"pairs": [[0, 0], [0]]}, "gold.pairs[1]"),
        ({"pairs": [[0, True]]}, "gold.pairs[0][1]"),
        ({"pairs": [[0, -1]]}, "gold.pairs[0][1]"),
        ({"pairs": [[0, 1], [0, 1]]}, "gold.pairs"),
        ({"pairs": [[0, 1]], "sure": [1]}, "gold.sure[0]"),
        ({"pairs": [[0, 1]], "scores": []}, "gold.scores"),
        ({"pairs": [[0, 1]], "scores": ["x"]}, "gold.scores[0]"),
        ([], "gold"),
    ],
)
def test_wrong_links_are_refused_with_their_field(values: Any, field: str) -> None:
    with pytest.raises(InputError) as caught:
        Links.from_dict(values, "gold")
    assert caught.value.field == field


@pytest.mark.parametrize("order", [1, -1])
def test_a_link_that_is_there_twice_is_sure_if_once_and_keeps_its_highest_score(order: int) -> None:
    found = Links.of([(0, 0), (0, 0)], sure=[True, False][::order], scores=[0.75, 0.5][::order])
    assert found == Links(((0, 0),), (True,), (0.75,))


def test_links_are_a_table_for_pandas() -> None:
    pytest.importorskip("pandas")
    links = Links.of([(1, 2), (0, 0)], scores=[0.5, 1.0])
    frame = links.to_frame()
    assert list(frame.columns) == ["source", "target", "score"]
    assert frame.values.tolist() == [[0, 0, 1.0], [1, 2, 0.5]]
    frame = Links.of([(0, 1)], sure=[False]).to_frame(["a"], ["b", "c"])
    assert frame.to_dict("records") == [
        {"source": 0, "target": 1, "source_word": "a", "target_word": "c", "sure": False}
    ]
    assert list(Links().to_frame().columns) == ["source", "target"] and len(Links().to_frame()) == 0
    with pytest.raises(InputError, match="out of range"):
        links.to_frame(["a"], ["b"])


def test_the_table_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        Links().to_frame()
