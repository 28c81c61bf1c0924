"""Measure the forest aligner on the marked phrases that its phrase-pair model learned from, by cross-fitting.

Each pair of ETPC dev is aligned with a model that has not seen it (``--folds`` of
``forest_align.em.phrases.training``). The options of the search were tuned on all of these pairs. Beside it
stand the same aligner without the model, and the projection of word links onto the best trees. The last
column is the significance of the difference in *near* to the projection.

Example::

    python -m forest_align.em.recipes phrases DATA FOLDS --cache CACHE --folds
    python benchmarks/quality/phrase_folds.py DATA FOLDS
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.phrases.model import PhraseModel
from forest_align.aligners.projection.aligner import ProjectionAligner
from forest_align.alignment import Alignment
from forest_align.data.formats.format import SentencePair
from forest_align.data.pairs import read_pairs
from forest_align.em.phrases.examples import MARKED
from forest_align.em.phrases.training import FOLDS
from forest_align.eval.benchmarks.phrase_units import unit_scorer
from forest_align.eval.benchmarks.task import Figures
from forest_align.eval.metrics.scores import Statistic
from forest_align.eval.metrics.significance import approximate_randomization
from forest_align.types import Sentence

COLUMNS = ("exact", "near", "linked", "clean", "left_alone", "phrase_precision")

AlignPair = Callable[[int, Sentence, Sentence], Alignment]


def systems(folds: Path) -> dict[str, AlignPair]:
    """How each system aligns the pair of a number."""
    forest = ForestAligner(paraphrases=False)
    model = replace(forest.model, relations=None)
    fitted = [
        ForestAligner(
            replace(model, phrases=PhraseModel.load(folds / f"fold-{fold}")),
            candidates=forest.candidates,
            paraphrases=False,
        )
        for fold in range(FOLDS)
    ]
    without = ForestAligner(replace(model, phrases=None), candidates=forest.candidates, paraphrases=False)
    projection = ProjectionAligner()
    return {
        "projection": lambda number, *sides: projection.align_prepared(*sides),
        "forest, without the model": lambda number, *sides: without.align_prepared(*sides),
        "forest": lambda number, *sides: fitted[number % FOLDS].align_prepared(*sides),
    }


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
    parser.add_argument("folds", type=Path, help="folder of the models")
    parser.add_argument("--limit", type=int, help="only the first pairs")
    options = parser.parse_args(argv)
    read = [pair for pair in read_pairs(options.data / MARKED) if isinstance(pair, SentencePair)]
    pairs = read[: options.limit]
    ready = ForestAligner().prepare([side for pair in pairs for side in (pair.source, pair.target)])
    sentences = [side for side in ready if isinstance(side, Sentence)]
    if len(sentences) < len(ready):
        parser.error("a pair cannot be parsed")
    score = unit_scorer([pair.units or () for pair in pairs])
    results = {}
    for name, align in systems(options.folds).items():
        sides = tqdm(zip(sentences[::2], sentences[1::2], strict=True), name, len(pairs), disable=None)
        results[name] = score([align(number, *both) for number, both in enumerate(sides)])
    print(table(results))


if __name__ == "__main__":
    main()
