"""Measure the forest aligner on the marked phrases that its phrase-pair model learned from, by cross-fitting.

Each pair of ETPC dev is aligned with a phrase-pair model and a judge that have not seen it (``--folds`` of
the recipes ``phrases`` and ``judge``). The options of the search were tuned on all of
these pairs. Beside it stand the same aligner without the judge, without both, and the projection of word
links onto the best trees; also what stands in for one part of it: a greedy choice of the pairs that the
phrase-pair model finds probable, without a derivation; EM's weights set to zero, or dealt out to other
features; and the best trees alone. The last column is the significance of the difference in *near* to the
projection. A second table has the scores of core pairs.

Example::

    python -m forest_align.em.recipes phrases DATA FOLDS --cache CACHE --folds
    python -m forest_align.em.recipes judge DATA FOLDS JUDGES --cache CACHE --folds
    python benchmarks/quality/phrase_folds.py DATA FOLDS JUDGES
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.judge import JudgeModel
from forest_align.aligners.phrases.model import PhraseModel
from forest_align.aligners.projection.aligner import ProjectionAligner
from forest_align.alignment import Alignment, PhrasePair
from forest_align.data.formats.format import SentencePair
from forest_align.data.pairs import read_pairs
from forest_align.em.phrases.examples import MARKED
from forest_align.em.phrases.training import FOLDS
from forest_align.eval.benchmarks.core_phrases import core_scorer
from forest_align.eval.benchmarks.phrase_units import unit_scorer
from forest_align.eval.benchmarks.task import Figures
from forest_align.eval.files.result_tables import Row, format_table
from forest_align.eval.metrics.scores import Statistic
from forest_align.eval.metrics.significance import approximate_randomization
from forest_align.parsing.parser_loading import load_parser_for_alignment
from forest_align.types import Node, Sentence

ON_BEST_TREES = "forest, best trees alone"
COLUMNS = ("exact", "near", "linked", "clean", "left_alone", "phrase_precision")

#: Least probability of a pair that the greedy choice takes.
LEAST_OF_GREEDY = 0.3

AlignPair = Callable[[int, Sentence, Sentence], Alignment]


def systems(folds: Path, judges: Path) -> dict[str, AlignPair]:
    """How each system aligns the pair of a number."""
    forest = ForestAligner(paraphrases=False)
    model = replace(forest.model, relations=None)

    def aligner(**parts: Any) -> ForestAligner:
        return ForestAligner(replace(model, **parts), candidates=forest.candidates, paraphrases=False)

    phrases = [PhraseModel.load(folds / f"fold-{fold}") for fold in range(FOLDS)]
    unjudged = [aligner(phrases=one, judge=None) for one in phrases]
    fitted = [
        aligner(phrases=one, judge=JudgeModel.load(judges / f"fold-{fold}"))
        for fold, one in enumerate(phrases)
    ]
    without = aligner(phrases=None)
    projection = ProjectionAligner()
    dealt = np.random.default_rng(0).permutation(model.weights)

    def weighted(weights: np.ndarray) -> AlignPair:
        changed = [
            ForestAligner(
                replace(one.model, weights=weights, lexical={}),
                candidates=forest.candidates,
                paraphrases=False,
            )
            for one in fitted
        ]
        return lambda number, *sides: changed[number % FOLDS].align_prepared(*sides)

    return {
        "projection": lambda number, *sides: projection.align_prepared(*sides),
        "forest, without both": lambda number, *sides: without.align_prepared(*sides),
        "forest, without the judge": lambda number, *sides: unjudged[number % FOLDS].align_prepared(*sides),
        "forest": lambda number, *sides: fitted[number % FOLDS].align_prepared(*sides),
        "greedy, no derivation": lambda number, *sides: greedy_choice(fitted[number % FOLDS], *sides),
        "forest, weights of zero": weighted(np.zeros_like(dealt)),
        "forest, weights dealt out anew": weighted(dealt),
        ON_BEST_TREES: lambda number, *sides: fitted[number % FOLDS].align_prepared(*sides),
    }


def greedy_choice(aligner: ForestAligner, source: Sentence, target: Sentence) -> Alignment:
    """The probable pairs of the phrase-pair model, the best first, without those that cross a better one."""
    aligned = ProjectionAligner().align_prepared(source, target)
    candidates = aligner.candidates.candidates(source, target)
    evidence = aligner.phrase_evidence(source, target, candidates)
    assert evidence is not None
    probabilities = evidence.probabilities
    chosen: list[PhrasePair] = []
    for place in np.argsort(-probabilities, kind="stable").tolist():
        a, b, c, d = evidence.spans[place].tolist()
        if probabilities[place] < LEAST_OF_GREEDY:
            break
        pair = PhrasePair(Node(a, b, ""), Node(c, d, ""), probability=float(probabilities[place]))
        if max(b - a, d - c) > 1 and all(_fits(pair, other) for other in chosen):
            chosen.append(pair)
    words = [
        PhrasePair(Node(i, i + 1, ""), Node(j, j + 1, ""), probability=score)
        for (i, j), score in zip(aligned.words.pairs, aligned.words.scores or (), strict=True)
    ]
    return replace(aligned, phrases=(*chosen, *words))


def _fits(one: PhrasePair, other: PhrasePair) -> bool:
    """Whether one of two pairs lies inside the other on both sides, or they share no word."""
    sides = [
        (one.source_node.span, other.source_node.span),
        (one.target_node.span, other.target_node.span),
    ]
    apart = all(a[1] <= b[0] or b[1] <= a[0] for a, b in sides)
    inside = all(b[0] <= a[0] and a[1] <= b[1] for a, b in sides)
    around = all(a[0] <= b[0] and b[1] <= a[1] for a, b in sides)
    return apart or inside or around


def table(results: dict[str, list[Figures]]) -> str:
    """A table of each kind of unit."""
    lines = [
        "| units | system | exact | near | linked | clean | left alone | P phrases | p |",
        "|---" * 9 + "|",
    ]
    for place, first in enumerate(next(iter(results.values()))):
        baseline = results["projection"][place].statistics["near"]
        for name, figures in results.items():
            found = figures[place]
            cells = [f"{found.values[column]:.1f}" if column in found.values else "" for column in COLUMNS]
            p = "" if name == "projection" else _significance(found, baseline)
            title = f"{first.table}, {found.values['units']:.0f}"
            lines.append(f"| {title} | {name} | {' | '.join(cells)} | {p} |")
    return "\n".join(lines)


def _significance(found: Figures, baseline: Statistic) -> str:
    return f"{approximate_randomization(found.statistics['near'], baseline).p_value:.4f}"


def main(argv: Sequence[str] | None = None) -> None:
    """Align and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="folder with phrases")
    parser.add_argument("folds", type=Path, help="folder of the phrase-pair models")
    parser.add_argument("judges", type=Path, help="folder of the judges")
    parser.add_argument("--limit", type=int, help="only the first pairs")
    options = parser.parse_args(argv)
    read = [pair for pair in read_pairs(options.data / MARKED) if isinstance(pair, SentencePair)]
    pairs = read[: options.limit]
    both_sides = _parsed(ForestAligner(), pairs)
    on_best_trees = _parsed(ForestAligner(parser=load_parser_for_alignment(forest_size=1)), pairs)
    units = [pair.units or () for pair in pairs]
    score, score_core = unit_scorer(units), core_scorer("etpc core", both_sides, units)
    results, core = {}, {}
    for name, align in systems(options.folds, options.judges).items():
        sides = tqdm(on_best_trees if name == ON_BEST_TREES else both_sides, name, disable=None)
        alignments = [align(number, *both) for number, both in enumerate(sides)]
        results[name] = score(alignments)
        core[name] = score_core(alignments)[0].values
    print(table(results))
    print(format_table([Row(name, values) for name, values in core.items()]))


def _parsed(aligner: ForestAligner, pairs: Sequence[SentencePair]) -> list[tuple[Sentence, Sentence]]:
    ready = aligner.prepare([side for pair in pairs for side in (pair.source, pair.target)])
    sentences = [side for side in ready if isinstance(side, Sentence)]
    if len(sentences) < len(ready):
        raise SystemExit("a pair cannot be parsed")
    return list(zip(sentences[::2], sentences[1::2], strict=True))


if __name__ == "__main__":
    main()
