"""Uses of alignments, and scores of them, by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from forest_align.alignment import Alignment, Links
from forest_align.eval.benchmarks._applications import (
    BOTH,
    SOURCE,
    TARGET,
    decoding_use,
    naive_use,
    paraphrase_use,
    ranking_scorer,
    similarity_scorer,
    weighted_use,
)
from forest_align.eval.benchmarks.task import Figures
from forest_align.types import Sentence


def aligned(source: str, target: str, links: str = "", scores: tuple[float, ...] | None = None) -> Alignment:
    sides = Sentence.from_words(source.split()), Sentence.from_words(target.split())
    return Alignment(*sides, Links.of(Links.from_pharaoh(links).pairs, scores=scores))


def keep(scores) -> Figures:
    return Figures("scores", {str(k): score for k, score in enumerate(scores)}, {})


RUNS = [
    aligned("dog", "dog", "0-0"),
    aligned("dog", "cat"),
    aligned("dog", "cat"),
    aligned("dog", "dog", "0-0"),
]


def test_the_naive_use_looks_at_content_words_of_one_side_or_both() -> None:
    run = aligned("the old dog barked", "a dog barked at us today", "0-0 2-1 3-2")
    # content: old dog barked; dog barked us today
    for side, score in ((SOURCE, 2 / 3), (TARGET, 2 / 4), (BOTH, (2 / 3 + 2 / 4) / 2)):
        (found,) = naive_use(keep, side)([run])
        assert found.values["0"] == pytest.approx(score)
    # both words of "old dog" are linked to one: half of 5 linked words by the harmonic mean of 3 and 2
    (found,) = naive_use(keep, BOTH)([aligned("old dog barked", "dog barked", "0-0 1-0 2-1")])
    assert found.values["0"] == pytest.approx((5 / 2) / (12 / 5))


def test_the_weighted_use_counts_rarity_probability_and_similarity() -> None:
    run = aligned("old dog", "dog hound puppy", "1-0 1-1", (0.5, 0.9))
    weights = {"old": 1.0, "dog": 3.0, "hound": 4.0, "puppy": 5.0}
    # dog of the source is credited for the better of its two links
    for side, score in ((SOURCE, 3 * 0.9 * 0.8 / 4), (TARGET, (3 * 0.5 * 1 + 4 * 0.9 * 0.8) / 12)):
        (found,) = weighted_use(keep, side, weights)([run], [(1.0, 0.8)])
        assert (found.use, found.values["0"]) == ("weighted", pytest.approx(score))


def test_the_decoding_score_is_per_word_of_the_shorter_sentence() -> None:
    runs = [
        replace(aligned("the old dog barked", "a dog"), score=5.0),
        replace(aligned("a dog", "the old dog barked today"), score=-3.0),
        aligned("dog", "dog"),  # could not be aligned: as low as the lowest
    ]
    (found,) = decoding_use(keep)(runs)
    assert (found.use, found.values) == ("decoding score", {"0": 2.5, "1": -1.5, "2": -1.5})
    assert decoding_use(keep)(runs[2:]) == []
    assert aligned("dog", "dog").decoding_score is None
    assert replace(aligned("", "dog"), score=1.0).decoding_score is None


def test_the_paraphrase_probability_is_a_use_of_its_own_if_the_aligner_has_one() -> None:
    runs = [
        replace(aligned("dog", "dog"), paraphrase_probability=0.75),
        replace(aligned("dog", "cat"), paraphrase_probability=0.25),
        aligned("dog", "dog"),  # could not be aligned
    ]
    (found,) = paraphrase_use(keep)(runs)
    assert (found.use, found.values) == ("paraphrase probability", {"0": 0.75, "1": 0.25, "2": 0.25})
    assert paraphrase_use(keep)(runs[2:]) == []


def test_similarity_is_correlated_set_by_set() -> None:
    (found,) = naive_use(similarity_scorer(["x", "x", "y", "y"], [5, 0, 5, 0]), BOTH)(RUNS)
    assert found.values == {
        "pearson": pytest.approx(0),
        "pearson.x": pytest.approx(100),
        "pearson.y": pytest.approx(-100),
    }
    assert "pearson" in found.statistics


def test_answers_are_ranked_by_how_much_of_the_question_they_cover() -> None:
    runs = [aligned("kim barked", "it barked", "1-1"), aligned("kim barked", "it ran", "")]
    (found,) = naive_use(ranking_scorer(["q", "q"], [False, True]), SOURCE)(runs)
    assert (found.values["map"], found.values["mrr"]) == (50, 50)
