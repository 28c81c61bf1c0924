"""Word links: hand-computed cases and a naive second implementation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_align.alignment import Links
from forest_align.eval.metrics.word_scores import WordPair, blocks_of, score_words
from forest_align.types import InputError

WORDS = ["a", "b", "A", "c"]


def pair(gold: str, predicted: str, source: str = "a b c d", target: str = "a B c d") -> WordPair:
    return WordPair(source.split(), target.split(), Links.from_pharaoh(gold), Links.from_pharaoh(predicted))


def test_macro_scores_by_hand() -> None:
    scores = score_words([pair("0-0 1-1", "0-0 2-2"), pair("0-0 1-1 2-2 3-3", "0-0")])
    macro, micro = scores.counts.macro(), scores.counts.micro()
    assert macro.precision == (1 / 2 + 1) / 2
    assert macro.recall == (1 / 2 + 1 / 4) / 2
    assert macro.f1 == pytest.approx(2 * 0.75 * 0.375 / 1.125)
    assert (micro.precision, micro.recall) == (2 / 3, 2 / 6)
    assert scores.exact_match == 0
    assert scores.pair_f1 == pytest.approx((0.5 + 0.4) / 2)


def test_empty_gold_and_empty_prediction_count_as_one() -> None:
    assert score_words([pair("", "")]).counts.macro().f1 == 1
    assert score_words([pair("", "")]).exact_match == 1
    nothing_predicted = score_words([pair("0-0", "")]).counts.macro()
    assert (nothing_predicted.precision, nothing_predicted.recall, nothing_predicted.f1) == (1, 0, 0)
    nothing_wanted = score_words([pair("", "0-0")]).counts.macro()
    assert (nothing_wanted.precision, nothing_wanted.recall) == (0, 1)


def test_possible_links_are_wanted_only_when_all_count() -> None:
    one = pair("0-0 1p1", "0-0 1-1")
    assert score_words([one]).counts.macro().precision == 0.5
    assert score_words([one], links="all").counts.macro().precision == 1
    with pytest.raises(InputError, match="'sure' or 'all', found 'some'"):
        score_words([one], links="some")


@pytest.mark.parametrize(("gold", "predicted", "which"), [("4-0", "", "gold"), ("", "0-9", "predicted")])
def test_a_link_out_of_range_is_an_error_that_names_the_pair(gold: str, predicted: str, which: str) -> None:
    with pytest.raises(InputError, match=f"pair 2: {which} link .* is out of range"):
        score_words([pair("", ""), pair(gold, predicted)])
    named = WordPair(["a"], ["b"], Links(), Links.of([(1, 0)]), id="rte:7")
    with pytest.raises(InputError, match="pair 'rte:7': predicted link 1-0"):
        score_words([named])


LINKS = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=10)


@given(LINKS)
def test_blocks_partition_the_links(links) -> None:
    covered = [(s, t) for s0, s1, t0, t1 in blocks_of(links) for s in range(s0, s1) for t in range(t0, t1)]
    assert sorted(covered) == sorted(links)


@given(st.lists(st.tuples(LINKS, LINKS), min_size=1, max_size=5))
def test_scores_equal_a_naive_implementation(cases) -> None:
    result = score_words([WordPair(WORDS, WORDS, Links.of(g), Links.of(a)) for g, a in cases])
    precision = sum(len(a & g) / len(a) if a else 1 for g, a in cases) / len(cases)
    recall = sum(len(a & g) / len(g) if g else 1 for g, a in cases) / len(cases)
    macro = result.counts.macro()
    assert (macro.precision, macro.recall) == (pytest.approx(precision), pytest.approx(recall))
    assert macro.f1 == pytest.approx(
        2 * precision * recall / (precision + recall) if precision + recall else 0
    )
    assert result.exact_match == pytest.approx(sum(a == g for g, a in cases) / len(cases))
    same = [(i, i) for i in range(4)]
    right = sum(len([x for x in a & g if x in same]) for g, a in cases)
    wanted = sum(len([x for x in g if x in same]) for g, _ in cases)
    assert result.by_kind()["identical"].recall == pytest.approx(right / wanted if wanted else 1)
    values = {name: statistic.value for name, statistic in result.statistics().items()}
    assert values["f1"] == pytest.approx(macro.f1)
    assert values["micro_f1"] == pytest.approx(result.counts.micro().f1)
    assert values["pair_f1"] == pytest.approx(result.pair_f1)
