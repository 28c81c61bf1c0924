"""Words at the beginning of sentences get the form that they have inside of them."""

from __future__ import annotations

import pytest

from forest_align.data.corpora.published_corpora import Truecaser

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
