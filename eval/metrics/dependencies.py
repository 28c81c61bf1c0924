"""Scores of dependencies: attachment of parses, and dependencies aligned by links.

The latter are the second alignment measure of Thadani et al. (2012, §6).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np

from forest_align.alignment import Links
from forest_align.eval.metrics.scores import MatchCounts, Statistic, harmonic_mean, mean
from forest_align.types import InputError, ParseForest

#: Governor and dependent as token indices; the governor of the root is -1.
Arc = tuple[int, int]


def head_dependencies(forest: ParseForest) -> list[int]:
    """Head of each token in the parser's best tree, derived from the heads of its nodes.

    It is -1 for the root's head and for tokens that the forest does not cover.
    """
    heads = [-1] * int(forest.end.max(initial=0))
    waiting = [int(forest.roots[0])] if len(forest.roots) else []
    while waiting:
        node = waiting.pop()
        edge = int(forest.best_edge[node])
        if edge < 0:
            continue
        head = int(forest.head[node])
        for child in forest.edges[edge, 1:].tolist():
            if int(forest.head[child]) != head:
                heads[int(forest.head[child])] = head
            waiting.append(child)
    return heads


def tree_heads(bracket: str) -> list[int]:
    """Head of each token of a tree in Penn brackets, see :func:`head_dependencies`."""
    from forest_align.parsing import sentence_from_bracket

    forest = sentence_from_bracket(bracket).forest
    assert forest is not None
    return head_dependencies(forest)


def score_attachment(
    gold: Sequence[Sequence[int]],
    predicted: Sequence[Sequence[int]],
    words: Sequence[Sequence[str]] | None = None,
) -> MatchCounts:
    """Count tokens with the right head; ``.micro().recall`` is UAS (and so are precision and F1).

    Parameters
    ----------
    gold, predicted : sequence of sequence of int
        For each sentence the head of each token, -1 for the root.
    words : sequence of sequence of str, optional
        The tokens. Tokens of only Unicode punctuation do not count, as in the CoNLL-X scorer (Buchholz and
        Marsi 2006). Without ``words`` every token counts.

    Raises
    ------
    InputError
        If the numbers of sentences or tokens differ: names the sentence.
    """
    if len(gold) != len(predicted):
        raise InputError(f"expected {len(gold)} sentences, one a gold sentence, found {len(predicted)}")
    if words is not None and len(words) != len(gold):
        raise InputError(f"expected the words of {len(gold)} sentences, found those of {len(words)}")
    rows = []
    for number, (wanted, found) in enumerate(zip(gold, predicted, strict=True), start=1):
        tokens = words[number - 1] if words is not None else [""] * len(wanted)
        if len(found) != len(wanted):
            raise InputError(f"sentence {number}: expected {len(wanted)} heads, found {len(found)}")
        if len(tokens) != len(wanted):
            raise InputError(f"sentence {number}: expected {len(wanted)} words, found {len(tokens)}")
        counted = [k for k, token in enumerate(tokens) if not _is_punctuation(token)]
        right = sum(wanted[k] == found[k] for k in counted)
        rows.append((right, len(counted), right, len(counted)))
    return MatchCounts.of(rows)


def _is_punctuation(token: str) -> bool:
    """Whether all characters are Unicode punctuation, as attachment scores have it; *$* and *+* are not."""
    return bool(token) and all(unicodedata.category(character).startswith("P") for character in token)


def projected_pairs(
    links: Iterable[tuple[int, int]], source: Sequence[Arc], target: Sequence[Arc]
) -> set[tuple[Arc, Arc]]:
    """Pairs of dependencies whose governors and dependents are linked; two roots count as linked."""
    linked = {*links, (-1, -1)}
    by_ends: dict[int, list[Arc]] = {}
    for arc in target:
        by_ends.setdefault(arc[1], []).append(arc)
    partners: dict[int, list[int]] = {}
    for i, j in linked:
        partners.setdefault(i, []).append(j)
    return {
        (arc, other)
        for arc in source
        for j in partners.get(arc[1], ())
        for other in by_ends.get(j, ())
        if (arc[0], other[0]) in linked
    }


def score_projected(
    gold: Sequence[Links], predicted: Sequence[Links], arcs: Sequence[tuple[Sequence[Arc], Sequence[Arc]]]
) -> dict[str, Statistic]:
    """Score the aligned dependencies of pairs of sentences like word links; all links count.

    ``pair_f1`` is the mean of the F1 of the pairs.
    """
    rows, exact = [], []
    for wanted, found, (source, target) in zip(gold, predicted, arcs, strict=True):
        right, made = (projected_pairs(links, source, target) for links in (wanted, found))
        both = len(right & made)
        rows.append((both, len(made), both, len(right)))
        exact.append(right == made)
    counts = MatchCounts.of(rows)
    of_pairs = harmonic_mean(counts.pair_precision(), counts.pair_recall())
    return {
        **counts.macro_statistics(),
        "exact_match": mean(np.asarray(exact, bool)),
        "pair_f1": mean(of_pairs),
    }
