"""Measure the bundled parser's speed, stage by stage, and whether its memory stays constant.

Usage::

    python benchmarks/speed/parser_speed.py [--parser en] [--words 20] [--sentences 1500] [--memory 100000]

Sentences are drawn with a seed from the clauses below, cut or continued to exactly ``--words`` words, so that
the figures need no corpus. The first stages are only encoder and span scores, in each arithmetic. The others
lead from words to packed 10-best forests, with and without word vectors, which aligners need. The script also
prints the share of processor time for trees and packing. All speeds are medians of ``--repeat`` runs.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import time
from collections.abc import Callable, Iterator, Sequence

import torch

from forest_align.parsing.networks.devices import BATCH_SUBWORDS, Device
from forest_align.parsing.networks.encoder_scorer import EncoderScorer
from forest_align.parsing.networks.span_scores import SpanScorer, SpanScores
from forest_align.parsing.parser import Parser
from forest_align.parsing.parser_loading import load_parser, load_span_parser, locate_parser
from forest_align.types import InputError

SUBJECTS = (
    "the chairman of the board",
    "a spokeswoman for the company",
    "several people familiar with the talks",
    "the two boys who live next door",
    "researchers at the university",
    "every member of the committee",
    "his sister and her husband",
)
VERBS = (
    "said that",
    "did not believe that",
    "announced yesterday that",
    "wrote in a letter that",
    "could not explain why",
    "has always known that",
)
PREDICATES = (
    "would sell its stake in the plant",
    "had been waiting for the train since noon",
    "was caused by a mutation in the gene",
    "reached an agreement with the union after long negotiations",
    "gave the children three red apples and a book",
    "lost 4.5 % of their value in heavy trading",
    "does n't understand what happened in the meeting",
)


def sentences(count: int, words: int, seed: int) -> Iterator[list[str]]:
    """Draw tokenized sentences of exactly ``words`` words, of which the last is a full stop."""
    chance = random.Random(seed)
    for _ in range(count):
        drawn: list[str] = []
        while len(drawn) < words:
            parts = [chance.choice(SUBJECTS), chance.choice(VERBS), chance.choice(SUBJECTS)]
            drawn += " ".join([*parts, chance.choice(PREDICATES), ", and"]).split()
        drawn = [*drawn[: words - 1], "."]
        yield [drawn[0].capitalize(), *drawn[1:]]


def rate(job: Callable[[], object], count: int, repeat: int) -> float:
    """Return sentences per second: the median over runs, after one warm-up run."""
    job()
    seconds = []
    for _ in range(repeat):
        begun = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - begun)
    return count / statistics.median(seconds)


def parse_all(parser: Parser, batch: list[list[str]]) -> None:
    """Parse all; a sentence that fails ends the benchmark."""
    for result in parser.parse_many(batch):
        if isinstance(result, InputError):
            raise result


class TimedScorer(SpanScorer):
    """A scorer that measures the total of its processor seconds."""

    def __init__(self, scorer: SpanScorer) -> None:
        self._scorer, self.seconds = scorer, 0.0
        self.word_vectors = scorer.word_vectors

    def score(
        self, batch: Sequence[Sequence[str]], space_after: Sequence[Sequence[bool]] | None = None
    ) -> list[SpanScores | InputError]:
        """Score with the scorer."""
        begun = time.process_time()
        found = self._scorer.score(batch, space_after)
        self.seconds += time.process_time() - begun
        return found

    def tag(
        self, batch: Sequence[Sequence[str]], space_after: Sequence[Sequence[bool]] | None = None
    ) -> list[tuple[str, ...] | InputError]:
        """Tag with the scorer."""
        return self._scorer.tag(batch, space_after)


def share_of_trees(name: str, batch: list[list[str]], size: int) -> float:
    """Share of parsing's processor time outside the scorer: k best trees, packing, tokens."""
    scorer = TimedScorer(load_span_parser(name))
    parser = Parser(scorer, forest_size=size)
    parse_all(parser, batch)
    scorer.seconds, begun = 0.0, time.process_time()
    parse_all(parser, batch)
    return 1 - scorer.seconds / (time.process_time() - begun)


def report_speed(options: argparse.Namespace) -> None:
    """Print the table of stages."""
    batch = list(sentences(options.sentences, options.words, seed=1))
    scorer = load_span_parser(options.parser)
    print(f"{options.sentences} sentences of {options.words} words, {torch.get_num_threads()} threads")
    if isinstance(scorer, EncoderScorer):
        for dtype in ("float32", "bfloat16", "int8"):
            scorer = EncoderScorer.read(locate_parser(options.parser), Device("cpu", dtype, BATCH_SUBWORDS))
            speed = rate(lambda: scorer.score(batch), len(batch), options.repeat)  # noqa: B023
            print(f"  encoder and span scores, {dtype:28} {speed:7.0f} sentences/s")
    for size, vectors in ((1, False), (10, False), (10, True)):
        parser = load_parser(options.parser, forest_size=size, vectors=vectors)
        speed = rate(lambda: parse_all(parser, batch), len(batch), options.repeat)  # noqa: B023
        what = f"words to packed {size:2}-best forest" + (" and word vectors" if vectors else "")
        print(f"  {what:53} {speed:7.0f} sentences/s")
    share = share_of_trees(options.parser, batch, size)
    what = f"{size}-best trees and packing, without word vectors"
    print(f"  {what:53} {100 * share:7.1f} % of processor time")


def report_memory(options: argparse.Namespace) -> None:
    """Print the peak memory of the process while it parses a long stream of short sentences."""
    parser = load_parser(options.parser)
    print(f"peak memory over {options.memory} sentences of 8 words")
    stream = parser.parse_many(sentences(options.memory, 8, seed=2))
    for number, _ in enumerate(stream, start=1):
        if number % max(1, options.memory // 10) == 0:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"  {number:8} sentences {peak:8.0f} MiB", flush=True)


def main() -> None:
    """Run the parts that the options select."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parser", default="en", help="name or folder of the parser")
    parser.add_argument("--words", type=int, default=20)
    parser.add_argument("--sentences", type=int, default=1500)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", type=int, default=0, help="sentences of the memory run; 0: none")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    report_speed(options)
    if options.memory:
        report_memory(options)


if __name__ == "__main__":
    main()
