"""Links are a sorted set, whatever they were made from; pairs of dependency arcs join the words of links."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Alignment, ArcPair, Links
from forest_align.types import InputError, Sentence

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
        place = swapped.pairs.index((j, i))
        assert found.sure is None or (swapped.sure or ())[place] == found.sure[k]
        assert found.scores is None or (swapped.scores or ())[place] == found.scores[k]
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


@pytest.mark.parametrize(
    ("pairs", "values", "message"),
    [
        ([(0, 0)], {"sure": [True, False]}, "field 'sure': expected 1 values, one per link, found 2"),
        ([(0, 0)], {"scores": []}, "field 'scores': expected 1 values, one per link, found 0"),
        ([(0, -1)], {}, "expected token indices from 0, found 0--1"),
        ("0-0", {}, "expected pairs, found '0-0'; Links.from_pharaoh reads a text"),
        *(
            (
                [(0, 0), (1, 0)],
                {"scores": [0.5, score]},
                f"field 'scores': expected finite numbers, found {score}",
            )
            for score in (float("nan"), float("inf"), float("-inf"))
        ),
        *(
            ([pair], {}, f"expected pairs of token indices, found {pair!r}")
            for pair in ("0-0", "00", (0.5, 1), ("1", "2"), (0, 0, 0), 0, None)
        ),
    ],
)
def test_what_makes_no_links_is_refused(pairs: Any, values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        Links.of(pairs, **values)


def test_links_beyond_a_sentence_are_named() -> None:
    inside = Links.of([(0, 0), (1, 2)])
    assert inside.check(2, 3) is inside
    for i, j in ((2, 0), (0, 3)):
        with pytest.raises(InputError, match=f"link {i}-{j} is out of range"):
            Links.of([(0, 0), (i, j)]).check(2, 3)


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


def test_links_are_a_table_for_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    links = Links.of([(1, 2), (0, 0)], scores=[0.5, 1.0])
    frame = links.to_frame()
    assert list(frame.columns) == ["source", "target", "score"]
    assert frame.values.tolist() == [[0, 0, 1.0], [1, 2, 0.5]]
    frame = Links.of([(0, 1)], sure=[False]).to_frame(["a"], ["b", "c"])
    row = {"source": 0, "target": 1, "source_word": "a", "target_word": "c", "sure": False}
    assert frame.to_dict("records") == [row]
    assert list(Links().to_frame().columns) == ["source", "target"] and len(Links().to_frame()) == 0
    with pytest.raises(InputError, match="out of range"):
        links.to_frame(["a"], ["b"])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        Links().to_frame()


ROOT = ArcPair((-1, 1), (-1, 2), "root", "root")
SUBJECT = ArcPair((1, 0), (2, 0), "nsubj", "agent")
ALIGNMENT = Alignment(
    Sentence.from_words(["He", "died"]),
    Sentence.from_words(["He", "has", "died"]),
    Links.of([(0, 0), (1, 2)], scores=[0.4, 0.9]),
    arcs=(SUBJECT, ROOT),
    score=12.345,
)


def test_arcs_and_score_come_back_from_json_and_need_not_be_there() -> None:
    values = ALIGNMENT.to_dict()
    relations = {"source_relation": "nsubj", "target_relation": "agent"}
    assert values["arcs"][0] == {"source": [1, 0], "target": [2, 0], **relations}
    assert values["score"] == 12.345 and values["log_probability"] is None
    assert Alignment.from_json(ALIGNMENT.to_json()).arcs == ALIGNMENT.arcs
    del values["arcs"], values["score"]
    read = Alignment.from_dict(values)
    assert (read.arcs, read.score) == ((), None)
    assert not {"arcs", "score"} & set(read.to_dict())


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"source": [2, 0]}, "arcs[0].source"),
        ({"source": [-2, 0]}, "arcs[0].source[0]"),
        ({"target": [0, -1]}, "arcs[0].target"),
        ({"target": [0]}, "arcs[0].target"),
        ({"target": [0, True]}, "arcs[0].target[1]"),
        ({"source_relation": 1}, "arcs[0].source_relation"),
    ],
)
def test_broken_arcs_are_refused_by_name(change: dict[str, Any], field: str) -> None:
    values = ALIGNMENT.to_dict()
    values["arcs"][0] |= change
    with pytest.raises(InputError) as error:
        Alignment.from_dict(values)
    assert error.value.field == field


def test_arcs_whose_words_lose_their_link_are_left_out() -> None:
    assert ALIGNMENT.above(0.5).arcs == (ROOT,)
    assert ALIGNMENT.above(0.3).arcs == ALIGNMENT.arcs


def test_views_show_the_arcs_and_the_score() -> None:
    text = ALIGNMENT.to_text(everything=True)
    assert "nsubj(died, He)–agent(died, He), root(ROOT, died)–root(ROOT, died)" in text
    assert text.splitlines()[0].endswith("score 12.35") or text.splitlines()[0].endswith("score 12.34")
    page = ALIGNMENT.to_html()
    assert "2 pairs of dependency arcs" in page
    for row in (
        '<tr data-with="s1 s0 t2 t0"><td>nsubj ↔ agent</td><td>died → He</td><td>died → He</td></tr>',
        '<tr data-with="s1 t2"><td>root</td><td>ROOT → died</td><td>ROOT → died</td></tr>',
    ):
        assert row in page
