r"""Calibrate the probabilities of phrase pairs of a forest model on pairs with gold word links.

Fits on every second pair of each file. On the other pairs it compares the probabilities with the share of
constituent pairs that are right, before (plain posteriors) and after. Forests have the size with which the
model was tuned::

    python -m forest_align.em.recipes phrase-calibration MTREF/dev.tsv WIKI/dev.tsv \
        EDINBURGH/train.sure.json --model MODEL -o MODEL --forests CACHE
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.forest.options import PhraseCalibration
from forest_align.aligners.forest.phrase_evidence import log_agreement
from forest_align.aligners.forest.result import SearchedPair, reported_derivation
from forest_align.alignment import project
from forest_align.data.pairs import read_pairs
from forest_align.em.corpus.corpus import CorpusPair, CorpusReader
from forest_align.eval.metrics.scores import calibrate
from forest_align.system.terminal import counting_bar
from forest_align.types import InputError


def rows(held_out: Mapping[str, JudgedPhrases], calibration: PhraseCalibration) -> Iterator[str]:
    """A table by file: mean probability, share of right pairs, and expected calibration error."""
    yield "| held-out pairs of | phrases | right | posterior | its error | probability | its error | Brier |"
    yield "|---" * 8 + "|"
    for name, judged in held_out.items():
        cells, brier = [f"{len(judged.right)}", f"{judged.right.mean():.3f}"], []
        for one in (PhraseCalibration(), calibration):
            found = judged.probabilities(one)
            cells += [f"{found.mean():.3f}", f"{calibrate(found, judged.right).expected_error:.3f}"]
            brier.append(f"{np.square(found - judged.right).mean():.3f}")
        cells.append(" → ".join(brier))
        yield f"| {name} | {' | '.join(cells)} |"


def diagram(held_out: Mapping[str, JudgedPhrases], calibration: PhraseCalibration) -> Iterator[str]:
    """The reliability diagram of all files together, as a table."""
    yield "| probability | phrases | mean | right | posterior | phrases | mean | right |"
    yield "|---" * 8 + "|"
    right = np.concatenate([judged.right for judged in held_out.values()])
    columns = []
    for one in (calibration, PhraseCalibration()):
        found = np.concatenate([judged.probabilities(one) for judged in held_out.values()])
        columns.append(calibrate(found, right))
    for number in range(10):
        cells = []
        for column in columns:
            cells += [f"{number / 10:.1f} to {(number + 1) / 10:.1f}", f"{column.count[number]}"]
            means = column.predicted[number], column.observed[number]
            cells += [f"{mean:.2f}" if column.count[number] else "–" for mean in means]
        yield f"| {' | '.join(cells)} |"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the recipe."""
    parser.add_argument("gold", metavar="GOLD", nargs="+", type=Path, help="pairs with gold word links")
    parser.add_argument("--model", default="forest", help="model to calibrate (default: forest)")
    parser.add_argument("-o", "--output", metavar="MODEL", type=Path, help="where to write it")
    parser.add_argument("--parser", default="en", help="parser: a name or a folder (default: en)")
    parser.add_argument("--forests", metavar="CACHE", type=Path, help="keeps what is computed once")
    parser.add_argument("--limit", type=int, help="only the first so many pairs of each file")


def run(options: argparse.Namespace) -> None:
    """Fit, report, and write the model."""
    model = ForestAligner.load(options.model).model
    reader = CorpusReader.for_model(model, options.parser, cache=options.forests)
    names = [f"{path.parent.name}/{path.name}" for path in options.gold]
    if len(set(names)) < len(names):
        raise InputError(f"expected files of different names, found {', '.join(names)}")
    fitted_on, held_out = {}, {}
    sizes = {}
    for name, path in zip(names, options.gold, strict=True):
        pairs, problems = reader.read(list(read_pairs(path))[: options.limit])
        print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
        with counting_bar(name, len(pairs)) as bar:
            fitted_on[name] = judge_phrases(pairs[::2], model, bar.update)
            held_out[name] = judge_phrases(pairs[1::2], model, bar.update)
        sizes[name] = len(pairs[::2])
    calibration = fit_calibration(list(fitted_on.values()), model.calibration)
    print(f"{calibration}\n")
    print(*rows(held_out, calibration), "", *diagram(held_out, calibration), sep="\n")
    if options.output:
        # Where the phrase-pair model judged, only its power was fitted.
        by_phrases = all(judged.by_phrases for judged in fitted_on.values())
        name = "phrases_calibrated_on" if by_phrases else "calibrated_on"
        description = {**model.description, name: sizes}
        replace(model, calibration=calibration, description=description).save(options.output)


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
        posterior = self.log_posterior[TEMPERATURES.index(calibration.temperature)]
        return calibration.probabilities(posterior, self.log_agreement)


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
    spans = [
        np.stack([side.start[nodes], side.end[nodes]], axis=1)
        for side, nodes in zip(forests, (arrays.source, arrays.target), strict=True)
    ]
    reported &= np.any([np.diff(side)[:, 0] > 1 for side in spans], axis=0)
    source_spans, target_spans = ([(start, end) for start, end in side[reported].tolist()] for side in spans)
    possible = project(source_spans, target_spans, pair.links.only_sure()).possible_pairs()
    right = np.array([spans in possible for spans in zip(source_spans, target_spans, strict=True)], bool)
    posteriors = np.array([one.log_posterior[reported] for one in aligned])
    agreement = log_agreement(pair.source, pair.target, arrays, pair.candidates, pair.phrases)
    return posteriors, agreement[reported], right


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
