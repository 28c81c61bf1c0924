"""The link model is measured on sentences that it has not learned from."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from forest_align.em.contextual import training as script
from forest_align.em.fitting import folds


def test_case_and_punctuation_make_no_other_sentence() -> None:
    assert folds.sentence_key(("They", "won", ",", "3", "-", "0", ".")) == "they won 3 0"
    assert folds.sentence_key(("they", "won", "3", "0")) == "they won 3 0"
    assert folds.sentence_key(("the", "U.S.", "did", "n't", "...")) == "the u.s. did n't"


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")), max_size=12))
def test_pairs_that_share_a_sentence_are_in_one_fold(pairs: list[tuple[str, str]]) -> None:
    found = folds.folds_of(pairs)
    for one, fold in zip(pairs, found, strict=True):
        for other, its_fold in zip(pairs, found, strict=True):
            assert fold == its_fold or not set(one) & set(other)


def test_pairs_without_common_sentences_are_spread_over_the_folds() -> None:
    pairs = [(f"source {number}", f"target {number}") for number in range(9)]
    assert folds.folds_of(pairs) == [0, 1, 2] * 3
    # At second hand: the third pair joins the first two.
    assert folds.folds_of([("a", "b"), ("c", "d"), ("b", "c"), ("e", "f")]) == [0, 0, 0, 1]


def example(corpus: str, fold: int, *sentences: str) -> Any:
    return SimpleNamespace(corpus=corpus, fold=fold, sentences=sentences, is_altered=False)


def test_nothing_is_learned_that_another_corpus_is_measured_on() -> None:
    examples = [
        *(example("mtref", 0, "a", "b"), example("mtref", 1, "c", "d"), example("mtref", 2, "t", "e")),
        *(example("edinburgh", 0, "f", "g"), example("edinburgh", 1, "x", "h")),
        *(example("mtref dev", -1, "x", "y"), example("mtref dev", -1, "a", "z")),
    ]
    tests = {"edinburgh": {"t", "f"}}
    learned, measured = script.split(examples, tests, None, ())
    # "t" is in the test part of Edinburgh++, "x" in the dev part of MTRef; a corpus's own parts stay.
    assert [e.sentences for e in learned] == [("a", "b"), ("c", "d"), ("f", "g")]
    assert [e.corpus for e in measured] == ["mtref dev", "mtref dev"]
    learned, measured = script.split(examples, tests, 1, ())
    assert [e.sentences for e in learned] == [("a", "b"), ("f", "g")]
    assert [e.sentences for e in measured][:2] == [("c", "d"), ("x", "h")]
    learned, measured = script.split(examples, tests, None, ("mtref",))
    assert [e.sentences for e in learned] == [("f", "g")]
    assert len(measured) == 5
