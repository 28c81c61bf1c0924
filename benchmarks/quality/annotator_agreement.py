"""Measure how well the annotators of MSR-RTE agree: the best score that an aligner can reach there.

    python benchmarks/quality/annotator_agreement.py ../shared/data/alignment/msr_rte dev

Compares the sure links of one annotator with those of another: precision and recall (macro-averaged), their
F1, and the share of exact pairs. Only pairs that all files split into equally many words are used.
"""

from __future__ import annotations

import argparse
from itertools import combinations
from pathlib import Path

from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.em.contextual.gold_links import only_sure
from forest_align.eval.metrics.word_scores import WordPair, score_words

ANNOTATORS = "ABC"


def main() -> None:
    """Run the script."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("folder", type=Path, help="folder with RTE2_PART_X.align.txt and PART.majority.json")
    options.add_argument("part", choices=("dev", "test"))
    given = options.parse_args()
    files = {name: given.folder / f"RTE2_{given.part}_{name}.align.txt" for name in ANNOTATORS}
    files["majority"] = given.folder / f"{given.part}.majority.json"
    versions = {name: pairs_of(file) for name, file in files.items()}
    together = [
        items
        for items in zip(*versions.values(), strict=True)
        if len({(len(item.source), len(item.target)) for item in items}) == 1
    ]
    print(f"{len(together)} pairs\n\n| | P | R | F1 | E |\n|---|---|---|---|---|")
    for gold, other in combinations(range(len(files)), 2):
        scored = score_words(
            [
                WordPair(
                    items[gold].source.words,
                    items[gold].target.words,
                    only_sure(items[gold].links),
                    only_sure(items[other].links),
                )
                for items in together
            ]
        )
        found = scored.counts.macro()
        shares = (found.precision, found.recall, found.f1, scored.exact_match)
        names = tuple(files)
        print(f"| {names[other]} against {names[gold]} |", " | ".join(f"{100 * x:.1f}" for x in shares), "|")


def pairs_of(file: Path) -> list[SentencePair]:
    """The pairs of a file without broken pairs."""
    return [pair for pair in read_pairs(file) if isinstance(pair, SentencePair)]


if __name__ == "__main__":
    main()
