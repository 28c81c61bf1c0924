from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.data.chunks import chunks_of_tree, phrasal_links
from forest_align.data.penn import parse_bracket
from forest_align.types import Links


def test_two_chunks_that_are_linked_word_by_word_become_one_phrase() -> None:
    links = Links.of([(0, 0), (1, 1), (2, 3)])
    assert set(phrasal_links(links, [(0, 2), (2, 3)], [(0, 2), (2, 4)])) == {
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
        (2, 3),
    }


@pytest.mark.parametrize(
    "links",
    [[(0, 1), (1, 0)], [(0, 0)], [(0, 0), (1, 0)], [(0, 0), (0, 1), (1, 1)]],
    ids=["crossing", "left", "right", "two partners"],
)
def test_crossing_or_incomplete_links_are_not_merged(links: list[tuple[int, int]]) -> None:
    assert phrasal_links(Links.of(links), [(0, 2)], [(0, 2)]) == Links.of(links)


def test_chunks_of_different_lengths_are_not_merged() -> None:
    links = Links.of([(0, 0), (1, 1), (2, 1)])
    assert phrasal_links(links, [(0, 3)], [(0, 2)]) == links


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


def test_a_possessive_in_a_verb_phrase_is_a_chunk_of_its_own() -> None:
    tree = parse_bracket("(VP (VBD ran) (NP (NNP Kim) (POS 's)))")
    assert chunks_of_tree(tree) == [(0, 1), (1, 2), (2, 3)]
