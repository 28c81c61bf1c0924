r"""Fit the three regressions that say which sentences of two documents correspond.

Documents are made from the training pairs of MTRef and Wiki, in three sizes. Every twelfth chapter of the
verses, less the books that no model learns from, shows the last regression sentences that are reworded and
divided. The weights are printed as they stand in :mod:`forest_align.aligners.documents.sentence_links`::

    python -m forest_align.em.recipes document-links MTREF/train.tsv WIKI/train.tsv \
        --verses verses-train.jsonl.gz
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from forest_align.aligners.documents.document_sentences import SentenceEncoder
from forest_align.aligners.documents.sentence_links import (
    OWN_FEATURES,
    context_features,
    own_features,
    place_features,
)
from forest_align.aligners.documents.sentence_matches import SentenceMatches
from forest_align.aligners.logistic_function import regression
from forest_align.data.pairs import read_pairs
from forest_align.em.documents.constructed_documents import (
    ConstructedDocuments,
    Words,
    chapters,
    constructed_corpus,
)
from forest_align.em.fitting.logistic import fit_logistic
from forest_align.types import InputError, Sentence

# Pairs of a document.
_SIZES = (20, 80, 300)
_RIDGE = 1.0
# Of this many chapters one is used.
_CHAPTERS = 12


def word_pairs(path: str | Path, limit: int | None = None) -> list[tuple[Words, Words]]:
    """The pairs of a file as words; broken ones are left out."""
    read = (pair for pair in read_pairs(path, tokenized=True) if not isinstance(pair, InputError))
    pairs = ((pair.source.words, pair.target.words) for pair in read)
    return list(islice((pair for pair in pairs if all(pair)), limit))


def encoded(documents: Iterable[ConstructedDocuments], encoder: SentenceEncoder) -> Iterator[SentenceMatches]:
    """The matches of each pair of documents; every sentence is encoded once."""
    known: dict[Words, Sentence] = {}
    for one in documents:
        new = [words for words in {*one.source, *one.target} if words not in known]
        known.update(zip(new, encoder(map(Sentence.from_words, new)), strict=True))
        yield SentenceMatches([known[words] for words in one.source], [known[words] for words in one.target])


def fit_links(
    matches: Sequence[SentenceMatches], documents: Sequence[ConstructedDocuments], *, last: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights of the three regressions, float64, shapes (6,), (10,) and (15,); constants last.

    The first two do not learn from the ``last`` documents.
    """
    labels = [
        np.array([pair in one.gold for pair in found.coverage])
        for found, one in zip(matches, documents, strict=True)
    ]
    own = [own_features(found) for found in matches]
    count = len(matches) - last
    right = np.concatenate(labels[:count])
    first = fit_logistic(np.concatenate(own[:count]), right, ridge=_RIDGE)
    context = [
        context_features(found, regression(features, first.tolist()))
        for found, features in zip(matches, own, strict=True)
    ]
    both = [np.hstack(features) for features in zip(own, context, strict=True)]
    assert len(first) == len(OWN_FEATURES) + 1
    second = fit_logistic(np.concatenate(both[:count]), right, ridge=_RIDGE)
    placed = [
        np.hstack([features, place_features(found, regression(features, second.tolist()))])
        for found, features in zip(matches, both, strict=True)
    ]
    return first, second, fit_logistic(np.concatenate(placed), np.concatenate(labels), ridge=_RIDGE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the recipe."""
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="pairs of sentences to learn from"
    )
    parser.add_argument("--limit", type=int, help="use only the first pairs of each file")
    parser.add_argument("--seed", type=int, default=0, help="seed of the constructed documents (default: 0)")
    parser.add_argument("--verses", type=Path, metavar="FILE", help="verses with their phrases by hand")


def run(options: argparse.Namespace) -> None:
    """Fit and print."""
    documents = [
        one
        for path in options.files
        for size in _SIZES
        for one in constructed_corpus(word_pairs(path, options.limit), size, options.seed)
    ]
    verses = list(islice(chapters(options.verses), 0, None, _CHAPTERS)) if options.verses else []
    documents += verses
    matches = list(encoded(documents, SentenceEncoder()))
    names = ("OWN_WEIGHTS", "CONTEXT_WEIGHTS", "PLACE_WEIGHTS")
    for name, weights in zip(names, fit_links(matches, documents, last=len(verses)), strict=True):
        print(f"{name} = ({', '.join(f'{weight:.2f}' for weight in weights)})")
