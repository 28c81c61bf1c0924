"""Chunk alignment F1 as in the SemEval interpretable STS task (iSTS, 2015 and 2016).

The task's scorer does not compare chunks. It links every token of a chunk to every token of its partner, and
removes the single punctuation marks ``. , : ' ` ? ; " -``. Each link is weighted so that long chunks do not
count more: with fanout(t) the number of links of a token, a link weighs 1 / max(fanout(s), fanout(t))
(Melamed 1998, eq. 4). Precision is the weight of the shared links divided by that of all predicted links,
both with the fanouts of the prediction. Recall is defined in the same way with the fanouts of the gold. Sums
run over all sentence pairs before dividing.

This is the score "F1 Ali": the types and the similarity scores of alignments are ignored. Chunks without
counterpart (NOALI) and those aligned only in context (ALIC) have no links. As in the scorer, and unlike the
other metrics here, a side without any link scores 0, not 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from forest_align.eval.metrics.scores import Scores, Statistic, ratio_statistics, safe_divide
from forest_align.types import InputError

#: Token indices of a source chunk and of the target chunk aligned to it.
ChunkPair = tuple[Sequence[int], Sequence[int]]

_PUNCTUATION = frozenset(".,:'`?;\"-")


@dataclass(frozen=True, slots=True, eq=False)
class ChunkScores:
    """Chunk alignment over N sentence pairs.

    ``rows``, float64 (N, 4): weight of shared links by the prediction's fanouts, of all predicted links,
    weight of shared links by the gold's fanouts, of all gold links.
    """

    rows: np.ndarray

    @property
    def scores(self) -> Scores:
        """Precision, recall and F1, pooled over sentence pairs."""
        precision, recall = _precision_and_recall(self.rows.sum(axis=0))
        return Scores.of(float(precision), float(recall))

    def statistics(self) -> dict[str, Statistic]:
        """The figures by name, ready for significance tests."""
        return ratio_statistics(self.rows, _precision_and_recall)


def _precision_and_recall(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return safe_divide(sums[..., 0], sums[..., 1], 0.0), safe_divide(sums[..., 2], sums[..., 3], 0.0)


def count_chunks(
    source: Sequence[str], target: Sequence[str], gold: Iterable[ChunkPair], predicted: Iterable[ChunkPair]
) -> tuple[float, float, float, float]:
    """Weigh the links of one sentence pair into a row of :class:`ChunkScores`.

    Chunks are token indices from 0; one may occur in several pairs. Raises InputError if an index points
    beyond a sentence.
    """
    wanted, found = links_of_chunks(source, target, gold), links_of_chunks(source, target, predicted)
    by_found, by_wanted = link_weights(found), link_weights(wanted)
    shared = wanted & found
    return (
        sum(by_found[link] for link in shared),
        sum(by_found.values()),
        sum(by_wanted[link] for link in shared),
        sum(by_wanted.values()),
    )


def score_chunks(rows: Sequence[tuple[float, float, float, float]]) -> ChunkScores:
    """Gather the rows of :func:`count_chunks` of all sentence pairs."""
    return ChunkScores(np.asarray(rows, float).reshape(-1, 4))


def links_of_chunks(
    source: Sequence[str], target: Sequence[str], chunk_pairs: Iterable[ChunkPair]
) -> set[tuple[int, int]]:
    """The links of all tokens of aligned chunks, punctuation left out; see :func:`count_chunks`."""
    links = {(s, t) for ours, theirs in chunk_pairs for s in ours for t in theirs}
    for s, t in links:
        if not (0 <= s < len(source) and 0 <= t < len(target)):
            sizes = f"{len(source)} and {len(target)} tokens"
            raise InputError(f"chunk link {s}-{t} is out of range: the sentences have {sizes}")
    return {(s, t) for s, t in links if source[s] not in _PUNCTUATION and target[t] not in _PUNCTUATION}


def link_weights(links: set[tuple[int, int]]) -> dict[tuple[int, int], float]:
    """The weight of each link by the fanouts of its tokens."""
    of_source, of_target = Counter(s for s, _ in links), Counter(t for _, t in links)
    return {(s, t): 1 / max(of_source[s], of_target[t]) for s, t in links}
