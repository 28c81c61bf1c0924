"""Fitting the calibration of phrase pairs: what is judged, and that the fit finds what there is to find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.features import pair_features
from forest_align.aligners.forest.options import PhraseCalibration
from forest_align.aligners.words.candidate import Candidate
from forest_align.alignment import Links, PhrasePair
from forest_align.em.corpus.corpus import CorpusPair
from forest_align.em.forest._calibration import TEMPERATURES, JudgedPhrases, fit_calibration, judge_phrases
from forest_align.em.forest.dev_set import align_pair
from forest_align.eval.metrics.scores import calibrate
from forest_align.lexicon.evidence import word_evidence
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import sentence_from_bracket
from forest_align.types import InputError

SOURCE = "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT a) (NN cat))))"
TARGET = "(S (NP (DT a) (NN cat)) (VP (VBD was) (VP (VBN seen) (PP (IN by) (NP (DT the) (NN dog))))))"


def corpus_pair(
    links: Links | None,
    texts: Sequence[str] = (SOURCE, TARGET),
    proposed: Sequence[tuple[int, int]] = ((0, 5), (1, 6), (2, 3), (3, 0), (4, 1)),
) -> CorpusPair:
    lexicon = load_lexicon()
    source, target = (sentence_from_bracket(text, lemmatizer=lexicon.lemma) for text in texts)
    candidates = tuple(Candidate((i, i + 1), (j, j + 1), 0.8) for i, j in proposed)
    features = pair_features(source, target, word_evidence(source, target, lexicon), proposed)
    return CorpusPair("one", source, target, candidates, features, links)


def sample(calibration: PhraseCalibration, count: int, seed: int) -> JudgedPhrases:
    """Phrases that are right as often as a calibration says."""
    random = np.random.default_rng(seed)
    agreement = np.log(random.beta(2, 0.5, count))
    posterior = np.log(random.beta(1, 0.3, count))
    # Posteriors at other temperatures than the right one are the same ones out of order.
    at = TEMPERATURES.index(calibration.temperature)
    posteriors = np.array([random.permutation(posterior) for _ in TEMPERATURES])
    posteriors[at] = posterior
    judged = JudgedPhrases(posteriors, agreement, np.zeros(count, bool))
    return replace(judged, right=random.random(count) < judged.probabilities(calibration))


def test_the_fit_finds_how_probabilities_are_made() -> None:
    truth = PhraseCalibration(4.0, 0.5, 0.8)
    found = fit_calibration([sample(truth, 4_000, 1), sample(truth, 4_000, 2)])
    assert found.temperature == 4.0
    step = 0.05 + 1e-9  # of the grid
    assert found.posterior_power == pytest.approx(0.5, abs=step)
    assert found.link_power == pytest.approx(0.8, abs=step)
    fresh = sample(truth, 20_000, 3)
    assert calibrate(fresh.probabilities(found), fresh.right).expected_error < 0.02


def test_every_corpus_counts_the_same() -> None:
    one, two = PhraseCalibration(1.0, 1.0, 0.0), PhraseCalibration(1.0, 0.0, 1.0)
    few, many = sample(one, 500, 1), sample(two, 5_000, 2)
    alone, both = fit_calibration([many]), fit_calibration([few, many])
    assert alone.posterior_power == pytest.approx(0.0, abs=0.05)
    assert both.posterior_power > 0.2


def is_judged(phrase: PhrasePair) -> bool:
    """Whether both are constituents and not two words, whose pair has the probability of their link."""
    one, two = phrase.source_node.span, phrase.target_node.span
    return phrase.constituents and max(one[1] - one[0], two[1] - two[0]) > 1


def test_pairs_of_constituents_are_judged_by_the_gold_links() -> None:
    # Two gold links lead from the dog's words to other ones than the candidates say.
    gold = Links.of([(2, 3), (3, 0), (4, 1), (0, 1), (1, 0)])
    pair, model = corpus_pair(gold), ForestAligner.load().model
    judged = judge_phrases([pair, pair], model)
    reported = [phrase for phrase in align_pair(pair, model).phrases if is_judged(phrase)]
    assert len(judged.right) == 2 * len(reported)
    assert judged.log_posterior.shape == (len(TEMPERATURES), len(judged.right))
    probabilities = judged.probabilities(model.calibration)[: len(reported)]
    assert sorted(probabilities) == pytest.approx(sorted(phrase.probability for phrase in reported))
    spans = {(phrase.source_node.span, phrase.target_node.span) for phrase in reported}
    assert {((0, 5), (0, 7)), ((0, 2), (5, 7))} <= spans
    assert 0 < judged.right.sum() < len(judged.right)


def test_a_pair_is_right_if_sure_links_lie_inside_of_it_and_none_leads_out() -> None:
    # Two words of each sentence have no sure link: phrases with and without them are right.
    sure, possible = [(1, 6), (2, 3), (4, 1), (0, 1)], [(0, 0), (3, 5)]
    gold = Links.of([*sure, *possible], sure=[True] * 4 + [False] * 2)
    pair, model = corpus_pair(gold), ForestAligner.load().model
    judged = judge_phrases([pair], model)
    expected = []
    for phrase in align_pair(pair, model).phrases:
        one, two = phrase.source_node, phrase.target_node
        if is_judged(phrase):
            sides = [(one.start <= i < one.end, two.start <= j < two.end) for i, j in sure]
            expected.append((phrase.probability, (True, True) in sides and all(a == b for a, b in sides)))
    found = sorted(zip(judged.probabilities(model.calibration).tolist(), judged.right.tolist(), strict=True))
    assert [right for _, right in found] == [right for _, right in sorted(expected)]
    assert {right for _, right in expected} == {True, False}


OLD_MAN = "(S (NP (DT the) (JJ old) (NN man)) (VP (VBD bought) (NP (DT a) (NN car))))"
CAR = (
    "(S (NP (DT a) (NN car)) (VP (VBD was) (VP (VBN bought) "
    "(PP (IN by) (NP (DT the) (NML (JJ old) (NN man)))))))"
)
WORDS = [(0, 5), (1, 6), (2, 7), (3, 3), (4, 0), (5, 1)]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("swapped", [False, True])
def test_pairs_that_are_judged_are_those_of_constituents_that_are_reported(
    strict: bool, swapped: bool
) -> None:
    model = ForestAligner.load().model
    model = replace(model, options=replace(model.options, strict=strict))
    words, texts = WORDS, (OLD_MAN, CAR)
    if swapped:
        words, texts = [(j, i) for i, j in words], texts[::-1]
    pair = corpus_pair(Links.of(words), texts, words)
    phrases = align_pair(pair, model).phrases
    reported = [phrase for phrase in phrases if is_judged(phrase)]
    judged = judge_phrases([pair], model)
    found = sorted(judged.probabilities(model.calibration))
    assert found == pytest.approx(sorted(phrase.probability for phrase in reported))
    constituents = [phrase for phrase in phrases if phrase.constituents]
    assert len(reported) < len(constituents) < len(phrases), "one is of a part of a constituent"


def test_a_pair_that_gives_way_to_a_larger_one_of_the_same_node_is_not_judged() -> None:
    texts, words = ("(NP (JJ old) (NN man))", "(NP (NN man))"), [(1, 0)]
    pair, model = corpus_pair(Links.of(words), texts, words), ForestAligner.load().model
    (phrase,) = align_pair(pair, model).phrases
    assert phrase.source_node.span == (0, 2)
    assert judge_phrases([pair], model).right.tolist() == [True]


def test_pairs_without_gold_are_refused() -> None:
    model = ForestAligner.load().model
    with pytest.raises(InputError, match="'one' has no gold"):
        judge_phrases([corpus_pair(None)], model)
    with pytest.raises(InputError, match="at least one"):
        judge_phrases([], model)
    nothing = JudgedPhrases(np.zeros((len(TEMPERATURES), 0)), np.zeros(0), np.zeros(0, bool))
    with pytest.raises(InputError, match="none"):
        fit_calibration([nothing])
