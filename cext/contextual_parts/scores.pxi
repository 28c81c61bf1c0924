# The log-linear first pass of the contextual kernel, from features to probabilities.


cdef inline double first_probability(const float* features, const float* weights) noexcept nogil:
    """The bias is the last weight."""
    return 1.0 / (1.0 + exp(-(weights[BASE] + dot(weights, features, BASE))))


cdef Py_ssize_t score_cells(
    const Pair* pair, const float* weights, float hopeless, float* probability, int* cells, float* features,
    int* classes,
) noexcept nogil:
    """Score all cells and keep those that are not hopeless, in order; return their number."""
    cdef Py_ssize_t i, j, k, kept = 0
    cdef float* row
    for i in range(pair.n):
        for j in range(pair.m):
            k = i * pair.m + j
            row = features + kept * BASE
            classes[kept] = class_of(pair, i, j)
            fill_base(pair, i, j, row)
            probability[k] = first_probability(row, weights + classes[kept] * (BASE + 1))
            if probability[k] >= hopeless:
                cells[kept] = <int>k
                kept += 1
    return kept
