"""Relations of whole sentences against judgements of people."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from forest_align.alignment import Alignment, Links, PhrasePair, PhraseRelation
from forest_align.eval.benchmarks._applications import (
    entailment_scorer,
    paraphrase_scorer,
    paws_task,
    sick_task,
)
from forest_align.eval.benchmarks.reading import Files
from forest_align.types import InputError, Node, Sentence


def aligned(relation: str | None, probability: float | None = None) -> Alignment:
    sides = Sentence.from_words(["It", "rained"]), Sentence.from_words(["It", "rained"])
    known = None if relation is None else PhraseRelation(relation, None)
    part = PhrasePair(Node(0, 1, "NP"), Node(0, 1, "NP"), 1.0, relation=PhraseRelation("different", None))
    pairs = (part, PhrasePair(Node(0, 2, "S"), Node(0, 2, "S"), 1.0, relation=known))
    return replace(Alignment(*sides, Links.of([]), pairs), paraphrase_probability=probability)


def test_only_the_roots_decide_on_entailment_and_contradiction() -> None:
    relations = ["opposite", "opposite", "more specific", "different", "more general", None]
    judgements = ["CONTRADICTION", "NEUTRAL", "ENTAILMENT", "ENTAILMENT", "NEUTRAL", "CONTRADICTION"]
    (figures,) = entailment_scorer(judgements)([aligned(one) for one in relations])
    assert figures.table == "sick"
    assert figures.values == pytest.approx(
        {"precision": 50, "recall": 50, "f1": 50, "entailment.f1": 200 / 3, "denied": 50, "accuracy": 50}
    )


def test_paraphrases_are_told_by_the_root_and_by_the_probability() -> None:
    runs = [
        aligned("equivalent", 0.9),
        aligned(None, 0.3),
        aligned("equivalent", 0.6),
        aligned("different", 0.1),
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
    (figures,) = task.score([aligned("opposite")])
    assert figures.values["f1"] == 100
    paws = tmp_path / "dev.tsv"
    paws.write_text("id\tsentence1\tsentence2\tlabel\n1\tIt rained\tIt rained\t1\n2\tIt rained\tIt did\tno\n")
    assert list(paws_task(Files([paws], limit=1), "dev").ids) == ["1"]
    with pytest.raises(InputError, match="expected a label"):
        paws_task(Files([paws]), "dev")
    sick.write_text("sentence_A\tsentence_B\nIt rained\tIt rained\n")
    with pytest.raises(InputError, match="expected a column entailment_judgment"):
        sick_task(Files([sick]), "train")
