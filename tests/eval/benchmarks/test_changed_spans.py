"""Spans that differ, and edits beside the baselines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forest_align.alignment import Alignment, Links, PhrasePair, PhraseRelation
from forest_align.eval.benchmarks._changed_spans import (
    Differences,
    changed_spans,
    difference_scorer,
    differing_spans,
    edit_baselines,
    edit_task,
)
from forest_align.eval.benchmarks.task import Files
from forest_align.types import InputError, Node, Sentence


def aligned(links: str, *phrases: tuple[tuple[int, int], tuple[int, int], str | None]) -> Alignment:
    source, target = (
        Sentence.from_words(text.split()) for text in ("a red dog , sang", "one red fish , sang")
    )
    pairs = tuple(
        PhrasePair(
            Node(*ours, "X"),
            Node(*theirs, "X"),
            1.0,
            relation=None if relation is None else PhraseRelation(relation, 0.9),
        )
        for ours, theirs, relation in phrases
    )
    return Alignment(source, target, Links.from_pharaoh(links), pairs)


def test_words_without_links_differ_and_punctuation_does_not() -> None:
    assert differing_spans(aligned("1-1 4-4")) == Differences([(0, 1), (2, 3)], [(0, 1), (2, 3)])
    assert differing_spans(aligned("4-4")) == Differences([(0, 3)], [(0, 3)])


def test_spans_are_those_that_differences_mark() -> None:
    one = aligned("1-1 4-4", ((0, 5), (0, 5), None))
    marked = [span.span for span in one.differences().spans if span.side == "target"]
    assert differing_spans(one).target == marked != []
    equivalent = aligned("1-1 4-4", ((0, 5), (0, 5), "equivalent"))
    assert differing_spans(equivalent) == Differences([], [])


def test_figures_are_those_of_both_sentences() -> None:
    gold = [Differences([(2, 3)], [(2, 3)]), Differences([], [])]
    runs = [aligned("0-0 1-1 4-4"), aligned("0-0 1-1 2-2 4-4")]
    (figures,) = difference_scorer(gold)(runs)
    assert figures.table == "ssd"
    assert {figures.values[name] for name in ("f1", "same.f1", "different.f1")} == {100}
    (figures,) = difference_scorer(gold)(runs[::-1])
    assert figures.values["f1"] == pytest.approx(0)


SOURCE, TARGET = ["only", "we", "saw", "dogs", "."], ["we", "saw", "cats", "only", "."]


def test_what_is_kept_or_moved_is_no_edit() -> None:
    links = Links.from_pharaoh("0-3 1-0 2-1 3-2 4-4")
    alignment = Alignment(Sentence.from_words(SOURCE), Sentence.from_words(TARGET), links)
    assert changed_spans(alignment, minimal=True) == {((3, 4), (2, 3))}
    assert changed_spans(Alignment.failed("too long")) == frozenset()


def test_errant_is_a_baseline_where_it_is_installed() -> None:
    pytest.importorskip("errant", reason="needs ERRANT, which only this baseline uses")
    compare = edit_baselines().get("ERRANT")
    if compare is None:
        pytest.skip("ERRANT needs the model of the extra [spacy]")
    assert set(compare(["a", "dogs"], ["a", "dog"])) == {((1, 2), (1, 2))}


def test_a_task_scores_edits_beside_the_baselines(tmp_path: Path) -> None:
    edit = {"type": "Substitute", "sentence-1-token-indices": [1, 2], "sentence-2-token-indices": [1, 2]}
    pair = {"sentence-1": "a dog", "sentence-2": "a cat", "edits-combination-0": {"0": edit}}
    path = tmp_path / "edits.json"
    path.write_text(json.dumps({"1": pair, "2": pair}))
    task = edit_task(Files([path], 1), "dev")
    assert task.ids == ["1"]
    (source, target) = task.pairs[0]
    figures = task.score([Alignment(source, target, Links.from_pharaoh("0-0 1-1"))])
    assert [one.values["f1"] for one in figures] == [100.0] * len(figures)
    assert [one.use for one in figures[:2]] == ["", "minimal edits"] and figures[2].label == "difflib, words"
    path.write_text("{}")
    with pytest.raises(InputError, match="expected sentence pairs, found none"):
        edit_task(Files([path]), "dev")
