r"""Fit how much less a deletion is worth to the joint aligner where possible links are wanted too.

The deletion of a word is made worse, step by step, and the step with the highest F1 on all links is chosen.
Then probabilities are calibrated. The table has every second pair, at each step::

    python -m forest_align.em.recipes freer-links MTREF/dev.tsv --model joint -o MODEL
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from forest_align.aligners.contextual.aligner import bundled_model as bundled_link_model
from forest_align.aligners.joint import JointAligner
from forest_align.aligners.joint.model import JointModel
from forest_align.aligners.link_convention import FreerLinks
from forest_align.em.corpus.parsed_pairs import read_gold_files
from forest_align.em.joint.examples import JointExample, read_examples
from forest_align.em.joint.training import calibrate, margins_and_truth
from forest_align.eval.metrics.scores import MatchCounts
from forest_align.system.terminal import counting_bar
from forest_align.types import InputError

_DELETIONS = [round(0.2 * step, 1) for step in range(7)]


def fit_freer_links(
    examples: Sequence[JointExample], model: JointModel, deletions: Sequence[float] = _DELETIONS
) -> tuple[FreerLinks, list[float]]:
    """Fit to all gold links, sure and possible."""
    if not examples:
        raise InputError("expected at least one pair with gold links")
    found = [freer(model, deletion) for deletion in deletions]
    scores = [f1(examples, one) for one in found]
    best = int(np.argmax(scores))
    return FreerLinks(deletions[best], calibrate(examples, found[best])), scores


def freer(model: JointModel, deletion: float) -> JointModel:
    """The model with deletions that are worth so much less."""
    return replace(model, all_links=FreerLinks(deletion, model.calibration)).for_all_links()


def f1(examples: Sequence[JointExample], model: JointModel) -> float:
    """F1 of macro-averaged precision and recall of the model's links, in percent."""
    rows = []
    for example in examples:
        _, truth = margins_and_truth(example, model)
        rows.append((truth.sum(), len(truth), truth.sum(), example.gold.sum()))
    return 100 * MatchCounts(np.array(rows, np.float64)).macro().f1


def table(scores: Sequence[Sequence[float]]) -> Iterator[str]:
    """F1 of each half of the pairs, by value."""
    yield "| deletion | first half: F1 | second half: F1 |"
    yield "|---" * 3 + "|"
    for deletion, *halves in zip(_DELETIONS, *scores, strict=True):
        yield f"| {deletion} | {' | '.join(f'{score:.2f}' for score in halves)} |"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the recipe."""
    parser.add_argument("gold", metavar="GOLD", nargs="+", type=Path, help="pairs with gold word links")
    parser.add_argument("--model", default="joint", help="model to fit (default: joint)")
    parser.add_argument("-o", "--output", metavar="MODEL", type=Path, help="where to write it")
    parser.add_argument("--parser", default="en", help="parser: a name or a folder (default: en)")
    parser.add_argument("--forests", metavar="CACHE", type=Path, help="cache of parses")
    parser.add_argument("--limit", type=int, help="only the first so many pairs of all files")


def run(options: argparse.Namespace) -> None:
    """Fit, report, and write the model."""
    model = JointAligner.load(options.model).model
    pairs = read_gold_files([str(path) for path in options.gold], links="all")[: options.limit]
    with counting_bar("preparing", 3 * len(pairs)) as bar:
        examples, problems = read_examples(
            pairs,
            parser=options.parser,
            cache=options.forests,
            longest=model.longest,
            arcs=model.arcs,
            phrase_deletions=model.phrase_deletions,
            link_model=bundled_link_model() if model.link_features else None,
            links="all",
            convention="all",
            report=bar.update,
        )
    print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
    print(*table([fit_freer_links(examples[half::2], model)[1] for half in (0, 1)]), sep="\n")
    fitted, _ = fit_freer_links(examples, model)
    print(f"\n{fitted}")
    if options.output:
        card = {
            **model.card,
            "all_links_fitted_on": [f"{path.parent.name}/{path.name}" for path in options.gold],
        }
        replace(model, all_links=fitted, card=card).save(options.output)
