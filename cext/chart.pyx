"""Tree CRF over a chart of labelled spans: partition, marginals, and the k best trees, without the GIL.

A tree is n-ary: any set of labelled spans that nest, over words of which each may bear a label too. Its score
is the sum of the scores of its labelled spans. To derive every tree once, a constituent is decomposed from
the left: ``inner(i, j)`` is a first child followed by the rest, and a rest of several children is an unlabelled
span that is only ever a right part::

    inner(i, j) = sum over k of real(i, k) * any(k + 1, j)
    real(i, j)  = label(i, j) * inner(i, j)              real(i, i) = 1 + label(i, i)
    any(i, j)   = real(i, j) + inner(i, j)               any(i, i)  = real(i, i)

Spans are closed, ``[i, j]``, on input, as benepar has them; constituents that come out are half-open.
"""

from libc.math cimport INFINITY, exp, isnan, log1p
from libc.stdlib cimport calloc, free, malloc, realloc

import numpy as np


# ---------------------------------------------------------------------------------------------------------------
# Inside and outside


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
        If the chart is empty, not square, holds NaN or +inf, or allows no tree.
    """
    chart = np.ascontiguousarray(labelled, dtype=np.float64)
    if chart.ndim != 2 or chart.shape[0] != chart.shape[1] or chart.shape[0] == 0:
        raise ValueError(f"expected a square chart of at least one word, found shape {chart.shape}")
    cdef const double[:, ::1] label = chart
    cdef Py_ssize_t n = label.shape[0]
    cdef double[:, ::1] real = np.empty((n, n))
    cdef double[:, ::1] rest = np.empty((n, n))
    cdef double[:, ::1] inner = np.zeros((n, n))
    cdef double[:, ::1] posterior_real = np.zeros((n, n))
    cdef double[:, ::1] posterior_rest = np.zeros((n, n))
    marginals = np.zeros((n, n))
    cdef double[:, ::1] marginal = marginals
    cdef double log_partition
    cdef bint valid
    with nogil:
        valid = _valid_chart(label)
        if valid:
            _inside(label, real, rest, inner)
            if force_root:
                log_partition = label[0, n - 1] + inner[0, n - 1]
            else:
                log_partition = rest[n - 1, 0]
            if log_partition > -INFINITY:
                _outside(label, real, rest, inner, force_root, posterior_real, posterior_rest, marginal)
    if not valid:
        raise ValueError("chart scores must be neither NaN nor +inf")
    if log_partition == -INFINITY:
        raise ValueError("the chart allows no tree: the whole sentence must be labelled and no label is possible")
    return log_partition, marginals


cdef bint _valid_chart(const double[:, ::1] label) noexcept nogil:
    cdef Py_ssize_t i, j
    for i in range(label.shape[0]):
        for j in range(i, label.shape[0]):
            if isnan(label[i, j]) or label[i, j] == INFINITY:
                return False
    return True


cdef inline double _log_add(double a, double b) noexcept nogil:
    cdef double high = a if a > b else b
    cdef double low = b if a > b else a
    if low == -INFINITY:
        return high
    return high + log1p(exp(low - high))


cdef inline double _sigmoid(double x) noexcept nogil:
    cdef double e
    if x >= 0:
        return 1.0 / (1.0 + exp(-x))
    e = exp(x)
    return e / (1.0 + e)


cdef void _inside(
    const double[:, ::1] label, double[:, ::1] real, double[:, ::1] rest, double[:, ::1] inner
) noexcept nogil:
    """Fill the log-space charts; ``rest`` is any(i, j) stored at [j, i], so that both factors lie in a row."""
    cdef Py_ssize_t n = label.shape[0], width, i, j, k
    cdef double highest, total, value
    for i in range(n):
        real[i, i] = _log_add(0.0, label[i, i])
        rest[i, i] = real[i, i]
    for width in range(1, n):
        for i in range(n - width):
            j = i + width
            highest = -INFINITY
            for k in range(i, j):
                value = real[i, k] + rest[j, k + 1]
                if value > highest:
                    highest = value
            total = 0.0
            for k in range(i, j):
                total += exp(real[i, k] + rest[j, k + 1] - highest)
            # The first split that leaves all words bare is possible always: `highest` is finite.
            inner[i, j] = highest + log1p(total - 1.0)
            real[i, j] = label[i, j] + inner[i, j]
            rest[j, i] = inner[i, j] + _log_add(0.0, label[i, j])


cdef void _outside(
    const double[:, ::1] label,
    const double[:, ::1] real,
    const double[:, ::1] rest,
    const double[:, ::1] inner,
    bint force_root,
    double[:, ::1] posterior_real,
    double[:, ::1] posterior_rest,
    double[:, ::1] marginal,
) noexcept nogil:
    """Hand the probability of each span down to its parts; probabilities, not logs, so that sums are cheap."""
    cdef Py_ssize_t n = label.shape[0], width, i, j, k
    cdef double probability, share, is_labelled
    if force_root and n == 1:
        marginal[0, 0] = 1.0
        return
    if force_root:
        posterior_real[0, n - 1] = 1.0
    else:
        posterior_rest[0, n - 1] = 1.0
    for width in range(n - 1, -1, -1):
        for i in range(n - width):
            j = i + width
            probability = posterior_real[i, j] + posterior_rest[i, j]
            if probability == 0.0:
                continue
            is_labelled = _sigmoid(label[i, j])
            if width == 0:
                marginal[i, j] = probability * is_labelled
                continue
            marginal[i, j] = posterior_real[i, j] + posterior_rest[i, j] * is_labelled
            for k in range(i, j):
                share = probability * exp(real[i, k] + rest[j, k + 1] - inner[i, j])
                posterior_real[i, k] += share
                posterior_rest[k + 1, j] += share


# ---------------------------------------------------------------------------------------------------------------
# k best trees (Huang & Chiang 2005, algorithm 3)

ctypedef struct Derivation:
    double score
    int choice  # real: label; any: 0 labelled, 1 not; inner: last word of the first child
    int left  # inner: rank of the first child
    int right  # rank of the other part
    int number  # of the constituent that it became; -1 before

ctypedef struct Item:
    Derivation *found  # in order of score
    Derivation *heap
    int found_count
    int found_space
    int heap_count
    int heap_space
    int expanded  # how many of `found` have their successors in the heap
    bint started

ctypedef struct Numbers:
    int *values
    Py_ssize_t count
    Py_ssize_t space

cdef enum Kind:
    REAL = 0
    ANY = 1
    INNER = 2

cdef enum Answer:
    NO_MEMORY = -1
    NOT_THERE = 0
    THERE = 1

ctypedef struct Search:
    int n
    int labels
    bint force_root
    const float *scores
    double *real  # Viterbi scores, [i, j]
    double *rest  # the same for any, stored at [j, i]
    double *inner
    Item *items
    Numbers spans  # start, end, label of each constituent
    Numbers offsets
    Numbers children


def k_best(scores, int k, bint force_root=True):
    """The k trees with the highest scores, in order, without duplicates, sharing equal subtrees.

    Parameters
    ----------
    scores : array of float32, shape (n, n, L)
        Score of each label for each closed span; label 0 is the empty one, and scores count relative to it.
    k : int
        How many trees; fewer come out if there are fewer.
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
        If the chart is empty or not of that shape, holds NaN or +inf, allows no tree, or k is below 1.
    MemoryError
        If memory runs out.
    """
    chart = np.ascontiguousarray(scores, dtype=np.float32)
    if chart.ndim != 3 or chart.shape[0] != chart.shape[1] or 0 in chart.shape:
        raise ValueError(f"expected a chart of shape (n, n, labels), found shape {chart.shape}")
    if k < 1:
        raise ValueError(f"expected k of at least 1, found {k}")
    cdef const float[:, :, ::1] view = chart
    cdef Search search
    cdef Py_ssize_t cells = view.shape[0] * view.shape[0]
    viterbi = np.empty((3, cells))
    cdef double[:, ::1] best = viterbi
    tops = np.empty(k, dtype=np.int32)
    tree_scores = np.empty(k)
    cdef int[::1] top = tops
    cdef double[::1] tree_score = tree_scores
    cdef int found = 0, number
    cdef Answer answer = THERE
    cdef bint valid

    search.n, search.labels, search.force_root = view.shape[0], view.shape[2], force_root
    search.scores = &view[0, 0, 0]
    search.real, search.rest, search.inner = &best[0, 0], &best[1, 0], &best[2, 0]
    search.spans = search.offsets = search.children = Numbers(NULL, 0, 0)
    search.items = <Item *> calloc(3 * cells, sizeof(Item))
    if search.items == NULL:
        raise MemoryError
    try:
        with nogil:
            valid = _viterbi(&search)
            while valid and found < k:
                answer = _tree(&search, found, &number, &tree_score[found])
                if answer != THERE:
                    break
                top[found] = number
                found += 1
        if not valid:
            raise ValueError("chart scores must be neither NaN nor +inf")
        if answer == NO_MEMORY:
            raise MemoryError
        if found == 0:
            raise ValueError(
                "the chart allows no tree: the whole sentence must be labelled and no label is possible"
            )
        spans = _array(&search.spans).reshape(-1, 3)
        offsets = np.append(_array(&search.offsets), np.int32(search.children.count)).astype(np.int32)
        return spans, offsets, _array(&search.children), tops[:found], tree_scores[:found]
    finally:
        _release(&search)


cdef object _array(Numbers *numbers):
    """Copy numbers into an int32 array."""
    result = np.empty(numbers.count, dtype=np.int32)
    cdef int[::1] view = result
    cdef Py_ssize_t index
    for index in range(numbers.count):
        view[index] = numbers.values[index]
    return result


cdef void _release(Search *search) noexcept nogil:
    cdef Py_ssize_t index
    for index in range(3 * <Py_ssize_t> search.n * search.n):
        free(search.items[index].found)
        free(search.items[index].heap)
    free(search.items)
    free(search.spans.values)
    free(search.offsets.values)
    free(search.children.values)


cdef bint _viterbi(Search *search) noexcept nogil:
    """Fill the charts of best scores; False if a score is NaN or +inf."""
    cdef int n = search.n, width, i, j, k
    cdef double highest, value, label
    cdef const double *first
    cdef const double *other
    for i in range(n):
        for j in range(i, n):
            if not _valid_cell(search, i, j):
                return False
    for width in range(n):
        for i in range(n - width):
            j = i + width
            label = _label_score(search, i, j, _next_label(search, i, j, -1))
            if width == 0:
                search.inner[i * n + j] = 0.0
                search.real[i * n + j] = label  # the empty label is among those of a word
                search.rest[j * n + i] = label
                continue
            highest = -INFINITY
            first = search.real + i * n
            other = search.rest + j * n + 1
            for k in range(i, j):
                value = first[k] + other[k]
                if value > highest:
                    highest = value
            search.inner[i * n + j] = highest
            search.real[i * n + j] = highest + label
            search.rest[j * n + i] = highest + (label if label > 0.0 else 0.0)
    return True


cdef bint _valid_cell(Search *search, int i, int j) noexcept nogil:
    cdef const float *cell = search.scores + (<Py_ssize_t> i * search.n + j) * search.labels
    cdef int label
    if cell[0] == -INFINITY:
        return False
    for label in range(search.labels):
        if not cell[label] < INFINITY:
            return False
    return True


cdef inline double _label_score(Search *search, int i, int j, int label) noexcept nogil:
    if label < 0:
        return -INFINITY
    cdef const float *cell = search.scores + (<Py_ssize_t> i * search.n + j) * search.labels
    return <double> cell[label] - <double> cell[0]


cdef int _next_label(Search *search, int i, int j, int last) noexcept nogil:
    """The label that follows ``last`` in order of score (then of number); -1 at the end; the first after -1.

    The empty label takes part for words only. Sorting all labels of all spans would cost more than everything
    else: few spans are ever asked for a second label.
    """
    cdef const float *cell = search.scores + (<Py_ssize_t> i * search.n + j) * search.labels
    cdef int label, best = -1
    cdef int first = 0 if i == j and not (search.force_root and search.n == 1) else 1
    cdef float bound, highest = -INFINITY
    if last < 0:
        for label in range(first, search.labels):
            if cell[label] > highest:
                highest = cell[label]
                best = label
        return best
    bound = cell[last]
    for label in range(first, search.labels):
        if cell[label] > highest and (cell[label] < bound or (cell[label] == bound and label > last)):
            highest = cell[label]
            best = label
    return best


cdef inline Item *_item(Search *search, Kind kind, int i, int j) noexcept nogil:
    cdef Py_ssize_t n = search.n
    if kind == ANY and i == j:
        kind = REAL
    return search.items + (kind * n + i) * n + j


cdef inline bint _comes_before(const Derivation *a, const Derivation *b) noexcept nogil:
    if a.score != b.score:
        return a.score > b.score
    if a.choice != b.choice:
        return a.choice < b.choice
    if a.left != b.left:
        return a.left < b.left
    return a.right < b.right


cdef Answer _push(Item *item, double score, int choice, int left, int right) noexcept nogil:
    cdef int at, parent, space
    cdef Derivation *grown
    cdef Derivation new
    if score == -INFINITY:
        return THERE
    if item.heap_count == item.heap_space:
        space = 2 * item.heap_space if item.heap_space else 8
        grown = <Derivation *> realloc(item.heap, space * sizeof(Derivation))
        if grown == NULL:
            return NO_MEMORY
        item.heap, item.heap_space = grown, space
    new.score, new.choice, new.left, new.right, new.number = score, choice, left, right, -1
    at = item.heap_count
    item.heap_count += 1
    while at > 0:
        parent = (at - 1) // 2
        if not _comes_before(&new, &item.heap[parent]):
            break
        item.heap[at] = item.heap[parent]
        at = parent
    item.heap[at] = new
    return THERE


cdef Answer _pop(Item *item) noexcept nogil:
    """Move the best of the heap to the end of what is found."""
    cdef int at = 0, child, space
    cdef Derivation *grown
    cdef Derivation last
    if item.heap_count == 0:
        return NOT_THERE
    if item.found_count == item.found_space:
        space = 2 * item.found_space if item.found_space else 4
        grown = <Derivation *> realloc(item.found, space * sizeof(Derivation))
        if grown == NULL:
            return NO_MEMORY
        item.found, item.found_space = grown, space
    item.found[item.found_count] = item.heap[0]
    item.found_count += 1
    item.heap_count -= 1
    last = item.heap[item.heap_count]
    while True:
        child = 2 * at + 1
        if child >= item.heap_count:
            break
        if child + 1 < item.heap_count and _comes_before(&item.heap[child + 1], &item.heap[child]):
            child += 1
        if not _comes_before(&item.heap[child], &last):
            break
        item.heap[at] = item.heap[child]
        at = child
    item.heap[at] = last
    return THERE


cdef Answer _start(Search *search, Kind kind, int i, int j) noexcept nogil:
    """Put the best derivation of each choice into the heap; the Viterbi charts know their scores."""
    cdef Item *item = _item(search, kind, i, j)
    cdef int n = search.n, k, label
    item.started = True
    if kind == INNER:
        for k in range(i, j):
            if _push(item, search.real[i * n + k] + search.rest[j * n + k + 1], k, 0, 0) == NO_MEMORY:
                return NO_MEMORY
        return THERE
    if kind == ANY and i != j:
        if _push(item, search.real[i * n + j], 0, 0, 0) == NO_MEMORY:
            return NO_MEMORY
        return _push(item, search.inner[i * n + j], 1, 0, 0)
    label = _next_label(search, i, j, -1)
    return _push(item, _label_score(search, i, j, label) + search.inner[i * n + j], label, 0, 0)


cdef Answer _expand(Search *search, Kind kind, int i, int j, Derivation last) noexcept nogil:
    """Put the successors of a derivation into the heap.

    Of the grid of ranks (left, right), (0, 0) leads along the left side, and every left rank to the right, so
    that each point is reached once and no set of visited ones is needed.
    """
    cdef Item *item = _item(search, kind, i, j)
    cdef Answer answer
    cdef double first, other
    cdef Kind below
    cdef int label
    if kind == INNER:
        answer = _find(search, ANY, last.choice + 1, j, last.right + 1)
        if answer == THERE:
            # The Viterbi chart knows the best of an item that no one has asked for yet.
            first = search.real[i * search.n + last.choice]
            if last.left > 0:
                first = _item(search, REAL, i, last.choice).found[last.left].score
            other = _item(search, ANY, last.choice + 1, j).found[last.right + 1].score
            answer = _push(item, first + other, last.choice, last.left, last.right + 1)
        if answer == NO_MEMORY or last.right > 0:
            return answer
        answer = _find(search, REAL, i, last.choice, last.left + 1)
        if answer == THERE:
            first = _item(search, REAL, i, last.choice).found[last.left + 1].score
            other = search.rest[j * search.n + last.choice + 1]
            answer = _push(item, first + other, last.choice, last.left + 1, 0)
        return answer
    if kind == ANY:
        below = REAL if last.choice == 0 else INNER
        answer = _find(search, below, i, j, last.right + 1)
        if answer == THERE:
            answer = _push(item, _item(search, below, i, j).found[last.right + 1].score, last.choice, 0, last.right + 1)
        return answer
    answer = THERE
    if i != j:
        answer = _find(search, INNER, i, j, last.right + 1)
        if answer == THERE:
            other = _item(search, INNER, i, j).found[last.right + 1].score
            answer = _push(item, _label_score(search, i, j, last.choice) + other, last.choice, 0, last.right + 1)
    if answer != NO_MEMORY and last.right == 0:
        label = _next_label(search, i, j, last.choice)
        answer = _push(item, _label_score(search, i, j, label) + search.inner[i * search.n + j], label, 0, 0)
    return answer


cdef Answer _find(Search *search, Kind kind, int i, int j, int rank) noexcept nogil:
    """Make sure that the derivation of an item with a rank is found, if there is one."""
    if kind == ANY and i == j:
        kind = REAL
    cdef Item *item = _item(search, kind, i, j)
    cdef Answer answer
    if not item.started and _start(search, kind, i, j) == NO_MEMORY:
        return NO_MEMORY
    while item.found_count <= rank:
        while item.expanded < item.found_count:
            item.expanded += 1
            if _expand(search, kind, i, j, item.found[item.expanded - 1]) == NO_MEMORY:
                return NO_MEMORY
        answer = _pop(item)
        if answer != THERE:
            return answer
    return THERE


# ---------------------------------------------------------------------------------------------------------------
# Constituents of the trees found


cdef Answer _append(Numbers *numbers, int value) noexcept nogil:
    cdef int *grown
    cdef Py_ssize_t space
    if numbers.count == numbers.space:
        space = 2 * numbers.space if numbers.space else 256
        grown = <int *> realloc(numbers.values, space * sizeof(int))
        if grown == NULL:
            return NO_MEMORY
        numbers.values, numbers.space = grown, space
    numbers.values[numbers.count] = value
    numbers.count += 1
    return THERE


cdef Answer _tree(Search *search, int rank, int *number, double *score) noexcept nogil:
    """Find the tree with a rank, add its constituents, and say its number and score."""
    cdef int last = search.n - 1
    cdef Kind kind = REAL if search.force_root else ANY
    cdef Answer answer = _find(search, kind, 0, last, rank)
    cdef Derivation top
    if answer != THERE:
        return answer
    top = _item(search, kind, 0, last).found[rank]
    score[0] = top.score
    if kind == ANY and last > 0:
        if top.choice == 1:
            return _add(search, INNER, 0, last, top.right, number)
        return _add(search, REAL, 0, last, top.right, number)
    return _add(search, REAL, 0, last, rank, number)


cdef Answer _add(Search *search, Kind kind, int i, int j, int rank, int *number) noexcept nogil:
    """Add a constituent with all that is below it, unless a tree before had the same.

    ``kind`` is REAL, or INNER for the unlabelled root.
    """
    cdef Answer answer = _find(search, kind, i, j, rank)
    cdef Derivation whole, step
    cdef Py_ssize_t count = 0, index
    cdef int label, at, inner_rank
    cdef int *below
    if answer != THERE:
        return answer
    whole = _item(search, kind, i, j).found[rank]
    if whole.number >= 0:
        number[0] = whole.number
        return THERE
    below = NULL
    if i != j:
        below = <int *> malloc((j - i + 1) * sizeof(int))
        if below == NULL:
            return NO_MEMORY
        at, inner_rank = i, rank if kind == INNER else whole.right
        while True:
            # The first child of inner(at, j), then what follows it: one last child, or a rest of several.
            answer = _find(search, INNER, at, j, inner_rank)
            if answer != THERE:
                break
            step = _item(search, INNER, at, j).found[inner_rank]
            answer = _add(search, REAL, at, step.choice, step.left, &below[count])
            if answer != THERE:
                break
            count += 1
            at = step.choice + 1
            answer = _find(search, ANY, at, j, step.right)
            if answer != THERE:
                break
            if at == j:
                answer = _add(search, REAL, at, j, step.right, &below[count])
                count += 1
                break
            step = _item(search, ANY, at, j).found[step.right]
            if step.choice == 0:
                answer = _add(search, REAL, at, j, step.right, &below[count])
                count += 1
                break
            inner_rank = step.right
        if answer != THERE:
            free(below)
            return answer
    label = 0 if kind == INNER else whole.choice
    number[0] = <int> search.offsets.count
    _item(search, kind, i, j).found[rank].number = number[0]
    answer = _append(&search.offsets, <int> search.children.count)
    for index in range(count):
        if _append(&search.children, below[index]) == NO_MEMORY:
            answer = NO_MEMORY
    free(below)
    if (
        answer == NO_MEMORY
        or _append(&search.spans, i) == NO_MEMORY
        or _append(&search.spans, j + 1) == NO_MEMORY
        or _append(&search.spans, label) == NO_MEMORY
    ):
        return NO_MEMORY
    return THERE
