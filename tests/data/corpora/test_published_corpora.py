"""Published corpora: links move to other tokens, annotators vote, names are joined, words lose capitals."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Alignment, Links
from forest_align.data.corpora.published_corpora import (
    Truecaser,
    collapse,
    collapsed_links,
    conform,
    majority,
    majority_pairs,
    move_links,
)
from forest_align.data.formats.format import SentencePair
from forest_align.types import InputError, Sentence


def map_tokens(old: list[str], new: list[str]) -> list[tuple[int, ...]]:
    """For each old token the new tokens that its link to some other sentence goes to."""
    other = (["x"], ["x"])
    links = [move_links(Links.of([(index, 0)]), (old, new), other) for index in range(len(old))]
    return [tuple(index for index, _ in moved) for moved in links]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a b", "a b", [(0,), (1,)]),
        ("the end.", "the end .", [(0,), (1,)]),
        ("the end .", "the end.", [(0,), (1,), ()]),
        ("New York", "NewYork", [(0,), (0,)]),
        ("well-known", "well - known", [(0, 2)]),
        ("-LRB- `` x '' -RRB-", '( " x " )', [(0,), (1,), (2,), (3,), (4,)]),
        ("a extra b", "a b", [(0,), (), (1,)]),
        ("", "a", []),
    ],
)
def test_tokens_are_followed_by_their_characters(old: str, new: str, expected: list[tuple[int, ...]]) -> None:
    assert map_tokens(old.split(), new.split()) == expected


tokens = st.lists(st.text("ab.", min_size=1, max_size=3), max_size=6)


@given(tokens, tokens)
def test_indices_are_in_range_and_ascending(old: list[str], new: list[str]) -> None:
    found = map_tokens(old, new)
    assert len(found) == len(old)
    assert all(list(indices) == sorted(set(indices)) for indices in found)
    assert all(0 <= index < len(new) for indices in found for index in indices)


@given(tokens, st.data())
def test_links_stay_where_tokens_stay(words: list[str], data: st.DataObject) -> None:
    index = st.integers(0, max(len(words) - 1, 0))
    pairs = data.draw(st.lists(st.tuples(index, index), unique=True)) if words else []
    links = Links.of(pairs, sure=[False] * len(pairs), scores=[0.5] * len(pairs))
    assert move_links(links, (words, list(words)), (words, list(words))) == links


def test_moved_links_keep_their_classes_and_scores() -> None:
    links = Links.of([(0, 0), (1, 1)], sure=[True, False], scores=[0.9, 0.4])
    moved = move_links(links, (["a", "b-c"], ["a", "b", "-", "c"]), (["x", "y"], ["x", "y"]))
    assert moved == Links.of([(0, 0), (1, 1), (3, 1)], sure=[True, False, False], scores=[0.9, 0.4, 0.4])


def test_a_full_stop_that_became_part_of_an_abbreviation_is_not_taken_for_another_one() -> None:
    old, new = ["Co.", "Ltd", "."], ["Co.", ".", "Ltd."]
    assert map_tokens(old, new) == [(0,), (2,), ()]


@pytest.mark.parametrize(
    ("source", "target", "stays"),
    [
        ("-", ",", False),
        ("'", "'s", False),
        ("...", ".", False),
        (".", ".", True),
        ("%", "percent", True),
        ("by", "'", True),
    ],
)
def test_different_marks_of_punctuation_are_not_linked(source: str, target: str, stays: bool) -> None:
    links = Links.of([(0, 0)])
    assert conform(links, [source, "x"], [target, "x"]) == (links if stays else Links())


def test_behind_a_mixed_number_links_are_found_a_token_too_far_left_but_at_the_end() -> None:
    words = ["for", "33", "1\\/3", "hours", "of", "flight", "."]
    links = Links.of([(0, 0), (1, 0), (5, 1), (6, 2)], sure=[True, True, False, True])
    found = conform(links, words, ["For", "flight", "."])
    assert found == Links.of([(0, 0), (1, 0), (4, 1), (6, 2)], sure=[True, True, False, True])
    assert conform(links, ["and", "1\\/3", "b", "c", "d", "e", "."], ["a", "b", "."]) == links


LINKS_OF = {"sure": Links.of([(0, 1)]), "possible": Links.of([(0, 1)], sure=[False]), "nothing": Links()}


def test_two_of_three_annotators_decide_and_three_opinions_cancel() -> None:
    for votes in product(LINKS_OF, repeat=3):
        expected = next((one for one, other in combinations(votes, 2) if one == other), "nothing")
        assert majority([LINKS_OF[vote] for vote in votes]) == LINKS_OF[expected], votes


@given(st.lists(st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3))), min_size=3, max_size=3))
def test_majority_does_not_depend_on_the_order_of_annotators(votes: list[set[tuple[int, int]]]) -> None:
    links = [Links.of(vote) for vote in votes]
    assert majority(links) == majority(links[::-1])
    assert set(majority(links)) == {p for p in set().union(*votes) if sum(p in v for v in votes) >= 2}


def pair(name: str, links: Links) -> SentencePair:
    return SentencePair(name, Sentence.from_words(["a", "a"]), Sentence.from_words(["b", "b"]), links)


A, B = pair("1", Links()), replace(pair("2", Links()), place=("B", 7))
FAILED = replace(A, alignment=Alignment(A.source, A.target, id="1", error="too long"))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([[A], [B]], "found '1', '2' in B:7"),
        ([[], [B]], "found '2' in B:7, the end of a file"),
        ([[A], [replace(A, links=None)], [A]], "pair '1' has no word links"),
        ([[A], [FAILED], [A]], "pair '1' has no word links"),
        ([[A], [InputError("broken", file="B", line=7)]], "B:7: broken"),
    ],
)
def test_pairs_that_annotators_do_not_share_or_have_not_linked_are_errors(
    files: list[list[SentencePair | InputError]], message: str
) -> None:
    (error,) = majority_pairs(files)
    assert isinstance(error, InputError) and message in str(error)


def test_links_between_tokens_that_are_split_differently_count_together() -> None:
    target = Sentence.from_words(["c"])
    split = SentencePair("1", Sentence.from_words(["a", "b", "."]), target, Links.of([(1, 0)]))
    glued = SentencePair("1", Sentence.from_words(["a", "b."]), target, Links.of([(1, 0)]))
    (found,) = majority_pairs([[split], [glued], [pair("1", Links())]])
    assert isinstance(found, SentencePair) and found.links == Links.of([(1, 0)])


def test_the_majority_on_the_published_tokens_goes_by_the_published_rules() -> None:
    words = Sentence.from_words(["a", "-"]), Sentence.from_words(["b", ","])
    votes = [SentencePair("1", *words, Links.of([(0, 0), (1, 1)])) for _ in range(3)]
    published = SentencePair("1", *words, Links())
    (plain,), (conformed,) = (
        list(majority_pairs([[vote] for vote in votes], tokens)) for tokens in (None, [published])
    )
    assert isinstance(plain, SentencePair) and plain.links == Links.of([(0, 0), (1, 1)])
    assert isinstance(conformed, SentencePair) and conformed.links == Links.of([(0, 0)])


SENTENCES = """The dog saw Paris in May
He may see the dog
It may be that May likes the Turkey of old
In Turkey the turkey is a bird
THE DOG OF TURKEY"""
TRUECASER = Truecaser.of(map(str.split, SENTENCES.splitlines()))


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        *(("The dog barked", "the dog barked"), ("A dog", "a dog"), ("`` The dog", "`` the dog")),
        *(("he said : The dog", "he said : the dog"), ("-LRB- The dog -RRB-", "-LRB- the dog -RRB-")),
        ("PARIS , THE CITY", "Paris , the city"),
        # Never seen; May and may twice each: the first by its characters; inside, or in capitals.
        *((text, text) for text in ("Bonn burns", "May he come", "Dogs of The Hague", "THE dog")),
        *((text, text) for text in ("Paris burns", "-lrb- HE -rrb-", "")),
    ],
)
def test_words_get_their_usual_form(given: str, wanted: str) -> None:
    assert TRUECASER.apply(given.split()) == tuple(wanted.split())


def test_beginnings_and_sentences_in_capitals_are_not_counted() -> None:
    assert "dog" in TRUECASER.forms and TRUECASER.forms["turkey"] == "Turkey"
    assert "he" not in TRUECASER.forms and "of" in TRUECASER.forms
    assert "DOG" not in TRUECASER.forms.values()


def test_the_words_of_a_name_are_joined() -> None:
    words = ["the", "Bank", "of", "Holland", "lent", "New", "York", "money"]
    tokens, places = collapse(words, [(1, 4), (5, 7)])
    assert tokens == ("the", "Bank_of_Holland", "lent", "New_York", "money")
    assert places == [0, 1, 1, 1, 2, 3, 3, 4]
    assert collapse(words, []) == (tuple(words), list(range(8)))


def test_links_of_the_words_of_a_name_become_one() -> None:
    _, source = collapse(["in", "New", "York"], [(1, 3)])
    _, target = collapse(["New", "York", "City", "now"], [(0, 3)])
    links = Links.of([(1, 0), (2, 1), (2, 2), (0, 3)], sure=[False, True, False, False])
    found = collapsed_links(links, source, target)
    assert found == Links.of([(0, 1), (1, 0)], sure=[False, True])
    assert collapsed_links(Links.of([(1, 0), (2, 1)]), source, target) == Links.of([(1, 0)])
