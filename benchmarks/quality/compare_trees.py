"""Does alignment choose better trees than the parser? Compares both with the Stanford trees of Edinburgh++.

Usage: python benchmarks/quality/compare_trees.py EDINBURGH_FOLDER [--forests CACHE]
           [--changed FILE --count 50] [--parser-weight W…]
       python benchmarks/quality/compare_trees.py GUM_FOLDER --gum …

Prints labelled F1 of the parser's best trees and of the trees that the alignment chose, over all sentences
and over those where the two differ. It also prints how many prepositions are attached as in the Stanford
trees. ``--changed`` writes some of the attachments that the alignment changed, for inspection. The Stanford
trees come from a parser, too, and contain its errors. ``--parser-weight`` prints a table for several µ_p
instead: labelled F1 and UAS of the chosen trees, how many are not the parser's best, and constituent F1.

With ``--gum`` the trees are those that people made for GUM's dev part. It has no sentence pairs, so each
sentence is paired with itself without its longest adjunct (:mod:`shortened_pairs`).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from nltk import Tree
from shortened_pairs import gum_pairs

from forest_align.aligners.forest.aligner import ForestAligner
from forest_align.aligners.forest.features import forest_of
from forest_align.aligners.forest.model import ForestModel
from forest_align.data.pairs import read_pairs
from forest_align.em.corpus.corpus import CorpusPair, CorpusReader
from forest_align.em.forest.dev_set import DevSet, align_pair, figures
from forest_align.eval.benchmarks.stanford_trees import StanfordParses
from forest_align.eval.metrics.bracket_scores import score_brackets
from forest_align.eval.metrics.dependencies import score_attachment, tree_heads
from forest_align.eval.metrics.significance import approximate_randomization
from forest_align.types import Sentence

SHUFFLE_SEED = 1


@dataclass(frozen=True, slots=True)
class Case:
    """One sentence, the other sentence of its pair, and the trees of parser, alignment and Stanford."""

    words: tuple[str, ...]
    other: str
    best: str
    chosen: str
    reference: str


def read_corpus(options: argparse.Namespace) -> tuple[list[CorpusPair], list[str]]:
    """Prepare all pairs; the Stanford trees of each, source and target."""
    model = ForestAligner.load(options.model).model
    reader = CorpusReader.for_model(
        model, options.parser, forest_size=options.forest_size, cache=options.forests
    )
    if options.gum:
        sentences, trees = gum_pairs(options.folder, options.limit)
        pairs, _ = reader.read(sentences)
        return pairs, [trees[2 * int(pair.id) + side] for pair in pairs for side in (0, 1)]
    given = [pair for pair in read_pairs(options.folder / f"{options.part}.sure.json")]
    pairs, _ = reader.read(given[: options.limit])
    stanford = StanfordParses.read(options.folder / f"{options.part}.stanford.xml.gz").brackets()
    places = {pair.id: place for place, pair in enumerate(given) if not isinstance(pair, Exception)}
    return pairs, [stanford[2 * places[pair.id] + side] for pair in pairs for side in (0, 1)]


def read_cases(options: argparse.Namespace) -> list[Case]:
    """Align all pairs with the model that the options name."""
    return cases_of(*read_corpus(options), ForestAligner.load(options.model).model)


def cases_of(pairs: Sequence[CorpusPair], references: Sequence[str], model: ForestModel) -> list[Case]:
    """Align all pairs; drop sentences whose Stanford tree has other words."""
    cases = []
    for place, pair in enumerate(pairs):
        aligned = align_pair(pair, model)
        sides = (
            (pair.source, pair.target, aligned.source_tree),
            (pair.target, pair.source, aligned.target_tree),
        )
        for side, (sentence, other, chosen) in enumerate(sides):
            reference = references[2 * place + side]
            if len(Tree.fromstring(reference).leaves()) == len(sentence):
                cases.append(_case(sentence, other, chosen, reference))
    return cases


def _case(sentence: Sentence, other: Sentence, chosen: str, reference: str) -> Case:
    best = forest_of(sentence).bracket(sentence.words)
    return Case(sentence.words, " ".join(other.words), best, chosen, reference)


def labelled(cases: Sequence[Case], which: str) -> list[Tree]:
    """Trees with the words of the first tree, so that the spelling of brackets and quotes does not matter."""
    trees = []
    for case in cases:
        tree = Tree.fromstring(getattr(case, which))
        for place, position in enumerate(tree.treepositions("leaves")):
            tree[position] = case.words[place]
        trees.append(tree)
    return trees


def prepositions(bracket: str) -> set[int]:
    """Tokens that begin a prepositional phrase as its preposition."""
    tree = Tree.fromstring(bracket)
    begins = {position: leaf for leaf, position in enumerate(tree.treepositions("leaves"))}
    found = set()
    for position in tree.treepositions():
        node = tree[position]
        if isinstance(node, Tree) and node.label() == "PP" and isinstance(node[0], Tree):
            is_preposition = node[0].label() in ("IN", "TO") and isinstance(node[0][0], str)
            found |= {begins[(*position, 0, 0)]} if is_preposition else set()
    return found


def attachments(cases: Sequence[Case]) -> Iterator[tuple[Case, int, int, int, int]]:
    """Prepositions in all three trees: the case, the token, and its head in each tree, -1 for none."""
    for case in cases:
        heads = [tree_heads(tree) for tree in (case.best, case.chosen, case.reference)]
        shared = prepositions(case.best) & prepositions(case.chosen) & prepositions(case.reference)
        for token in sorted(shared):
            yield case, token, heads[0][token], heads[1][token], heads[2][token]


def report_brackets(name: str, cases: Sequence[Case]) -> None:
    """Print labelled F1 of both kinds of trees."""
    gold = labelled(cases, "reference")
    best, chosen = (score_brackets(gold, labelled(cases, which)) for which in ("best", "chosen"))
    test = approximate_randomization(best.statistics()["f1"], chosen.statistics()["f1"])
    print(
        f"{name} ({len(cases)} sentences): labelled F1 of the parser {100 * best.counts.micro().f1:.2f}, "
        f"of the alignment {100 * chosen.counts.micro().f1:.2f}, p = {test.p_value:.3f}"
    )


def attached(cases: Sequence[Case], which: str) -> float:
    """Share of the words with the head that they have in the Stanford trees (UAS)."""
    heads = [[tree_heads(getattr(case, kind)) for case in cases] for kind in ("reference", which)]
    return score_attachment(heads[0], heads[1], [case.words for case in cases]).micro().recall


def report_weights(
    pairs: Sequence[CorpusPair], references: Sequence[str], model: ForestModel, weights: Sequence[float]
) -> None:
    """Print a table of several µ_p."""
    dev = DevSet(pairs)
    print("| µ_p | labelled F1 | p, against the parser | UAS | other trees | constituent F1 |")
    print("|---" * 6 + "|")
    for weight in weights:
        one = model.with_options(parser_weight=weight)
        cases = cases_of(pairs, references, one)
        gold = labelled(cases, "reference")
        best, chosen = (score_brackets(gold, labelled(cases, which)) for which in ("best", "chosen"))
        p_value = approximate_randomization(best.statistics()["f1"], chosen.statistics()["f1"]).p_value
        changed = sum(case.best != case.chosen for case in cases)
        constituents = 100 * figures(dev.statistics(one))["constituent f1"].value
        print(
            f"| {weight:g} | {100 * chosen.counts.micro().f1:.2f} | {p_value:.3f} "
            f"| {100 * attached(cases, 'chosen'):.2f} | {changed} of {len(cases)} | {constituents:.2f} |"
        )
    print(f"| parser | {100 * best.counts.micro().f1:.2f} | | {100 * attached(cases, 'best'):.2f} | | |")


def describe(number: int, case: Case, token: int, best: int, chosen: int, reference: int) -> str:
    """One changed attachment as text."""

    def word(place: int) -> str:
        return case.words[place] if place >= 0 else "ROOT"

    return "\n".join(
        [
            f"{number}. {case.words[token]} ({token}): parser {word(best)}, alignment {word(chosen)}, "
            f"Stanford {word(reference)}",
            f"   {' '.join(case.words)}",
            f"   other: {case.other}",
            f"   parser:    {case.best}",
            f"   alignment: {case.chosen}",
        ]
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="the folder of Edinburgh++, or of GUM")
    parser.add_argument("--gum", action="store_true", help="judge by GUM's trees, which people made")
    parser.add_argument("--part", default="train")
    parser.add_argument("--model", default="forest")
    parser.add_argument("--parser", default="en")
    parser.add_argument("--forest-size", type=int, default=10)
    parser.add_argument("--forests", type=Path, metavar="CACHE")
    parser.add_argument("--limit", type=int, help="only the first pairs")
    parser.add_argument(
        "--parser-weight", type=float, nargs="+", metavar="W", help="values of µ_p: print a table of these"
    )
    parser.add_argument("--changed", type=Path, metavar="FILE", help="write changed attachments")
    parser.add_argument("--count", type=int, default=50, help="how many of them (default: 50)")
    options = parser.parse_args(argv)
    if options.parser_weight:
        model = ForestAligner.load(options.model).model
        report_weights(*read_corpus(options), model, options.parser_weight)
        return
    cases = read_cases(options)
    report_brackets("all", cases)
    report_brackets("where the trees differ", [case for case in cases if case.best != case.chosen])
    found = list(attachments(cases))
    right = [sum(one[kind] == one[4] for one in found) for kind in (2, 3)]
    changed = [one for one in found if one[2] != one[3]]
    won, lost = (sum(one[kind] == one[4] for one in changed) for kind in (3, 2))
    shares = [f"{100 * count / len(found):.2f}%" for count in right]
    judge = "GUM" if options.gum else "Stanford"
    print(f"{len(found)} prepositions, attached like {judge}: parser {shares[0]}, alignment {shares[1]}")
    print(f"{len(changed)} changed: {won} to {judge}'s attachment, {lost} away from it")
    if options.changed:
        order = np.random.default_rng(SHUFFLE_SEED).permutation(len(changed))[: options.count]
        texts = [describe(number, *changed[place]) for number, place in enumerate(order, start=1)]
        options.changed.write_text("\n".join(texts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
