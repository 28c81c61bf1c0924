"""Semi-Markov conditional random field over the phrase pairs of two sentences.

A path reads the source sentence from left to right: each step takes one word to nothing (null), or a phrase to a
phrase of the target sentence. A step's score is its own and that of the transition to it, which depends only on the
last target word of the step before and the first target word of this one; so transitions are summed once for every
source position and target word, not for every two phrase pairs. ``semicrf_reference`` computes the same in plain
Python.

Scores are logarithms. A cost to be added in training (softmax-margin) is added to them by the caller.
"""

import numpy as np

from libc.math cimport INFINITY, exp, isfinite, log, log1p

cdef double SPREAD = 600.0  # exponentials of transition scores are taken relative to their highest one

# A lattice: n source words, m target words, and the scores of all steps. Rows of transitions are what the step before
# was: its last target word (0 … m - 1), null (m), or none (m + 1, the beginning); columns are what the step itself is:
# its first target word, or null (m).
cdef struct Lattice:
    Py_ssize_t n, m, size
    const int* spans
    const double* scores
    const double* null
    const double* transition
    const double* final


def marginals(
    const int[:, ::1] spans not None,
    const double[::1] scores not None,
    const double[::1] null not None,
    const double[:, ::1] transition not None,
    const double[::1] final not None,
):
    """Log-partition function and the expected number of times that each thing is used.

    Parameters
    ----------
    spans : int32, shape (k, 4)
        Phrase pairs: source start and end, target start and end (half-open), ordered by source start.
    scores : float64, shape (k,)
        Their scores.
    null : float64, shape (n,)
        Scores of source words that go to null.
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
        float64, shape (n,).
    transitions : numpy.ndarray
        float64, shape (m + 2, m + 1): expected counts.
    finals : numpy.ndarray
        float64, shape (m + 1,).

    Raises
    ------
    ValueError
        If shapes do not fit, spans lie outside the sentences or are out of order, scores are not finite, or
        transition scores lie more than 600 apart.
    """
    cdef Lattice lattice = _lattice(spans, scores, null, transition, final)
    cdef Py_ssize_t n = lattice.n, m = lattice.m
    pairs = np.empty(lattice.size, dtype=np.float64)
    nulls = np.empty(n, dtype=np.float64)
    transitions = np.zeros((m + 2, m + 1), dtype=np.float64)
    finals = np.empty(m + 1, dtype=np.float64)
    scratch = np.empty((3 * n + 2) * (m + 1) + (m + 1) * (m + 1) + 2 * (m + 1), dtype=np.float64)
    cdef double[::1] work = scratch, out_pairs = pairs, out_nulls = nulls, out_finals = finals
    cdef double[:, ::1] out_transitions = transitions
    cdef double* pair_cells = &out_pairs[0] if lattice.size else NULL
    cdef double log_partition
    with nogil:
        log_partition = _forward_backward(
            &lattice, &work[0], pair_cells, &out_nulls[0], &out_transitions[0, 0], &out_finals[0]
        )
    return log_partition, pairs, nulls, transitions, finals


def best_path(
    const int[:, ::1] spans not None,
    const double[::1] scores not None,
    const double[::1] null not None,
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
        int32: the phrase pair of each step from left to right, -1 for null. Of equal paths the one whose steps, from
        the last to the first, come from a smaller row of transitions or an earlier phrase pair.

    Raises
    ------
    ValueError
        As for :func:`marginals`.
    """
    cdef Lattice lattice = _lattice(spans, scores, null, transition, final)
    cdef Py_ssize_t n = lattice.n, m = lattice.m, count
    scratch = np.empty((n + 1) * (m + 1) + m + 1, dtype=np.float64)
    memory = np.empty((2 * n + 1) * (m + 1), dtype=np.int32)
    steps = np.empty(n, dtype=np.int32)
    cdef double[::1] work = scratch
    cdef int[::1] kept = memory, out = steps
    cdef double score
    with nogil:
        score = _viterbi(&lattice, &work[0], &kept[0], &out[0], &count)
    return score, steps[n - count:]


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
    const double[::1] null,
    const double[:, ::1] transition,
    const double[::1] final,
) except *:
    """Check everything that a kernel is given."""
    cdef Lattice lattice
    cdef Py_ssize_t n = null.shape[0], m = final.shape[0] - 1, i, j
    cdef double low = INFINITY, high = -INFINITY, x
    if n < 1 or m < 1:
        raise ValueError("expected two sentences with at least one word each")
    if scores.shape[0] != spans.shape[0]:
        raise ValueError(f"expected {spans.shape[0]} scores, found {scores.shape[0]}")
    if transition.shape[0] != m + 2 or transition.shape[1] != m + 1:
        raise ValueError(f"expected transitions of shape ({m + 2}, {m + 1})")
    _check_spans(spans, n, m)
    _check_finite(scores)
    _check_finite(null)
    _check_finite(final)
    for i in range(m + 2):
        for j in range(m + 1):
            x = transition[i, j]
            if not isfinite(x):
                raise ValueError("expected finite scores")
            low = x if x < low else low
            high = x if x > high else high
    if high - low > SPREAD:
        raise ValueError(f"expected transition scores at most {SPREAD:.0f} apart, found {high - low:.0f}")
    lattice.n, lattice.m, lattice.size = n, m, spans.shape[0]
    lattice.spans = &spans[0, 0] if lattice.size else NULL
    lattice.scores = &scores[0] if lattice.size else NULL
    lattice.null, lattice.transition, lattice.final = &null[0], &transition[0, 0], &final[0]
    return lattice


cdef int _check_finite(const double[::1] values) except -1:
    cdef Py_ssize_t k
    for k in range(values.shape[0]):
        if not isfinite(values[k]):
            raise ValueError("expected finite scores")
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


cdef inline double _add(double one, double two) noexcept nogil:
    """Logarithm of the sum of two exponentials; minus infinity is nothing."""
    if one < two:
        one, two = two, one
    if two == -INFINITY:
        return one
    return one + log1p(exp(two - one))


cdef double _exponentials(const double* values, Py_ssize_t count, double* out) noexcept nogil:
    """Exponentials relative to the highest value, which is returned."""
    cdef double high = -INFINITY
    cdef Py_ssize_t k
    for k in range(count):
        if values[k] > high:
            high = values[k]
    for k in range(count):
        out[k] = exp(values[k] - high)
    return high


cdef double _forward_backward(
    Lattice* lattice, double* work, double* pairs, double* nulls, double* transitions, double* finals
) noexcept nogil:
    """Fill the expected counts; return the log-partition function.

    ``before[p]`` is the sum over the paths to position p by their last target word (null: m), ``onto[p]`` that with the
    transition to a step that begins there, ``after[p]`` the sum over the paths on from p.
    """
    cdef Py_ssize_t n = lattice.n, m = lattice.m, wide = lattice.m + 1, p, r, j, k = lattice.size
    cdef double* before = work
    cdef double* onto = before + (n + 1) * wide
    cdef double* after = onto + n * wide
    cdef double* factors = after + (n + 1) * wide
    cdef double* left = factors + wide * wide
    cdef double* right = left + wide
    cdef const double* beginning = lattice.transition + wide * wide
    cdef const int* span
    cdef double top, low, high, sum, scale, log_partition
    top = _exponentials(lattice.transition, wide * wide, factors)
    _forward(lattice, before, onto, factors, top, left)
    log_partition = -INFINITY
    for r in range(wide):
        after[n * wide + r] = lattice.final[r]
        log_partition = _add(log_partition, before[n * wide + r] + lattice.final[r])
    for r in range(wide):
        finals[r] = exp(before[n * wide + r] + lattice.final[r] - log_partition)
    for p in range(n - 1, -1, -1):
        # What may follow from here, by first target word; then by the last target word before.
        for j in range(m):
            right[j] = -INFINITY
        right[m] = lattice.null[p] + after[(p + 1) * wide + m]
        nulls[p] = exp(onto[p * wide + m] + right[m] - log_partition)
        while k > 0 and lattice.spans[4 * (k - 1)] == p:
            k -= 1
            span = lattice.spans + 4 * k
            sum = lattice.scores[k] + after[span[1] * wide + span[3] - 1]
            right[span[2]] = _add(right[span[2]], sum)
            pairs[k] = exp(onto[p * wide + span[2]] + sum - log_partition)
        if p == 0:
            for j in range(wide):
                transitions[wide * wide + j] = exp(beginning[j] + right[j] - log_partition)
            break
        high = _exponentials(right, wide, right)
        low = _exponentials(before + p * wide, wide, left)
        scale = exp(low + high + top - log_partition)
        for r in range(wide):
            sum = 0.0
            for j in range(wide):
                sum += factors[r * wide + j] * right[j]
                transitions[r * wide + j] += left[r] * scale * right[j]
            after[p * wide + r] = high + top + log(sum)
    for r in range(wide * wide):
        transitions[r] *= factors[r]
    return log_partition


cdef void _forward(
    Lattice* lattice, double* before, double* onto, const double* factors, double top, double* left
) noexcept nogil:
    cdef Py_ssize_t n = lattice.n, m = lattice.m, wide = lattice.m + 1, p, r, j, k = 0
    cdef const int* span
    cdef double* cell
    cdef double high
    for r in range((n + 1) * wide):
        before[r] = -INFINITY
    for p in range(n):
        if p == 0:
            for j in range(wide):
                onto[j] = lattice.transition[wide * wide + j]
        else:
            high = _exponentials(before + p * wide, wide, left) + top
            for j in range(wide):
                onto[p * wide + j] = 0.0
            for r in range(wide):
                if left[r] > 0.0:
                    for j in range(wide):
                        onto[p * wide + j] += left[r] * factors[r * wide + j]
            for j in range(wide):
                onto[p * wide + j] = high + log(onto[p * wide + j])
        before[(p + 1) * wide + m] = onto[p * wide + m] + lattice.null[p]
        while k < lattice.size and lattice.spans[4 * k] == p:
            span = lattice.spans + 4 * k
            cell = before + span[1] * wide + span[3] - 1
            cell[0] = _add(cell[0], onto[p * wide + span[2]] + lattice.scores[k])
            k += 1


cdef double _viterbi(Lattice* lattice, double* work, int* kept, int* steps, Py_ssize_t* count) noexcept nogil:
    """Fill ``steps`` from behind; ``count`` says how many there are."""
    cdef Py_ssize_t n = lattice.n, m = lattice.m, wide = lattice.m + 1, p, r, j, k = 0
    cdef double* before = work
    cdef double* onto = before + (n + 1) * wide
    cdef int* chosen = kept                    # phrase pair that leads to (position, last target word)
    cdef int* row = kept + (n + 1) * wide      # row before a step that begins at (position, first target word)
    cdef const int* span
    cdef double best, x
    for r in range((n + 1) * wide):
        before[r] = -INFINITY
    for p in range(n):
        for j in range(wide):
            if p == 0:
                onto[j] = lattice.transition[wide * wide + j]
                row[j] = <int>wide
            else:
                onto[j] = -INFINITY
        if p > 0:
            for r in range(wide):
                for j in range(wide):
                    x = before[p * wide + r] + lattice.transition[r * wide + j]
                    if x > onto[j]:
                        onto[j] = x
                        row[p * wide + j] = <int>r
        before[(p + 1) * wide + m] = onto[m] + lattice.null[p]
        chosen[(p + 1) * wide + m] = -1
        while k < lattice.size and lattice.spans[4 * k] == p:
            span = lattice.spans + 4 * k
            x = onto[span[2]] + lattice.scores[k]
            r = span[1] * wide + span[3] - 1
            if x > before[r]:
                before[r] = x
                chosen[r] = <int>k
            k += 1
    best = -INFINITY
    j = m
    for r in range(wide):
        x = before[n * wide + r] + lattice.final[r]
        if x > best:
            best = x
            j = r
    count[0] = 0
    p, r = n, j
    while p > 0:
        k = chosen[p * wide + r]
        count[0] += 1
        steps[n - count[0]] = <int>k
        if k < 0:
            p -= 1
            r = row[p * wide + m]
        else:
            span = lattice.spans + 4 * k
            p = span[0]
            r = row[p * wide + span[2]]
    return best
