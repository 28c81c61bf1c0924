"""The M-step: fits the weights of feature-enhanced multinomials to counts of events.

A *context* is what is explained, such as one source phrase. Its *events* are its possible counterparts,
including the null phrase. Events share parameters through indicator features (Berg-Kirkpatrick et al. 2010,
§3; Arase & Tsujii 2017, §5.2)::

    log Pr(e) = w·F(e) − log Σ_{e′ in the context of e} m(e′) exp(w·F(e′))

where m(e′) is the number of candidates with equal features, which are computed once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from forest_align.types import InputError


@dataclass(frozen=True, slots=True, eq=False)
class EventTable:
    """Multinomials over sparse indicator features, in arrays."""

    # int64, shape (R + 1,): index in `feature_ids` of the first feature of each *row*. Events with the same
    # features share one row.
    feature_offsets: np.ndarray
    feature_ids: np.ndarray  # int32: features of all rows
    feature_count: int  # Number of features; the weights have this length
    event_row: np.ndarray  # int32, shape (E,): the row of each event
    # float64, shape (E,): number of candidates of the context that the event represents
    event_multiplicity: np.ndarray
    # int64, shape (C + 1,): index of the first event of each context; no context is empty
    context_offsets: np.ndarray

    def __post_init__(self) -> None:
        events, multiplicities = len(self.event_row), len(self.event_multiplicity)
        if events != multiplicities:
            raise InputError(f"expected one multiplicity an event: found {multiplicities} for {events}")
        if len(self.event_row) != self.context_offsets[-1] or (np.diff(self.context_offsets) <= 0).any():
            raise InputError("expected contexts that divide the events among them, none of them empty")
        ids = self.feature_ids
        if ids.size and not 0 <= ids.min() <= ids.max() < self.feature_count:
            raise InputError(f"expected feature numbers below {self.feature_count}")

    @property
    def event_count(self) -> int:
        """Number of events E."""
        return len(self.event_row)

    def row_scores(self, weights: np.ndarray) -> np.ndarray:
        """w·F of every row, float64, shape (R,)."""
        row_count = len(self.feature_offsets) - 1
        row_of = np.repeat(np.arange(row_count), np.diff(self.feature_offsets))
        return np.bincount(row_of, weights=weights[self.feature_ids], minlength=row_count)

    def log_probabilities(self, weights: np.ndarray) -> np.ndarray:
        """Log-probability of one candidate of every event, float64, shape (E,)."""
        scores = self.row_scores(weights)[self.event_row]
        log_sums = _log_sum_exp(scores, self.event_multiplicity, self.context_offsets[:-1])
        return scores - np.repeat(log_sums, np.diff(self.context_offsets))

    def restricted_to(self, contexts: np.ndarray) -> tuple[EventTable, np.ndarray]:
        """The table with only some contexts, and the indices of their events.

        Shapes: ``contexts`` bool (C,).
        """
        lengths = np.diff(self.context_offsets)
        events = np.flatnonzero(np.repeat(contexts, lengths))
        offsets = np.concatenate(([0], np.cumsum(lengths[contexts])))
        rows, multiplicity = self.event_row[events], self.event_multiplicity[events]
        features = self.feature_offsets, self.feature_ids, self.feature_count
        return EventTable(*features, rows, multiplicity, offsets), events


def _log_sum_exp(scores: np.ndarray, multiplicity: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Log Σ m·exp(score) of each run of scores, shape (C,)."""
    highest = np.maximum.reduceat(scores, starts)
    lengths = np.diff(np.append(starts, len(scores)))
    shifted = np.exp(scores - np.repeat(highest, lengths)) * multiplicity
    return highest + np.log(np.add.reduceat(shifted, starts))


class Objective:
    """Regularised log-likelihood of weighted event counts, with its gradient.

    ``L(w) = Σ_e n(e) log Pr(e) − κ‖w‖²`` (Berg-Kirkpatrick et al. 2010, equation 1).

    Shapes: ``counts`` float64 (E,).
    """

    def __init__(self, table: EventTable, counts: np.ndarray, regularization: float) -> None:
        if counts.shape != (table.event_count,):
            raise InputError(f"expected {table.event_count} counts, one an event, found shape {counts.shape}")
        if (counts < 0).any() or regularization < 0:
            raise InputError("expected counts and a regularization of at least 0")
        used = np.add.reduceat(counts, table.context_offsets[:-1]) > 0
        # Contexts that were never used change neither value nor gradient.
        self._table, events = table.restricted_to(used)
        self._counts = counts[events]
        self._starts = self._table.context_offsets[:-1]
        self._lengths = np.diff(self._table.context_offsets)
        self._context_counts = np.add.reduceat(self._counts, self._starts)
        self._regularization = regularization
        row_count = len(table.feature_offsets) - 1
        self._row_of_feature = np.repeat(np.arange(row_count), np.diff(table.feature_offsets))

    def value_and_gradient(self, weights: np.ndarray) -> tuple[float, np.ndarray]:
        """L(w) and its gradient, float64, shape (feature_count,)."""
        table = self._table
        # Sums of products instead of dot products, whose order of additions depends on the number of threads.
        penalty = self._regularization * float(np.square(weights).sum())
        gradient = -2.0 * self._regularization * weights
        row_count = len(table.feature_offsets) - 1
        row_scores = np.bincount(self._row_of_feature, weights[table.feature_ids], minlength=row_count)
        scores = row_scores[table.event_row]
        log_sums = _log_sum_exp(scores, table.event_multiplicity, self._starts)
        value = float((self._counts * scores).sum() - (self._context_counts * log_sums).sum()) - penalty
        expected = table.event_multiplicity * np.exp(scores - np.repeat(log_sums, self._lengths))
        expected *= np.repeat(self._context_counts, self._lengths)
        by_row = np.bincount(table.event_row, self._counts - expected, minlength=row_count)
        gradient += np.bincount(
            table.feature_ids, by_row[self._row_of_feature], minlength=table.feature_count
        )
        return value, gradient


def maximize(objective: Objective, start: np.ndarray, max_iterations: int = 50) -> tuple[np.ndarray, float]:
    """Find the weights of highest value by L-BFGS with a strong-Wolfe line search.

    It uses one thread and a fixed order of additions, so the same input gives the same bits.

    Shapes: ``start`` float64 (feature_count,).
    """
    import torch

    from forest_align.em.fitting.optimization import one_thread

    weights = torch.from_numpy(np.array(start, dtype=np.float64))
    weights.grad = torch.zeros_like(weights)
    optimizer = torch.optim.LBFGS(
        [weights],
        max_iter=max_iterations,
        history_size=10,
        tolerance_grad=1e-5,
        tolerance_change=1e-9,
        line_search_fn="strong_wolfe",
    )

    def closure() -> float:
        value, gradient = objective.value_and_gradient(weights.numpy())
        assert weights.grad is not None
        weights.grad.copy_(torch.from_numpy(-gradient))
        return -value

    first, _ = objective.value_and_gradient(start)
    with one_thread():
        optimizer.step(closure)
    found = weights.numpy().copy()
    value, _ = objective.value_and_gradient(found)
    # A line search that runs out of steps can end slightly lower, but Viterbi EM must never get worse.
    return (found, value) if value >= first else (np.array(start, dtype=np.float64), first)
