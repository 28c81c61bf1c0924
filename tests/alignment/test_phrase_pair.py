"""Two phrases that correspond, in JSON: what another program leaves out has the usual value."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import RELATION_NAMES, PhrasePair, PhraseRelation
from forest_align.types import Node

from .random_alignments import relations, similarities


@st.composite
def nodes(draw: st.DrawFn) -> Node:
    start, length = draw(st.integers(0, 9)), draw(st.integers(1, 5))
    head = draw(st.sampled_from([-1, *range(start, start + length)]))
    return Node(start, start + length, draw(st.sampled_from(["", "NP", "VP'"])), draw(st.booleans()), head)


@given(nodes(), nodes(), st.floats(0, 1), st.booleans(), relations, similarities)
def test_a_pair_comes_back_from_json(
    one: Node,
    two: Node,
    probability: float,
    compositional: bool,
    relation: PhraseRelation | None,
    similarity: float | None,
) -> None:
    pair = PhrasePair(one, two, probability, compositional, relation, similarity)
    assert PhrasePair.from_dict(pair.to_dict(), "", one.end, two.end) == pair
    swapped = pair.swap()
    assert PhrasePair.from_dict(swapped.to_dict(), "", two.end, one.end) == swapped
    assert (swapped.source_node, swapped.target_node) == (two, one)
    assert swapped.swap() == pair
    assert (swapped.probability, swapped.compositional, swapped.similarity) == (
        probability,
        compositional,
        similarity,
    )


def test_what_one_side_says_more_the_other_says_less() -> None:
    swapped = [PhraseRelation(name, 0.5, ("number",)).swap() for name in RELATION_NAMES]
    assert [relation.name for relation in swapped] == [
        *("equivalent", "more general", "more specific", "similar", "related", "opposite"),
        "different",
    ]
    assert {(relation.probability, relation.changes) for relation in swapped} == {(0.5, ("number",))}
