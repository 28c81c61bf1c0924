"""Processor time of decoding (k best trees, packing, inside-outside) and its growth with sentence length.

Usage::

    python benchmarks/speed/chart_speed.py [--k 10] [--labels 110] [--words 10 20 40 80 160] [--sentences 100]

Charts are random, drawn with a seed, and need no model. A random tree stands out from noise about as much as
the tree of a trained parser. Figures are milliseconds of processor time per sentence, on one core.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from forest_align.cext import chart
from forest_align.parsing.networks.span_scores import SpanScorer, SpanScores
from forest_align.parsing.parser import Parser

TAGS = ("DT", "NN", "VBD", "IN", "JJ", "NNP", "RB", "CC", ",", "VBZ")
CATEGORIES = ("NP", "VP", "S", "PP", "ADJP", "ADVP", "SBAR", "S::VP", "NP::QP", "PRN")


def random_chart(words: int, labels: int, rng: np.random.Generator) -> SpanScores:
    """Scores that are high for the spans of one random tree and low for others; some are uncertain."""
    scores = rng.normal(-10, 2.5, (words, words, labels)).astype(np.float32)
    scores[:, :, 0] = 0
    todo = [(0, words - 1)]
    while todo:
        first, last = todo.pop()
        if first == last:
            continue
        if (first, last) == (0, words - 1) or rng.random() < 0.6:
            scores[first, last, rng.integers(1, labels)] = rng.normal(4, 2.5)
        split = int(min(first + rng.geometric(0.4) - 1, last - 1))
        todo += [(first, split), (split + 1, last)]
    names = ("", *(CATEGORIES[i % len(CATEGORIES)] for i in range(labels - 1)))
    tags = tuple(TAGS[i] for i in rng.integers(0, len(TAGS), words))
    return SpanScores(scores, names, tags)


class Replay(SpanScorer):
    """A scorer that returns charts drawn in advance, so that only decoding is measured."""

    def __init__(self, charts: list[SpanScores]) -> None:
        self._of_name = {str(number): scores for number, scores in enumerate(charts)}

    def score(self, batch: Any, space_after: Any = None) -> Any:
        """Return the chart whose number is the first word."""
        return [self._of_name[words[0]] for words in batch]

    def tag(self, batch: Any, space_after: Any = None) -> Any:
        """Return the tags of the charts."""
        return [self._of_name[words[0]].tags for words in batch]


def milliseconds(job: Callable[[], object], count: int) -> float:
    """Processor time per sentence of a job over ``count`` sentences; the better of two runs."""
    times = []
    for _ in range(2):
        begin = time.process_time()
        job()
        times.append(time.process_time() - begin)
    return 1000 * min(times) / count


def stages(charts: list[SpanScores], k: int) -> Iterator[tuple[str, float]]:
    """Measure each stage on the same charts."""
    count, words = len(charts), len(charts[0])
    yield "k best trees", milliseconds(lambda: [chart.k_best(c.scores, k) for c in charts], count)
    labelled = [np.logaddexp.reduce(c.scores[:, :, 1:], axis=2, dtype=np.float64) for c in charts]
    yield "inside-outside", milliseconds(lambda: [chart.inside_outside(x) for x in labelled], count)
    parser = Parser(Replay(charts), forest_size=k)
    named = [[str(number), *["w"] * (words - 1)] for number in range(count)]
    yield "k best trees, packed forest, sentence", milliseconds(lambda: list(parser.parse_many(named)), count)


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--k", type=int, default=10, help="trees a sentence; default: 10")
    parser.add_argument("--labels", type=int, default=110, help="labels, the empty one too; default: 110")
    parser.add_argument(
        "--words", type=int, nargs="+", default=[10, 20, 40, 80, 160], help="sentence lengths"
    )
    parser.add_argument("--sentences", type=int, default=100, help="sentences of the shortest length")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    print(f"milliseconds of processor time a sentence; k = {options.k}, {options.labels} labels")
    for words in options.words:
        count = max(2, options.sentences * options.words[0] // words)
        charts = [random_chart(words, options.labels, rng) for _ in range(count)]
        for name, value in stages(charts, options.k):
            print(f"{words:5d} words  {name:<40} {value:9.3f}")


if __name__ == "__main__":
    main()
