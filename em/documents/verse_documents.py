"""Documents of verses that people aligned phrase by phrase: reworded sentences, many of them divided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path

from forest_align.data.formats.format import SentencePair
from forest_align.data.pairs import read_pairs
from forest_align.em.documents.constructed_documents import ConstructedDocuments, Words
from forest_align.eval.benchmarks.core_phrases import is_dev_verse
from forest_align.parsing.sentence_split import sentence_starts
from forest_align.parsing.tokenize import tokens_of_words
from forest_align.types import InputError

# Share of the aligned words of a sentence that another one must have.
_LEAST_SHARE = 1 / 3


def chapters(path: str | Path, *, dev: bool = False) -> Iterator[ConstructedDocuments]:
    """One pair of documents per chapter; with ``dev`` the chapters of the books that no model learns from."""
    pairs = (pair for pair in read_pairs(path, tokenized=True) if not isinstance(pair, InputError))
    chosen = (pair for pair in pairs if is_dev_verse(pair.id) == dev)
    for _, verses in groupby(chosen, key=lambda pair: pair.id.rpartition(":")[0]):
        yield verse_document(list(verses))


def verse_document(verses: Sequence[SentencePair]) -> ConstructedDocuments:
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
