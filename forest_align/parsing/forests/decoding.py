"""From the span scores of a sentence to its best trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from forest_align.cext import chart
from forest_align.parsing.forests.forest_builder import Constituent
from forest_align.parsing.forests.n_best import NBest
from forest_align.parsing.forests.span_posteriors import log_posteriors

if TYPE_CHECKING:
    from forest_align.parsing.networks.span_scores import SpanScores
    from forest_align.types import Token


def best_trees(
    scores: SpanScores,
    tokens: tuple[Token, ...],
    text: str,
    size: int,
    *,
    least_ratio: float,
    posteriors: bool,
) -> NBest:
    """Decode the best trees of a sentence."""
    trees = chart.k_best(scores.scores, size, scores.force_root)
    if least_ratio:
        probable = int((trees[4] >= trees[4][0] + np.log(least_ratio)).sum())
        if probable < len(trees[4]):  # decoding again is cheaper than separating shared subtrees
            trees = chart.k_best(scores.scores, probable, scores.force_root)
    spans, offsets, children, tops, values = trees
    of_spans = None
    if posteriors:
        log_partition, of_spans = log_posteriors(scores, spans)
        values = values - log_partition
    bounds, below = offsets.tolist(), children.tolist()
    constituents = []
    for number, (start, end, label_index) in enumerate(spans.tolist()):
        parts = tuple(below[bounds[number] : bounds[number + 1]])
        label = scores.labels[label_index]
        if not parts:
            label = f"{label}::{scores.tags[start]}" if label else scores.tags[start]
        constituents.append(Constituent(start, end, label or "TOP", parts))
    return NBest(tokens, text, constituents, tops.tolist(), values, of_spans)
