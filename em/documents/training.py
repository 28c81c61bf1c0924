r"""Fit the three regressions that say which sentences of two documents correspond.

Documents are made from the training pairs of MTRef and Wiki, in three sizes. Every twelfth chapter of the
verses, less the books that no model learns from, shows the last regression sentences that are reworded and
divided. The weights are printed as they stand in :mod:`forest_align.aligners.documents.sentence_links`::

    python -m forest_align.em.recipes document-links MTREF/train.tsv WIKI/train.tsv \
        --verses verses-train.jsonl.gz
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice, pairwise
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
from forest_align.data.formats.format import SentencePair
from forest_align.data.pairs import read_pairs
from forest_align.em.fitting.cross_fitting import fit_logistic
from forest_align.eval.benchmarks.marked_phrases import is_dev_verse
from forest_align.lexicon.tables import is_content_word
from forest_align.parsing.sentence_split import sentence_starts
from forest_align.parsing.tokenize import tokens_of_words
from forest_align.types import InputError, Sentence

# Pairs of a document.
_SIZES = (20, 80, 300)
_RIDGE = 1.0
# Of this many chapters one is used.
_CHAPTERS = 12


def word_pairs(path: str | Path, limit: int | None = None) -> list[tuple[Words, Words]]:
    """The pairs of a file as words; broken ones are left out."""
    pairs = ((pair.source.words, pair.target.words) for pair in _readable(path))
    return list(islice((pair for pair in pairs if all(pair)), limit))


def _readable(path: str | Path) -> Iterator[SentencePair]:
    return (pair for pair in read_pairs(path, tokenized=True) if not isinstance(pair, InputError))


def encoded(documents: Iterable[ConstructedDocuments], encoder: SentenceEncoder) -> Iterator[SentenceMatches]:
    """The matches of each pair of documents; every sentence is encoded once."""
    known: dict[Words, Sentence] = {}
    for document in documents:
        new = [words for words in {*document.source, *document.target} if words not in known]
        known.update(zip(new, encoder(map(Sentence.from_words, new)), strict=True))
        yield SentenceMatches(
            [known[words] for words in document.source], [known[words] for words in document.target]
        )


def fit_links(
    matches: Sequence[SentenceMatches], documents: Sequence[ConstructedDocuments], *, last: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights of the three regressions, float64, shapes (6,), (10,) and (15,); constants last.

    The first two do not learn from the ``last`` documents.
    """
    labels = [
        np.array([pair in document.gold for pair in found.coverage])
        for found, document in zip(matches, documents, strict=True)
    ]
    count = len(matches) - last

    def fit(tables: Sequence[np.ndarray], used: int) -> np.ndarray:
        return fit_logistic(np.concatenate(tables[:used]), np.concatenate(labels[:used]), ridge=_RIDGE)

    def extended(
        tables: Sequence[np.ndarray],
        weights: np.ndarray,
        further: Callable[[SentenceMatches, np.ndarray], np.ndarray],
    ) -> list[np.ndarray]:
        """The features with further ones, which come from the probabilities of these."""
        return [
            np.hstack([features, further(found, regression(features, weights.tolist()))])
            for found, features in zip(matches, tables, strict=True)
        ]

    own = [own_features(found) for found in matches]
    first = fit(own, count)
    assert len(first) == len(OWN_FEATURES) + 1
    both = extended(own, first, context_features)
    second = fit(both, count)
    return first, second, fit(extended(both, second, place_features), len(labels))


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
        document
        for path in options.files
        for size in _SIZES
        for document in constructed_corpus(word_pairs(path, options.limit), size, options.seed)
    ]
    verses = list(islice(chapters(options.verses), 0, None, _CHAPTERS)) if options.verses else []
    documents += verses
    matches = list(encoded(documents, SentenceEncoder()))
    names = ("OWN_WEIGHTS", "CONTEXT_WEIGHTS", "PLACE_WEIGHTS")
    for name, weights in zip(names, fit_links(matches, documents, last=len(verses)), strict=True):
        print(f"{name} = ({', '.join(f'{weight:.2f}' for weight in weights)})")


#: Orders of the second document: that of the first, paragraphs rearranged, or sentences shuffled.
ORDERS = ("in order", "paragraphs", "shuffled")
# Shares of the pairs with a dropped sentence, an inserted one, or a sentence joined to the next one.
_DROPPED, _INSERTED, _JOINED = 0.12, 0.15, 0.12
_PARAGRAPH = 6
# Larger shares of content words in common (Jaccard) mean that two sentences say the same.
_MOST_SHARED = 0.3
_MARKS = frozenset(".?!;:,")

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConstructedDocuments:
    """Two documents and their alignment."""

    source: tuple[Words, ...]
    target: tuple[Words, ...]
    gold: frozenset[tuple[int, int]]  # Pairs of sentences that say the same, at least in part
    order: str


def construct(
    pairs: Sequence[tuple[Words, Words]], others: Sequence[Words], order: str, random: np.random.Generator
) -> ConstructedDocuments:
    """Make two documents of consecutive pairs."""
    sides: tuple[list[tuple[Words, set[int]]], list[tuple[Words, set[int]]]] = ([], [])
    unrelated = [others[k] for k in random.permutation(len(others))]
    for number, pair in enumerate(pairs):
        dropped = int(random.integers(2)) if random.random() < _DROPPED else -1
        for side, words in enumerate(pair):
            if side != dropped:
                sides[side].append((words, {number}))
            if random.random() < _INSERTED / 2 and unrelated:
                sides[side].append((unrelated.pop(), set()))
    source, target = (_with_joined(side, random) for side in sides)
    target = [target[k] for k in _arranged(len(target), order, random)]
    cells = ((i, j) for i in range(len(source)) for j in range(len(target)))
    gold = frozenset((i, j) for i, j in cells if source[i][1] & target[j][1])
    texts = [tuple(words for words, _ in side) for side in (source, target)]
    return ConstructedDocuments(texts[0], texts[1], gold, order)


def _with_joined(
    sentences: Sequence[tuple[Words, set[int]]], random: np.random.Generator
) -> list[tuple[Words, set[int]]]:
    found: list[tuple[Words, set[int]]] = []
    for words, numbers in sentences:
        if found and numbers and found[-1][1] and random.random() < _JOINED / 2:
            before, known = found.pop()
            before = before[:-1] if before[-1] in _MARKS else before
            found.append(((*before, ",", "and", *words), known | numbers))
        else:
            found.append((words, numbers))
    return found


def _arranged(count: int, order: str, random: np.random.Generator) -> list[int]:
    if order == "in order":
        return list(range(count))
    if order == "shuffled":
        return random.permutation(count).tolist()
    blocks = [list(range(at, min(at + _PARAGRAPH, count))) for at in range(0, count, _PARAGRAPH)]
    return [place for block in random.permutation(len(blocks)) for place in blocks[block]]


def distinct_pairs(pairs: Sequence[tuple[Words, Words]]) -> list[tuple[Words, Words]]:
    """Pairs without those that say again what an earlier one says.

    MTRef pairs several translations of one sentence. In a document, all of them would correspond to each
    other. A pair is left out if one of its sentences shares too many of its content words with a sentence of
    a pair before it.
    """
    known: dict[str, list[frozenset[str]]] = defaultdict(list)
    distinct = []
    for pair in pairs:
        sides = [frozenset(word.lower() for word in words if is_content_word(word)) for words in pair]
        if any(
            _shared(side, other) > _MOST_SHARED for side in sides for word in side for other in known[word]
        ):
            continue
        distinct.append(pair)
        for side in sides:
            for word in side:
                known[word].append(side)
    return distinct


def _shared(words: frozenset[str], other: frozenset[str]) -> float:
    return len(words & other) / len(words | other)


def constructed_corpus(
    pairs: Sequence[tuple[Words, Words]], size: int, seed: int = 0, others: Sequence[Words] = ()
) -> list[ConstructedDocuments]:
    """Documents in all orders, each made of ``size`` consecutive pairs; the rest makes a shorter one."""
    random = np.random.default_rng(seed)
    pairs = distinct_pairs(pairs)
    used = len(pairs) - len(pairs) // 5
    inserted = [*(source for source, _ in pairs[used:]), *others]
    return [
        construct(pairs[at : min(at + size, used)], inserted, order, random)
        for at in range(0, used, size)
        for order in ORDERS
    ]


# Share of the aligned words of a sentence that another one must have.
_LEAST_SHARE = 1 / 3


def chapters(path: str | Path, *, dev: bool = False) -> Iterator[ConstructedDocuments]:
    """One pair of documents per chapter; with ``dev`` the chapters of the books that no model learns from."""
    chosen = (pair for pair in _readable(path) if is_dev_verse(pair.id) == dev)
    for _, verses in groupby(chosen, key=lambda pair: pair.id.rpartition(":")[0]):
        yield _verse_document(list(verses))


def _verse_document(verses: Sequence[SentencePair]) -> ConstructedDocuments:
    """The documents of consecutive verses; sentences may lead over their ends.

    Two sentences correspond if a third of the aligned words of one of them is aligned with the other one.
    """
    words: tuple[list[str], list[str]] = ([], [])
    units = []
    for verse in verses:
        begun = len(words[0]), len(words[1])
        units += [
            ([begun[0] + k for k in unit.source], [begun[1] + k for k in unit.target])
            for unit in verse.units or ()
        ]
        words[0].extend(verse.source.words)
        words[1].extend(verse.target.words)
    split = [_sentences(side) for side in words]
    places = [[number for number, sentence in enumerate(side) for _ in sentence] for side in split]
    aligned: tuple[dict[int, int], dict[int, int]] = (defaultdict(int), defaultdict(int))
    shared: tuple[dict[tuple[int, int], int], ...] = (defaultdict(int), defaultdict(int))
    for unit in units:
        sides = [{places[side][word] for word in unit[side]} for side in (0, 1)]
        for side in (0, 1):
            for word in unit[side] if all(sides) else ():
                own = places[side][word]
                aligned[side][own] += 1
                for other in sides[1 - side]:
                    shared[side][(own, other) if side == 0 else (other, own)] += 1
    gold = {
        pair
        for side in (0, 1)
        for pair, count in shared[side].items()
        if count >= _LEAST_SHARE * aligned[side][pair[side]]
    }
    return ConstructedDocuments(split[0], split[1], frozenset(gold), "in order")


def _sentences(words: Sequence[str]) -> tuple[Words, ...]:
    starts = sentence_starts(tokens_of_words(words), " ".join(words))
    return tuple(tuple(words[start:end]) for start, end in pairwise((0, *starts, len(words))))
