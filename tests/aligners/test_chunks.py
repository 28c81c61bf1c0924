"""Given chunks: which pairs are chosen, what the alignment holds, and what is refused."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.aligners import Pair
from forest_align.aligners.chunks import align_chunks, chunk_links, related_links
from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.pair import GivenChunks
from forest_align.alignment import Alignment, Links, PhrasePair, PhraseRelation
from forest_align.data.formats.format import ChunkLink
from forest_align.types import InputError, Node, Sentence


@pytest.fixture(scope="module")
def aligner() -> ForestAligner:
    return ForestAligner()


SOURCE, TARGET = (
    Sentence.from_words(text.split())
    for text in ("12 people were killed in a bus accident", "10 people died in a road accident on Monday")
)
CHUNKS = GivenChunks([(0, 2), (2, 4), (4, 8)], [(0, 2), (2, 3), (3, 7), (7, 9)])


def test_given_chunks_are_aligned_with_relations_and_similarities(aligner: ForestAligner) -> None:
    (found,) = aligner.align_many([Pair(SOURCE, TARGET, chunks=CHUNKS)])
    assert not found.error and found.aligner == "chunks"
    spans = [(pair.source_node.span, pair.target_node.span) for pair in found.phrases]
    assert spans == [((0, 2), (0, 2)), ((2, 4), (2, 3)), ((4, 8), (3, 7))]
    assert found.unaligned_target == ((7, 9),) and found.unaligned_source == ()
    relations = [pair.relation.name for pair in found.phrases if pair.relation is not None]
    assert len(relations) == 3 and relations[1] == "equivalent" and relations[0] != "equivalent"
    assert all(0 < (pair.similarity or 0) <= 5 for pair in found.phrases)
    assert Alignment.from_dict(found.to_dict()).phrases == found.phrases


def test_swapped_sentences_have_swapped_pairs(aligner: ForestAligner) -> None:
    swapped = GivenChunks(CHUNKS.target, CHUNKS.source)
    there, back = aligner.align_many(
        [Pair(SOURCE, TARGET, chunks=CHUNKS), Pair(TARGET, SOURCE, chunks=swapped)]
    )
    turned = {(one.source_node.span, one.target_node.span): one for one in back.swap().phrases}
    for pair in there.phrases:
        other = turned[pair.source_node.span, pair.target_node.span]
        assert other.relation is not None and pair.relation is not None
        assert other.relation.name == pair.relation.name
        assert other.probability == pytest.approx(pair.probability, abs=1e-4)


def test_chunks_that_fit_no_sentence_are_refused_and_the_others_are_aligned(aligner: ForestAligner) -> None:
    pairs = [
        Pair(SOURCE, TARGET, chunks=GivenChunks([(0, 9)], [(0, 1)])),
        Pair("He died.", "He left.", chunks=GivenChunks([(0, 1)], [(0, 1)])),
        Pair(SOURCE, TARGET, chunks=GivenChunks([], [(0, 1)])),
    ]
    found = list(aligner.align_many(pairs))
    assert "expected chunks inside 8 tokens, found [0, 9]" in found[0].error
    assert "given chunks need tokens" in found[1].error
    assert not found[2].error and not found[2].phrases and found[2].unaligned_target == ((0, 1),)


def test_opposite_words_make_chunks_opposite(aligner: ForestAligner) -> None:
    one, other = (Sentence.from_words(text.split()) for text in ("the prices rose", "the prices fell"))
    chunks = GivenChunks([(0, 2), (2, 3)], [(0, 2), (2, 3)])
    (found,) = aligner.align_many([Pair(one, other, chunks=chunks)])
    relations = [pair.relation for pair in found.phrases if pair.relation is not None]
    assert [relation.name for relation in relations] == ["equivalent", "opposite"]
    assert [one.rule for one in relations[1].evidence] == ["contrast"]


def test_other_aligners_take_no_chunks() -> None:
    (found,) = ContextualAligner().align_many([Pair(SOURCE, TARGET, chunks=CHUNKS)])
    assert "does not support given chunks" in found.error


@pytest.mark.parametrize("chunks", [[(2, 4), (0, 1)], [(0, 2), (1, 3)], [(1, 1)], [(-1, 1)]])
def test_chunks_must_be_in_order(chunks: list) -> None:
    with pytest.raises(InputError, match="expected chunks in order"):
        GivenChunks(chunks, [])


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


WORDS, OTHERS = ["the", "switch", "of", "the", "bulb", "is"], ["a", "lamp", "and", "its", "switch", "lit"]
CONTENT = {"switch", "bulb", "lamp", "lit"}

CUTS = st.sets(st.integers(1, 5), max_size=4).map(lambda cuts: list(pairwise(sorted({0, *cuts, 6}))))
LINKS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), unique=True, max_size=14)
Chunk = tuple[int, ...]


def essential(words: list[str], chunk: Chunk) -> list[int]:
    return [k for k in chunk if words[k] in CONTENT] or list(chunk)


def naive(source: list[Chunk], target: list[Chunk], score: dict[tuple[int, int], float]) -> set:
    """The rules of the docstring, chunk by chunk."""
    essentials = {k for chunk in source for k in essential(WORDS, chunk)}
    others = {k for chunk in target for k in essential(OTHERS, chunk)}
    score = {(i, j): score[i, j] for i, j in score if i in essentials or j in others}

    def shared(ours: Chunk, theirs: Chunk) -> float:
        return sum(score.get((i, j), 0) for i in ours for j in theirs)

    partners: set[tuple[Chunk, Chunk]] = set()
    while True:
        free = [
            (shared(ours, theirs), ours, theirs)
            for ours in source
            for theirs in target
            if not any(ours == one or theirs == two for one, two in partners)
        ]
        strongest = max(free, default=(0, (), ()))
        if not strongest[0]:
            break
        partners.add(strongest[1:])

    def joined(words: list[str], chunks: list[Chunk], rest: list[Chunk], side: int) -> set:
        """Chunks of the other side without a partner, each with the chunk of this side that it joins."""

        def turned(one: object, two: object) -> tuple:
            return (two, one) if side else (one, two)

        def best(word: int, chunk: Chunk) -> float:
            return max(score.get(turned(word, k), 0) for k in chunk)

        partner = {pair[side]: pair[1 - side] for pair in partners}
        found = set()
        for lone in set(rest) - set(partner.values()):
            common, chunk = max((shared(*turned(chunk, lone)), chunk) for chunk in chunks)
            if common and any(
                best(word, lone) > best(word, partner[chunk]) for word in essential(words, chunk)
            ):
                found.add(turned(chunk, lone))
        return found

    return partners | joined(WORDS, source, target, 0) | joined(OTHERS, target, source, 1)


@given(CUTS, CUTS, LINKS)
def test_chunks_are_aligned_as_a_naive_implementation_does_it(
    source: list, target: list, links: list[tuple[int, int]]
) -> None:
    # No two sums are equal, and two links together beat any one.
    score = {link: 0.5 + 2.0 ** -(k + 2) for k, link in enumerate(links)}
    alignment = Alignment(
        Sentence.from_words(WORDS),
        Sentence.from_words(OTHERS),
        Links.of(score, scores=score.values()),
    )
    chunks = [[tuple(range(*span)) for span in spans] for spans in (source, target)]
    found = align_chunks(source, target, alignment)
    assert found == sorted(found)
    assert {(tuple(range(*ours)), tuple(range(*theirs))) for ours, theirs in found} == naive(*chunks, score)
