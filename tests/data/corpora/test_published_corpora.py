"""Words at the beginning of sentences get the form that they have inside of them."""

from __future__ import annotations

import pytest

from forest_align.alignment import Links
from forest_align.data.corpora.published_corpora import Truecaser, collapse, collapsed_links

SENTENCES = [
    ["The", "dog", "saw", "Paris", "in", "May"],
    ["He", "may", "see", "the", "dog"],
    ["It", "may", "be", "that", "May", "likes", "the", "Turkey", "of", "old"],
    ["In", "Turkey", "the", "turkey", "is", "a", "bird"],
    ["THE", "DOG", "OF", "TURKEY"],
]

TRUECASER = Truecaser.of(SENTENCES)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("The dog barked", "the dog barked"),
        ("Paris burns", "Paris burns"),
        ("Bonn burns", "Bonn burns"),  # never seen
        ("May he come", "May he come"),  # May and may twice each: the first by its characters
        ("Dogs of The Hague", "Dogs of The Hague"),
        ("`` The dog", "`` the dog"),
        ("he said : The dog", "he said : the dog"),
        ("-LRB- The dog -RRB-", "-LRB- the dog -RRB-"),
        ("PARIS , THE CITY", "Paris , the city"),
        ("THE dog", "THE dog"),
        ("A dog", "a dog"),
        ("-lrb- HE -rrb-", "-lrb- HE -rrb-"),
        ("", ""),
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
