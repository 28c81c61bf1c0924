"""What gold word links and marked phrases say about pairs of phrases: right, allowed, wrong, or nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher

import numpy as np

from forest_align.aligners.phrases.proposals import ProposedPairs
from forest_align.aligners.phrases.sentence_spans import SentenceSpans
from forest_align.data.formats.format import PhraseUnit
from forest_align.types.spans import SpanSums

#: No link leaves a *sure* pair, one lies inside, and no smaller pair of phrases has the same linked words.
#: A *possible* pair has unlinked words that a smaller one lacks. Links leave a *wrong* pair. Of an *unknown*
#: pair the annotation says nothing.
WRONG, SURE, POSSIBLE, UNKNOWN = range(4)

#: The type of the unit that holds all equal words.
IDENTITY = "Identity"
#: Types of ETPC whose units name the scope of a change, not phrases that correspond as wholes.
SCOPES = frozenset(
    (
        "Addition/Deletion",
        "Change of order",
        "Converse substitution",
        "Coordination changes",
        "Diathesis alternation",
        "Direct/indirect style alternations",
        "Ellipsis",
        "Entailment",
        "Negation switching",
        "Non-paraphrase",
        "Punctuation changes",
        "Sentence modality changes",
        "Subordination and nesting changes",
        "Syntax/discourse structure changes",
    )
)


def link_table(links: Iterable[tuple[int, int]], shape: tuple[int, int]) -> np.ndarray:
    """Links as a table, bool (n, m)."""
    table = np.zeros(shape, bool)
    for i, j in links:
        table[i, j] = True
    return table


def labels_of(
    proposed: ProposedPairs, table: np.ndarray, silent: tuple[Collection[int], Collection[int]] = ((), ())
) -> np.ndarray:
    """Judge proposed pairs by gold links.

    Parameters
    ----------
    proposed : ProposedPairs
        K pairs.
    table : numpy.ndarray
        bool, shape (n, m): the gold links.
    silent : (collection of int, collection of int)
        Words of both sides of which the annotation says nothing: pairs that have one are unknown.

    Returns
    -------
    numpy.ndarray
        int64, shape (K,): :data:`WRONG`, :data:`SURE`, :data:`POSSIBLE` or :data:`UNKNOWN`.
    """
    source, target, (a, b) = proposed.phrases.source, proposed.phrases.target, proposed.pairs
    sums = SpanSums.of(table)
    inside = sums.between(source.start[a], source.end[a], target.start[b], target.end[b])
    of_source = sums.between(source.start, source.end)[a]
    of_target = sums.between(0, -1, target.start, target.end)[b]
    consistent = (inside > 0) & (inside == of_source) & (inside == of_target)
    linked = np.asarray(table.any(axis=1)), np.asarray(table.any(axis=0))
    smallest = _smallest(source, linked[0])[a] & _smallest(target, linked[1])[b]
    labels = np.where(consistent, np.where(smallest, SURE, POSSIBLE), WRONG)
    for spans, places, words in ((source, a, silent[0]), (target, b, silent[1])):
        if words:
            is_silent = np.isin(np.arange(int(spans.end.max())), list(words))
            labels[_counts(spans, is_silent)[places] > 0] = UNKNOWN
    return labels


def _counts(spans: SentenceSpans, words: np.ndarray) -> np.ndarray:
    """How many of some words each span has, int64 (S,)."""
    before = np.concatenate([[0], np.cumsum(words)])
    found: np.ndarray = before[spans.end] - before[spans.start]
    return found


def _smallest(spans: SentenceSpans, linked: np.ndarray) -> np.ndarray:
    """Which spans contain no other span with the same linked words, bool (S,)."""
    words = _counts(spans, linked)
    contains = (spans.start[:, None] <= spans.start) & (spans.end <= spans.end[:, None])
    np.fill_diagonal(contains, False)
    found: np.ndarray = ~(contains & (words[:, None] == words)).any(axis=1)
    return found


def links_of_units(
    units: Sequence[PhraseUnit], source: Sequence[str], target: Sequence[str]
) -> tuple[set[tuple[int, int]], tuple[set[int], set[int]]]:
    """Word links that marked phrases imply, and the words of which they say nothing.

    All words of a unit are linked to all of its other side. Equal words are linked one by one, in order.

    Parameters
    ----------
    units : sequence of PhraseUnit
        The units of a pair; those of :data:`SCOPES` imply no links.
    source, target : sequence of str
        The words.

    Returns
    -------
    set of (int, int)
        The links.
    (set of int, set of int)
        Words of both sides that are in no unit.
    """
    links: set[tuple[int, int]] = set()
    for unit in units:
        if unit.type == IDENTITY:
            links |= _equal_words(unit, source, target)
        elif unit.type not in SCOPES:
            links |= {(i, j) for i in unit.source for j in unit.target}
    silent = (
        set(range(len(source))).difference(*(unit.source for unit in units)),
        set(range(len(target))).difference(*(unit.target for unit in units)),
    )
    return links, silent


def _equal_words(unit: PhraseUnit, source: Sequence[str], target: Sequence[str]) -> set[tuple[int, int]]:
    words = [source[i].lower() for i in unit.source], [target[j].lower() for j in unit.target]
    if words[0] == words[1]:
        return set(zip(unit.source, unit.target, strict=True))
    blocks = SequenceMatcher(None, *words, autojunk=False).get_matching_blocks()
    return {
        (unit.source[block.a + k], unit.target[block.b + k]) for block in blocks for k in range(block.size)
    }
