"""Computes why any two words of a sentence pair may correspond, as one bit mask per cell."""

from __future__ import annotations

from array import array
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from forest_align.lexicon._abbreviations import acronym_spans
from forest_align.lexicon.lexicon import RELATED_LEMMAS, SAME_LEMMA, Evidence
from forest_align.types import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forest_align.lexicon.lexicon import Lexicon, WordProfile
    from forest_align.lexicon.pair_table import PairTable
    from forest_align.types import Sentence


def check_finite(source: Sentence, target: Sentence) -> None:
    """Make sure that the word vectors of two sentences, if any, are finite numbers."""
    for side, sentence in (("source", source), ("target", target)):
        if sentence.vectors is not None and not np.isfinite(sentence.vectors).all():
            raise InputError("expected word vectors of finite numbers", field=side)


def check_comparable(source: Sentence, target: Sentence) -> None:
    """Make sure that the word vectors of two sentences, if both have any, can be compared by cosine."""
    check_finite(source, target)
    if source.vectors is not None and target.vectors is not None:
        sizes = source.vectors.shape[1], target.vectors.shape[1]
        if sizes[0] != sizes[1]:
            message = f"expected word vectors of one size in both sentences, found {sizes[0]} and {sizes[1]}"
            raise InputError(message)


# Smallest cosine of two contextual word vectors that counts as evidence by itself.
_EMBEDDING_COSINE = 0.4

_SUBSTRING = int(Evidence.SUBSTRING)
_RELATIONS = RELATED_LEMMAS | _SUBSTRING


def word_evidence(
    source: Sentence,
    target: Sentence,
    lexicon: Lexicon,
    ppdb: PairTable | None = None,
    *,
    cosine: float = _EMBEDDING_COSINE,
) -> np.ndarray:
    """Find the evidence for every pair of words: :func:`lexical_evidence`, and similar vectors.

    The result for swapped sentences is the transpose.

    Parameters
    ----------
    source, target : Sentence
        Sentences; tags and lemmas are used if they are known, vectors if both sentences have them.
    lexicon : Lexicon
        The lexicon.
    ppdb : PairTable, optional
        The user's paraphrase pairs.
    cosine : float
        Smallest cosine of similar vectors.

    Returns
    -------
    numpy.ndarray
        int32 ``[len(source), len(target)]``, sums of :class:`Evidence`.

    Raises
    ------
    InputError
        If the sentences have vectors of different sizes, or with numbers that are not finite.
    """
    check_comparable(source, target)
    table = lexical_evidence(source, target, lexicon, ppdb)
    if source.vectors is not None and target.vectors is not None and table.size:
        table[source.vectors @ target.vectors.T >= cosine] |= Evidence.EMBEDDING
    return table


def lexical_evidence(
    source: Sentence, target: Sentence, lexicon: Lexicon, ppdb: PairTable | None = None
) -> np.ndarray:
    """Find the evidence of words alone, without vectors; see :func:`word_evidence`."""
    lefts, rights = lexicon.profiles(source), lexicon.profiles(target)
    width = len(rights)
    cells = array("i", bytes(4 * len(lefts) * width))
    same = _add_shared(cells, lefts, rights)
    if ppdb is not None:
        _add_pairs(cells, lefts, rights, ppdb)
    _add_substrings(cells, [left.surface for left in lefts], [right.surface for right in rights])
    for cell in same:
        cells[cell] &= ~_RELATIONS
    table = np.array(cells, dtype=np.int32).reshape(len(lefts), width)
    words, others = source.words, target.words
    for i, (start, end) in acronym_spans(words, others):
        table[i, start:end] |= Evidence.ACRONYM
    for j, (start, end) in acronym_spans(others, words):
        table[start:end, j] |= Evidence.ACRONYM
    return table


def _add_shared(cells: array[int], lefts: Sequence[WordProfile], rights: Sequence[WordProfile]) -> list[int]:
    """Mark pairs where one word provides a key that the other seeks; return the cells of equal lemmas."""
    # Only words that share a key are compared, so most pairs cost nothing.
    places: dict[str | int, list[int]] = {}
    for j, right in enumerate(rights):
        for key in right.provides:
            if key in places:
                places[key].append(j)
            else:
                places[key] = [j]
    same = []
    start = 0
    for left in lefts:
        for key, bit in left.seeks:
            if key in places:
                for j in places[key]:
                    cells[start + j] |= bit
                    if bit & SAME_LEMMA:
                        same.append(start + j)
        start += len(rights)
    return same


def _add_pairs(
    cells: array[int], lefts: Sequence[WordProfile], rights: Sequence[WordProfile], pairs: PairTable
) -> None:
    """Mark the words that the user's table pairs, by form or by lemma."""
    forms = [{right.lower, right.lemma} for right in rights]
    for i, left in enumerate(lefts):
        partners = {*pairs.partners(left.lower), *pairs.partners(left.lemma)}
        if partners:
            for j, words in enumerate(forms):
                if not partners.isdisjoint(words):
                    cells[i * len(rights) + j] |= Evidence.PPDB


def paraphrase_scores(
    source: Sentence, target: Sentence, lexicon: Lexicon, pairs: PairTable | None
) -> np.ndarray:
    """The scores that the user's table gives two words, by form or by lemma.

    Shapes: returns float32 (2, n, m).
    """
    lefts, rights = lexicon.profiles(source), lexicon.profiles(target)
    scores = np.zeros((2, len(lefts), len(rights)), dtype=np.float32)
    if pairs is None:
        return scores
    for i, left in enumerate(lefts):
        for one in {left.lower, left.lemma}:
            partners = frozenset(pairs.partners(one))
            for j, right in enumerate(rights):
                for two in partners.intersection((right.lower, right.lemma)):
                    scores[:, i, j] = np.maximum(scores[:, i, j], pairs.scores(one, two))
    return scores


def _add_substrings(cells: array[int], lefts: Sequence[str], rights: Sequence[str]) -> None:
    """Mark pairs where one word is part of the other; empty forms are ignored."""
    all_left, all_right = "\n".join(lefts), "\n".join(rights)
    for i, left in enumerate(lefts):
        if left and left in all_right:
            for j, right in enumerate(rights):
                if left in right:
                    cells[i * len(rights) + j] |= _SUBSTRING
    for j, right in enumerate(rights):
        if right and right in all_left:
            for i, left in enumerate(lefts):
                if right in left:
                    cells[i * len(rights) + j] |= _SUBSTRING


def word_relations(left: WordProfile, right: WordProfile) -> int:
    """The relations of two different lemmas, as in a cell of :func:`lexical_evidence`; 0 for the same."""
    relations = 0
    for key, bit in left.seeks:
        if key in right.provides:
            relations |= bit
    one, two = left.surface, right.surface
    if one and two and (one in two or two in one):
        relations |= _SUBSTRING
    return 0 if relations & SAME_LEMMA else relations & _RELATIONS


@cache
def explain(mask: int) -> tuple[str, ...]:
    """Name the kinds of evidence in a cell, such as ``("lemma", "embedding")``."""
    return tuple(str(kind.name).lower() for kind in Evidence if int(mask) & kind)
