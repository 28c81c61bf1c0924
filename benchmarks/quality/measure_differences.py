"""Measure how well differences of words agree with what people said of chunks (iSTS) and of spans (SSD).

A word of iSTS train is labelled by its chunk: 1 if the chunk has no counterpart, otherwise 1 - score / 5. A
word of SSD is labelled 1 if it lies in a span that means something else. Reported are the Pearson correlation
with the labels, and the average precision of finding words labelled 0.5 or more. Punctuation does not count.
The relations and similarities of the forest aligner were learned from the same pairs, so its figures are
optimistic. Its constants were chosen on the first 150 pairs of each file; ``--skip`` leaves them out.

    python benchmarks/quality/measure_differences.py DATA --skip 150
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from forest_align import Alignment, Sentence, load
from forest_align.data.pairs import SentencePair, read_pairs
from forest_align.differences import differences_of
from forest_align.eval.benchmarks.task import tokenized_sentences
from forest_align.eval.metrics.change_scores import is_ascii_punctuation

Labels = tuple[list[float], list[float]]
CHUNKS = ("headlines", "images", "answers-students")
_HIGHEST, _DIFFERENT = 5.0, 0.5


def chunk_labels(pair: SentencePair) -> Labels:
    """Labels of the words of an iSTS pair."""
    labels: Labels = ([1.0] * len(pair.source), [1.0] * len(pair.target))
    for chunk in pair.chunks or ():
        score = float(chunk.score) if chunk.score.isdigit() else 0.0
        for side, words in enumerate((chunk.source, chunk.target)):
            for word in words:
                labels[side][word] = 1.0 - score / _HIGHEST
    return labels


def span_labels(pair: SentencePair, sentences: tuple[Sentence, Sentence]) -> Labels:
    """Labels of the words of an SSD pair."""
    labels: Labels = ([0.0] * len(sentences[0]), [0.0] * len(sentences[1]))
    for marked in pair.marked or ():
        for side, (start, end) in enumerate((marked.source, marked.target)):
            for k, token in enumerate(sentences[side].tokens):
                if not marked.same and token.start < end and token.end > start:
                    labels[side][k] = 1.0
    return labels


def read_labelled(
    data: Path, name: str, skip: int, limit: int | None
) -> Iterator[tuple[tuple[Sentence, Sentence], Labels]]:
    """The sentences of a corpus with the labels of their words."""
    if name == "ssd":
        files = [data / "differences/ssd-dev.tsv"]
    else:
        files = [data / f"ists/STSint.input.{chunks}.wa" for chunks in CHUNKS]
    for file in files:
        pairs = [
            pair
            for pair in islice(read_pairs(file), skip, None if limit is None else skip + limit)
            if isinstance(pair, SentencePair)
        ]
        for pair, sentences in zip(pairs, tokenized_sentences(pairs), strict=True):
            yield sentences, span_labels(pair, sentences) if name == "ssd" else chunk_labels(pair)


def cosine_differences(alignment: Alignment) -> Labels:
    """For each word 1 minus its highest cosine with a word of the other text."""
    ours, theirs = alignment.source.vectors, alignment.target.vectors
    assert ours is not None and theirs is not None
    cosines = ours @ theirs.T
    return list(1 - cosines.max(axis=1)), list(1 - cosines.max(axis=0))


def unlinked(alignment: Alignment) -> Labels:
    """1 for each word without a link."""
    linked = [{pair[side] for pair in alignment.words} for side in (0, 1)]
    lengths = len(alignment.source), len(alignment.target)
    one, two = ([float(k not in linked[side]) for k in range(lengths[side])] for side in (0, 1))
    return one, two


def our_differences(alignment: Alignment) -> Labels:
    """What the library says."""
    found = differences_of(alignment)
    return list(found.source), list(found.target)


def average_precision(scores: np.ndarray, wanted: np.ndarray) -> float:
    """Mean of the precision at each wanted word, words in the order of their scores; ties count as one step.

    Parameters
    ----------
    scores, wanted : np.ndarray, shape (n,), shape (n,)
        Scores, and whether each word is wanted.
    """
    order = np.argsort(-scores, kind="stable")
    hits, ranked = np.cumsum(wanted[order]), scores[order]
    last = np.append(ranked[1:] != ranked[:-1], True)
    right, total = hits[last], np.flatnonzero(last) + 1
    gained = np.diff(np.append(0, right))
    return float((gained * right / total).sum() / max(int(wanted.sum()), 1))


SYSTEMS = {
    "no link: 1, else 0": unlinked,
    "1 - highest cosine": cosine_differences,
    "differences": our_differences,
}


def measure(alignments: Sequence[Alignment], labels: Sequence[Labels]) -> dict[str, tuple[float, float]]:
    """Correlation and average precision of each system, over all words but punctuation."""
    counted = [
        [not is_ascii_punctuation(word) for side in (one.source, one.target) for word in side.words]
        for one in alignments
    ]
    kept = np.concatenate(counted)
    gold = np.concatenate([[*one, *two] for one, two in labels])[kept]
    figures = {}
    for name, system in SYSTEMS.items():
        found = np.concatenate([[*one, *two] for one, two in map(system, alignments)])[kept]
        correlation = float(np.corrcoef(found, gold)[0, 1])
        figures[name] = correlation, average_precision(found, gold >= _DIFFERENT)
    return figures


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table for each corpus."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument(
        "--skip", type=int, default=0, help="pairs at the start of each file that are left out"
    )
    parser.add_argument("--limit", type=int, help="pairs of each file")
    parser.add_argument("--aligner", default="forest")
    options = parser.parse_args(arguments)
    aligner = load(options.aligner)
    for name in ("ists", "ssd"):
        labelled = list(read_labelled(options.data, name, options.skip, options.limit))
        alignments = list(aligner.align_many([pair for pair, _ in labelled]))
        print(f"\n| {name}, {len(labelled)} pairs | correlation | average precision |\n|---|---|---|")
        for system, (correlation, precision) in measure(alignments, [one for _, one in labelled]).items():
            print(f"| {system} | {correlation:.3f} | {100 * precision:.1f} |")


if __name__ == "__main__":
    main()
