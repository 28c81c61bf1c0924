"""Which prediction belongs to which gold pair, and what is said when one does not."""

from __future__ import annotations

import pytest

from forest_align.alignment import Links
from forest_align.eval.files.prediction_files import (
    FilePrediction,
    JudgedPair,
    check_matching,
    worst_pairs,
    worst_text,
)
from forest_align.types import InputError

TOKENS = ("a", "b", "c")


def gold(*names: str) -> list[JudgedPair]:
    return [JudgedPair(name, TOKENS, TOKENS, Links()) for name in names]


def predicted(*names: str) -> list[FilePrediction]:
    return [FilePrediction(Links(), TOKENS, TOKENS, id=name) for name in names]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("acd", "pair 'b': expected its prediction, found that of 'c'"),
        ("axbcd", "pair 'b': expected its prediction, found that of 'x'"),
        ("abbcd", "pair 'c': expected its prediction, found that of 'b'"),
        ("acbd", "pair 'b': expected its prediction, found that of 'c'"),
        ("abc", "found 3; the first pair without a prediction is 'd'"),
        ("abcdd", "found 5; the first one too many is number 5, of pair 'd'"),
        ("abcdx", "found 5; the first one too many is number 5, of pair 'x'"),
    ],
)
def test_a_prediction_in_the_wrong_place_names_the_pair(names: str, message: str) -> None:
    check_matching(gold(*"abcd"), predicted(*"abcd"))
    with pytest.raises(InputError, match=message):
        check_matching(gold(*"abcd"), predicted(*names))


def test_without_names_the_order_says_which_prediction_is_missing_or_too_many() -> None:
    with pytest.raises(InputError, match=r"expected 2 predictions, .*found 1; .* is 'rte:2'"):
        check_matching(gold("rte:1", "rte:2"), predicted(""))
    with pytest.raises(InputError, match=r"expected 1 predictions, .*found 2; .* number 2$"):
        check_matching(gold("7"), predicted("", ""))


@pytest.mark.parametrize("side", ["source", "target"])
def test_other_tokens_are_an_error_that_names_pair_and_token(side: str) -> None:
    with pytest.raises(InputError, match=f"pair '7': expected 3 {side} tokens, found 2"):
        check_matching(gold("7"), [FilePrediction(Links(), **{side: ("a", "b")})])
    with pytest.raises(InputError, match=f"pair '7': expected {side} token 1 to be 'b', found 'x'"):
        check_matching(gold("7"), [FilePrediction(Links(), **{side: ("a", "x", "c")})])


def judged(name: str, links: Links) -> JudgedPair:
    return JudgedPair(name, ["a", "b"], ["c", "d"], links)


def test_the_pairs_with_most_errors_come_first_with_their_links() -> None:
    pairs = [
        judged("right", Links.of([(0, 0)])),
        judged("one", Links.of([(0, 0), (1, 1)], sure=[True, False])),
        judged("two", Links.of([(0, 0)])),
    ]
    predictions = [FilePrediction(links=Links.of(links)) for links in ([(0, 0)], [(1, 1)], [(1, 0)])]
    found = worst_pairs(pairs, predictions, 5)
    assert [(one.pair.id, one.missing, one.wrong) for one in found] == [
        ("two", ((0, 0),), ((1, 0),)),
        # A possible link need not be found, and is not wrong.
        ("one", ((0, 0),), ()),
    ]
    assert [one.pair.id for one in worst_pairs(pairs, predictions, 1)] == ["two"]
    assert worst_pairs(pairs, predictions, 5, links="all")[1].missing == ((0, 0),)
    assert worst_text(found[:1]) == (
        "\npair two: 1 missing, 1 wrong\n  a b\n  c d\n  missing: a–c\n  wrong: b–c"
    )
