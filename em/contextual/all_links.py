r"""Fit the probabilities of all links, sure or possible, to a link model of sure links.

Annotators differ in how freely they link. A logistic regression maps the log-odds of a sure link to those of
any link. Then the threshold with the highest F1 is chosen. The table shows every second pair of each file,
with the links of the sure convention and with those fitted to the other pairs. The model that is written is
fitted to all pairs::

    python -m forest_align.em.recipes all-links MTREF/dev.tsv EDINBURGH/train.sure+possible.json \
        --model contextual -o MODEL

F1 is without the links of repeated words.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from forest_align.aligners.contextual import ContextualAligner
from forest_align.aligners.link_convention import AllLinks
from forest_align.em.corpus.parsed_pairs import read_gold_files
from forest_align.em.fitting.cross_fitting import fit_logistic
from forest_align.em.tuning.word_link_sweep import WordDevPair, dev_pairs
from forest_align.eval.metrics.scores import MatchCounts, calibrate
from forest_align.system.terminal import counting_bar
from forest_align.types import InputError

# There are so many less probable links that they alone would decide on the fit.
_LEAST = 0.01
# Probabilities nearer to 0 or 1 only show that the model is certain.
_NEAREST = 1e-6
_RIDGE = 1e-3
_THRESHOLDS = [round(0.4 + step / 100, 2) for step in range(21)]


@dataclass(frozen=True, slots=True, eq=False)
class JudgedLinks:
    """The links of a pair of n and m words: their probabilities, and which are gold."""

    probability: np.ndarray
    gold: np.ndarray  # bool, shape (n, m)

    @classmethod
    def of(cls, aligner: ContextualAligner, pair: WordDevPair) -> JudgedLinks:
        """The links that an aligner finds, and all gold links, sure and possible."""
        gold = np.zeros((len(pair.source), len(pair.target)), bool)
        for i, j in pair.links:
            gold[i, j] = True
        return cls(aligner.link_probabilities(pair.source, pair.target), gold)


def fit_all_links(pairs: Sequence[JudgedLinks]) -> AllLinks:
    """Fit the log-odds of all links and the threshold with the highest F1."""
    probability, gold = _cells(pairs)
    if not gold.any() or gold.all():
        raise InputError("expected some of the links that the model finds to be gold, and some not to be")
    slope, offset = fit_logistic(
        np.log(probability / (1 - probability))[:, None], gold, ridge=_RIDGE
    ).tolist()
    found = [AllLinks(slope, offset, threshold) for threshold in _THRESHOLDS]
    tables = _mapped(pairs, found[0])
    # Of equally good thresholds, the one nearest to one half.
    return max(found, key=lambda one: (f1(tables, one.threshold), -abs(one.threshold - 0.5)))


def f1(pairs: Sequence[JudgedLinks], threshold: float) -> float:
    """F1 of macro-averaged precision and recall of the links that reach a threshold, in percent."""
    return (
        100 * MatchCounts.of_tables((pair.probability >= threshold, pair.gold) for pair in pairs).macro().f1
    )


def table(held_out: Mapping[str, Sequence[JudgedLinks]], fitted: AllLinks, threshold: float) -> Iterator[str]:
    """A row for each file: F1 and calibration error on all links, by the sure convention and as fitted."""
    yield "| held-out pairs of | pairs | sure: F1 | calibration error | all: F1 | calibration error |"
    yield "|---" * 6 + "|"
    for name, pairs in held_out.items():
        cells = []
        for tables, least in ((pairs, threshold), (_mapped(pairs, fitted), fitted.threshold)):
            error = calibrate(*_cells(tables)).expected_error
            cells.append(f"{f1(tables, least):.2f} | {error:.3f}")
        yield f"| {name} | {len(pairs)} | {' | '.join(cells)} |"


def _mapped(pairs: Sequence[JudgedLinks], fitted: AllLinks) -> list[JudgedLinks]:
    return [replace(pair, probability=fitted.probabilities(pair.probability)) for pair in pairs]


def _cells(pairs: Sequence[JudgedLinks]) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of the links that are not too improbable, and whether they are gold."""
    values = np.concatenate([pair.probability.ravel() for pair in pairs]).astype(np.float64)
    gold = np.concatenate([pair.gold.ravel() for pair in pairs])
    counts = values >= _LEAST
    return np.clip(values[counts], _NEAREST, 1 - _NEAREST), gold[counts]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the recipe."""
    parser.add_argument("gold", metavar="GOLD", nargs="+", type=Path, help="pairs with gold word links")
    parser.add_argument("--model", default="contextual", help="model to fit (default: contextual)")
    parser.add_argument("-o", "--output", metavar="MODEL", type=Path, help="where to write it")
    parser.add_argument("--parser", default="en", help="parser: a name or a folder (default: en)")
    parser.add_argument("--forests", metavar="CACHE", type=Path, help="keeps what is computed once")
    parser.add_argument("--limit", type=int, help="only the first so many pairs of each file")


def run(options: argparse.Namespace) -> None:
    """Fit, report, and write the model."""
    aligner = ContextualAligner.load(options.model, parser=options.parser)
    judged: dict[str, list[JudgedLinks]] = {}
    for path in options.gold:
        name = f"{path.parent.name}/{path.name}"
        if name in judged:
            raise InputError(f"expected files of different names, found {name} twice")
        read = read_gold_files([str(path)], links="all")[: options.limit]
        broken = [one for one in read if isinstance(one, InputError)]
        usable = [one for one in read if not isinstance(one, InputError)]
        with counting_bar(name, 2 * len(usable)) as bar:
            pairs, problems = dev_pairs(aligner, usable, options.parser, options.forests, bar.update)
        print(*broken, *problems, sep="\n", end="\n" if broken or problems else "", file=sys.stderr)
        judged[name] = [JudgedLinks.of(aligner, pair) for pair in pairs]
    half = fit_all_links([pair for pairs in judged.values() for pair in pairs[::2]])
    print(*table({name: pairs[1::2] for name, pairs in judged.items()}, half, aligner.threshold), sep="\n")
    fitted = fit_all_links([pair for pairs in judged.values() for pair in pairs])
    print(f"\n{fitted}")
    if options.output:
        card = {**aligner.model.card, "all_links_fitted_on": {name: len(one) for name, one in judged.items()}}
        replace(aligner.model, all_links=fitted, card=card).save(options.output)
