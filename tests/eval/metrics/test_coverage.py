"""Coverage, plain and weighted, and the weights of words: naive second implementations."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.eval.metrics.pair_scores import (
    coverage,
    document_frequency_weights,
    mutual_coverage,
    weighted_coverage,
)

# Whether each is a content word: no function word of Sultan et al. and with a letter or digit.
IS_CONTENT = {
    "dog": True, "Dog": True, "barked": True, "Kim": True, "3": True, "U.S.": True,
    "the": False, "The": False, "of": False, "was": False, "'s": False, "n’t": False, ",": False, "--": False,
}  # fmt: skip
SENTENCE = st.lists(st.sampled_from(sorted(IS_CONTENT)), max_size=7)


def naive_counted(words: list[str]) -> list[int]:
    """Places of the content words; of all words where there is no content word."""
    places = [place for place in range(len(words)) if IS_CONTENT[words[place]]]
    return places if places else [*range(len(words))]


@given(SENTENCE, st.sets(st.integers(0, 6)))
def test_coverage_equals_a_plain_count(words, aligned) -> None:
    hit = all_of_them = 0
    for place in naive_counted(words):
        all_of_them += 1
        if place in aligned:
            hit += 1
    assert coverage(words, aligned) == pytest.approx(hit / all_of_them if words else 0)


@given(SENTENCE, SENTENCE, st.sets(st.integers(0, 6)), st.sets(st.integers(0, 6)))
def test_mutual_coverage_is_the_formula_of_sultan_et_al(source, target, ours, theirs) -> None:
    of_source, of_target = naive_counted(source), naive_counted(target)
    expected = 0.0
    if source and target:
        n, m = len(of_source), len(of_target)
        count = (len([k for k in of_source if k in ours]) + len([k for k in of_target if k in theirs])) / 2
        expected = count / (2 * n * m / (n + m))
    assert mutual_coverage((source, target), (ours, theirs)) == pytest.approx(expected)


CREDITS = st.dictionaries(st.integers(0, 6), st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=7)
WEIGHTS = st.fixed_dictionaries(
    {word.lower(): st.sampled_from([0.0, 0.5, 1.0, 3.0]) for word in sorted(IS_CONTENT)}
)


@given(SENTENCE, CREDITS, WEIGHTS)
def test_weighted_coverage_equals_sums_over_words(words, credits, weights) -> None:
    got = most = even = 0.0
    places = naive_counted(words)
    for place in places:
        weight, credit = weights[words[place].lower()], credits.get(place, 0)
        got, most, even = got + weight * credit, most + weight, even + credit
    # Where no word has any weight, all have the same.
    expected = got / most if most else even / len(places) if places else 0
    assert weighted_coverage(words, credits, weights) == pytest.approx(expected)


@given(st.lists(SENTENCE, max_size=6))
def test_weights_equal_counts_over_different_sentences(sentences) -> None:
    different: list[list[str]] = []
    for sentence in sentences:
        if sentence not in different:
            different.append(sentence)
    expected = {}
    for word in {word.lower() for sentence in sentences for word in sentence}:
        count = sum(any(other.lower() == word for other in sentence) for sentence in different)
        expected[word] = math.log((len(different) + 1) / (count + 1))
    assert document_frequency_weights(sentences) == pytest.approx(expected)


def test_a_sentence_of_stop_words_is_judged_by_all_its_words() -> None:
    assert coverage(["to", "be"], {0}) == 0.5
    assert coverage(["dog", "’s", "’re"], {0}) == 1
    assert weighted_coverage(["to", "be"], {0: 0.5}, {"to": 3.0, "be": 1.0}) == 0.375
    assert coverage([], set()) == weighted_coverage([], {}, {}) == 0
