"""Compare kinds of the semi-Markov aligner's models on held-out pairs.

Usage: python benchmarks/quality/semi_markov_folds.py GOLD… [--fold 0] [--folds 3] [--forests CACHE]
           [--ppdb FILE]

Every third group of four pairs of each file is held out; a model is trained on the others of all files.
Without ``--fold`` each group is held out once, and the pairs of all folds are judged together. Prints
macro-averaged precision, recall and F1 of sure links for each file, and p of F1 against the first row
(approximate randomization). Rows follow the options of ``train semi-markov``:

    plain           single words to null, no further features
    longest null 3  up to three words to null in one step
    wordnet, names, groups, paraphrases
                    --resources of this name
    resources       all of these that are given
    all             resources and longest null 3
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from forest_align.aligners.semi_markov.aligner import SemiMarkovAligner
from forest_align.aligners.semi_markov.lattice_options import LatticeOptions
from forest_align.em.corpus.gold_pairs import GoldPair, read_gold_files, read_gold_pairs
from forest_align.em.semi_markov.training import SemiMarkovSettings, examples_of, train_semi_markov_model
from forest_align.eval.metrics.significance import approximate_randomization
from forest_align.eval.metrics.word_scores import WordPair, score_words
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.lexicon.pair_table import PairTable
from forest_align.system.progress import counting_bar

GROUP = 4
COLUMNS = ("precision", "recall", "f1")


def kinds(ppdb: PairTable | None) -> dict[str, LatticeOptions]:
    """The options of each row."""
    names = ("wordnet", "names", "groups", *(("paraphrases",) if ppdb else ()))
    return {
        "plain": LatticeOptions(),
        "longest null 3": LatticeOptions(longest_null=3),
        **{name: LatticeOptions(resources=(name,)) for name in names},
        "resources": LatticeOptions(resources=names),
        "all": LatticeOptions(longest_null=3, resources=names),
    }


def held_out(
    corpora: Sequence[Sequence[GoldPair]], fold: int, arguments: argparse.Namespace, options: LatticeOptions
) -> list[list[WordPair]]:
    """Train on all other pairs, and align those of the fold of each corpus."""
    lexicon, ppdb = load_lexicon(), arguments.table
    training = [
        pair for pairs in corpora for k, pair in enumerate(pairs) if k // GROUP % arguments.folds != fold
    ]
    settings = SemiMarkovSettings(arguments.iterations, options=options)
    model, _ = train_semi_markov_model(examples_of(training, lexicon, ppdb, settings=settings), settings)
    aligner = SemiMarkovAligner(model, ppdb=ppdb)
    return [
        [
            WordPair(
                pair.source.words,
                pair.target.words,
                pair.links,
                aligner.align(pair.source, pair.target).words,
            )
            for k, pair in enumerate(pairs)
            if k // GROUP % arguments.folds == fold
        ]
        for pairs in corpora
    ]


def main(argv: Sequence[str] | None = None) -> None:
    """Train, measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gold", nargs="+", metavar="GOLD")
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--fold", type=int, help="hold out only this one, from 0")
    parser.add_argument(
        "--rows", nargs="+", metavar="ROW", help="only these rows; the first is compared with"
    )
    parser.add_argument("--limit", type=int, help="only so many pairs of each file")
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--forests", type=Path, metavar="CACHE")
    parser.add_argument("--ppdb", metavar="FILE", help="paraphrases for all rows")
    arguments = parser.parse_args(argv)
    arguments.table = PairTable.load(arguments.ppdb) if arguments.ppdb else None
    corpora = [
        read_gold_pairs(read_gold_files([path])[: arguments.limit], cache=arguments.forests)[0]
        for path in arguments.gold
    ]
    folds = range(arguments.folds) if arguments.fold is None else [arguments.fold]
    known = kinds(arguments.table)
    chosen = {name: known[name] for name in arguments.rows or known}
    found: dict[str, list[list[WordPair]]] = {}
    with counting_bar("training", len(chosen) * len(folds)) as bar:
        for name, options in chosen.items():
            found[name] = [[] for _ in corpora]
            for fold in folds:
                for pairs, more in zip(found[name], held_out(corpora, fold, arguments, options), strict=True):
                    pairs += more
                bar.update(1)
    first = next(iter(found.values()))
    cells = [
        f"{Path(path).parent.name} {Path(path).name} ({len(pairs)} pairs): P / R / F1 | p"
        for path, pairs in zip(arguments.gold, first, strict=True)
    ]
    print(f"| | {' | '.join(cells)} |\n{'|---' * (1 + 2 * len(cells))}|")
    for name, row in found.items():
        shown = [name]
        for pairs, reference in zip(row, first, strict=True):
            scores, others = score_words(pairs).statistics(), score_words(reference).statistics()
            shown.append(" / ".join(f"{100 * scores[column].value:.2f}" for column in COLUMNS))
            p_value = approximate_randomization(others["f1"], scores["f1"]).p_value
            shown.append("" if pairs is reference else f"{p_value:.4f}")
        print(f"| {' | '.join(shown)} |")


if __name__ == "__main__":
    main()
