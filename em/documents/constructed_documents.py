"""Pairs of documents with known sentence alignments: made from sentence pairs, or verses aligned by people.

The sentences of consecutive pairs make two documents. Some are then dropped, others joined to one, unrelated
sentences are inserted, and the second document may be rearranged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np

from forest_align.data.formats.format import SentencePair
from forest_align.data.pairs import read_pairs
from forest_align.eval.benchmarks.phrase_units import is_dev_verse
from forest_align.lexicon.tables import is_content_word
from forest_align.parsing.sentence_split import sentence_starts
from forest_align.parsing.tokenize import tokens_of_words
from forest_align.types import InputError

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
    gold = frozenset(
        (i, j)
        for i, (_, first) in enumerate(source)
        for j, (_, second) in enumerate(target)
        if first & second
    )
    return ConstructedDocuments(
        tuple(words for words, _ in source), tuple(words for words, _ in target), gold, order
    )


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
    found = []
    for pair in pairs:
        sides = [frozenset(word.lower() for word in words if is_content_word(word)) for words in pair]
        if any(
            _shared(side, other) > _MOST_SHARED for side in sides for word in side for other in known[word]
        ):
            continue
        found.append(pair)
        for side in sides:
            for word in side:
                known[word].append(side)
    return found


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


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
    pairs = (pair for pair in read_pairs(path, tokenized=True) if not isinstance(pair, InputError))
    chosen = (pair for pair in pairs if is_dev_verse(pair.id) == dev)
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
