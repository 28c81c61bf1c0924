"""Measure the forest aligner on the marked phrases that its phrase-pair model learned from, by cross-fitting.

Each pair of ETPC dev is aligned with a phrase-pair model and a judge that have not seen it (``--folds`` of
the recipes ``phrases`` and ``judge``). The options of the search were tuned on all of
these pairs. Beside it stand the same aligner without the judge, without both, and the projection of word
links onto the best trees; also what stands in for one part of it: a greedy choice of the pairs that the
phrase-pair model finds probable, without a derivation, and the best consistent set of them by an integer
program; EM's weights set to zero, or dealt out to other features; and the best trees alone. The last column
is the significance of the difference in *near* to the projection. A second table has scores of core pairs.

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
from forest_align.aligners.forest.span_pairs import contained, overlaps
from forest_align.aligners.joint.program import maximise
from forest_align.aligners.phrases.model import PhraseModel
from forest_align.aligners.projection_aligner import ProjectionAligner
from forest_align.alignment import Alignment, PhrasePair
from forest_align.data.formats.format import SentencePair
from forest_align.data.pairs import read_pairs
from forest_align.em.phrases.examples import MARKED
from forest_align.em.phrases.training import FOLDS
from forest_align.eval.benchmarks.marked_phrases import core_scorer, unit_scorer
from forest_align.eval.benchmarks.task import Figures
from forest_align.eval.files.result_tables import Row, format_table
from forest_align.eval.metrics.scores import Statistic
from forest_align.eval.metrics.significance import approximate_randomization
from forest_align.parsing.parser_loading import load_parser_for_alignment
from forest_align.types import Node, Sentence

ON_BEST_TREES = "forest, best trees alone"
COLUMNS = ("exact", "near", "linked", "clean", "left_alone", "phrase_precision")

#: Least probability of a pair that the greedy choice and the integer program take.
LEAST_OF_GREEDY = 0.3

#: Which of K pairs are chosen, bool (K,), by their probabilities and by which fit together, bool (K, K).
Choose = Callable[[np.ndarray, np.ndarray], np.ndarray]
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
        "greedy, no derivation": lambda number, *sides: without_derivation(
            fitted[number % FOLDS], greedy_choice, *sides
        ),
        "integer program, no derivation": lambda number, *sides: without_derivation(
            fitted[number % FOLDS], best_set, *sides
        ),
        "forest, weights of zero": weighted(np.zeros_like(dealt)),
        "forest, weights dealt out anew": weighted(dealt),
        ON_BEST_TREES: lambda number, *sides: fitted[number % FOLDS].align_prepared(*sides),
    }


def without_derivation(
    aligner: ForestAligner, choose: Choose, source: Sentence, target: Sentence
) -> Alignment:
    """Those of the probable pairs of the phrase-pair model that ``choose`` says, and the word links."""
    aligned = ProjectionAligner().align_prepared(source, target)
    candidates = aligner.candidates.candidates(source, target)
    evidence = aligner.phrase_evidence(source, target, candidates)
    assert evidence is not None
    sizes = (evidence.spans[:, 1::2] - evidence.spans[:, ::2]).max(axis=1)
    kept = np.flatnonzero((evidence.probabilities >= LEAST_OF_GREEDY) & (sizes > 1))
    kept = kept[np.argsort(-evidence.probabilities[kept], kind="stable")]
    spans, probabilities = evidence.spans[kept].astype(np.int64), evidence.probabilities[kept]
    inside = np.asarray(contained(spans, spans))
    apart = (overlaps(spans, spans) <= 0).all(axis=0)
    chosen = choose(probabilities, np.asarray(apart | inside | inside.T))
    phrases = [
        PhrasePair(Node(a, b, ""), Node(c, d, ""), probability=float(probability))
        for (a, b, c, d), probability in zip(spans[chosen].tolist(), probabilities[chosen], strict=True)
    ]
    words = [
        PhrasePair(Node(i, i + 1, ""), Node(j, j + 1, ""), probability=score)
        for (i, j), score in zip(aligned.words.pairs, aligned.words.scores or (), strict=True)
    ]
    return replace(aligned, phrases=(*phrases, *words))


def greedy_choice(probabilities: np.ndarray, fit: np.ndarray) -> np.ndarray:
    """The pairs that fit to all better ones that were chosen, bool (K,); they are given best first."""
    chosen = np.zeros(len(probabilities), bool)
    for place in range(len(probabilities)):
        chosen[place] = fit[place, chosen].all()
    return chosen


def best_set(probabilities: np.ndarray, fit: np.ndarray) -> np.ndarray:
    """The set of pairs that fit together with the largest sum of p - LEAST_OF_GREEDY, bool (K,)."""
    conflicts = np.argwhere(np.triu(~fit, 1)).astype(np.int32)
    starts = np.arange(0, conflicts.size + 1, 2, dtype=np.int32)
    ones = np.ones(conflicts.size)
    gains = probabilities - LEAST_OF_GREEDY + 1e-6
    return maximise(gains, starts, conflicts.ravel(), ones, np.ones(len(conflicts)))[0]


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
