"""Speed of the contextual and Sultan's alignment step, without parsing and word vectors, on one core.

Examples
--------
python benchmarks/speed/contextual_speed.py ../shared/data/alignment/edinburgh/train.sure.json
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np

from forest_align.aligners.base import Aligner
from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.sultan.aligner import SultanAligner
from forest_align.data.pairs import read_pairs
from forest_align.lexicon.lexicon import load_lexicon
from forest_align.parsing import load_parser
from forest_align.parsing.dependencies.annotation import Annotation
from forest_align.parsing.dependencies.annotators import TreeAnnotator
from forest_align.types import InputError, Sentence


def main(arguments: Sequence[str] | None = None) -> None:
    """Prepare the pairs once, then time each aligner."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", help="file with tokenized sentence pairs, in any format")
    parser.add_argument("--parser", default="en")
    parser.add_argument("--words", type=int, default=20, help="mean length: pairs are chosen within 5 of it")
    parser.add_argument("--limit", type=int, default=300, help="pairs")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args(arguments)
    pairs = chosen_pairs(options.pairs, options.words, options.limit)
    if not pairs:
        raise SystemExit(f"expected tokenized pairs of about {options.words} words, found none")
    parsed = list(
        load_parser(options.parser, lemmatizer=load_lexicon().lemma).parse_many(
            side.words for pair in pairs for side in pair
        )
    )
    prepared = [
        (one, two)
        for one, two in zip(parsed[::2], parsed[1::2], strict=True)
        if not isinstance(one, InputError) and not isinstance(two, InputError)
    ]
    lengths = [len(side) for pair in prepared for side in pair]
    print(f"{len(prepared)} pairs, {np.mean(lengths):.1f} words a sentence")
    aligners = {
        "contextual": ContextualAligner(),
        "sultan": SultanAligner(),
        "sultan, dependencies given": SultanAligner(annotator=CachingAnnotator()),
    }
    for name, aligner in aligners.items():
        rate = len(prepared) / best_time(aligner, prepared, options.repeat)
        print(f"{name:30} {rate:8.0f} pairs/s   {1000 / rate:.3f} ms a pair")


class CachingAnnotator(TreeAnnotator):
    """Dependencies and names of each sentence, derived from its tree only once, in the warm-up run."""

    def __init__(self) -> None:
        self._known: dict[int, Annotation] = {}

    def annotate(self, sentence: Sentence) -> Annotation:
        """Annotate one sentence."""
        if id(sentence) not in self._known:
            self._known[id(sentence)] = super().annotate(sentence)
        return self._known[id(sentence)]


def chosen_pairs(path: str, words: int, limit: int) -> list[tuple[Sentence, Sentence]]:
    """Pairs whose sentences both have about the wanted length."""
    found = []
    for pair in read_pairs(path):
        if isinstance(pair, InputError):
            raise pair
        if all(abs(len(side) - words) <= 5 for side in (pair.source, pair.target)):
            found.append((pair.source, pair.target))
    return found[:limit]


def best_time(aligner: Aligner, pairs: Sequence[tuple[Sentence, Sentence]], repeat: int) -> float:
    """Smallest processor time of several runs over all pairs, in seconds, after a warm-up run."""
    times = []
    for _ in range(repeat + 1):
        start = time.process_time()
        for source, target in pairs:
            aligner.align_prepared(source, target)
        times.append(time.process_time() - start)
    return min(times[1:])


if __name__ == "__main__":
    main()
