"""Tree CRF over a chart of labelled spans: partition, marginals, and the k best trees, without the GIL.

A tree is n-ary: any set of nested labelled spans over words, which may have labels too. Its score
is the sum of the scores of its labelled spans. To derive every tree once, a constituent is decomposed from
the left: ``inner(i, j)`` is a first child followed by the rest, and a rest of several children is an unlabelled
span that is only ever a right part::

    inner(i, j) = sum over k of real(i, k) * any(k + 1, j)
    real(i, j)  = label(i, j) * inner(i, j)              real(i, i) = 1 + label(i, i)
    any(i, j)   = real(i, j) + inner(i, j)               any(i, i)  = real(i, i)

Spans are closed, ``[i, j]``, on input, as benepar has them; returned constituents are half-open.

The core consists of three files in ``chart_parts``: sums over all trees (``inside.pxi``); for the k best trees the lazy
search of Huang & Chiang (2005, algorithm 3; ``search.pxi``) and the resulting constituents (``trees.pxi``).
``chart_reference`` computes the same in plain Python.
"""

from libc.math cimport INFINITY, exp, fabs, log1p
from libc.stdlib cimport calloc, free, malloc, realloc

from operator import index

import numpy as np

from forest_align.cext.checked_arrays import LARGEST_SCORE, with_checked_arrays

cdef enum:
    MOST_WORDS = 4096    # the k-best search goes as deep as a tree may be, and its tables take 2.4 GB then
    MOST_TREES = 0x7fffffff
    FIRST_ROOM = 1024    # trees; room for more is made when so many are found

include "chart_parts/inside.pxi"
include "chart_parts/search.pxi"
include "chart_parts/trees.pxi"


@with_checked_arrays
def inside_outside(labelled, bint force_root=True):
    """Log partition function and marginal probability of every labelled span.

    Parameters
    ----------
    labelled : array of float64, shape (n, n)
        For each closed span, the log of the summed exponentiated scores of its labels, the empty label's
        score being 0; only ``i <= j`` is read. ``-inf`` forbids a span.
    force_root : bool
        Whether the span of the whole sentence must be labelled.

    Returns
    -------
    log_partition : float
    marginals : numpy.ndarray
        float64, shape (n, n): probability that the span is labelled; 0 below the diagonal.

    Raises
    ------
    ValueError
        If the chart is empty, not square, has more than 4096 words, holds NaN, +inf or finite scores beyond ±10⁶, or
        allows no tree.
    """
    chart = np.require(labelled, np.float64, "CA")
    if chart.ndim != 2 or chart.shape[0] != chart.shape[1] or not 0 < chart.shape[0] <= MOST_WORDS:
        raise ValueError(f"expected a square chart of 1 to {MOST_WORDS} words, found shape {chart.shape}")
    cdef const double[:, ::1] label = chart
    cdef Py_ssize_t n = label.shape[0]
    cdef double[:, ::1] real = np.empty((n, n))
    cdef double[:, ::1] rest = np.empty((n, n))
    cdef double[:, ::1] inner = np.zeros((n, n))
    cdef double[:, ::1] posterior_real = np.zeros((n, n))
    cdef double[:, ::1] posterior_rest = np.zeros((n, n))
    marginals = np.zeros((n, n))
    cdef double[:, ::1] marginal = marginals
    cdef double log_partition, largest = LARGEST_SCORE
    cdef bint valid
    with nogil:
        valid = are_valid_scores(label, largest)
        if valid:
            fill_inside(label, real, rest, inner)
            if force_root:
                log_partition = label[0, n - 1] + inner[0, n - 1]
            else:
                log_partition = rest[n - 1, 0]
            if log_partition > -INFINITY:
                fill_outside(label, real, rest, inner, force_root, posterior_real, posterior_rest, marginal)
    if not valid:
        raise ValueError(f"expected chart scores from {-largest:.0f} to {largest:.0f} or -inf, found NaN or others")
    if log_partition == -INFINITY:
        raise ValueError("the chart allows no tree: the whole sentence must be labelled and no label is possible")
    return log_partition, marginals


@with_checked_arrays
def k_best(scores, k, bint force_root=True):
    """The k trees with the highest scores, in order, without duplicates, sharing equal subtrees.

    Parameters
    ----------
    scores : array of float32, shape (n, n, L)
        Score of each label for each closed span; label 0 is the empty one, and scores count relative to it.
    k : int
        How many trees; fewer are returned if there are fewer.
    force_root : bool
        Whether the span of the whole sentence must be labelled.

    Returns
    -------
    spans : numpy.ndarray
        int32, shape (C, 3): start, end (half-open) and label of each distinct constituent, children before
        parents. Words are constituents too, with label 0 when bare; so is an unlabelled root.
    offsets : numpy.ndarray
        int32, shape (C + 1,): the children of constituent c are ``children[offsets[c]:offsets[c + 1]]``.
    children : numpy.ndarray
        int32: numbers of constituents, from left to right.
    tops : numpy.ndarray
        int32, shape (K,): the whole trees, best first.
    tree_scores : numpy.ndarray
        float64, shape (K,): their scores; minus the log partition function, their log-probabilities.

    Raises
    ------
    ValueError
        If the chart is empty or not of that shape, has more than 4096 words, holds NaN or scores above 10⁶, an empty
        label scores less than -10⁶, no tree is allowed, or k is below 1 or above 2³¹ - 1.
    TypeError
        If k is no whole number.
    MemoryError
        If memory runs out.
    """
    chart = np.require(scores, np.float32, "CA")
    if chart.ndim != 3 or chart.shape[0] != chart.shape[1] or 0 in chart.shape or chart.shape[0] > MOST_WORDS:
        raise ValueError(f"expected a chart of shape (n, n, labels), n up to {MOST_WORDS}, found shape {chart.shape}")
    k = index(k)
    if not 1 <= k <= MOST_TREES:
        raise ValueError(f"expected k of at least 1 and at most {MOST_TREES}, found {k}")
    cdef const float[:, :, ::1] view = chart
    cdef Py_ssize_t cells = view.shape[0] * view.shape[0]
    viterbi = np.empty((3, cells))
    cdef int wanted = k, room = min(wanted, FIRST_ROOM)
    tops = np.empty(room, dtype=np.int32)
    tree_scores = np.empty(room)
    cdef double[:, ::1] best = viterbi
    cdef int[::1] top = tops
    cdef double[::1] tree_score = tree_scores
    cdef Search search
    cdef Trees trees
    cdef int found = 0
    cdef double largest = LARGEST_SCORE
    cdef bint valid
    search.charts = Charts(
        n=view.shape[0], labels=view.shape[2], force_root=force_root, scores=&view[0, 0, 0],
        real=&best[0, 0], rest=&best[1, 0], inner=&best[2, 0],
    )
    search.items = <Item*> calloc(3 * cells, sizeof(Item))
    if search.items == NULL:
        raise MemoryError
    trees.search = &search
    trees.spans = trees.offsets = trees.children = Numbers(NULL, 0, 0)
    try:
        with nogil:
            valid = fill_viterbi(&search.charts, largest)
            if valid:
                found = best_trees(&trees, 0, room, &top[0], &tree_score[0])
        if not valid:
            raise ValueError(
                f"expected chart scores of at most {largest:.0f}, those of the empty label at least {-largest:.0f}, "
                "found NaN or others"
            )
        while found == room < wanted:
            room = wanted if wanted // 2 < room else 2 * room
            tops, tree_scores = np.resize(tops, room), np.resize(tree_scores, room)
            top, tree_score = tops, tree_scores
            with nogil:
                found = best_trees(&trees, found, room, &top[0], &tree_score[0])
        if found == NO_MEMORY:
            raise MemoryError
        if found == 0:
            raise ValueError(
                "the chart allows no tree: the whole sentence must be labelled and no label is possible"
            )
        return *_arrays(&trees), tops[:found], tree_scores[:found]
    finally:
        release_search(&search)
        release_trees(&trees)


cdef tuple _arrays(Trees* trees):
    """Copy the constituents out: their spans, where the children of each begin, and these."""
    offsets = np.append(_array(&trees.offsets), np.int32(trees.children.count)).astype(np.int32)
    return _array(&trees.spans).reshape(-1, 3), offsets, _array(&trees.children)


cdef object _array(const Numbers* numbers):
    result = np.empty(numbers.count, dtype=np.int32)
    cdef int[::1] view = result
    cdef Py_ssize_t index
    for index in range(numbers.count):
        view[index] = numbers.values[index]
    return result
