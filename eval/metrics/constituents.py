"""Judge aligned constituents by gold word links, for corpora where people linked words but not phrases.

The links are projected onto the trees (:class:`~forest_align.alignment.Projection`). Recall requires only the
sure pairs, precision accepts every possible pair.

Recall needs the constituents that could have been aligned: pass those of a gold tree, or of one tree for all
compared systems. Precision depends only on links, so a predicted pair may have spans outside that inventory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from forest_align.alignment import (
    Alignment,
    Links,
    Projection,
    Span,
    SpanPair,
    are_consistent,
    project,
)
from forest_align.eval.metrics.scores import MatchCounts
from forest_align.types import ParseForest


def constituent_pairs(alignment: Alignment) -> set[SpanPair]:
    """Spans of the aligned phrases whose two sides are constituents, not parts that binarization made."""
    return {(pair.source_node.span, pair.target_node.span) for pair in alignment.phrases if pair.constituents}


def constituent_spans(forest: ParseForest) -> list[Span]:
    """Distinct spans of the constituents of the parser's best tree, including words.

    Nodes that binarization made do not count.
    """
    constituents = (node for node in forest.best_nodes() if forest.is_constituent[node])
    return sorted({(int(forest.start[node]), int(forest.end[node])) for node in constituents})


def count_constituents(
    predicted: Iterable[SpanPair], source_spans: Iterable[Span], target_spans: Iterable[Span], links: Links
) -> tuple[int, int, int, int]:
    """Count for one sentence pair a row of :class:`~forest_align.eval.metrics.scores.MatchCounts`.

    Predicted pairs of spans count once; the other arguments are those of
    :func:`~forest_align.alignment.project`.
    """
    return count_projected(predicted, project(source_spans, target_spans, links), links)


def count_projected(
    predicted: Iterable[SpanPair], projection: Projection, links: Links
) -> tuple[int, int, int, int]:
    """Like :func:`count_constituents`, for an existing projection."""
    pairs = sorted(set(predicted))
    sure = projection.sure_pairs()
    found = sum(pair in sure for pair in pairs)
    if not pairs:
        return 0, 0, 0, len(sure)
    spans = np.asarray(pairs, np.int64).reshape(-1, 2, 2)
    right = are_consistent(spans[:, 0], spans[:, 1], links)
    return int(right.sum()), len(pairs), found, len(sure)


def score_constituents(rows: Sequence[tuple[int, int, int, int]]) -> MatchCounts:
    """Gather the rows of :func:`count_constituents` of all pairs; ``.micro()`` is the figure to report."""
    return MatchCounts.of(rows)
