"""What the phrase-pair model tells the search, and when it is not asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.phrase_evidence import PhraseEvidence, judged_phrases
from forest_align.lexicon.lexicon import load_lexicon

from ..phrases.phrase_cases import pair_with_vectors, random_model


@pytest.fixture(scope="module")
def aligner() -> ForestAligner:
    return ForestAligner(lexicon=load_lexicon())


EVIDENCE = PhraseEvidence(
    np.array([[0, 2, 0, 1], [0, 3, 0, 2], [1, 3, 2, 4]], np.int32),
    np.array([2.0, -1.0, 0.0]),
)


def test_pairs_that_were_not_proposed_are_next_to_impossible() -> None:
    spans = np.array([[1, 3, 2, 4], [0, 1, 0, 2]])
    known, other = np.exp(EVIDENCE.log_probabilities(spans))
    assert known == pytest.approx(0.5) and other < 1e-12


@pytest.mark.parametrize("seed", range(10))
def test_log_odds_of_nodes_are_those_of_their_spans(seed: int) -> None:
    source, target, candidates = pair_with_vectors(seed)
    found = judged_phrases(random_model(), source, target, candidates, load_lexicon())
    one, two = source.forest, target.forest
    assert one is not None and two is not None
    known = dict(zip(map(tuple, found.spans.tolist()), found.log_odds.tolist(), strict=True))
    for bias in (-1.0, 2.5):
        table = found.of_nodes(one, two, bias)
        for s in range(len(one)):
            for t in range(len(two)):
                spans = (int(one.start[s]), int(one.end[s]), int(two.start[t]), int(two.end[t]))
                if spans[1] - spans[0] == 1 == spans[3] - spans[2]:
                    assert table[s, t] == 0
                else:
                    assert table[s, t] == pytest.approx(min(max(known.get(spans, -9) + bias, -4), 3))


def test_without_word_vectors_the_search_is_that_of_before(aligner: ForestAligner) -> None:
    source, target = aligner.prepare_pair("The airline won .", "Southwest won .")
    candidates = aligner.candidates.candidates(source, target)
    assert aligner.phrase_evidence(source, target, candidates) is not None
    bare = replace(source, vectors=None), replace(target, vectors=None)
    assert aligner.phrase_evidence(*bare, candidates) is None
    alone = ForestAligner(replace(aligner.model, phrases=None), lexicon=aligner.lexicon)
    found, wanted = (one.align_candidates(*bare, candidates) for one in (aligner, alone))
    assert found == wanted


@pytest.mark.parametrize(
    ("source", "target", "phrases"),
    [
        (
            "The airline hired 200 pilots last year .",
            "Southwest hired 200 pilots last year .",
            ("The airline", "Southwest"),
        ),
        ("She left on Monday .", "His wife left on Monday .", ("She", "His wife")),
    ],
)
def test_phrases_correspond_that_share_no_word(
    aligner: ForestAligner, source: str, target: str, phrases: tuple[str, str]
) -> None:
    found = aligner.align(source, target)
    pairs = {found.texts_of(pair): pair for pair in found.phrases}
    assert pairs[phrases].probability > 0.5
