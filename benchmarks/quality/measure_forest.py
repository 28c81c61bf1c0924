r"""Measures the forest aligner on Edinburgh++ and iSTS: reach, constituent pairs, phrases and time.

It measures each variant of the search on packed forests and on best trees, and the projection of the likely
word candidates onto best trees, which needs no search. Recall is over constituents of
the Stanford trees that come with Edinburgh++; on iSTS, over those of the parser's best trees. With gold word
links as candidates, the figures measure only the search::

    python benchmarks/quality/measure_forest.py DATA edinburgh --cache CACHE
    python benchmarks/quality/measure_forest.py DATA edinburgh --links gold --cache CACHE
    python benchmarks/quality/measure_forest.py DATA edinburgh --links gold --trees stanford
    python benchmarks/quality/measure_forest.py DATA ists --cache CACHE
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from ablation import projected
from tqdm import tqdm

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.features import forest_of
from forest_align.aligners.projection_aligner import ProjectionAligner
from forest_align.aligners.words.candidate import Candidate
from forest_align.aligners.words.lexical import GivenCandidates
from forest_align.alignment import Alignment, Links, SpanPair, project
from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.em.corpus.cache import ArrayStore
from forest_align.em.corpus.parsed_pairs import ParsedPair, parse_pairs, parser_fingerprint
from forest_align.eval.benchmarks.benchmark_corpora import BENCHMARKS
from forest_align.eval.benchmarks.stanford_trees import StanfordParses
from forest_align.eval.metrics.phrase_scores import (
    ChunkJudge,
    constituent_pairs,
    constituent_spans,
    count_projected,
)
from forest_align.eval.metrics.scores import MatchCounts
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import load_parser_for_alignment, sentence_from_bracket, with_best_tree
from forest_align.types import InputError, Sentence

# The search of Arase & Tsujii (2017), with the penalties that are best for it here.
PUBLISHED: dict[str, Any] = {
    "strict": True,
    "link_weight": 0.0,
    "tree_weight": 0.0,
    "candidate_weight": 10.0,
    "null_penalty": 1.5,
    "noncompositional_penalty": 1.6,
    "generation_gap": 8,
}
SEARCHES: dict[str, dict[str, Any]] = {
    "full": {},
    "monotonic": {"noncompositional_penalty": None},
    "published": PUBLISHED,
    "published, monotonic": {**PUBLISHED, "noncompositional_penalty": None},
}
Sides = tuple[Sentence, Sentence]
Count = Callable[[Iterable[SpanPair]], Sequence[int]]
Align = Callable[[Sentence, Sentence, Sequence[Candidate]], Alignment]


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One sentence pair.

    Attributes
    ----------
    systems : dict of str to (Sentence, Sentence)
        The sentences with each kind of trees.
    links : Links
        Gold word links.
    count : callable
        Judges predicted pairs of spans: returns a row of MatchCounts. In some cases the numbers of
        compatible pairs and of pairs follow.
    """

    systems: dict[str, Sides]
    links: Links
    count: Count


def parse(
    pairs: Iterable[SentencePair | InputError], options: argparse.Namespace
) -> list[ParsedPair | InputError]:
    """Parse each sentence of pairs once, or load it from the cache; broken pairs become errors."""
    parser = load_parser_for_alignment(options.trees, forest_size=options.forest_size)
    return parse_pairs(
        pairs,
        parser.parse_many,
        ArrayStore(options.cache) if options.cache else None,
        [parser_fingerprint(options.trees), options.forest_size],
    )


def systems_of(source: Sentence, target: Sentence, forest_size: int) -> dict[str, Sides]:
    """The sentences with their forests, and with only the best trees of the forests."""
    best = with_best_tree(source), with_best_tree(target)
    return {f"{forest_size}-best forest": (source, target), "1-best tree": best}


def with_brackets(
    pairs: Iterable[SentencePair | InputError], brackets: Sequence[str]
) -> list[ParsedPair | InputError]:
    """The pairs with parses replaced by trees in Penn brackets, two per pair."""
    lemma = load_lexicon().lemma
    found: list[ParsedPair | InputError] = []
    for number, pair in enumerate(pairs):
        if isinstance(pair, InputError):
            found.append(pair)
            continue
        both = brackets[2 * number : 2 * number + 2]
        source, target = (sentence_from_bracket(bracket, lemmatizer=lemma) for bracket in both)
        found.append(ParsedPair(pair, source, target, ""))
    return found


def edinburgh(options: argparse.Namespace) -> list[Case]:
    """Pairs of Edinburgh++, without those whose trees do not fit the words."""
    sure, _, _, trees = BENCHMARKS["edinburgh"].paths(options.data, "train")
    pairs = list(islice(read_pairs(sure), options.limit))
    stanford = StanfordParses.read(trees)
    if options.trees == "stanford":
        parsed = with_brackets(pairs, stanford.brackets())
    else:
        parsed = parse(pairs, options)
    constituents = stanford.constituents()
    cases = []
    for number, one in enumerate(parsed):
        if isinstance(one, InputError) or (links := one.pair.links) is None:
            continue
        pair, source, target = one.pair, one.source, one.target
        lengths, spans = zip(*constituents[2 * number : 2 * number + 2], strict=True)
        if not (len(pair.source), len(pair.target)) == (len(source), len(target)) == lengths:
            continue
        links = links.only_sure()
        projection = project(spans[0], spans[1], links)
        if options.trees == "stanford":
            systems = {"Stanford tree": (source, target)}
        else:
            systems = systems_of(source, target, options.forest_size)
        count = partial(count_projected, projection=projection, links=links)
        cases.append(Case(systems, links, count))
    return cases


def ists(options: argparse.Namespace) -> list[Case]:
    """Pairs of the three sets of iSTS train."""
    pairs = [
        pair
        for path in BENCHMARKS["ists"].paths(options.data, "train")
        if path.suffix == ".wa"
        for pair in islice(read_pairs(path), options.limit)
    ]
    cases = []
    for one in parse(pairs, options):
        if isinstance(one, InputError) or (links := one.pair.links) is None:
            continue
        pair, source, target = one.pair, one.source, one.target
        wanted = project(
            constituent_spans(forest_of(source)), constituent_spans(forest_of(target)), links
        ).sure_pairs()
        chunks = [(chunk.source, chunk.target) for chunk in pair.chunks or ()]
        judge = ChunkJudge.of(source.words, target.words, chunks, wanted)
        cases.append(Case(systems_of(source, target, options.forest_size), links, judge.count))
    return cases


def measure(aligner: ForestAligner, cases: Sequence[Case], trees: str, gold: bool) -> dict[str, list[float]]:
    """Figures of each variant of the search: percent, phrases per pair, milliseconds of processor time.

    Only best trees have a row of the projection; that of forests would be the same.
    """
    variants: dict[str, Align] = {
        name: ForestAligner(aligner.model.with_options(**changes), lexicon=aligner.lexicon).align_candidates
        for name, changes in SEARCHES.items()
    }
    if not trees.endswith("forest"):
        variants["projection"] = partial(projected, ProjectionAligner(lexicon=aligner.lexicon))
    rows: dict[str, list[list[float]]] = {name: [] for name in variants}
    looked_up = 0.0
    for case in tqdm(cases, trees, disable=None):
        source, target = case.systems[trees]
        started = time.process_time()
        provider = GivenCandidates(case.links) if gold else aligner.candidates
        candidates = provider.candidates(source, target)
        looked_up += time.process_time() - started
        for name, variant in variants.items():
            started = time.process_time()
            found = variant(source, target, candidates)
            spent = time.process_time() - started
            phrases = constituent_pairs(found)
            rows[name].append([*case.count(phrases), found.root_aligned, len(phrases), spent])
    print(f"{trees}: {1000 * looked_up / len(cases):.2f} ms a pair for the word candidates")
    return {name: figures(np.array(counted)) for name, counted in rows.items()}


def figures(rows: np.ndarray) -> list[float]:
    """One line of the table from the rows of all pairs."""
    reached, phrases, seconds = rows[:, -3:].mean(axis=0)
    scores = MatchCounts(rows[:, :4]).micro()
    found = [100 * reached, 100 * scores.recall, 100 * scores.precision]
    if rows.shape[1] > 7:
        judged, compatible, predicted = rows[:, [1, 4, 5]].sum(axis=0)
        found += [100 * judged / predicted, 100 * compatible / predicted]
    return [*found, phrases, 1000 * seconds]


def main() -> None:
    """Print a table."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("data", metavar="DATA", type=Path, help="the folder of the corpora")
    arguments.add_argument("corpus", choices=("edinburgh", "ists"))
    arguments.add_argument("--links", choices=("gold", "candidates"), default="candidates")
    arguments.add_argument(
        "--trees", default="en", help="a parser: a name or a folder; or 'stanford', the trees of Edinburgh++"
    )
    arguments.add_argument("--forest-size", type=int, default=10)
    arguments.add_argument("--limit", type=int, help="only the first so many pairs of each file")
    arguments.add_argument("--model", default="forest")
    arguments.add_argument("--cache", type=Path, help="folder in which parses are kept")
    options = arguments.parse_args()
    if options.corpus == "ists" and options.links == "gold":
        arguments.error("iSTS has no gold word links")
    cases = edinburgh(options) if options.corpus == "edinburgh" else ists(options)
    aligner = ForestAligner.load(options.model, lexicon=load_lexicon())
    results = {
        (trees, variant): values
        for trees in cases[0].systems
        for variant, values in measure(aligner, cases, trees, options.links == "gold").items()
    }
    columns = ["reach", "recall", "precision", "judged", "compatible", "phrases", "ms"]
    if options.corpus == "edinburgh":
        columns = [name for name in columns if name not in ("judged", "compatible")]
    print(f"| {options.corpus}, {len(cases)} pairs | search | " + " | ".join(columns) + " |")
    print("|---" * (2 + len(columns)) + "|")
    for (trees, variant), values in results.items():
        shown = [f"{value:.1f}" for value in values[:-1]] + [f"{values[-1]:.2f}"]
        print(f"| {trees} | {variant} | " + " | ".join(shown) + " |")


if __name__ == "__main__":
    main()
