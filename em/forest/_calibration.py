"""Fits the probability of a phrase pair to its posterior and word links, on pairs with gold links."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.options import PhraseCalibration
from forest_align.aligners.forest.phrase_evidence import log_agreement
from forest_align.aligners.forest.result import SearchedPair, reported_derivation
from forest_align.alignment import Span, project
from forest_align.em.corpus.corpus import CorpusPair
from forest_align.types import InputError, ParseForest

#: Temperatures to choose from.
TEMPERATURES = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0)
# Powers to choose from: steps that change probabilities by about a hundredth.
_POWERS = np.arange(41) * 0.05
# Log-probabilities are bounded by this, so that the loss of a wrong pair is bounded, too.
_MOST_CERTAIN = math.log(1 - 1e-6)


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPhrases:
    """Constituent pairs that an aligner reports, judged by gold links."""

    log_posterior: np.ndarray  # float64, shape (T, K): at each temperature of TEMPERATURES
    log_agreement: np.ndarray  # float64, shape (K,): see log_agreement
    right: np.ndarray  # bool, shape (K,): whether the pair is possible given the links, see constituents
    by_phrases: bool = False  # Whether the agreement is the probability of the phrase-pair model

    def probabilities(self, calibration: PhraseCalibration) -> np.ndarray:
        """Their probabilities under a calibration with one of the temperatures: float64, shape (K,)."""
        if self.by_phrases:
            return calibration.of_phrases(self.log_agreement)
        at = TEMPERATURES.index(calibration.temperature)
        return calibration.probabilities(self.log_posterior[at], self.log_agreement)


def judge_phrases(
    pairs: Sequence[CorpusPair], model: ForestModel, report: Callable[[int], None] | None = None
) -> JudgedPhrases:
    """Align sentence pairs and judge the constituent pairs found."""
    if not pairs:
        raise InputError("expected at least one pair with gold links, found none")
    found = []
    for pair in pairs:
        found.append(_judge_pair(pair, model))
        if report is not None:
            report(1)
    posteriors, agreements, right = zip(*found, strict=True)
    by_phrases = all(pair.phrases is not None for pair in pairs)
    return JudgedPhrases(
        np.concatenate(posteriors, 1), np.concatenate(agreements), np.concatenate(right), by_phrases
    )


def _judge_pair(pair: CorpusPair, model: ForestModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if pair.links is None:
        raise InputError(f"pair {pair.id!r} has no gold links")
    own = model.options_for(pair.phrases)
    prepared, log_probabilities = pair.prepared(own), model.log_probabilities(pair.features)
    options = own.search_options()
    aligned = [
        prepared.align(*log_probabilities, options._replace(temperature=temperature))
        for temperature in TEMPERATURES
    ]
    source, target = forests = prepared.source, prepared.target
    searched = SearchedPair(pair.source, pair.target, pair.candidates, prepared.base, aligned[0])
    arrays = reported_derivation(searched, own).arrays
    reported = ~arrays.absorbed
    reported &= source.is_constituent[arrays.source] & target.is_constituent[arrays.target]
    # A pair of two words has the probability of their link.
    lengths = [
        side.end[nodes] - side.start[nodes]
        for side, nodes in zip(forests, (arrays.source, arrays.target), strict=True)
    ]
    reported &= (lengths[0] > 1) | (lengths[1] > 1)
    source_spans = _spans(source, arrays.source[reported])
    target_spans = _spans(target, arrays.target[reported])
    possible = project(source_spans, target_spans, pair.links.only_sure()).possible_pairs()
    right = np.array([spans in possible for spans in zip(source_spans, target_spans, strict=True)], bool)
    posteriors = np.array([one.log_posterior[reported] for one in aligned])
    agreement = log_agreement(pair.source, pair.target, arrays, pair.candidates, pair.phrases)
    return posteriors, agreement[reported], right


def _spans(forest: ParseForest, nodes: np.ndarray) -> list[Span]:
    return list(zip(forest.start[nodes].tolist(), forest.end[nodes].tolist(), strict=True))


def fit_calibration(
    corpora: Sequence[JudgedPhrases], before: PhraseCalibration | None = None
) -> PhraseCalibration:
    """The calibration with the smallest log loss, found by a grid search."""
    if not all(len(judged.right) for judged in corpora):
        raise InputError("expected aligned phrases to calibrate on, found none")
    if all(judged.by_phrases for judged in corpora):
        alone = np.stack([np.zeros_like(_POWERS), _POWERS], axis=1)
        loss = sum(_log_losses(judged, 0, alone) for judged in corpora)
        power = float(np.round(_POWERS[np.argmin(loss)], 2))
        return replace(before or PhraseCalibration(), phrase_power=power)
    powers = np.stack(np.meshgrid(_POWERS, _POWERS, indexing="ij"), -1).reshape(-1, 2)
    losses = np.array(
        [sum(_log_losses(judged, at, powers) for judged in corpora) for at in range(len(TEMPERATURES))]
    )
    best, place = np.unravel_index(np.argmin(losses), losses.shape)
    posterior_power, link_power = np.round(powers[place], 2).tolist()
    return PhraseCalibration(TEMPERATURES[best], posterior_power, link_power)


def _log_losses(judged: JudgedPhrases, at: int, powers: np.ndarray) -> np.ndarray:
    """Mean log loss at one temperature for each pair of powers: float64, shape (P,)."""
    evidence = np.stack([judged.log_posterior[at], judged.log_agreement])
    wrong = np.minimum(powers @ evidence[:, ~judged.right], _MOST_CERTAIN)
    of_wrong = -np.log(-np.expm1(wrong)).sum(axis=1)
    of_right = -powers @ evidence[:, judged.right].sum(axis=1)
    losses: np.ndarray = (of_right + of_wrong) / len(judged.right)
    return losses
