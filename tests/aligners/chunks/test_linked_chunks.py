"""Chunks aligned through word links, against a second implementation of the three rules."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from forest_align.aligners.chunks.linked_chunks import align_chunks
from forest_align.alignment import Alignment, Links
from forest_align.types import Sentence

WORDS, OTHERS = ["the", "switch", "of", "the", "bulb", "is"], ["a", "lamp", "and", "its", "switch", "lit"]
CONTENT = {"switch", "bulb", "lamp", "lit"}

CUTS = st.sets(st.integers(1, 5), max_size=4).map(lambda cuts: list(pairwise(sorted({0, *cuts, 6}))))
LINKS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), unique=True, max_size=14)
Chunk = tuple[int, ...]


def essential(words: list[str], chunk: Chunk) -> list[int]:
    return [k for k in chunk if words[k] in CONTENT] or list(chunk)


def naive(source: list[Chunk], target: list[Chunk], score: dict[tuple[int, int], float]) -> set:
    """The rules of the docstring, chunk by chunk."""
    essentials = {k for chunk in source for k in essential(WORDS, chunk)}
    others = {k for chunk in target for k in essential(OTHERS, chunk)}
    score = {(i, j): score[i, j] for i, j in score if i in essentials or j in others}

    def shared(ours: Chunk, theirs: Chunk) -> float:
        return sum(score.get((i, j), 0) for i in ours for j in theirs)

    def best(word: int, chunk: Chunk, is_source: bool) -> float:
        return max(score.get((word, k) if is_source else (k, word), 0) for k in chunk)

    partner: dict[tuple[bool, Chunk], Chunk] = {}
    while True:
        free = [
            (shared(ours, theirs), ours, theirs)
            for ours in source
            for theirs in target
            if (True, ours) not in partner and (False, theirs) not in partner
        ]
        strongest = max(free, default=(0, (), ()))
        if not strongest[0]:
            break
        _, ours, theirs = strongest
        partner[True, ours], partner[False, theirs] = theirs, ours
    found = {(ours, theirs) for (is_source, ours), theirs in partner.items() if is_source}
    joined = set()
    for theirs in target:
        if (False, theirs) not in partner:
            common, ours = max((shared(ours, theirs), ours) for ours in source)
            if common and any(
                best(word, theirs, True) > best(word, partner[True, ours], True)
                for word in essential(WORDS, ours)
            ):
                joined.add((ours, theirs))
    for ours in source:
        if (True, ours) not in partner:
            common, theirs = max((shared(ours, theirs), theirs) for theirs in target)
            if common and any(
                best(word, ours, False) > best(word, partner[False, theirs], False)
                for word in essential(OTHERS, theirs)
            ):
                joined.add((ours, theirs))
    return found | joined


@given(CUTS, CUTS, LINKS)
def test_chunks_are_aligned_as_a_naive_implementation_does_it(
    source: list, target: list, links: list[tuple[int, int]]
) -> None:
    # No two sums are equal, and two links together beat any one.
    score = {link: 0.5 + 2.0 ** -(k + 2) for k, link in enumerate(links)}
    alignment = Alignment(
        Sentence.from_words(WORDS),
        Sentence.from_words(OTHERS),
        Links.of(score, scores=score.values()),
    )
    chunks = [[tuple(range(*span)) for span in spans] for spans in (source, target)]
    found = align_chunks(source, target, alignment)
    assert found == sorted(found)
    assert {(tuple(range(*ours)), tuple(range(*theirs))) for ours, theirs in found} == naive(*chunks, score)
