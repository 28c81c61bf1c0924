"""Joins the trees and forests of the sentences of a text under one root."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, chain

import numpy as np

from forest_align.parsing.forests.decoding import NBest
from forest_align.parsing.forests.forest_builder import Constituent, Packing
from forest_align.types import ParseForest
from forest_align.types.brackets import TEXT


def joined_forest(forests: Sequence[ParseForest]) -> ParseForest:
    """Join the forests of consecutive sentences under a root labelled ``TEXT``.

    No other constituent crosses a sentence boundary. The root is binarized from the right: the last two
    sentences, the last three and so on have a node each, which is no constituent. Sentences are independent,
    so each keeps its log ℓ(τ). The head of a node is that of its first sentence's best tree.
    """
    if len(forests) == 1:
        return forests[0]
    packing = Packing()
    shifts = list(accumulate((forest.token_count for forest in forests), initial=0))
    numbers = [_add_shifted(packing, forest, shift) for forest, shift in zip(forests, shifts, strict=False)]
    right = _shares_of_roots(forests[-1], numbers[-1])
    top = -1
    for place in reversed(range(len(forests) - 1)):
        left = _shares_of_roots(forests[place], numbers[place])
        label = TEXT if place == 0 else f"{TEXT}'"
        top = packing.node(shifts[place], shifts[-1], label, place == 0, packing.spans[left[0][0]][2], 1.0)
        for first, share in left:
            for second, other in right:
                is_best = (first, second) == (left[0][0], right[0][0])
                packing.edge(top, first, second, share * other, is_best)
        right = [(top, 1.0)]
    forest, order = packing.finish([top])
    posteriors = np.concatenate([forest.log_posterior for forest in forests])
    if np.isnan(posteriors).all():
        return forest
    of_nodes = np.full(len(forest), np.nan)
    of_nodes[[order[number] for number in chain.from_iterable(numbers)]] = posteriors
    of_nodes[order[top]] = 0.0
    return replace(forest, log_posterior=of_nodes)


def joined_n_best(parts: Sequence[NBest], text: str, size: int, least_ratio: float) -> NBest:
    """The best trees of a text, given those of its sentences; see :func:`joined_forest`."""
    if len(parts) == 1:
        return parts[0]
    constituents: list[Constituent] = []
    shift = 0
    values, chosen = np.zeros(1), np.zeros((1, 0), dtype=np.int64)
    for part in parts:
        before = len(constituents)
        for start, end, label, children in part.constituents:
            below = tuple([before + child for child in children])
            constituents.append(Constituent(shift + start, shift + end, label, below))
        shift += len(part.tokens)
        first, second = _best_sums(values, part.log_probabilities, size)
        values = values[first] + part.log_probabilities[second]
        tops = before + np.asarray(part.tops, dtype=np.int64)[second]
        chosen = np.concatenate([chosen[first], tops[:, None]], axis=1)
    if least_ratio:
        values = values[values >= values[0] + np.log(least_ratio)]
    tops = list(range(len(constituents), len(constituents) + len(values)))
    constituents += [Constituent(0, shift, TEXT, tuple(below)) for below in chosen[: len(values)].tolist()]
    posteriors = [part.log_posteriors for part in parts if part.log_posteriors is not None]
    return NBest(
        tuple(chain.from_iterable(part.tokens for part in parts)),
        text,
        constituents,
        tops,
        values,
        np.concatenate([*posteriors, np.zeros(len(tops))]) if posteriors else None,
    )


def starts_of_sentences(forest: ParseForest) -> tuple[int, ...]:
    """Where the second and further sentences of a text begin in the best tree; none for a single sentence."""
    todo, starts = [int(forest.roots[0])], []
    if forest.labels[todo[0]] != TEXT:
        return ()
    while todo:
        for child in forest.edges[forest.best_edge[todo.pop()], 1:].tolist():
            if forest.is_constituent[child]:
                starts.append(int(forest.start[child]))
            else:
                todo.append(child)
    return tuple(sorted(starts)[1:])


def _add_shifted(packing: Packing, forest: ParseForest, shift: int) -> list[int]:
    """Add the nodes and hyperedges of a sentence's forest; return the numbers of its nodes."""
    weights = np.exp(forest.log_marginal).tolist()
    columns = (forest.start, forest.end, forest.head)
    spans = np.stack(columns, axis=1) + shift
    numbers = [
        packing.node(start, end, label, is_constituent, head, weight)
        for (start, end, head), label, is_constituent, weight in zip(
            spans.tolist(), forest.labels, forest.is_constituent.tolist(), weights, strict=True
        )
    ]
    best = set(forest.best_edge.tolist())
    shares = np.exp(forest.edge_log_marginal).tolist()
    for edge, (below, share) in enumerate(zip(forest.edges.tolist(), shares, strict=True)):
        parent, left, right = (numbers[node] for node in below)
        packing.edge(parent, left, right, share, edge in best)
    return numbers


def _shares_of_roots(forest: ParseForest, numbers: Sequence[int]) -> list[tuple[int, float]]:
    """The roots of a sentence and their shares of the probability of its trees; the best tree's first."""
    shares = np.exp(forest.log_marginal[forest.roots])
    return list(
        zip([numbers[root] for root in forest.roots.tolist()], (shares / shares.sum()).tolist(), strict=True)
    )


def _best_sums(first: np.ndarray, second: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Places of the largest sums of two falling sequences, at most ``size``, the largest first."""
    # The sum of places i and j has (i + 1) (j + 1) - 1 others that are no smaller.
    counts = np.minimum(len(second), size // np.arange(1, min(len(first), size) + 1))
    rows = np.repeat(np.arange(len(counts)), counts)
    columns = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    order = np.argsort(-(first[rows] + second[columns]), kind="stable")[:size]
    return rows[order], columns[order]
