"""What gold word links and marked phrases say about pairs of phrases: right, allowed, wrong, or nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import SequenceMatcher

import numpy as np

from forest_align.aligners.phrases.features import ProposedPairs
from forest_align.alignment import Links, project
from forest_align.data.formats.format import PhraseUnit
from forest_align.eval.metrics.unit_scores import IDENTITY

#: *Sure* and *possible* pairs are those of :func:`~forest_align.alignment.project`; links leave a *wrong*
#: pair. Of an *unknown* pair the annotation says nothing.
WRONG, SURE, POSSIBLE, UNKNOWN = range(4)

# Types of ETPC whose units name the scope of a change, not phrases that correspond as wholes.
_SCOPES = frozenset(
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


def labels_of(
    proposed: ProposedPairs, links: Links, silent: tuple[Collection[int], Collection[int]] = ((), ())
) -> np.ndarray:
    """Judge K proposed pairs by gold links: int64, shape (K,).

    Labels are :data:`WRONG`, :data:`SURE`, :data:`POSSIBLE` and :data:`UNKNOWN`. A pair with a word in
    ``silent`` is unknown: the annotation says nothing of these words.
    """
    source, target, (a, b) = proposed.phrases.source, proposed.phrases.target, proposed.pairs
    # Both have the distinct spans of each sentence in ascending order.
    projection = project(source.spans, target.spans, links)
    labels = np.where(projection.sure, SURE, np.where(projection.possible, POSSIBLE, WRONG))[a, b]
    for spans, places, words in ((source, a, silent[0]), (target, b, silent[1])):
        if words:
            is_silent = np.isin(np.arange(int(spans.end.max())), list(words))
            before = np.concatenate([[0], np.cumsum(is_silent)])
            labels[(before[spans.end] - before[spans.start])[places] > 0] = UNKNOWN
    return labels


def links_of_units(
    units: Sequence[PhraseUnit], source: Sequence[str], target: Sequence[str]
) -> tuple[set[tuple[int, int]], tuple[set[int], set[int]]]:
    """Word links that marked phrases imply, and the words of which they say nothing.

    All words of a unit are linked to all of its other side. Equal words are linked one by one, in order.
    """
    links: set[tuple[int, int]] = set()
    for unit in units:
        if unit.type == IDENTITY:
            links |= _equal_words(unit, source, target)
        elif unit.type not in _SCOPES:
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
