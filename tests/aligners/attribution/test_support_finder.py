from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import forest_align
from forest_align.aligners.attribution import SupportFinder
from forest_align.aligners.attribution._support_finder import closest_sentences, split_spans
from forest_align.aligners.documents.sentence_matches import SentenceMatches
from forest_align.types import InputError

from ..documents.toy_documents import document

SOURCE = "The company was founded in Oslo in 1990. It makes shoes and bags. Sales rose by 5% last year."
SUMMARY = "The company was founded in 1990 by two brothers. It makes shoes, and its sales rose by 7%."


@pytest.fixture(scope="module")
def finder() -> SupportFinder:
    return SupportFinder()


def test_each_span_has_its_support_or_none(finder: SupportFinder) -> None:
    support = finder.find(SUMMARY, SOURCE, id="7")
    texts = {support.text_of(span): span for span in support.spans}
    assert {support.text_of(span) for span in support.unsupported} == {"by two brothers", "by 7%"}
    for text, expected in (("in 1990", "in 1990"), ("was founded", "was founded"), ("shoes", "shoes")):
        best = texts[text].support[0]
        assert support.text_of(best) == expected
        assert best.probability == texts[text].probability >= 0.5
    assert texts["its sales"].support[0].sentence == 2
    assert all(span.probability < 0.5 for span in support.unsupported)
    assert support.id == "7"
    assert [support.summary[span.sentence][slice(*span.span)] for span in support.spans] == list(texts)


def test_a_sentence_supports_itself_and_not_more_than_it_says(finder: SupportFinder) -> None:
    assert finder.find("Two men sold cars.", "Two men sold cars.").unsupported == ()
    general = finder.find("Some animals ran away.", "Three brown dogs ran away.")
    specific = finder.find("Three brown dogs ran away.", "Some animals ran away.")
    assert general.spans[0].probability > specific.spans[0].probability


@pytest.mark.parametrize(
    ("summary", "source", "contradicted"),
    [
        ("The tests passed in June.", "The tests did not pass in June.", {"passed"}),
        ("Gate B7 is shut.", "Gate B9 is shut.", {"Gate B7"}),
        ("He left before noon.", "He left after noon.", {"before"}),
        ("The tests passed in June.", "In June the tests passed.", set()),
    ],
)
def test_a_span_is_contradicted_where_the_source_says_something_else(
    finder: SupportFinder, summary: str, source: str, contradicted: set[str]
) -> None:
    support = finder.find(summary, source)
    against = {support.text_of(span) for span in support.spans if span.answer == "contradicted"}
    assert against == contradicted == {support.text_of(span) for span in support.unsupported}


def test_what_only_may_be_so_supports_nothing(finder: SupportFinder) -> None:
    support = finder.find("The mayor resigned.", "The mayor may resign.")
    assert [(support.text_of(span), span.answer) for span in support.unsupported] == [
        ("resigned", "unsupported")
    ]


def test_an_unrelated_source_supports_nothing(finder: SupportFinder) -> None:
    support = finder.find("The minister resigned on Monday.", "Ducks swim across a pond.")
    assert support.spans and not any(span.is_supported for span in support.spans)


@pytest.mark.parametrize(
    ("summary", "source", "spans"), [("", SOURCE, 0), (["It rained.", ""], "", 2), ([], [], 0)]
)
def test_blank_texts(finder: SupportFinder, summary: Any, source: Any, spans: int) -> None:
    support = finder.find(summary, source)
    assert len(support.spans) == spans
    assert all(span.probability == 0 for span in support.spans)


def test_broken_texts_are_refused(finder: SupportFinder) -> None:
    with pytest.raises(InputError, match="field 'source': expected a text"):
        finder.find("It rained.", 3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="threshold"):
        SupportFinder(threshold=7)
    with pytest.raises(InputError, match="sentences"):
        SupportFinder(sentences=0)


def test_the_threshold_decides_on_support_alone() -> None:
    low, high = (forest_align.support(SUMMARY, SOURCE, threshold=at) for at in (0.01, 1))
    # Another value supports nothing, however probable.
    assert [low.text_of(span) for span in low.unsupported] == ["by 7%"]
    assert len(high.unsupported) == len(high.spans)
    assert [one.probability for one in low.spans] == [one.probability for one in high.spans]


def test_the_closest_sentences_cover_different_parts() -> None:
    support = SentenceMatches(
        document("dogs bark cats sleep", "ships sail"),
        document("dogs bark loudly", "dogs bark", "cats sleep", "nobody came", ""),
    )
    assert set(closest_sentences(support, 0, 2)) in ({0, 2}, {1, 2})
    assert len(closest_sentences(support, 0, 1)) == 1
    assert closest_sentences(SentenceMatches(document("a"), document("")), 0, 3) == []


def test_spans_are_split_where_the_source_says_some_words_only() -> None:
    marks = np.array([True, True, False, False, True])
    assert list(split_spans([(0, 2), (2, 5)], marks)) == [(0, 2), (2, 4), (4, 5)]
    assert list(split_spans([(1, 4)], marks)) == [(1, 2), (2, 4)]
    assert list(split_spans([], marks)) == []
