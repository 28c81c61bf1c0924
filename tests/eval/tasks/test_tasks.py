"""Benchmark scorers on alignments made by hand."""

from __future__ import annotations

import pytest

from forest_align.eval.identity import IdentityAligner
from forest_align.eval.tasks.annotated_phrases import phrase_scorer
from forest_align.eval.tasks.applications import (
    classification_scorer,
    coverage_of_target,
    ranking_scorer,
    similarity_scorer,
)
from forest_align.eval.tasks.chunk_links import ChunkedPair, align_chunks, chunk_scorer
from forest_align.eval.tasks.word_links import GoldVersion, constituent_pairs, word_scorer
from forest_align.types import Alignment, Links, Node, PhrasePair, Sentence


def aligned(source: str, target: str, links: str = "", phrases: tuple[PhrasePair, ...] = ()) -> Alignment:
    sides = Sentence.from_words(source.split()), Sentence.from_words(target.split())
    return Alignment(*sides, Links.from_pharaoh(links), phrases, root_aligned=bool(phrases))


def phrase(source: tuple[int, int], target: tuple[int, int], constituent: bool = True) -> PhrasePair:
    return PhrasePair(Node(*source, "NP"), Node(*target, "NP", constituent), 1.0)


def test_the_identity_baseline_links_equal_words_whatever_their_case() -> None:
    pair = Sentence.from_words(["The", "dog", "the"]), Sentence.from_words(["the", "cat"])
    (found,) = IdentityAligner().align_many([pair])
    assert found.words.pairs == ((0, 0), (2, 0))
    assert found.aligner == "identity"


def test_one_run_is_scored_against_every_version_of_the_gold() -> None:
    gold = Links.from_pharaoh("0-0 1p1")
    versions = [GoldVersion("sure", [gold]), GoldVersion("all", [gold], wanted="all")]
    sure, both = word_scorer(versions, ["a"])([aligned("a b", "a b", "0-0 1-1")])
    assert (sure.table, sure.values["precision"]) == ("sure", 50)
    assert (both.table, both.values["exact_match"], both.values["identical.f1"]) == ("all", 100, 100)
    assert sure.intervals(seed=1)["precision"] == (50, 50)


def test_constituents_are_projected_from_the_first_version() -> None:
    spans = [(0, 1), (1, 2), (0, 2)]
    gold = [Links.from_pharaoh("0-0 1-1")]
    run = aligned(
        "a b", "a b", "0-0", (phrase((0, 2), (0, 2)), phrase((0, 1), (1, 2)), phrase((1, 2), (1, 2), False))
    )
    score = word_scorer([GoldVersion("t", gold)], ["x"], [(spans, spans)], "t constituents")
    found = score([run])[1]
    assert found.table == "t constituents"
    assert (found.values["precision"], found.values["recall"]) == (50, pytest.approx(100 / 3))
    assert found.values["reachability"] == 100
    assert constituent_pairs(run) == {((0, 2), (0, 2)), ((0, 1), (1, 2))}


def test_chunks_are_aligned_when_each_is_the_others_best() -> None:
    chunks = [(0, 2), (2, 4)]
    assert align_chunks(chunks, chunks, Links.from_pharaoh("0-0 1-1 1-2 2-2")) == [
        (range(0, 2), range(0, 2)),
        (range(2, 4), range(2, 4)),
    ]


def test_chunk_figures_come_for_each_set_and_for_all() -> None:
    pair = ChunkedPair([(0, 1), (1, 2)], [(0, 1), (1, 2)], [([0], [0])])
    runs = [aligned("a b", "a b", "0-0"), aligned("a b", "a b", "1-1")]
    figures = chunk_scorer(["one", "two"], [pair, pair])(runs)
    assert [(f.table, f.values["f1"]) for f in figures] == [("ists one", 100), ("ists two", 0), ("ists", 50)]


def test_spade_prints_the_annotators_beside_the_system() -> None:
    top, part = ((0, 2), (0, 2)), ((0, 1), (0, 1))
    run = aligned("a b", "a b", "", (phrase(*top), phrase((1, 2), (1, 2))))
    system, people = phrase_scorer([[{top}, {top, part}, {top}]])([run])
    assert (system.values["recall"], system.values["precision"]) == (100, 50)
    assert system.values["reachability"] == 100
    assert people.values["recall"] == 100


def test_similarity_is_correlated_set_by_set() -> None:
    runs = [
        aligned("dog", "dog", "0-0"),
        aligned("dog", "cat"),
        aligned("dog", "cat"),
        aligned("dog", "dog", "0-0"),
    ]
    (found,) = similarity_scorer(["x", "x", "y", "y"], [5, 0, 5, 0])(runs)
    assert found.values == {"pearson": 0, "pearson.x": 100, "pearson.y": -100}


def test_the_threshold_comes_from_the_tuning_pairs_alone() -> None:
    runs = [
        aligned("dog", "dog", "0-0"),
        aligned("dog", "cat"),
        aligned("dog", "cat"),
        aligned("dog", "dog", "0-0"),
    ]
    labels = [True, False, True, True]
    (found,) = classification_scorer("msrp", labels, 2, coverage_of_target)(runs)
    assert found.values["accuracy"] == 50
    assert (found.values["precision"], found.values["recall"]) == (100, 50)


def test_answers_are_ranked_by_how_much_of_the_question_they_cover() -> None:
    runs = [aligned("who barked", "it barked", "1-1"), aligned("who barked", "it ran", "")]
    (found,) = ranking_scorer(["q", "q"], [False, True])(runs)
    assert (found.values["map"], found.values["mrr"]) == (50, 50)
