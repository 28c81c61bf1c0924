# Sums over all trees of the chart kernel: the partition function (inside) and the marginals (outside).


cdef bint are_valid_scores(const double[:, ::1] label, double largest) noexcept nogil:
    """Whether all scores are minus infinity or within the bounds."""
    cdef Py_ssize_t i, j
    for i in range(label.shape[0]):
        for j in range(i, label.shape[0]):
            if not (fabs(label[i, j]) <= largest or label[i, j] == -INFINITY):
                return False
    return True


cdef inline double log_add(double a, double b) noexcept nogil:
    cdef double high = a if a > b else b
    cdef double low = b if a > b else a
    if low == -INFINITY:
        return high
    return high + log1p(exp(low - high))


cdef inline double sigmoid(double x) noexcept nogil:
    cdef double e
    if x >= 0:
        return 1.0 / (1.0 + exp(-x))
    e = exp(x)
    return e / (1.0 + e)


cdef void fill_inside(
    const double[:, ::1] label, double[:, ::1] real, double[:, ::1] rest, double[:, ::1] inner
) noexcept nogil:
    """Fill the log-space charts; ``rest`` is any(i, j) stored at [j, i], so that both factors lie in a row."""
    cdef Py_ssize_t n = label.shape[0], width, i, j, k
    cdef double highest, total, value
    for i in range(n):
        real[i, i] = log_add(0.0, label[i, i])
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
            # The first split with unlabelled words is always possible, so `highest` is finite.
            inner[i, j] = highest + log1p(total - 1.0)
            real[i, j] = label[i, j] + inner[i, j]
            rest[j, i] = inner[i, j] + log_add(0.0, label[i, j])


cdef void fill_outside(
    const double[:, ::1] label,
    const double[:, ::1] real,
    const double[:, ::1] rest,
    const double[:, ::1] inner,
    bint force_root,
    double[:, ::1] posterior_real,
    double[:, ::1] posterior_rest,
    double[:, ::1] marginal,
) noexcept nogil:
    """Distribute the probability of each span to its parts; not in logs, so that sums are cheap.

    The posteriors are zero at first; they become the probabilities of real(i, j) and of any(i, j), both at [i, j].
    """
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
            is_labelled = sigmoid(label[i, j])
            if width == 0:
                marginal[i, j] = probability * is_labelled
                continue
            marginal[i, j] = posterior_real[i, j] + posterior_rest[i, j] * is_labelled
            for k in range(i, j):
                share = probability * exp(real[i, k] + rest[j, k + 1] - inner[i, j])
                posterior_real[i, k] += share
                posterior_rest[k + 1, j] += share
