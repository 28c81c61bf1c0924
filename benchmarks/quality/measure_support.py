r"""How well the support of spans tells whether spans mean the same (SSD), and texts entail hypotheses (RTE).

Neither set was used for the models of support. Usage::

    python benchmarks/quality/measure_support.py --ssd DATA/differences/ssd-dev.tsv
    python benchmarks/quality/measure_support.py --rte RTE/rte1_dev.xml RTE/rte2_dev.xml RTE/rte3_dev.xml

SSD: each marked span of the hypothesis is judged with its span of the premise. RTE: the hypothesis is the
summary, and the text its source. The score of a pair is the mean probability of its spans, or the lowest one.
The threshold is the best one on the first file; the table is about the others. The baseline is the share of
the hypothesis' content words that the contextual aligner links, or the mean link probability (SSD). Only
development files should be read.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import islice, pairwise
from pathlib import Path

import numpy as np

from forest_align.aligners.attribution import SupportFinder
from forest_align.aligners.attribution.chunk_support import chunk_support
from forest_align.aligners.attribution.tagged_chunks import chunk_spans
from forest_align.aligners.chunks import ChunkAligner
from forest_align.aligners.contextual import ContextualAligner
from forest_align.alignment import Span
from forest_align.data.formats.format import SentencePair
from forest_align.data.pairs import read_pairs
from forest_align.em.attribution.support_training import area
from forest_align.lexicon.function_words import is_content_word
from forest_align.types import InputError, Sentence


def pairs_of(path: Path, limit: int | None) -> list[SentencePair]:
    """The pairs of a file; broken ones are left out."""
    return list(islice((pair for pair in read_pairs(path) if not isinstance(pair, InputError)), limit))


def tokens_of(sentence: Sentence, characters: Span) -> Span:
    """The token span of a span of characters."""
    inside = [
        k for k, one in enumerate(sentence.tokens) if one.start < characters[1] and characters[0] < one.end
    ]
    return inside[0], inside[-1] + 1


def chunks_with(sentence: Sentence, marked: Sequence[Span]) -> list[Span]:
    """Chunks of a sentence; marked spans replace those that they overlap."""
    found = list(marked)
    for start, end in chunk_spans(sentence.tags, sentence.words):
        if all(end <= one[0] or one[1] <= start for one in marked):
            found.append((start, end))
    return sorted(set(found))


def ssd_scores(pairs: Sequence[SentencePair], aligner: ChunkAligner) -> np.ndarray:
    """For each marked span: probability of support, mean link probability, and whether both mean the same."""
    rows = []
    for pair in pairs:
        premise, hypothesis = aligner.prepare_pair(pair.source.text, pair.target.text)
        spans = [
            (tokens_of(premise, one.source), tokens_of(hypothesis, one.target)) for one in pair.marked or ()
        ]
        sources = chunks_with(premise, [one for one, _ in spans])
        targets = chunks_with(hypothesis, [other for _, other in spans])
        if not spans or any(a[1] > b[0] for own in (sources, targets) for a, b in pairwise(own)):
            continue
        (found,) = chunk_support(aligner, hypothesis, targets, [(premise, sources)])
        linked = aligner.words.link_probabilities(premise, hypothesis).max(0)
        for (one, other), marked in zip(spans, pair.marked or (), strict=True):
            probability = found.probability[targets.index(other), sources.index(one)]
            rows.append((probability, linked[slice(*other)].mean(), marked.same))
    return np.array(rows, np.float64).reshape(-1, 3)


def rte_scores(pairs: Sequence[SentencePair], finder: SupportFinder, words: ContextualAligner) -> np.ndarray:
    """For each pair: mean and lowest probability of the spans, share of linked words, whether it follows."""
    rows = []
    for pair in pairs:
        report = finder.find(pair.target.text, pair.source.text)
        probabilities = [span.probability for span in report.spans] or [0.0]
        found = words.align(pair.source.text, pair.target.text)
        linked = {j for _, j in found.words}
        content = [j for j, word in enumerate(found.target.words) if is_content_word(word)]
        share = sum(j in linked for j in content) / max(1, len(content))
        rows.append((np.mean(probabilities), min(probabilities), share, pair.label))
    return np.array(rows, np.float64).reshape(-1, 4)


def best_threshold(scores: np.ndarray, right: np.ndarray) -> float:
    """The threshold with the highest accuracy."""
    possible = np.unique(scores)
    return float(max(possible, key=lambda at: ((scores >= at) == right).mean()))


def accuracy(scores: np.ndarray, right: np.ndarray, threshold: float) -> float:
    """Share of right decisions, in percent."""
    return float(100 * ((scores >= threshold) == right).mean())


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ssd", type=Path, help="file of SSD")
    parser.add_argument(
        "--rte", type=Path, nargs="+", default=[], help="files of RTE, the first one to tune on"
    )
    parser.add_argument("--limit", type=int, help="use only the first pairs of each file")
    options = parser.parse_args(argv)
    words = ContextualAligner()
    chunks = ChunkAligner(words=words)
    if options.ssd:
        rows = ssd_scores(pairs_of(options.ssd, options.limit), chunks)
        same = rows[:, 2] == 1
        print(
            f"| {len(rows)} spans of SSD, {100 * same.mean():.1f}% the same | AUC | accuracy |\n|---|---|---|"
        )
        for name, column, threshold in (
            ("links", 1, best_threshold(rows[:, 1], same)),
            ("support, at 0.5", 0, 0.5),
        ):
            scores = rows[:, column]
            print(f"| {name} | {area(scores, same):.1f} | {accuracy(scores, same, threshold):.1f} |")
    if options.rte:
        finder = SupportFinder(chunks=chunks)
        tuning, *others = (rte_scores(pairs_of(path, options.limit), finder, words) for path in options.rte)
        print(f"| RTE | {' | '.join(path.stem for path in options.rte[1:])} |\n|---{'|---' * len(others)}|")
        for name, column in (("share of words linked", 2), ("lowest support", 1), ("mean support", 0)):
            threshold = best_threshold(tuning[:, column], tuning[:, 3] == 1)
            cells = [f"{accuracy(one[:, column], one[:, 3] == 1, threshold):.1f}" for one in others]
            print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
