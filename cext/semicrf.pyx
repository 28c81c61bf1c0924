"""Semi-Markov conditional random field over the phrase pairs of two sentences.

A path reads the source sentence from left to right: each step takes one or several words to nothing (null), or a phrase
to a phrase of the target sentence. A step's score is its own and that of the transition to it, which depends only on the
last target word of the step before and the first target word of this one; so transitions are summed once for every
source position and target word, not for every two phrase pairs. ``semicrf_parts/recursions.pxi`` has the sums over all
paths and the best path. ``semicrf_reference`` computes the same in plain Python.

Scores are logarithms. A cost to be added in training (softmax-margin) is added to them by the caller.
"""

import numpy as np

from libc.math cimport INFINITY, exp, fabs, log, log1p

from forest_align.cext.checked_arrays import LARGEST_SCORE, with_checked_arrays

cdef double SPREAD = 600.0  # exponentials of transition scores are taken relative to their highest one

# A lattice: n source words, m target words, and the scores of all steps. The row of a transition is the last target
# word of the step before (0 … m - 1), null (m), or none (m + 1, the beginning). The column is the first target word of
# the step itself, or null (m). A null has 1 to ``longest`` words; ``null`` has their scores by first word and length.
cdef struct Lattice:
    Py_ssize_t n, m, size, longest
    const int* spans
    const double* scores
    const double* null
    const double* transition
    const double* final

include "semicrf_parts/recursions.pxi"


@with_checked_arrays
def marginals(
    const int[:, ::1] spans not None,
    const double[::1] scores not None,
    const double[:, ::1] null not None,
    const double[:, ::1] transition not None,
    const double[::1] final not None,
):
    """Log-partition function, and the expected counts of steps and transitions.

    Parameters
    ----------
    spans : int32, shape (k, 4)
        Phrase pairs: source start and end, target start and end (half-open), ordered by source start.
    scores : float64, shape (k,)
        Their scores.
    null : float64, shape (n, l)
        Scores of the steps to null by their first source word and their length (less 1), up to l words. Those that
        end beyond the sentence do not exist, but must be finite.
    transition : float64, shape (m + 2, m + 1)
        Scores by the last target word of the step before (m: null, m + 1: there is none) and the first target word of
        the step (m: null).
    final : float64, shape (m + 1,)
        Scores of ending after a step with that last target word, or null.

    Returns
    -------
    log_partition : float
        Logarithm of the summed exponentials of the scores of all paths.
    pairs : numpy.ndarray
        float64, shape (k,): probability of each phrase pair.
    nulls : numpy.ndarray
        float64, shape (n, l): probability of each step to null.
    transitions : numpy.ndarray
        float64, shape (m + 2, m + 1): expected counts.
    finals : numpy.ndarray
        float64, shape (m + 1,).

    Raises
    ------
    ValueError
        If shapes do not fit, spans lie outside the sentences or are out of order, a score is NaN or beyond ±10⁶, or
        transition scores lie more than 600 apart.
    """
    cdef Lattice lattice = _lattice(spans, scores, null, transition, final)
    cdef Py_ssize_t n = lattice.n, m = lattice.m
    pairs = np.empty(lattice.size, dtype=np.float64)
    nulls = np.empty((n, lattice.longest), dtype=np.float64)
    transitions = np.zeros((m + 2, m + 1), dtype=np.float64)
    finals = np.empty(m + 1, dtype=np.float64)
    scratch = np.empty((3 * n + 2) * (m + 1) + (m + 1) * (m + 1) + 2 * (m + 1), dtype=np.float64)
    cdef double[::1] work = scratch, out_pairs = pairs, out_finals = finals
    cdef double[:, ::1] out_nulls = nulls, out_transitions = transitions
    cdef Sums sums
    sums.pairs = &out_pairs[0] if lattice.size else NULL
    sums.nulls, sums.transitions, sums.finals = &out_nulls[0, 0], &out_transitions[0, 0], &out_finals[0]
    with nogil:
        lay_out_sums(&lattice, &sums, &work[0])
        sum_forward(&lattice, &sums)
        sum_backward(&lattice, &sums)
    return sums.log_partition, pairs, nulls, transitions, finals


@with_checked_arrays
def best_path(
    const int[:, ::1] spans not None,
    const double[::1] scores not None,
    const double[:, ::1] null not None,
    const double[:, ::1] transition not None,
    const double[::1] final not None,
):
    """The path of the highest score (Viterbi).

    Parameters
    ----------
    spans, scores, null, transition, final
        As for :func:`marginals`.

    Returns
    -------
    score : float
        Its score.
    steps : numpy.ndarray
        int32: the phrase pair of each step from left to right, -l for a null of l words. Of equal paths the one whose
        steps, from the last to the first, come from a smaller row of transitions, an earlier phrase pair or a longer
        null.

    Raises
    ------
    ValueError
        As for :func:`marginals`.
    """
    cdef Lattice lattice = _lattice(spans, scores, null, transition, final)
    cdef Py_ssize_t n = lattice.n, m = lattice.m, last, count
    scratch = np.empty((n + 1) * (m + 1) + m + 1, dtype=np.float64)
    memory = np.empty((2 * n + 1) * (m + 1), dtype=np.int32)
    steps = np.empty(n, dtype=np.int32)
    cdef double[::1] work = scratch
    cdef int[::1] kept = memory, out = steps
    cdef double score
    with nogil:
        score = find_best(&lattice, &work[0], &kept[0], &last)
        count = read_off(&lattice, &kept[0], last, &out[0])
    return score, steps[n - count:]


@with_checked_arrays
def link_marginals(
    const int[:, ::1] spans not None, const double[::1] pairs not None, Py_ssize_t n, Py_ssize_t m
):
    """Probability that two words stand in phrases that are paired, for every two words.

    Parameters
    ----------
    spans : int32, shape (k, 4)
        As for :func:`marginals`.
    pairs : float64, shape (k,)
        From :func:`marginals`.
    n, m : int
        Words of the sentences.

    Returns
    -------
    numpy.ndarray
        float64, shape (n, m).

    Raises
    ------
    ValueError
        If shapes do not fit, or spans lie outside the sentences or are out of order.
    """
    if n < 1 or m < 1:
        raise ValueError("expected two sentences with at least one word each")
    if pairs.shape[0] != spans.shape[0]:
        raise ValueError(f"expected {spans.shape[0]} probabilities, found {pairs.shape[0]}")
    _check_spans(spans, n, m)
    result = np.zeros((n, m), dtype=np.float64)
    cdef double[:, ::1] table = result
    cdef Py_ssize_t k, i, j
    with nogil:
        for k in range(pairs.shape[0]):
            for i in range(spans[k, 0], spans[k, 1]):
                for j in range(spans[k, 2], spans[k, 3]):
                    table[i, j] += pairs[k]
    return result


cdef Lattice _lattice(
    const int[:, ::1] spans,
    const double[::1] scores,
    const double[:, ::1] null,
    const double[:, ::1] transition,
    const double[::1] final,
) except *:
    """Check the input of a kernel."""
    cdef Lattice lattice
    cdef Py_ssize_t n = null.shape[0], m = final.shape[0] - 1, i, j
    cdef double low = INFINITY, high = -INFINITY, x
    if n < 1 or m < 1:
        raise ValueError("expected two sentences with at least one word each")
    if null.shape[1] < 1:
        raise ValueError("expected scores of nulls of at least one word")
    if scores.shape[0] != spans.shape[0]:
        raise ValueError(f"expected {spans.shape[0]} scores, found {scores.shape[0]}")
    if transition.shape[0] != m + 2 or transition.shape[1] != m + 1:
        raise ValueError(f"expected transitions of shape ({m + 2}, {m + 1})")
    _check_spans(spans, n, m)
    _check_scores(scores)
    for i in range(n):
        _check_scores(null[i])
    _check_scores(final)
    for i in range(m + 2):
        _check_scores(transition[i])
        for j in range(m + 1):
            x = transition[i, j]
            low = x if x < low else low
            high = x if x > high else high
    if high - low > SPREAD:
        raise ValueError(f"expected transition scores at most {SPREAD:.0f} apart, found {high - low:.0f}")
    lattice.n, lattice.m, lattice.size, lattice.longest = n, m, spans.shape[0], null.shape[1]
    lattice.spans = &spans[0, 0] if lattice.size else NULL
    lattice.scores = &scores[0] if lattice.size else NULL
    lattice.null, lattice.transition, lattice.final = &null[0, 0], &transition[0, 0], &final[0]
    return lattice


cdef int _check_scores(const double[::1] values) except -1:
    """Scores must be finite, and so small that a path cannot score minus infinity or NaN: it would lead nowhere."""
    cdef double largest = LARGEST_SCORE
    cdef Py_ssize_t k
    for k in range(values.shape[0]):
        if not fabs(values[k]) <= largest:
            raise ValueError(f"expected finite scores from {-largest:.0f} to {largest:.0f}, found {values[k]}")
    return 0


cdef int _check_spans(const int[:, ::1] spans, Py_ssize_t n, Py_ssize_t m) except -1:
    cdef Py_ssize_t k
    cdef int before = 0
    if spans.shape[1] != 4:
        raise ValueError(f"expected spans of shape (k, 4), found (k, {spans.shape[1]})")
    for k in range(spans.shape[0]):
        if not (0 <= spans[k, 0] < spans[k, 1] <= n and 0 <= spans[k, 2] < spans[k, 3] <= m):
            raise ValueError(f"phrase pair {k} lies outside the sentences of {n} and {m} words, or is empty")
        if spans[k, 0] < before:
            raise ValueError("expected phrase pairs in the order of their source starts")
        before = spans[k, 0]
    return 0
