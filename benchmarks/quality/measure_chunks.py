"""How well given chunks are aligned and related, by models of relations that have not seen the pairs.

Usage::

    python benchmarks/quality/measure_chunks.py DATA/ists --cache CACHE

Reads the training sets of iSTS. In each of five folds a model of relations learns from the other pairs, as
the recipe ``relations`` teaches it, and judges the chunks of the fold. Neighbours in a file are in one fold.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from forest_align.aligners.chunks import aligned_chunks, related_links
from forest_align.aligners.pair import GivenChunks
from forest_align.aligners.phrases.relation_model import RelationModel
from forest_align.em.phrases.examples import LinkedPair, joined, read_linked_pairs
from forest_align.em.phrases.relation_training import (
    CHUNKS,
    relation_examples,
    train_relations,
)
from forest_align.eval.files.result_tables import Row, format_table
from forest_align.eval.metrics.chunk_scores import (
    CHUNK_F1S,
    chunk_relation_statistics,
    count_chunk_relations,
)
from forest_align.lexicon.lexicon import load_lexicon

_FOLDS = 5


def counts(one: LinkedPair, model: RelationModel) -> np.ndarray:
    """The row of counts of a pair whose chunks a model relates."""
    pair, source, target = one.parsed.pair, one.parsed.source, one.parsed.target
    chunks = GivenChunks(pair.source_chunks, pair.target_chunks)
    found = aligned_chunks(source, target, chunks, one.links, model, load_lexicon())
    return count_chunk_relations(source.words, target.words, pair.chunks or (), related_links(found.phrases))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="folder of STSint.input.*.wa and their files of chunks")
    parser.add_argument("--cache", type=Path, required=True, help="folder for parses")
    options = parser.parse_args(arguments)
    files = [
        list(read_linked_pairs(options.data / f"STSint.input.{name}.wa", "en", options.cache))
        for name in CHUNKS
    ]
    folds = [np.arange(len(pairs)) * _FOLDS // len(pairs) for pairs in files]
    examples = [list(map(relation_examples, pairs)) for pairs in files]
    rows: list[list[np.ndarray]] = [[] for _ in files]
    for fold in range(_FOLDS):
        others = [
            one
            for known, of_file in zip(examples, folds, strict=True)
            for one, its in zip(known, of_file, strict=True)
            if its != fold
        ]
        model = train_relations(joined(others))
        for own, pairs, of_file in zip(rows, files, folds, strict=True):
            own += [counts(one, model) for one, its in zip(pairs, of_file, strict=True) if its == fold]
    tables = {**dict(zip(CHUNKS, rows, strict=True)), "all": [row for own in rows for row in own]}
    figures = {
        name: {key: 100 * one.value for key, one in chunk_relation_statistics(own).items()}
        for name, own in tables.items()
    }
    print(format_table([Row(name, one) for name, one in figures.items()], CHUNK_F1S, first="cross-fitted"))


if __name__ == "__main__":
    main()
