# The recursions of the semi-Markov kernel over all paths: the log-partition function and expected counts (sums), and
# the best path (highest scores with back-pointers).

# Tables by position and word have cell (p, j) at p * (m + 1) + j; column m is null.
cdef struct Sums:
    double* before       # over the paths to position p, by their last target word
    double* onto         # the same with the transition to a step that begins there, by its first target word
    double* after        # over the paths from p to the end, by the last target word before p
    double* factors      # exponentials of transitions, relative to the highest
    double highest       # of transitions
    double* left         # of one position at a time: exponentials of `before`, relative to the highest
    double* right        # sums over its continuations, by first target word
    double log_partition
    double* pairs        # expected counts
    double* nulls
    double* transitions
    double* finals


cdef void lay_out_sums(Lattice* lattice, Sums* sums, double* work) noexcept nogil:
    """Divide ``work`` among the tables; it has (3 n + 2) (m + 1) + (m + 1)² + 2 (m + 1) numbers."""
    cdef Py_ssize_t n = lattice.n, wide = lattice.m + 1
    sums.before = work
    sums.onto = sums.before + (n + 1) * wide
    sums.after = sums.onto + n * wide
    sums.factors = sums.after + (n + 1) * wide
    sums.left = sums.factors + wide * wide
    sums.right = sums.left + wide


cdef inline double log_add(double one, double two) noexcept nogil:
    """Logarithm of the sum of two exponentials; minus infinity stands for 0."""
    if one < two:
        one, two = two, one
    if two == -INFINITY:
        return one
    return one + log1p(exp(two - one))


cdef double exponentials(const double* values, Py_ssize_t count, double* out) noexcept nogil:
    """Compute exponentials relative to the highest value; return this value."""
    cdef double high = -INFINITY
    cdef Py_ssize_t k
    for k in range(count):
        if values[k] > high:
            high = values[k]
    for k in range(count):
        out[k] = exp(values[k] - high)
    return high


cdef void sum_forward(Lattice* lattice, Sums* sums) noexcept nogil:
    """Compute sums over the paths from the beginning; return the sum over all paths."""
    cdef Py_ssize_t n = lattice.n, m = lattice.m, wide = lattice.m + 1, p, r, j, k = 0
    cdef const int* span
    cdef double* onto
    cdef double* cell
    sums.highest = exponentials(lattice.transition, wide * wide, sums.factors)
    for r in range((n + 1) * wide):
        sums.before[r] = -INFINITY
    for p in range(n):
        onto = sums.onto + p * wide
        if p == 0:
            for j in range(wide):
                onto[j] = lattice.transition[wide * wide + j]
        else:
            sum_transitions(sums, sums.before + p * wide, wide, onto)
        for j in range(min(lattice.longest, n - p)):
            cell = sums.before + (p + 1 + j) * wide + m
            cell[0] = log_add(cell[0], onto[m] + lattice.null[p * lattice.longest + j])
        while k < lattice.size and lattice.spans[4 * k] == p:
            span = lattice.spans + 4 * k
            cell = sums.before + span[1] * wide + span[3] - 1
            cell[0] = log_add(cell[0], onto[span[2]] + lattice.scores[k])
            k += 1
    sums.log_partition = -INFINITY
    for r in range(wide):
        sums.log_partition = log_add(sums.log_partition, sums.before[n * wide + r] + lattice.final[r])


cdef void sum_transitions(Sums* sums, const double* before, Py_ssize_t wide, double* onto) noexcept nogil:
    """Convert sums by the last target word to sums by the first target word of the next step."""
    cdef Py_ssize_t r, j
    cdef const double* factors
    cdef double high = exponentials(before, wide, sums.left) + sums.highest
    for j in range(wide):
        onto[j] = 0.0
    for r in range(wide):
        if sums.left[r] > 0.0:
            factors = sums.factors + r * wide
            for j in range(wide):
                onto[j] += sums.left[r] * factors[j]
    for j in range(wide):
        onto[j] = high + log(onto[j])


cdef void sum_backward(Lattice* lattice, Sums* sums) noexcept nogil:
    """Compute sums over the paths to the end, and expected counts; ``transitions`` must be zero."""
    cdef Py_ssize_t n = lattice.n, wide = lattice.m + 1, p, r, j, k = lattice.size
    cdef double* beginning = sums.transitions + wide * wide
    for r in range(wide):
        sums.after[n * wide + r] = lattice.final[r]
        sums.finals[r] = exp(sums.before[n * wide + r] + lattice.final[r] - sums.log_partition)
    for p in range(n - 1, -1, -1):
        k = sum_steps(lattice, sums, p, k)
        if p > 0:
            count_transitions(sums, p, wide)
    for j in range(wide):
        beginning[j] = exp(lattice.transition[wide * wide + j] + sums.right[j] - sums.log_partition)
    for r in range(wide * wide):
        sums.transitions[r] *= sums.factors[r]


cdef Py_ssize_t sum_steps(Lattice* lattice, Sums* sums, Py_ssize_t p, Py_ssize_t k) noexcept nogil:
    """Sum over the continuations from position p by first target word, and count the steps that begin there.

    Phrase pairs are read backwards: those that begin at p have indices below ``k``. Return the first of them, or
    ``k`` if there is none.
    """
    cdef Py_ssize_t m = lattice.m, wide = m + 1, longest = lattice.longest, j
    cdef const double* onto = sums.onto + p * wide
    cdef double* right = sums.right
    cdef double* nulls = sums.nulls + p * longest
    cdef const int* span
    cdef double on
    for j in range(wide):
        right[j] = -INFINITY
    for j in range(longest):
        nulls[j] = 0.0
    for j in range(min(longest, lattice.n - p)):
        on = lattice.null[p * longest + j] + sums.after[(p + 1 + j) * wide + m]
        right[m] = log_add(right[m], on)
        nulls[j] = exp(onto[m] + on - sums.log_partition)
    while k > 0 and lattice.spans[4 * (k - 1)] == p:
        k -= 1
        span = lattice.spans + 4 * k
        on = lattice.scores[k] + sums.after[span[1] * wide + span[3] - 1]
        right[span[2]] = log_add(right[span[2]], on)
        sums.pairs[k] = exp(onto[span[2]] + on - sums.log_partition)
    return k


cdef void count_transitions(Sums* sums, Py_ssize_t p, Py_ssize_t wide) noexcept nogil:
    """Convert sums by first target word to ``after``, by the last one before; count transitions at position p.

    ``transitions`` still lacks the factors, which are the same at all positions.
    """
    cdef double* left = sums.left
    cdef double* right = sums.right
    cdef double high = exponentials(right, wide, right)
    cdef double low = exponentials(sums.before + p * wide, wide, left)
    cdef double scale = exp(low + high + sums.highest - sums.log_partition), on
    cdef const double* factors
    cdef double* transitions
    cdef Py_ssize_t r, j
    for r in range(wide):
        factors = sums.factors + r * wide
        transitions = sums.transitions + r * wide
        on = 0.0
        for j in range(wide):
            on += factors[j] * right[j]
            transitions[j] += left[r] * scale * right[j]
        sums.after[p * wide + r] = high + sums.highest + log(on)


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
