"""The script that aligns synonymous phrasal verbs with one verb."""

from __future__ import annotations

import phrasal_verbs
import pytest

from forest_align.aligners.semi_markov.aligner import SemiMarkovAligner
from forest_align.lexicon.lexicon import load_lexicon

from ..aligners.semi_markov.semi_markov_cases import simple_model
from ..em.forest.test_model_making import cells


def test_the_pairs_are_those_of_wordnet_each_once() -> None:
    found = phrasal_verbs.phrasal_verbs(load_lexicon())
    assert ("close", "down", "up") in found and ("carry", "out", "through") in found
    assert len(set(found)) == len(found) > 100
    store = load_lexicon().store
    for verb, one, two in found:
        assert one < two
        assert set(store.synsets(f"{verb}_{one}", "v")) & set(store.synsets(f"{verb}_{two}", "v"))
    forms = phrasal_verbs.past_forms(load_lexicon(), {"close", "carry", "bring"})
    assert forms == {"close": "closed", "carry": "carried", "bring": "brought"}


def test_a_pair_counts_if_verbs_and_particles_are_linked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    verbs = [("close", "down", "up"), ("carry", "out", "through")]
    monkeypatch.setattr(phrasal_verbs, "phrasal_verbs", lambda lexicon: verbs)
    aligners = {"bundled": SemiMarkovAligner(), "same words": SemiMarkovAligner(simple_model())}
    monkeypatch.setattr(phrasal_verbs, "load", aligners.get)
    phrasal_verbs.main(list(aligners))
    head, _, bundled, same_words = cells(capsys.readouterr().out.strip())
    assert head == ["2 pairs", "same surroundings", "figure 1", "passive"]
    assert bundled[:2] == ["bundled", "100.0"]
    assert same_words == ["same words", "0.0", "0.0", "0.0"]
