from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Alignment, Links
from forest_align.data.formats.msr_rte import majority, majority_pairs
from forest_align.data.pairs import SentencePair
from forest_align.types import InputError, Sentence

SURE, POSSIBLE, NOTHING = "sure", "possible", "nothing"


def test_two_of_three_annotators_decide_and_three_opinions_cancel() -> None:
    for votes in product((SURE, POSSIBLE, NOTHING), repeat=3):
        links = [
            Links() if vote == NOTHING else Links.of([(0, 1)], sure=None if vote == SURE else [False])
            for vote in votes
        ]
        expected = next((a for a, b in combinations(votes, 2) if a == b), NOTHING)
        found = majority(links)
        if expected == NOTHING:
            assert found.pairs == ()
        else:
            assert found.pairs == ((0, 1),)
            assert (found.sure is None) == (expected == SURE)


@given(st.lists(st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3))), min_size=3, max_size=3))
def test_majority_does_not_depend_on_the_order_of_annotators(votes: list[set[tuple[int, int]]]) -> None:
    links = [Links.of(vote) for vote in votes]
    assert majority(links) == majority(links[::-1])
    assert set(majority(links)) == {p for p in set().union(*votes) if sum(p in v for v in votes) >= 2}


def pair(name: str, links: Links) -> SentencePair:
    return SentencePair(name, Sentence.from_words(["a", "a"]), Sentence.from_words(["b", "b"]), links)


def test_annotators_of_different_pairs_are_an_error() -> None:
    first, second = pair("1", Links()), replace(pair("2", Links()), place=("B", 7))
    (found,) = majority_pairs([[first], [second]])
    assert isinstance(found, InputError) and "found '1', '2' in B:7" in str(found)
    (found,) = majority_pairs([[], [second]])
    assert isinstance(found, InputError) and "found '2' in B:7, the end of a file" in str(found)


def test_an_annotator_without_links_is_an_error_and_no_vote() -> None:
    sentence = Sentence.from_words(["a"])
    failed = replace(pair("1", Links()), alignment=Alignment(sentence, sentence, id="1", error="too long"))
    for without in (replace(pair("1", Links()), links=None), failed):
        (found,) = majority_pairs([[pair("1", Links())], [without], [pair("1", Links())]])
        assert isinstance(found, InputError) and "pair '1' has no word links" in str(found)


def test_links_between_tokens_that_are_split_differently_count_together() -> None:
    target = Sentence.from_words(["c"])
    split = SentencePair("1", Sentence.from_words(["a", "b", "."]), target, Links.of([(1, 0)]))
    glued = SentencePair("1", Sentence.from_words(["a", "b."]), target, Links.of([(1, 0)]))
    (found,) = majority_pairs([[split], [glued], [pair("1", Links())]])
    assert isinstance(found, SentencePair) and found.links == Links.of([(1, 0)])


def test_a_pair_that_one_annotator_broke_is_an_error() -> None:
    error = InputError("broken", file="B", line=7)
    assert list(majority_pairs([[pair("1", Links())], [error]])) == [error]


def test_the_majority_on_the_published_tokens_goes_by_the_published_rules() -> None:
    words = Sentence.from_words(["a", "-"]), Sentence.from_words(["b", ","])
    votes = [SentencePair("1", *words, Links.of([(0, 0), (1, 1)])) for _ in range(3)]
    published = SentencePair("1", *words, Links())
    (plain,), (conformed,) = (
        list(majority_pairs([[vote] for vote in votes], tokens)) for tokens in (None, [published])
    )
    assert isinstance(plain, SentencePair) and plain.links == Links.of([(0, 0), (1, 1)])
    assert isinstance(conformed, SentencePair) and conformed.links == Links.of([(0, 0)])
