# The best path of the semi-Markov kernel: highest scores with back-pointers, and tracing them back.


cdef double find_best(Lattice* lattice, double* work, int* chosen, Py_ssize_t* last) noexcept nogil:
    """Return the highest score of a path; ``last`` becomes the last target word of that path.

    Fills ``chosen``: the phrase pair that leads to (position, last target word), -l for a null of l words; and after it
    ``row``: the best row of transitions for a step that begins at (position, first target word).
    """
    cdef Py_ssize_t n = lattice.n, m = lattice.m, wide = lattice.m + 1, p, r, j, k = 0
    cdef double* before = work
    cdef double* onto = before + (n + 1) * wide
    cdef int* row = chosen + (n + 1) * wide
    cdef const int* span
    cdef double best = -INFINITY, x
    for r in range((n + 1) * wide):
        before[r] = -INFINITY
    for p in range(n):
        best_transitions(lattice, p, before + p * wide, onto, row + p * wide)
        for j in range(min(lattice.longest, n - p)):
            x = onto[m] + lattice.null[p * lattice.longest + j]
            r = (p + 1 + j) * wide + m
            if x > before[r]:
                before[r] = x
                chosen[r] = <int>(-1 - j)
        while k < lattice.size and lattice.spans[4 * k] == p:
            span = lattice.spans + 4 * k
            x = onto[span[2]] + lattice.scores[k]
            r = span[1] * wide + span[3] - 1
            if x > before[r]:
                before[r] = x
                chosen[r] = <int>k
            k += 1
    last[0] = m
    for r in range(wide):
        x = before[n * wide + r] + lattice.final[r]
        if x > best:
            best = x
            last[0] = r
    return best


cdef void best_transitions(
    Lattice* lattice, Py_ssize_t p, const double* before, double* onto, int* row
) noexcept nogil:
    """The best score before a step that begins at position p, by its first target word, and the row it comes from."""
    cdef Py_ssize_t wide = lattice.m + 1, r, j
    cdef const double* transition = lattice.transition
    cdef double x
    if p == 0:
        for j in range(wide):
            onto[j] = transition[wide * wide + j]
            row[j] = <int>wide
        return
    for j in range(wide):
        onto[j] = -INFINITY
    for r in range(wide):
        for j in range(wide):
            x = before[r] + transition[r * wide + j]
            if x > onto[j]:
                onto[j] = x
                row[j] = <int>r


cdef Py_ssize_t read_off(Lattice* lattice, const int* chosen, Py_ssize_t last, int* steps) noexcept nogil:
    """Fill ``steps`` from the end; return their number."""
    cdef Py_ssize_t n = lattice.n, m = lattice.m, wide = lattice.m + 1, p = n, r = last, count = 0
    cdef const int* row = chosen + (n + 1) * wide
    cdef const int* span
    cdef int k
    while p > 0:
        k = chosen[p * wide + r]
        count += 1
        steps[n - count] = k
        if k < 0:
            p += k
            r = row[p * wide + m]
        else:
            span = lattice.spans + 4 * k
            p = span[0]
            r = row[p * wide + span[2]]
    return count
