"""Uses of alignments, and scores of them, by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from forest_align.alignment import Alignment, Links, PhrasePair, PhraseRelation
from forest_align.eval.benchmarks._applications import (
    BOTH,
    SOURCE,
    TARGET,
    decoding_use,
    entailment_scorer,
    naive_use,
    paraphrase_scorer,
    paraphrase_use,
    paws_task,
    ranking_scorer,
    sick_task,
    similarity_scorer,
    weighted_use,
)
from forest_align.eval.benchmarks.task import Figures, Files
from forest_align.types import InputError, Node, Sentence


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


def related(relation: str | None, probability: float | None = None) -> Alignment:
    sides = Sentence.from_words(["It", "rained"]), Sentence.from_words(["It", "rained"])
    known = None if relation is None else PhraseRelation(relation, None)
    part = PhrasePair(Node(0, 1, "NP"), Node(0, 1, "NP"), 1.0, relation=PhraseRelation("different", None))
    pairs = (part, PhrasePair(Node(0, 2, "S"), Node(0, 2, "S"), 1.0, relation=known))
    return replace(Alignment(*sides, Links.of([]), pairs), paraphrase_probability=probability)


def test_only_the_roots_decide_on_entailment_and_contradiction() -> None:
    relations = ["opposite", "opposite", "more specific", "different", "more general", None]
    judgements = ["CONTRADICTION", "NEUTRAL", "ENTAILMENT", "ENTAILMENT", "NEUTRAL", "CONTRADICTION"]
    (figures,) = entailment_scorer(judgements)([related(one) for one in relations])
    assert figures.table == "sick"
    assert figures.values == pytest.approx(
        {"precision": 50, "recall": 50, "f1": 50, "entailment.f1": 200 / 3, "denied": 50, "accuracy": 50}
    )


def test_paraphrases_are_told_by_the_root_and_by_the_probability() -> None:
    runs = [
        related("equivalent", 0.9),
        related(None, 0.3),
        related("equivalent", 0.6),
        related("different", 0.1),
    ]
    by_root, by_probability = paraphrase_scorer([True, True, False, False])(runs)
    assert by_root.values == pytest.approx({"precision": 50, "recall": 50, "f1": 50, "false": 50})
    assert (by_probability.use, by_probability.values) == ("paraphrase probability", {"auc": 75})


def test_files_are_read_with_their_judgements(tmp_path: Path) -> None:
    sick = tmp_path / "train.txt"
    sick.write_text(
        "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
        "7\tIt rained\tIt did not rain\t3.0\tCONTRADICTION\n"
        "9\tIt rained\tIt rained\t5.0\tENTAILMENT\n"
    )
    task = sick_task(Files([sick], limit=1), "train")
    assert list(task.ids) == ["7"]
    assert [pair[1].text for pair in task.pairs] == ["It did not rain"]
    (figures,) = task.score([related("opposite")])
    assert figures.values["f1"] == 100
    paws = tmp_path / "dev.tsv"
    paws.write_text("id\tsentence1\tsentence2\tlabel\n1\tIt rained\tIt rained\t1\n2\tIt rained\tIt did\tno\n")
    assert list(paws_task(Files([paws], limit=1), "dev").ids) == ["1"]
    with pytest.raises(InputError, match="expected a label"):
        paws_task(Files([paws]), "dev")
    sick.write_text("sentence_A\tsentence_B\nIt rained\tIt rained\n")
    with pytest.raises(InputError, match="expected a column entailment_judgment"):
        sick_task(Files([sick]), "train")
