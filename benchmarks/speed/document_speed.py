"""Processor time and memory of aligning the sentences of two long documents.

Usage::

    python benchmarks/speed/document_speed.py PAIRS --sentences 1000

The first document has the sources of the first pairs of PAIRS, the second one their targets in another order.
Words and phrases are not aligned.
"""

from __future__ import annotations

import argparse
import resource
import time
from itertools import islice
from pathlib import Path

import numpy as np

from forest_align.aligners.documents.document_sentences import SentenceEncoder, document_sentences
from forest_align.aligners.documents.sentence_links import best_links, link_probabilities
from forest_align.aligners.documents.sentence_matches import SentenceMatches
from forest_align.data.pairs import read_pairs
from forest_align.types import InputError


def main() -> None:
    """Run the benchmark."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("pairs", metavar="PAIRS", type=Path, help="sentence pairs, in any format")
    options.add_argument("--sentences", type=int, default=1000, help="of each document; default: 1000")
    arguments = options.parse_args()
    pairs = [
        pair
        for pair in islice(read_pairs(arguments.pairs), arguments.sentences)
        if not isinstance(pair, InputError)
    ]
    order = np.random.default_rng(0).permutation(len(pairs)).tolist()
    texts = [pair.source.text for pair in pairs], [pairs[k].target.text for k in order]
    encoder = SentenceEncoder()
    list(encoder(document_sentences("Load the model.").sentences))
    begun = time.process_time()
    sides = [list(encoder(document_sentences(side).sentences)) for side in texts]
    encoded = time.process_time()
    matches = SentenceMatches(*sides)
    compared = time.process_time()
    links = best_links(matches, link_probabilities(matches))
    ended = time.process_time()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(f"{len(sides[0])} x {len(sides[1])} sentences, {len(links)} links, peak memory {memory:.0f} MiB")
    print(
        f"processor time: word vectors {encoded - begun:.1f} s, candidates {compared - encoded:.1f} s, "
        f"links {ended - compared:.1f} s"
    )


if __name__ == "__main__":
    main()
