"""The evaluation report: what is checked, what is printed."""

from __future__ import annotations

import json

import pytest

from forest_align.alignment import Links
from forest_align.eval.files.evaluation import compare, evaluate, to_json, to_text
from forest_align.eval.files.prediction_files import FilePrediction, JudgedPair
from forest_align.types import InputError

TOKENS = ("a", "b", "c")
TOP, PART = ((0, 3), (0, 3)), ((0, 1), (0, 1))


def gold(links: str, phrases=None, name: str = "7") -> JudgedPair:
    return JudgedPair(name, TOKENS, TOKENS, Links.from_pharaoh(links), phrases)


def predicted(links: str, phrases=None, tokens=TOKENS) -> FilePrediction:
    return FilePrediction(Links.from_pharaoh(links), tokens, tokens, phrases)


def test_json_has_the_promised_keys_in_percent() -> None:
    report = to_json(evaluate([gold("0-0 1-1")], [predicted("0-0")]))
    assert report["pairs"] == 1
    word = report["word"]
    assert (word["precision"], word["recall"], word["exact_match"]) == (100, 50, 0)
    assert word["f1"] == word["micro_f1"] == pytest.approx(200 / 3)
    assert word["f1_interval"] == pytest.approx([200 / 3, 200 / 3])
    assert report["failed"] == 0
    assert "phrases" not in report
    assert "against" not in report
    assert "against_failed" not in report
    assert report["signature"].startswith("links:sure|average:macro|f1:of-means|empty:1|")
    json.dumps(report)


def test_phrases_are_scored_where_both_files_have_them() -> None:
    pairs = [gold("", [{TOP}, {TOP, PART}])]
    report = to_json(evaluate(pairs, [predicted("", {TOP, ((1, 2), (1, 2))})]))
    assert (report["phrases"]["precision"], report["phrases"]["recall"]) == (50, 100)
    assert evaluate(pairs, [predicted("")]).phrases is None


def test_probabilities_of_links_are_checked_where_they_are_given() -> None:
    links = Links.of([(0, 0), (1, 1)], scores=[0.75, 0.75])
    scored = evaluate([gold("0-0")], [FilePrediction(links)])
    assert to_json(scored)["word_probabilities"] == {"calibration_error": 25}
    assert "calibration error of link probabilities: 25.0" in to_text(scored)
    other = Links.of([(0, 0)], scores=[7.5])
    assert "word_probabilities" not in to_json(evaluate([gold("0-0")], [FilePrediction(other)]))


def test_pairs_that_could_not_be_aligned_are_counted() -> None:
    pairs = [gold("0-0", name="1"), gold("0-0", name="2")]
    ours = evaluate(pairs, [predicted("0-0"), FilePrediction(Links(), failed=True)])
    theirs = evaluate(pairs, [FilePrediction(Links(), failed=True)] * 2)
    assert (ours.failed, to_json(ours)["failed"]) == (1, 1)
    assert to_text(ours).startswith("2 pairs\npairs that could not be aligned: 1\n\n")
    report = to_json(ours, compare(ours, theirs), other_failed=theirs.failed)
    assert (report["failed"], report["against_failed"]) == (1, 2)
    text = to_text(ours, compare(ours, theirs), other_failed=theirs.failed)
    assert "pairs that the other system could not align: 2\n" in text
    assert "aligned" not in to_text(evaluate(pairs, [predicted("0-0")] * 2))


def test_a_comparison_reports_difference_and_p() -> None:
    pairs = [gold("0-0 1-1") for _ in range(12)]
    better, worse = [predicted("0-0 1-1")] * 12, [predicted("0-0 2-2")] * 12
    first, second = evaluate(pairs, better), evaluate(pairs, worse)
    report = to_json(first, compare(first, second))
    assert report["against"]["word"]["f1"]["difference"] == pytest.approx(50)
    assert report["against"]["word"]["f1"]["p_value"] < 0.01
    text = to_text(first, compare(first, second))
    assert "difference" in text
    assert "p: precision 0.00" in text
    assert "test:approximate-randomization|samples:10000" in text


def test_the_table_shows_percentages_by_kind() -> None:
    text = to_text(evaluate([gold("0-0 1-1")], [predicted("0-0")]))
    assert text.startswith("1 pair\n")
    assert "| word links" in text
    assert "| … non-identical" in text
    assert "66.7" in text


def test_a_link_out_of_range_names_the_pair() -> None:
    with pytest.raises(InputError, match="pair '7': predicted link 0-3 is out of range"):
        evaluate([gold("")], [FilePrediction(Links.of([(0, 3)]))])


def test_two_empty_files_score_one_and_have_no_interval() -> None:
    report = to_json(evaluate([], []))
    assert (report["pairs"], report["word"]["f1"], report["word"]["f1_interval"]) == (0, 100, None)
