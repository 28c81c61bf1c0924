# Input of the chart kernel's k-best search: the labels of a span in order, and the score of the best derivation of
# every span.

cdef struct Charts:
    int n
    int labels
    bint force_root
    const float* scores  # [i, j, label]
    double* real  # of the best derivation, [i, j]
    double* rest  # the same for any, stored at [j, i], so that both parts of an inner lie in a row
    double* inner


cdef inline const float* scores_of(Charts* charts, int i, int j) noexcept nogil:
    return charts.scores + (<Py_ssize_t> i * charts.n + j) * charts.labels


cdef bint is_valid_cell(Charts* charts, int i, int j, float largest) noexcept nogil:
    """Whether no score is NaN or too high, and that of the empty label not too low."""
    cdef const float* cell = scores_of(charts, i, j)
    cdef bint valid = cell[0] >= -largest
    cdef int label
    # Without an early exit the compiler can vectorise the loop.
    for label in range(charts.labels):
        valid &= cell[label] <= largest
    return valid


cdef inline double label_score(Charts* charts, int i, int j, int label) noexcept nogil:
    """Relative to the empty label; there is no label -1."""
    if label < 0:
        return -INFINITY
    cdef const float* cell = scores_of(charts, i, j)
    return <double> cell[label] - <double> cell[0]


cdef int next_label(Charts* charts, int i, int j, int last) noexcept nogil:
    """The label that follows ``last`` in order of score (then of number); -1 at the end; the first after -1.

    The empty label takes part for words only. Sorting all labels of all spans would cost more than everything
    else: a second label is needed for few spans only.
    """
    cdef const float* cell = scores_of(charts, i, j)
    cdef int label, best = -1
    cdef int first = 0 if i == j and not (charts.force_root and charts.n == 1) else 1
    cdef float bound, highest = -INFINITY
    if last < 0:
        for label in range(first, charts.labels):
            if cell[label] > highest:
                highest = cell[label]
                best = label
        return best
    bound = cell[last]
    for label in range(first, charts.labels):
        if cell[label] > highest and (cell[label] < bound or (cell[label] == bound and label > last)):
            highest = cell[label]
            best = label
    return best


cdef bint fill_viterbi(Charts* charts, double largest) noexcept nogil:
    """Fill the charts of best scores; False if a cell is not valid."""
    cdef int n = charts.n, width, i, j, k
    cdef double highest, value, label
    cdef const double* first
    cdef const double* other
    for i in range(n):
        for j in range(i, n):
            if not is_valid_cell(charts, i, j, <float>largest):
                return False
    for width in range(n):
        for i in range(n - width):
            j = i + width
            label = label_score(charts, i, j, next_label(charts, i, j, -1))
            if width == 0:
                charts.inner[i * n + j] = 0.0
                charts.real[i * n + j] = label  # the empty label is among those of a word
                charts.rest[j * n + i] = label
                continue
            highest = -INFINITY
            first = charts.real + i * n
            other = charts.rest + j * n + 1
            for k in range(i, j):
                value = first[k] + other[k]
                if value > highest:
                    highest = value
            charts.inner[i * n + j] = highest
            charts.real[i * n + j] = highest + label
            charts.rest[j * n + i] = highest + (label if label > 0.0 else 0.0)
    return True
