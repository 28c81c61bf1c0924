"""Unlabelled attachment over head dependencies, to measure parses on dependency corpora."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from forest_align.eval.metrics.scores import MatchCounts
from forest_align.types import InputError, ParseForest


def head_dependencies(forest: ParseForest) -> list[int]:
    """Head of each token in the parser's best tree, read off the heads of its nodes.

    Returns
    -------
    list of int
        For each token the index of the token it depends on; -1 for the root's head and for tokens that the
        forest does not cover.
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
        The tokens: those made of Unicode punctuation alone do not count, as in the CoNLL-X scorer (Buchholz
        and Marsi 2006). Without them every token counts.

    Raises
    ------
    InputError
        If numbers of sentences or tokens differ: names the sentence.
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
    return bool(token) and all(unicodedata.category(character).startswith("P") for character in token)
