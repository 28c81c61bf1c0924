"""Two phrases that correspond, in JSON: what another program leaves out has the usual value."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import PhrasePair
from forest_align.types import Node


@st.composite
def nodes(draw: st.DrawFn) -> Node:
    start, length = draw(st.integers(0, 9)), draw(st.integers(1, 5))
    head = draw(st.sampled_from([-1, *range(start, start + length)]))
    return Node(start, start + length, draw(st.sampled_from(["", "NP", "VP'"])), draw(st.booleans()), head)


@given(nodes(), nodes(), st.floats(0, 1), st.booleans())
def test_a_pair_comes_back_from_json(one: Node, two: Node, probability: float, compositional: bool) -> None:
    pair = PhrasePair(one, two, probability, compositional)
    assert PhrasePair.from_dict(pair.to_dict(), "", one.end, two.end) == pair
    assert PhrasePair.from_dict(pair.swap().to_dict(), "", two.end, one.end) == PhrasePair(
        two, one, probability, compositional
    )


def test_spans_and_a_probability_are_enough() -> None:
    pair = PhrasePair.from_dict({"source": [0, 2], "target": [1, 2], "probability": 1})
    assert pair == PhrasePair(Node(0, 2, "", True, -1), Node(1, 2, "", True, -1), 1.0, True)
