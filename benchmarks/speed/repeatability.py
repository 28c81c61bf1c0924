"""Measure how much alignments depend on the other sentences of a batch and on the parser's arithmetic.

Usage::

    python benchmarks/speed/repeatability.py PAIRS --limit 300

PAIRS is any file that ``forest-align align`` reads; its raw text is aligned in batches of 64 and one by one.
For two runs at a time, the script prints how many pairs differ in links or trees, and how many links are in
only one run. It also prints how much the probabilities of common links differ.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import islice

import numpy as np

from forest_align.aligners import load
from forest_align.alignment import Alignment
from forest_align.data.pairs import read_pairs
from forest_align.parsing import Parser, load_parser_for_alignment
from forest_align.parsing.networks.devices import EXACT, Device, find_device
from forest_align.parsing.networks.encoder_scorer import EncoderScorer
from forest_align.parsing.parser_loading import locate_parser
from forest_align.types import InputError


def align(pairs: Sequence[tuple[str, str]], batch_size: int, device: Device) -> list[Alignment]:
    """Align with the bundled models, parser and word vectors in the device's arithmetic."""
    usual, lemmatizer = load_parser_for_alignment(), load("forest").lexicon.lemma
    scorer = EncoderScorer.read(locate_parser("en"), device)
    parser = Parser(
        scorer,
        vectors=scorer.word_vectors,
        forest_size=usual.forest_size,
        least_ratio=usual.least_ratio,
        lemmatizer=lemmatizer,
    )
    return list(load("forest", parser=parser).align_many(pairs, batch_size=batch_size))


def compare(ours: Sequence[Alignment], theirs: Sequence[Alignment]) -> str:
    """Differences between two alignments of the same pairs, on one line."""
    links = other_links = pairs = trees = 0
    distances = [0.0]
    for one, other in zip(ours, theirs, strict=True):
        first, second = (dict(zip(a.words, a.words.scores or (), strict=True)) for a in (one, other))
        links += len(first.keys() | second.keys())
        other_links += len(first.keys() ^ second.keys())
        pairs += first.keys() != second.keys()
        trees += (one.source_tree, one.target_tree) != (other.source_tree, other.target_tree)
        distances += [abs(first[link] - second[link]) for link in first.keys() & second.keys()]
    return (
        f"{other_links} of {links} links in one run only, in {pairs} of {len(ours)} pairs; "
        f"other trees in {trees} pairs; "
        f"probabilities differ by {np.mean(distances):.5f} on average, {max(distances):.3f} at most"
    )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", metavar="PAIRS", help="any file that forest-align align reads")
    parser.add_argument("--limit", type=int, default=300, help="how many of the pairs (default: 300)")
    options = parser.parse_args()
    read = (pair for pair in read_pairs(options.pairs) if not isinstance(pair, InputError))
    pairs = [(pair.source.text, pair.target.text) for pair in islice(read, options.limit)]
    native, exact = find_device(), EXACT
    batched, alone = align(pairs, 64, native), align(pairs, 1, native)
    batched_exactly, alone_exactly = align(pairs, 64, exact), align(pairs, 1, exact)
    print(f"{native.dtype}, batches of 64 or 1: {compare(batched, alone)}")
    print(f"{exact.dtype}, batches of 64 or 1: {compare(batched_exactly, alone_exactly)}")
    print(f"{native.dtype} or {exact.dtype}, batches of 64: {compare(batched, batched_exactly)}")


if __name__ == "__main__":
    main()
