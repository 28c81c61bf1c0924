"""The scripts that measure the search on corpora, and its trees against those of Stanford's parser."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import measure_forest
import numpy as np
import pytest

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.options import ForestOptions
from forest_align.aligners.words.candidate import Candidate
from forest_align.aligners.words.choose import word_candidates
from forest_align.alignment import Alignment

from ..em.forest.test_dev_set import GOLD, gold_pairs, parse_many


def test_figures_of_the_search_are_those_worked_out_by_hand() -> None:
    module = measure_forest
    words = [[1, 2, 1, 4, 1, 5, 0.25], [3, 3, 3, 4, 0, 2, 0.75]]
    assert module.figures(np.array(words)) == pytest.approx([50, 50, 80, 3.5, 500])
    # Two more columns: compatible pairs, and all predicted ones, of which some are not judged.
    chunks = [[1, 2, 1, 4, 3, 4, 1, 5, 0.25], [3, 3, 3, 4, 3, 6, 0, 2, 0.75]]
    assert module.figures(np.array(chunks)) == pytest.approx([50, 50, 80, 50, 60, 3.5, 500])


def test_each_variant_of_the_search_aligns_with_the_candidates_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = measure_forest
    source, target = (one for one in parse_many([text.split() for text in GOLD[0][:2]]))
    links = gold_pairs()[0].links
    calls: list[tuple[ForestOptions, tuple[Candidate, ...]]] = []
    align = ForestAligner.align_candidates

    def noted(self: ForestAligner, *given: Any) -> Alignment:
        calls.append((self.model.options, given[2]))
        return align(self, *given)

    monkeypatch.setattr(ForestAligner, "align_candidates", noted)
    case = module.Case({"toy": (source, target)}, links, lambda phrases: [1, 2, 1, len(list(phrases))])
    provider = word_candidates("dictionary")
    aligner = ForestAligner(candidates=provider)
    own = aligner.model.options
    monotonic = {"noncompositional_penalty": None}
    expected = [replace(own, **{**base, **one}) for base in ({}, module.PUBLISHED) for one in ({}, monotonic)]
    for gold in (True, False):
        calls.clear()
        table = module.measure(aligner, [case] * 2, "toy", gold)
        names = ["full", "monotonic", "published", "published, monotonic"]
        assert list(table) == [*names, "projection"]
        assert [options for options, _ in calls] == expected * 2
        wanted = module.GivenCandidates(links) if gold else provider
        assert all(given == wanted.candidates(source, target) for _, given in calls)
        for reached, recall, precision, phrases, _ in table.values():
            assert reached in (0, 100) and precision == 50
            assert recall == pytest.approx(100 / phrases)
    assert "ms a pair for the word candidates" in capsys.readouterr().out
    forest = replace(case, systems={"3-best forest": (source, target)})
    assert "projection" not in module.measure(aligner, [forest], "3-best forest", False)
