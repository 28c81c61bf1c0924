r"""Calibrate the probabilities of phrase pairs of a forest model on pairs with gold word links.

Fits on every second pair of each file. On the other pairs it compares the probabilities with the share of
constituent pairs that are right, before (plain posteriors) and after. Forests have the size with which the
model was tuned::

    python -m forest_align.em.recipes phrase-calibration MTREF/dev.tsv WIKI/dev.tsv \
        EDINBURGH/train.sure.json --model MODEL -o MODEL --forests CACHE
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.options import PhraseCalibration
from forest_align.data.pairs import read_pairs
from forest_align.em.corpus.corpus import CorpusReader
from forest_align.em.forest._calibration import JudgedPhrases, fit_calibration, judge_phrases
from forest_align.eval.metrics.scores import calibrate
from forest_align.system.terminal import counting_bar
from forest_align.types import InputError


def rows(held_out: Mapping[str, JudgedPhrases], calibration: PhraseCalibration) -> Iterator[str]:
    """A table by file: mean probability, share of right pairs, and expected calibration error."""
    yield "| held-out pairs of | phrases | right | posterior | its error | probability | its error | Brier |"
    yield "|---" * 8 + "|"
    for name, judged in held_out.items():
        cells = [f"{len(judged.right)}", f"{judged.right.mean():.3f}"]
        for one in (PhraseCalibration(), calibration):
            found = judged.probabilities(one)
            cells += [f"{found.mean():.3f}", f"{calibrate(found, judged.right).expected_error:.3f}"]
        brier = [
            np.square(judged.probabilities(one) - judged.right).mean()
            for one in (PhraseCalibration(), calibration)
        ]
        cells.append(f"{brier[0]:.3f} → {brier[1]:.3f}")
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
            cells.append(f"{number / 10:.1f} to {(number + 1) / 10:.1f}")
            cells.append(f"{column.count[number]}")
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
