"""Measure the contribution of each part of the forest aligner, as in table 3 of Arase & Tsujii (2017).

Usage: python benchmarks/quality/ablation.py GOLD… --model MODEL --untrained MODEL --by-hand MODEL
            [--forests CACHE]
           [--skip 150] [--stanford GOLD XML] [--rows full projection]

Prints a table for each file of pairs with gold word links, and one for all files together. It has constituent
recall and precision (projected from the links), the share of pairs with aligned roots, and word F1 of:

    full         the trained model on n-best forests
    monotonic    without the non-compositional step
    without EM   the uninformed weights from which training started
    by hand      weights set by hand
    1-best       on the parser's best trees
    no links     without the probability that word links agree with phrases
    no parse     without the probability of the trees
    projection   no search: the likely word candidates, projected onto the parser's best trees

Recall is computed over constituents of the parser's best trees, which favours the 1-best system.
``--stanford`` adds a table for one of the files with the constituents of its Stanford trees.
An asterisk marks p < 0.05 against the full system (approximate randomization); the last column has p for
constituent F1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.features import PairFeatures, phrase_classes
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.projection_aligner import ProjectionAligner
from forest_align.aligners.words.candidate import Candidate
from forest_align.aligners.words.choose import DEFAULT_WORDS
from forest_align.alignment import Alignment, Links, Span, project
from forest_align.data.pairs import read_pairs
from forest_align.em.corpus.corpus import CorpusReader
from forest_align.em.forest.dev_set import DevPair, DevSet, figures, statistics_row
from forest_align.eval.benchmarks.stanford_trees import StanfordParses
from forest_align.eval.metrics.significance import approximate_randomization
from forest_align.parsing import with_best_tree
from forest_align.system.terminal import counting_bar
from forest_align.types import InputError, Sentence

COLUMNS = ("constituent recall", "constituent precision", "constituent f1", "reachability", "word f1")
CHUNK = 20
#: The probability from which on the projection takes a word candidate, as the contextual aligner does.
LIKELY = 0.5


def dev_set(path: str, arguments: argparse.Namespace, candidates: str) -> DevSet:
    """Prepare the pairs of a file."""
    reader = CorpusReader(
        arguments.parser, forest_size=arguments.forest_size, candidates=candidates, cache=arguments.forests
    )
    pairs = list(read_pairs(path))[arguments.skip : arguments.limit and arguments.skip + arguments.limit]
    found, problems = reader.read(pairs)
    print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
    return DevSet(found)


def on_best_tree(dev: DevPair) -> DevPair:
    """The same pair with each forest replaced by the parser's best tree."""
    pair = dev.pair
    sentences, classes, kept = [], [], []
    for sentence, old in ((pair.source, pair.features.source), (pair.target, pair.features.target)):
        alone = with_best_tree(sentence)
        own = phrase_classes(alone)
        places = {name: place for place, name in enumerate(old.attributes())}
        sentences.append(alone)
        classes.append(own)
        kept.append([places[name] for name in own.attributes()[:-1]])
    features = PairFeatures(classes[0], classes[1], pair.features.relations[np.ix_(*kept)])
    return replace(dev, pair=replace(pair, source=sentences[0], target=sentences[1], features=features))


def judged_by(
    dev: DevSet, constituents: Sequence[tuple[int, list[Span]]], places: Mapping[str, int]
) -> DevSet:
    """The same pairs, with recall on other trees' constituents; pairs that do not fit these are dropped.

    Parameters
    ----------
    dev : DevSet
        Pairs of a file.
    constituents : sequence of (int, list of Span)
        Number of words and spans of each sentence of the file; source and target alternate.
    places : mapping of str to int
        Index of each pair in the file by name, counted from 0.
    """
    found = DevSet([one.pair for one in dev.pairs])
    found.pairs = []
    for one in dev.pairs:
        first = 2 * places[one.pair.id]
        (length, spans), (other_length, other_spans) = constituents[first : first + 2]
        if (length, other_length) == (len(one.pair.source), len(one.pair.target)):
            found.pairs.append(replace(one, projection=project(spans, other_spans, one.links)))
    return found


def rows_of(dev: DevSet, model: ForestModel, name: str) -> np.ndarray:
    """Statistics of every pair, with a progress bar."""
    rows = []
    with counting_bar(name, len(dev)) as bar:
        for first in range(0, len(dev), CHUNK):
            chosen = range(first, min(first + CHUNK, len(dev)))
            rows.append(dev.statistics(model, chosen))
            bar.update(len(chosen))
    return np.concatenate(rows)


def projected(
    aligner: ProjectionAligner,
    source: Sentence,
    target: Sentence,
    candidates: Sequence[Candidate],
    likely: float = LIKELY,
) -> Alignment:
    """The baseline without a search: likely word candidates, projected onto the parser's best trees."""
    links = {
        (one.source[0], one.target[0]): one.score
        for one in candidates
        if not one.is_group and one.score >= likely
    }
    return aligner.align_candidates(source, target, Links.of(links, scores=list(links.values())))


def projection_rows(dev: DevSet, likely: float = LIKELY) -> np.ndarray:
    """Statistics of every pair for the projection of its word candidates with this probability."""
    aligner = ProjectionAligner()
    rows = []
    for one in dev.pairs:
        pair = one.pair
        rows.append(
            statistics_row(one, projected(aligner, pair.source, pair.target, pair.candidates, likely))
        )
    return np.array(rows, np.float64)


def measure(path: str, arguments: argparse.Namespace, stanford: str | None = None) -> dict[str, np.ndarray]:
    """Statistics of every system on one file; recall is over constituents of Stanford trees, if given."""
    model, untrained, by_hand = (
        ForestAligner.load(name).model for name in (arguments.model, arguments.untrained, arguments.by_hand)
    )

    def variant(**changes: Any) -> ForestModel:
        return model.with_options(**changes)

    forests = dev_set(path, arguments, DEFAULT_WORDS)
    if stanford is not None:
        spans = StanfordParses.read(Path(stanford)).constituents()
        places = {
            pair.id: place for place, pair in enumerate(read_pairs(path)) if not isinstance(pair, InputError)
        }
        forests = judged_by(forests, spans, places)
    # Recall of every system is over the constituents of the same trees.
    best = DevSet([dev.pair for dev in forests.pairs])
    best.pairs = [on_best_tree(dev) for dev in forests.pairs]
    systems = {
        "full": (forests, model),
        "monotonic": (forests, variant(noncompositional_penalty=None)),
        "without EM": (forests, untrained),
        "by hand": (forests, by_hand),
        "1-best": (best, model),
        "no links": (forests, variant(link_weight=0.0)),
        "no parse": (forests, variant(tree_weight=0.0)),
    }
    chosen = arguments.rows or [*systems, "projection"]
    rows = {
        name: rows_of(dev, used, f"{path} {name}") for name, (dev, used) in systems.items() if name in chosen
    }
    return {**rows, **({"projection": projection_rows(forests)} if "projection" in chosen else {})}


def table(title: str, results: dict[str, np.ndarray], reference: str = "full") -> str:
    """One block of the table, in Markdown; the other systems are compared with the reference."""
    head = f"| {title} ({len(results[reference])} pairs) | "
    lines = [head + " | ".join(COLUMNS) + " | p |", "|---" * (2 + len(COLUMNS)) + "|"]
    full = figures(results[reference])
    for name, rows in results.items():
        found = figures(rows)
        values = {column: f"{100 * found[column].value:.2f}" for column in COLUMNS}
        probability = ""
        if name != reference:
            for column in COLUMNS:
                p_value = approximate_randomization(full[column], found[column]).p_value
                values[column] += "*" * (p_value < 0.05)
                if column == "constituent f1":
                    probability = f"{p_value:.4f}"
        lines.append(f"| {name} | {' | '.join(values.values())} | {probability} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gold", nargs="+", metavar="GOLD")
    parser.add_argument("--model", default="forest")
    parser.add_argument("--untrained", required=True, metavar="MODEL", help="what the training started from")
    parser.add_argument("--by-hand", required=True, metavar="MODEL", help="model with weights set by hand")
    parser.add_argument("--parser", default="en")
    parser.add_argument("--forest-size", type=int, default=10)
    parser.add_argument("--forests", type=Path, metavar="CACHE")
    parser.add_argument(
        "--skip", type=int, default=0, help="leave out so many pairs at the start of each file, as tuned on"
    )
    parser.add_argument("--limit", type=int, help="only so many pairs of each file")
    parser.add_argument("--rows", nargs="+", metavar="ROW", help="only these rows; full must be among them")
    parser.add_argument(
        "--stanford",
        nargs=2,
        metavar=("GOLD", "XML"),
        help="also judge GOLD by the constituents of these trees",
    )
    arguments = parser.parse_args(argv)
    found = {path: measure(path, arguments) for path in arguments.gold}
    for path, results in found.items():
        print(table(f"{Path(path).parent.name} {Path(path).name}", results), end="\n\n")
    if len(found) > 1:
        systems = next(iter(found.values()))
        union = {name: np.concatenate([results[name] for results in found.values()]) for name in systems}
        print(table("all", union), end="\n\n")
    if arguments.stanford:
        path, trees = arguments.stanford
        print(table(f"{Path(path).parent.name} {Path(path).name}, Stanford", measure(path, arguments, trees)))


if __name__ == "__main__":
    main()
