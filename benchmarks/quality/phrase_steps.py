"""Measure what the forest aligner's revision of its phrase pairs changes, beside the projection.

Constituents that word links imply (MTRef dev, Wiki dev, MSR-RTE dev, and Edinburgh++ train with Stanford's
trees), and marked phrases (ETPC dev). Pairs of ETPC and MSR-RTE are aligned with a model that has not seen
them, as in ``phrase_folds.py``. Each row adds one option to the row before; the last one is the bundled
model. The significance is that of the difference to the projection in constituent F1.

Example::

    python -m forest_align.em.recipes phrases DATA FOLDS --cache CACHE --folds
    python benchmarks/quality/phrase_steps.py DATA FOLDS
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tqdm import tqdm

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.phrases.model import PhraseModel
from forest_align.aligners.projection_aligner import ProjectionAligner
from forest_align.alignment import Alignment, Links, Projection, project
from forest_align.data.formats.format import SentencePair
from forest_align.data.pairs import read_pairs
from forest_align.em.phrases.examples import MARKED
from forest_align.em.phrases.training import FOLDS
from forest_align.eval.benchmarks.marked_phrases import unit_scorer
from forest_align.eval.benchmarks.stanford_trees import StanfordParses
from forest_align.eval.metrics.phrase_scores import (
    constituent_pairs,
    constituent_spans,
    count_projected,
    score_constituents,
)
from forest_align.eval.metrics.scores import MatchCounts
from forest_align.eval.metrics.significance import approximate_randomization
from forest_align.types import Sentence

#: Files below the data folder, and whether their pairs have folds.
CORPORA = {
    "mtref": ("alignment/mtref/dev.tsv", False),
    "wiki": ("alignment/wiki/dev.tsv", False),
    "msr_rte": ("alignment/msr_rte/dev.majority.json", True),
    "edinburgh": ("alignment/edinburgh/train.sure.json", False),
    "etpc": (MARKED, True),
}
STANFORD = "alignment/edinburgh/train.stanford.xml.gz"
#: The options of each row that differ from the bundled ones.
STEPS: dict[str, dict[str, float]] = {
    "nothing added": {"phrase_added": 1.0},
    "forest": {},
}

AlignPair = Callable[[int, Sentence, Sentence], Alignment]


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """The pairs of a file, parsed.

    Attributes
    ----------
    pairs : list of SentencePair
        As they were read.
    sentences : list of Sentence
        Both sides of each pair in turn.
    gold : list of (Projection, Links)
        For each pair, the constituents that its sure links imply, and these links; empty without links.
    """

    pairs: list[SentencePair]
    sentences: list[Sentence]
    gold: list[tuple[Projection, Links]]


def read_corpus(data: Path, name: str, aligner: ForestAligner, limit: int | None) -> Corpus:
    """Read and parse a corpus.

    Raises
    ------
    SystemExit
        If a pair cannot be read or parsed.
    """
    found = list(read_pairs(data / CORPORA[name][0]))[:limit]
    pairs = [pair for pair in found if isinstance(pair, SentencePair)]
    ready = aligner.prepare([side for pair in pairs for side in (pair.source, pair.target)])
    sentences = [side for side in ready if isinstance(side, Sentence)]
    if len(sentences) < 2 * len(found):
        raise SystemExit(f"{name}: a pair cannot be read or parsed")
    if name == "etpc":
        return Corpus(pairs, sentences, [])
    if name == "edinburgh":
        spans = [constituents for _, constituents in StanfordParses.read(data / STANFORD).constituents()]
    else:
        spans = [constituent_spans(side.forest) for side in sentences if side.forest is not None]
    gold = []
    for number, pair in enumerate(pairs):
        links = (pair.links or Links.of([])).only_sure()
        gold.append((project(spans[2 * number], spans[2 * number + 1], links), links))
    return Corpus(pairs, sentences, gold)


def systems(folds: Path, has_folds: bool) -> dict[str, AlignPair]:
    """How each system aligns the pair of a number."""
    forest, projection = ForestAligner(paraphrases=False), ProjectionAligner()
    model = replace(forest.model, relations=None)
    models = (
        [PhraseModel.load(folds / f"fold-{fold}") for fold in range(FOLDS)] if has_folds else [model.phrases]
    )
    found: dict[str, AlignPair] = {"projection": lambda number, *sides: projection.align_prepared(*sides)}
    for name, changes in STEPS.items():
        changed = model.with_options(**changes) if changes else model
        aligners = [
            ForestAligner(replace(changed, phrases=one), candidates=forest.candidates, paraphrases=False)
            for one in models
        ]
        found[name] = _by_fold(aligners)
    return found


def _by_fold(aligners: Sequence[ForestAligner]) -> AlignPair:
    return lambda number, *sides: aligners[number % len(aligners)].align_prepared(*sides)


def measure(corpus: Corpus, name: str, aligners: dict[str, AlignPair]) -> list[str]:
    """One row of figures for each system."""
    rows, baseline = [], None
    for system, align in aligners.items():
        sides = zip(corpus.sentences[::2], corpus.sentences[1::2], strict=True)
        shown = tqdm(sides, f"{name}, {system}", len(corpus.pairs), disable=None)
        found = [align(number, *both) for number, both in enumerate(shown)]
        if not corpus.gold:
            figures = unit_scorer([pair.units or () for pair in corpus.pairs])(found)[0].values
            cells = [f"{figures[column]:.1f}" for column in ("exact", "near", "phrase_precision")]
            rows.append(f"| {name} | {system} | exact, near, P phrases: {', '.join(cells)} | |")
            continue
        counts = score_constituents(
            [
                count_projected(constituent_pairs(one), *gold)
                for one, gold in zip(found, corpus.gold, strict=True)
            ]
        )
        rows.append(f"| {name} | {system} | {_shown(counts)} | {_significance(counts, baseline)} |")
        baseline = baseline or counts
    return rows


def _shown(counts: MatchCounts) -> str:
    scores = counts.micro()
    return f"{100 * scores.f1:.1f} ({100 * scores.precision:.1f}, {100 * scores.recall:.1f})"


def _significance(counts: MatchCounts, baseline: MatchCounts | None) -> str:
    if baseline is None:
        return ""
    one, two = (each.micro_statistics()["f1"] for each in (counts, baseline))
    return f"{approximate_randomization(one, two).p_value:.4f}"


def main(argv: Sequence[str] | None = None) -> None:
    """Align and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="folder with phrases and alignment")
    parser.add_argument("folds", type=Path, help="folder of the models")
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=list(CORPORA), metavar="NAME")
    parser.add_argument("--limit", type=int, help="only the first pairs of each")
    options = parser.parse_args(argv)
    print("| corpus | system | F1 (precision, recall) | p |\n|---|---|---|---|")
    for name in options.corpora:
        corpus = read_corpus(options.data, name, ForestAligner(), options.limit)
        rows = measure(corpus, name, systems(options.folds, CORPORA[name][1]))
        print("\n".join(rows), flush=True)


if __name__ == "__main__":
    main()
