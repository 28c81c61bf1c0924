"""Gold and prediction files in their formats, and which prediction belongs to which pair."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from forest_align.alignment import Alignment, Links, PhrasePair
from forest_align.eval.files.evaluation import evaluate
from forest_align.eval.files.prediction_files import (
    FilePrediction,
    JudgedPair,
    check_matching,
    read_gold,
    read_predictions,
    worst_pairs,
    worst_text,
)
from forest_align.types import InputError, Node, Sentence

PAIR = Sentence.from_words(["a", "b"]), Sentence.from_words(["c"])
WORDS = Alignment(*PAIR, Links.of([(0, 0)], scores=[0.5]), id="1")
PHRASES = replace(WORDS, phrases=(PhrasePair(Node(0, 2, "NP"), Node(0, 1, "NP"), 1.0),), id="2")


def written(path: Path, *alignments: Alignment) -> Path:
    path.write_text("".join(alignment.to_json() + "\n" for alignment in alignments), encoding="utf-8")
    return path


def test_an_aligner_of_words_has_no_phrases_to_score(tmp_path: Path) -> None:
    gold = read_gold(written(tmp_path / "gold.jsonl", PHRASES, PHRASES))
    of_words = read_predictions(written(tmp_path / "words.jsonl", WORDS, WORDS))
    assert evaluate(gold, of_words).phrases is None
    some = read_predictions(written(tmp_path / "some.jsonl", WORDS, PHRASES))
    scored = evaluate(gold, some).phrases
    assert scored is not None and scored.scores.recall == 0.5


def test_a_pair_that_a_run_could_not_align_predicts_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", PHRASES, Alignment.failed("too long", id="2"))
    aligned, failed = read_predictions(path)
    assert (len(failed.links), failed.source, failed.phrases) == (0, None, frozenset())
    assert (aligned.failed, failed.failed) == (False, True)


def test_gold_of_a_pair_that_could_not_be_aligned_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "gold.jsonl", WORDS, replace(WORDS, id="2", words=Links(), error="too long"))
    with pytest.raises(InputError, match=r"gold\.jsonl:2: pair '2': expected gold .* aligned: too long"):
        read_gold(path)


def test_a_prediction_has_the_name_of_its_pair_unless_it_is_the_number_of_its_place(tmp_path: Path) -> None:
    named = [replace(WORDS, id=name) for name in ("x", "2", "2")]
    run = read_predictions(written(tmp_path / "run.jsonl", *named))
    assert [prediction.id for prediction in run] == ["x", "", "2"]
    path = tmp_path / "run.json"  # the second line, but the first pair
    path.write_text('[\n{"id": "2", "source": "a b", "target": "c", "sureAlign": "0-0"}\n]')
    assert [prediction.id for prediction in read_predictions(path)] == ["2"]


def test_plain_text_beside_links_is_split_on_spaces(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": "p", "source": "a, b", "target": "c", "words": [[1, 0]]}\n')
    (pair,), (found,) = read_gold(path), read_predictions(path)
    assert (pair.source, found.source) == (("a,", "b"), ("a,", "b"))
    assert list(pair.links) == list(found.links) == [(1, 0)]


@pytest.mark.parametrize("name", ["x.pharaoh", "x.txt"])
def test_lines_of_links_need_no_sentences_and_a_blank_one_has_none(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text("0-0 1p0\n\n")
    assert [list(prediction.links) for prediction in read_predictions(path)] == [[(0, 0), (1, 0)], []]


@pytest.mark.parametrize("name", ["x.pharaoh", "x.pharaoh.gz"])
def test_a_broken_line_of_links_is_named(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    content = b"0:0\n0-0\n"
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    with pytest.raises(InputError, match=rf"{name}:1: .*'0:0'"):
        read_predictions(path)


def test_gold_without_links_names_file_and_pair(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text("a\tb\tp1\n")
    with pytest.raises(InputError, match=r"x\.tsv:1: pair 'p1' has no gold word links over tokens"):
        read_gold(path)
    with pytest.raises(InputError, match=r"x\.tsv:1: pair 'p1' has no word links"):
        read_predictions(path)


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
