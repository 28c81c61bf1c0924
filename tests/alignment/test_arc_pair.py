"""Pairs of dependency arcs: JSON, swapping, thresholds and views."""

from __future__ import annotations

from typing import Any

import pytest

from forest_align.alignment import Alignment, ArcPair, Links
from forest_align.types import InputError, Sentence

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
    assert values["arcs"][0] == {
        "source": [1, 0],
        "target": [2, 0],
        "source_relation": "nsubj",
        "target_relation": "agent",
    }
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
    assert (
        '<tr data-with="s1 s0 t2 t0"><td>nsubj ↔ agent</td><td>died → He</td><td>died → He</td></tr>' in page
    )
    assert '<tr data-with="s1 t2"><td>root</td><td>ROOT → died</td><td>ROOT → died</td></tr>' in page
