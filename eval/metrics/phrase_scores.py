"""Phrase alignments against several annotators: the protocol of Arase and Tsujii 2017, §6.3, for SPADE.

Let H be the alignments of a system and G and G′ those of two annotators. Recall = |H ∩ (G ∩ G′)| / |G ∩ G′|:
alignments of both annotators must be found. Precision = |H ∩ (G ∪ G′)| / |H|: alignments of either annotator
are acceptable. Counts are pooled over sentence pairs, and the two figures averaged over all pairs of
annotators (three for three annotators). Annotators are measured in the same way: each one against the pairs
of the others.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from forest_align.eval.metrics.scores import Scores, Statistic, ratio_statistics, safe_divide
from forest_align.types import InputError


@dataclass(frozen=True, slots=True, eq=False)
class PhraseScores:
    """Phrase alignment over N sentence pairs.

    ``rows``, float64 (N, 4 · C) for C pairs of annotators, for each: acceptable predictions, predictions,
    agreed alignments that were found, agreed alignments.
    """

    rows: np.ndarray

    @property
    def scores(self) -> Scores:
        """Precision and recall averaged over annotator pairs, F1 of the two averages."""
        precision, recall = _precision_and_recall(self.rows.sum(axis=0))
        return Scores.of(float(precision), float(recall))

    def statistics(self) -> dict[str, Statistic]:
        """The figures by name, ready for significance tests."""
        return ratio_statistics(self.rows, _precision_and_recall)


def _precision_and_recall(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    counts = sums.reshape(*sums.shape[:-1], -1, 4)
    precision = safe_divide(counts[..., 0], counts[..., 1]).mean(axis=-1)
    recall = safe_divide(counts[..., 2], counts[..., 3]).mean(axis=-1)
    return precision, recall


def score_phrases(
    predicted: Sequence[AbstractSet[Hashable]], gold: Sequence[Sequence[AbstractSet[Hashable]]]
) -> PhraseScores:
    """Score predicted phrase alignments.

    Parameters
    ----------
    predicted : sequence of set
        For each sentence pair the aligned phrases, as pairs of spans or of node names: anything hashable.
        Null alignments belong in it only if they are in the annotators' sets too.
    gold : sequence of sequence of set
        For each sentence pair the alignments of each annotator; all pairs have equally many annotators. If
        there is a single annotator, predictions are compared with that one.

    Raises
    ------
    InputError
        If the sequences differ in length or a pair has another number of annotators: names the pair.
    """
    if len(predicted) != len(gold):
        raise InputError(f"expected phrases of {len(gold)} pairs, found {len(predicted)}")
    rows = []
    for number, (found, annotators) in enumerate(zip(predicted, gold, strict=True), start=1):
        if not annotators or len(annotators) != len(gold[0]):
            raise InputError(f"pair {number}: expected {len(gold[0])} annotators, found {len(annotators)}")
        combinations = list(itertools.combinations(annotators, 2)) or [(annotators[0], annotators[0])]
        rows.append([count for one, other in combinations for count in _row(found, one, other)])
    return PhraseScores(np.asarray(rows, float).reshape(len(rows), -1 if rows else 4))


def scores_of_people(gold: Sequence[Sequence[AbstractSet[Hashable]]]) -> list[Scores]:
    """Measure each annotator against the pairs of the others.

    Raises InputError if there are fewer than two annotators.
    """
    people = len(gold[0]) if gold else 0
    if people < 2:
        raise InputError(f"agreement needs two annotators or more, found {people}")
    results = []
    for person in range(people):
        others = [[own for k, own in enumerate(pair) if k != person] for pair in gold]
        results.append(score_phrases([pair[person] for pair in gold], others).scores)
    return results


def human_agreement(gold: Sequence[Sequence[AbstractSet[Hashable]]]) -> Scores:
    """The mean precision and recall of all annotators; see :func:`scores_of_people`."""
    results = scores_of_people(gold)
    precision = float(np.mean([result.precision for result in results]))
    return Scores.of(precision, float(np.mean([result.recall for result in results])))


def reachability(root_aligned: Iterable[bool]) -> float:
    """Share of sentence pairs with aligned root phrases; 1 over no pairs."""
    values = list(root_aligned)
    return sum(values) / len(values) if values else 1.0


def _row(
    found: AbstractSet[Hashable], one: AbstractSet[Hashable], other: AbstractSet[Hashable]
) -> tuple[int, int, int, int]:
    agreed = one & other
    return len(found & (one | other)), len(found), len(found & agreed), len(agreed)
