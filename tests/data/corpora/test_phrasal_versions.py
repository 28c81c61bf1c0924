from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Links
from forest_align.data.corpora.published_corpora import chunks_of_tree, phrasal_links
from forest_align.data.formats.format import Span
from forest_align.data.trees.penn import parse_bracket


def test_two_chunks_that_are_linked_word_by_word_become_one_phrase() -> None:
    links = Links.of([(0, 0), (1, 1), (2, 3)])
    assert set(phrasal_links(links, [(0, 2), (2, 3)], [(0, 2), (2, 4)])) == {
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
        (2, 3),
    }


CHUNKS = st.sets(st.integers(1, 4)).map(lambda cuts: list(pairwise(sorted({0, *cuts, 5}))))
LINKS = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=7)


@given(LINKS, CHUNKS, CHUNKS, st.sets(st.integers(0, 4)))
def test_chunks_are_merged_exactly_where_the_links_between_them_are_a_diagonal(
    others: set[tuple[int, int]], source: list[Span], target: list[Span], diagonal: set[int]
) -> None:
    pairs = others | {(k, k) for k in diagonal}
    expected = set(pairs)
    for a, b in source:
        for c, d in target:
            block = np.array([[(i, j) in pairs for j in range(c, d)] for i in range(a, b)])
            if np.array_equal(block, np.eye(b - a, dtype=bool)):
                expected |= {(i, j) for i in range(a, b) for j in range(c, d)}
    assert set(phrasal_links(Links.of(pairs), source, target)) == expected


@given(st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4))))
def test_no_link_is_lost_and_single_words_change_nothing(pairs: set[tuple[int, int]]) -> None:
    links = Links.of(pairs)
    assert set(phrasal_links(links, [(0, 2), (2, 5)], [(0, 3), (3, 5)])) >= pairs
    words = [(k, k + 1) for k in range(5)]
    assert phrasal_links(links, words, words) == links


def test_chunks_are_base_phrases() -> None:
    tree = parse_bracket(
        "(S (NP (NP (NNP Italy) (POS 's)) (NML (NN steel)) (NNS makers)) (VP (MD will) (RB not) (VP (VB be)"
        " (VP (VBN sold) (PP (TO to) (NP (NP (DT the) (NN king)) (PP (IN of) (NP (NNP Spain)))))))) (. .))"
    )
    words = tree.leaves()
    assert [" ".join(words[a:b]) for a, b in chunks_of_tree(tree)] == [
        "Italy",
        "'s steel makers",
        "will not be sold",
        "to",
        "the king",
        "of",
        "Spain",
    ]


@pytest.mark.parametrize(
    ("bracket", "chunks"),
    [
        ("(NP (NML (NN day) (POS 's)) (NN work))", "day|'s work"),
        ("(NP (DT a) (ADJP (QP (CD 5) (CD million)) (NN dollar)) (NN deal))", "a 5 million dollar deal"),
        ("(VP (VBZ is) (ADJP (RB very) (JJ old)))", "is|very old"),
        ("(S (NP (PRP he)) (VP (VBD ran) (RB away)))", "he|ran|away"),
        ("(VP (UH uh) (VBD ran))", "uh|ran"),
        ("(S (VP (VBD wanted) (S (VP (TO to) (VP (VB go))))))", "wanted to go"),
        ("(VP (VP (VBD came)) (VP (VBD saw)))", "came|saw"),
        ("(VP (MD will) (ADVP (RB never)) (VP (VB go)))", "will|never|go"),
        ("(FRAG (UH yes) (UH no))", "yes|no"),
        ("(NP (NNS cats) (CC and) (NNS dogs))", "cats|dogs"),
        ("(NP (DT the) (-LRB- -LRB-) (JJ old) (-RRB- -RRB-) (NN dog))", "the|old|dog"),
        ("(UH yes)", ""),
    ],
)
def test_chunks_of_small_trees(bracket: str, chunks: str) -> None:
    tree = parse_bracket(bracket)
    words = tree.leaves()
    assert "|".join(" ".join(words[a:b]) for a, b in chunks_of_tree(tree)) == chunks


def test_a_possessive_in_a_verb_phrase_is_a_chunk_of_its_own() -> None:
    tree = parse_bracket("(VP (VBD ran) (NP (NNP Kim) (POS 's)))")
    assert chunks_of_tree(tree) == [(0, 1), (1, 2), (2, 3)]
