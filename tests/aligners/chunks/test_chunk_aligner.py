"""Given chunks: which pairs are chosen, what the alignment holds, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.aligners import Pair
from forest_align.aligners.chunks import ChunkAligner
from forest_align.aligners.chunks.chunk_aligner import choose_cells
from forest_align.aligners.chunks.related_chunks import chunk_links, related_links
from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.pair import GivenChunks
from forest_align.alignment import Alignment, Links, PhrasePair, PhraseRelation
from forest_align.data.formats.format import ChunkLink
from forest_align.types import InputError, Node, Sentence


@pytest.fixture(scope="module")
def aligner() -> ChunkAligner:
    return ChunkAligner.load()


SOURCE, TARGET = (
    Sentence.from_words(text.split())
    for text in ("12 people were killed in a bus accident", "10 people died in a road accident on Monday")
)
CHUNKS = GivenChunks([(0, 2), (2, 4), (4, 8)], [(0, 2), (2, 3), (3, 7), (7, 9)])


def test_given_chunks_are_aligned_with_relations_and_similarities(aligner: ChunkAligner) -> None:
    (found,) = aligner.align_many([Pair(SOURCE, TARGET, chunks=CHUNKS)])
    assert not found.error and found.aligner == "chunks"
    spans = [(pair.source_node.span, pair.target_node.span) for pair in found.phrases]
    assert spans == [((0, 2), (0, 2)), ((2, 4), (2, 3)), ((4, 8), (3, 7))]
    assert found.unaligned_target == ((7, 9),) and found.unaligned_source == ()
    relations = [pair.relation.name for pair in found.phrases if pair.relation is not None]
    assert len(relations) == 3 and relations[1] == "equivalent" and relations[0] != "equivalent"
    assert all(1 <= (pair.similarity or 0) <= 5 for pair in found.phrases)
    assert Alignment.from_dict(found.to_dict()).phrases == found.phrases


def test_swapped_sentences_have_swapped_pairs(aligner: ChunkAligner) -> None:
    there, back = aligner.align_many(
        [
            Pair(SOURCE, TARGET, chunks=CHUNKS),
            Pair(TARGET, SOURCE, chunks=GivenChunks(CHUNKS.target, CHUNKS.source)),
        ]
    )
    turned = {(one.source_node.span, one.target_node.span): one for one in back.swap().phrases}
    for pair in there.phrases:
        other = turned[pair.source_node.span, pair.target_node.span]
        assert other.relation is not None and pair.relation is not None
        assert other.relation.name == pair.relation.name
        assert other.probability == pytest.approx(pair.probability, abs=1e-4)


def test_sentences_without_chunks_are_refused_and_the_others_are_aligned(aligner: ChunkAligner) -> None:
    found = list(
        aligner.align_many(
            [
                (SOURCE, TARGET),
                Pair(SOURCE, TARGET, chunks=GivenChunks([(0, 9)], [(0, 1)])),
                Pair("He died.", "He left.", chunks=GivenChunks([(0, 1)], [(0, 1)])),
                Pair(SOURCE, TARGET, chunks=GivenChunks([], [(0, 1)])),
            ]
        )
    )
    assert "needs the chunks of both sentences" in found[0].error
    assert "expected chunks inside 8 tokens, found [0, 9]" in found[1].error
    assert "given chunks need tokens" in found[2].error
    assert not found[3].error and not found[3].phrases and found[3].unaligned_target == ((0, 1),)


def test_other_aligners_take_no_chunks() -> None:
    (found,) = ContextualAligner().align_many([Pair(SOURCE, TARGET, chunks=CHUNKS)])
    assert "takes no chunks" in found.error


@pytest.mark.parametrize("chunks", [[(2, 4), (0, 1)], [(0, 2), (1, 3)], [(1, 1)], [(-1, 1)]])
def test_chunks_must_be_in_order(chunks: list) -> None:
    with pytest.raises(InputError, match="expected chunks in order"):
        GivenChunks(chunks, [])


def chosen(rows: list[list[float]], threshold: float = 0.5, joining: float = 0.5) -> list[tuple[int, int]]:
    return choose_cells(np.array(rows), threshold, joining)


def test_pairs_are_one_to_one_the_most_probable_first() -> None:
    assert chosen([[0.9, 0.8], [0.8, 0.1]], joining=1.0) == [(0, 0)]
    assert chosen([[0.7, 0.8], [0.6, 0.9]]) == [(0, 0), (1, 1)]
    assert chosen([[0.4]]) == []


def test_chunks_without_partner_join_others_but_make_no_chains() -> None:
    assert chosen([[0.9], [0.7], [0.6], [0.4]]) == [(0, 0), (1, 0), (2, 0)]
    assert chosen([[0.9, 0.7, 0.6]]) == [(0, 0), (0, 1), (0, 2)]
    # The second row joins the first column; then the second column may not join the first row.
    assert chosen([[0.9, 0.6], [0.7, 0.1]]) == [(0, 0), (1, 0)]
    assert chosen([[0.9, 0.7], [0.6, 0.1]]) == [(0, 0), (0, 1)]


@given(st.lists(st.lists(st.integers(0, 100), min_size=3, max_size=3), min_size=1, max_size=4))
def test_pairs_are_stars_and_reach_their_thresholds(rows: list[list[int]]) -> None:
    table = np.array(rows) / 100
    found = choose_cells(table, 0.4, 0.3)
    assert all(table[cell] >= 0.3 for cell in found)
    for row, column in found:
        others = [cell for cell in found if cell != (row, column)]
        assert not (any(a == row for a, _ in others) and any(b == column for _, b in others))
    best = tuple(np.unravel_index(table.argmax(), table.shape))
    assert (best in found) == (table.max() >= 0.4)


def pair(source: tuple[int, int], target: tuple[int, int], name: str, probability: float) -> PhrasePair:
    relation = PhraseRelation(name, 0.9)
    return PhrasePair(Node(*source, "X"), Node(*target, "X"), probability, relation=relation, similarity=4.0)


def test_chunks_that_share_a_partner_are_one_link_of_a_wa_file() -> None:
    phrases = (
        pair((0, 2), (0, 1), "more specific", 0.7),
        pair((4, 8), (0, 1), "related", 0.8),
        pair((2, 4), (2, 3), "equivalent", 0.9),
    )
    alignment = Alignment(SOURCE, TARGET, Links(), phrases, unaligned_target=((3, 7), (7, 9)))
    assert chunk_links(alignment) == [
        ChunkLink((0, 1, 4, 5, 6, 7), (0,), "REL", "4"),
        ChunkLink((2, 3), (2,), "EQUI", "4"),
        ChunkLink((), (3, 4, 5, 6), "NOALI"),
        ChunkLink((), (7, 8), "NOALI"),
    ]
    assert [link.type for link in related_links(phrases)] == ["SPE1", "REL", "EQUI"]
    assert related_links([PhrasePair(Node(0, 1, "X"), Node(0, 1, "X"), 1.0)]) == []
