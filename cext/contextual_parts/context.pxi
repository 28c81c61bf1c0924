# The features of a cell of the contextual kernel that come from the probabilities of the cells around it.

# The pass before, with what cells learn from it. Tables with a border have cell (i, j) at i * wide + j.
cdef struct Pass:
    Py_ssize_t n, m, wide
    const float* probability
    const unsigned char* names
    const int* evidence
    const int* source_kinds
    const int* target_kinds
    double* rows             # best and second best of each row
    double* columns
    double* same_rows        # the same among equal words
    double* same_columns
    double* row_sum
    double* column_sum
    double* goes_source      # where each word would go if it kept its distance to its neighbours' partners
    double* goes_target
    double* best             # of each word, while this is worked out
    double* place
    int* source_before       # the nearest content words on either side; -1, for none, leads into the border
    int* source_after
    int* target_before
    int* target_after
    float* table             # with border: the probabilities
    float* same              # those of equal words
    double total             # links that are expected, by words of the shorter sentence
    Related related


cdef void lay_out_pass(Pass* before, double* work, int* nearest, float* tables) noexcept nogil:
    """Give every table its place.

    All hold zeros: ``work`` 8 (n + m), ``nearest`` 2 (n + m), ``tables`` one table with a border and one without.
    """
    cdef Py_ssize_t n = before.n, m = before.m
    before.rows = work
    before.columns = before.rows + 2 * n
    before.same_rows = before.columns + 2 * m
    before.same_columns = before.same_rows + 2 * n
    before.row_sum = before.same_columns + 2 * m
    before.column_sum = before.row_sum + n
    before.goes_source = before.column_sum + m
    before.goes_target = before.goes_source + n
    before.best = before.goes_target + m
    before.place = before.best + n + m
    before.source_before = nearest
    before.source_after = before.source_before + n
    before.target_before = before.source_after + n
    before.target_after = before.target_before + m
    before.table = tables + BORDER * (before.wide + 1)
    before.same = tables + size_with_border(n, m)


cdef void survey_pass(Pass* before) noexcept nogil:
    """Fill in what cells learn from the rest of the pair."""
    cdef Py_ssize_t n = before.n, m = before.m, i, j
    cdef const float* p = before.probability
    cdef double x, total = 0.0
    for i in range(n):
        for j in range(m):
            x = p[i * m + j]
            total += x
            before.row_sum[i] += x
            before.column_sum[j] += x
            before.table[i * before.wide + j] = p[i * m + j]
            if before.evidence[i * m + j] & (IDENTICAL | LEMMA):
                before.same[i * m + j] = p[i * m + j]
    before.total = total / (n if n < m else m)
    for i in range(n):
        two_best(p + i * m, m, 1, before.rows + 2 * i)
        two_best(before.same + i * m, m, 1, before.same_rows + 2 * i)
    for j in range(m):
        two_best(p + j, n, m, before.columns + 2 * j)
        two_best(before.same + j, n, m, before.same_columns + 2 * j)
    find_expected(p, n, m, m, 1, before.best, before.place, before.goes_source)
    find_expected(p, m, n, 1, m, before.best, before.place, before.goes_target)
    find_nearest_content(before.source_kinds, n, before.source_before, before.source_after)
    find_nearest_content(before.target_kinds, m, before.target_before, before.target_after)


cdef void find_expected(
    const float* p, Py_ssize_t count, Py_ssize_t other, Py_ssize_t stride, Py_ssize_t step, double* best,
    double* place, double* out,
) noexcept nogil:
    """Where each word would go if it kept the distance that its neighbours' best partners have to them."""
    cdef Py_ssize_t i, j, k
    cdef double total, weight, total_weight
    cdef double[17] decay                # beyond 16 words a neighbour counts for nothing
    for k in range(17):
        decay[k] = exp(-0.5 * k)
    for i in range(count):
        best[i] = -1.0
        for j in range(other):
            if p[i * stride + j * step] > best[i]:
                best[i] = p[i * stride + j * step]
                place[i] = j
    for i in range(count):
        total = 0.0
        total_weight = 1e-9
        for k in range(i - 16 if i > 16 else 0, i + 17 if i + 17 < count else count):
            if k == i:
                continue
            weight = decay[i - k if i > k else k - i] * (best[k] + 1e-3)
            total += weight * (place[k] - k)
            total_weight += weight
        out[i] = total / total_weight + i


cdef void find_nearest_content(const int* kinds, Py_ssize_t count, int* before, int* after) noexcept nogil:
    """The nearest content word on either side of every word; -1 where there is none."""
    cdef Py_ssize_t k
    cdef int last = -1
    for k in range(count):
        before[k] = last
        if kinds[k] == CONTENT:
            last = <int>k
    last = -1
    for k in range(count - 1, -1, -1):
        after[k] = last
        if kinds[k] == CONTENT:
            last = <int>k


cdef void fill_context(const Pass* before, Py_ssize_t i, Py_ssize_t j, float* row) noexcept nogil:
    """All features of a cell."""
    cdef const float* here = before.table + i * before.wide + j
    alternative_features(before, i, j, row)
    diagonal_features(here, before.wide, row)
    adjacent_features(here, before.wide, before.names[i * before.m + j], row)
    place_features(before, i, j, row)
    window_features(here, before.wide, row)
    content_features(before, i, j, row)
    related_features(before, i, j, row + 35)


cdef inline void alternative_features(const Pass* before, Py_ssize_t i, Py_ssize_t j, float* row) noexcept nogil:
    """The cell itself and the others in its row and column: the best, the best of equal words, and all."""
    cdef Py_ssize_t n = before.n, m = before.m, k = i * m + j
    cdef double x = before.probability[k]
    cdef double a = best_other(before.rows + 2 * i, x, m), b = best_other(before.columns + 2 * j, x, n)
    cdef double low = smaller(a, b), high = larger(a, b)
    row[0] = clip(log((x + 1e-4) / (1 - x + 1e-4)), -6.0, 6.0)
    row[1] = x
    row[2] = high
    row[3] = low
    row[4] = clip(log((x + 1e-3) / (high + 1e-3)), -4.0, 4.0)
    row[5] = clip(log((x + 1e-3) / (low + 1e-3)), -4.0, 4.0)
    a = clip(before.row_sum[i] - x, 0.0, 2.0)
    b = clip(before.column_sum[j] - x, 0.0, 2.0)
    row[30] = smaller(a, b)
    row[31] = larger(a, b)
    x = before.same[k]
    a = best_other(before.same_rows + 2 * i, x, m)
    b = best_other(before.same_columns + 2 * j, x, n)
    row[32] = larger(a, b)


cdef inline void diagonal_features(const float* here, Py_ssize_t wide, float* row) noexcept nogil:
    """The cells that continue the link in both sentences, straight on or over one word more in one of them."""
    cdef Py_ssize_t diagonal = wide + 1, step
    for step in range(1, 4):
        row[4 + 2 * step] = here[step * diagonal]
        row[5 + 2 * step] = here[-step * diagonal]
    row[12] = row[6] * row[7]
    row[13] = larger(here[wide + 2], here[2 * wide + 1])
    row[14] = larger(here[-wide - 2], here[-2 * wide - 1])
    row[15] = <double>here[wide - 1] + here[1 - wide]


cdef inline void adjacent_features(const float* here, Py_ssize_t wide, bint names, float* row) noexcept nogil:
    """The cells beside this one in its row and column, and the mass of the window but for the diagonal."""
    cdef Py_ssize_t di, dj
    cdef double a = larger(here[wide], here[-wide]), b = larger(here[1], (here - 1)[0]), near = 0.0
    row[16] = larger(a, b)
    row[22] = row[16] if names else 0.0
    row[33] = sqrt(a * b)
    for di in range(-3, 4):
        for dj in range(-3, 4):
            if di and dj and di != dj:
                near += here[di * wide + dj]
    row[17] = smaller(near, 3.0)


cdef inline void place_features(const Pass* before, Py_ssize_t i, Py_ssize_t j, float* row) noexcept nogil:
    """Neighbours without a partner, the distance to where the neighbours' partners lead, and all links expected."""
    cdef Py_ssize_t step
    cdef double nulls = 0.0, a = fabs(before.goes_source[i] - j), b = fabs(before.goes_target[j] - i)
    for step in range(-1, 2, 2):
        if 0 <= i + step < before.n:
            nulls += 1 - before.rows[2 * (i + step)]
        if 0 <= j + step < before.m:
            nulls += 1 - before.columns[2 * (j + step)]
    row[18] = 0.5 * nulls
    row[19] = log1p(smaller(a, b))
    row[20] = log1p(larger(a, b))
    row[21] = smaller(before.total, 1.5)


cdef inline double highest(const float* at, Py_ssize_t wide, int side) noexcept nogil:
    """The most probable of the nine cells up to three words on, on one side (1 after, -1 before)."""
    cdef Py_ssize_t di, dj
    cdef double best = 0.0
    for di in range(1, 4):
        for dj in range(1, 4):
            best = larger(best, at[side * (di * wide + dj)])
    return best


cdef inline void window_features(const float* here, Py_ssize_t wide, float* row) noexcept nogil:
    """The best cells shortly after and shortly before this one in both sentences."""
    cdef double after = highest(here, wide, 1), before = highest(here, wide, -1)
    row[23] = after
    row[24] = before
    row[25] = after * before
    row[26] = larger(after, before)


cdef inline void content_features(const Pass* before, Py_ssize_t i, Py_ssize_t j, float* row) noexcept nogil:
    """The nearest content words on the same side of both words, and on opposite sides."""
    cdef const float* left = before.table + before.source_before[i] * before.wide
    cdef const float* right = before.table + before.source_after[i] * before.wide
    cdef int other_left = before.target_before[j], other_right = before.target_after[j]
    cdef double after = right[other_right], ahead = left[other_left]
    row[27] = after
    row[28] = ahead
    row[29] = after * ahead
    row[34] = larger(right[other_left], left[other_right])


cdef void related_features(const Pass* before, Py_ssize_t i, Py_ssize_t j, float* row) noexcept nogil:
    """Related words: the best link of theirs and how much better their links elsewhere are, then links beside the cell."""
    cdef int relation
    cdef double x
    for relation in range(PAIRED):
        partner_features(
            before,
            words_related(before.related.source, i, relation),
            words_related(before.related.target, j, relation),
            row + 2 * relation,
        )
    row[2 * PAIRED] = best_beside(before, i, j, PARTICLE)
    x = larger(best_beside(before, i, j, PATIENT), best_beside(before, i, j, OTHER))
    x = larger(x, best_beside(before, i, j, PATIENT_OF))
    row[2 * PAIRED + 1] = larger(x, best_beside(before, i, j, OTHER_OF))
    row[2 * PAIRED + 2] = on_one_side(before, i, j, AGENT) + on_one_side(before, i, j, PATIENT)


cdef inline int on_one_side(const Pass* before, Py_ssize_t i, Py_ssize_t j, int relation) noexcept nogil:
    """Whether one word of the cell has such a related word and the other one has none."""
    cdef bint one = words_related(before.related.source, i, relation)[0] >= 0
    cdef bint other = words_related(before.related.target, j, relation)[0] >= 0
    return one != other


cdef inline void partner_features(
    const Pass* before, const int* source, const int* target, float* row
) noexcept nogil:
    cdef Py_ssize_t a, b
    cdef double best = 0.0, across = 0.0, along = 0.0
    row[0] = row[1] = 0.0
    if source[0] < 0 or target[0] < 0:
        return
    for a in range(WIDTH):
        if source[a] < 0:
            break
        across = larger(across, before.rows[2 * source[a]])
        for b in range(WIDTH):
            if target[b] < 0:
                break
            best = larger(best, before.table[source[a] * before.wide + target[b]])
    for b in range(WIDTH):
        if target[b] >= 0:
            along = larger(along, before.columns[2 * target[b]])
    row[0] = best
    row[1] = smaller(across, along) - best


cdef inline double best_beside(const Pass* before, Py_ssize_t i, Py_ssize_t j, int relation) noexcept nogil:
    """The best cell of one word of this cell with a related word of the other one."""
    cdef Py_ssize_t k
    cdef const int* source = words_related(before.related.source, i, relation)
    cdef const int* target = words_related(before.related.target, j, relation)
    cdef double best = 0.0
    for k in range(WIDTH):
        if source[k] >= 0:
            best = larger(best, before.table[source[k] * before.wide + j])
        if target[k] >= 0:
            best = larger(best, before.table[i * before.wide + target[k]])
    return best
