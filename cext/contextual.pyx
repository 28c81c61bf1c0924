"""Features of word links and their log-linear probabilities, for every cell of a sentence pair at once.

The feature lists, their order and their definitions are those of ``forest_align.aligners.link_features``;
``contextual_reference`` computes the same in plain Python.
"""

import numpy as np

from libc.math cimport exp, fabs, log, log1p, sqrt

# Bits of the evidence mask that the features read (forest_align.lexicon.evidence.Evidence).
cdef enum:
    IDENTICAL = 1
    LEMMA = 2
    FIRST_RELATION = 2   # SPELLING and the nine kinds after it, as shifts 2 … 11
    RELATIONS = 10
    BASE = 68
    CONTEXT = 35
    CLASSES = 9
    CONTENT = 0
    FUNCTION = 1
    PUNCTUATION = 2

BASE_FEATURES = BASE
CONTEXT_FEATURES = CONTEXT
LINK_CLASSES = CLASSES


def base_features(
    const float[:, ::1] cosine not None,
    const float[:, ::1] projected not None,
    const int[:, ::1] evidence not None,
    const int[::1] source_kinds not None,
    const int[::1] target_kinds not None,
    const unsigned char[::1] source_capital not None,
    const unsigned char[::1] target_capital not None,
    const int[::1] source_letters not None,
    const int[::1] source_ends not None,
    const int[::1] target_letters not None,
    const int[::1] target_ends not None,
):
    """Features of every cell that need no other decision, and the class of the cell.

    Parameters
    ----------
    cosine, projected : float32, shape (n, m)
        Cosines of the word vectors and of their learned projections.
    evidence : int32, shape (n, m)
        Lexical evidence.
    source_kinds, target_kinds : int32, shapes (n,) and (m,)
        0 content word, 1 function word, 2 punctuation.
    source_capital, target_capital : uint8, shapes (n,) and (m,)
        Whether the word begins with a capital.
    source_letters, target_letters : int32
        Code points of all words, one after another.
    source_ends, target_ends : int32, shapes (n,) and (m,)
        Where each word's letters end.

    Returns
    -------
    features : numpy.ndarray
        float32, shape (n * m, 68).
    classes : numpy.ndarray
        int32, shape (n * m,): which weights apply.
    """
    cdef Py_ssize_t n = cosine.shape[0], m = cosine.shape[1]
    if n == 0 or m == 0:
        raise ValueError("expected two sentences with at least one word each")
    if projected.shape[0] != n or projected.shape[1] != m or evidence.shape[0] != n or evidence.shape[1] != m:
        raise ValueError(f"expected three tables of shape ({n}, {m})")
    for name, size, length in (
        ("source_kinds", source_kinds.shape[0], n),
        ("target_kinds", target_kinds.shape[0], m),
        ("source_capital", source_capital.shape[0], n),
        ("target_capital", target_capital.shape[0], m),
        ("source_ends", source_ends.shape[0], n),
        ("target_ends", target_ends.shape[0], m),
    ):
        if size != length:
            raise ValueError(f"expected {length} values in {name}, found {size}")
    if source_ends[n - 1] > source_letters.shape[0] or target_ends[m - 1] > target_letters.shape[0]:
        raise ValueError("word ends lie beyond the letters")
    features = np.zeros((n * m, BASE), dtype=np.float32)
    classes = np.zeros(n * m, dtype=np.int32)
    scratch = np.zeros(6 * n * m + 8 * (n + m), dtype=np.float64)
    marks = np.zeros(n + m, dtype=np.uint64)
    cdef float[:, ::1] out = features
    cdef int[::1] cls = classes
    cdef double[::1] work = scratch
    cdef unsigned long long[::1] bigrams = marks
    with nogil:
        _base(
            n, m, &cosine[0, 0], &projected[0, 0], &evidence[0, 0], &source_kinds[0], &target_kinds[0],
            &source_capital[0], &target_capital[0],
            &source_letters[0] if source_letters.shape[0] else NULL, &source_ends[0],
            &target_letters[0] if target_letters.shape[0] else NULL, &target_ends[0],
            &work[0], &bigrams[0], &out[0, 0], &cls[0],
        )
    return features, classes


def context_features(
    const float[:, ::1] probability not None,
    const unsigned char[:, ::1] names not None,
    const int[:, ::1] evidence not None,
    const int[::1] source_kinds not None,
    const int[::1] target_kinds not None,
    const int[::1] cells not None,
):
    """Features of some cells that come from the probabilities of the cells around them.

    Parameters
    ----------
    probability : float32, shape (n, m)
        Link probabilities of the pass before.
    names : uint8, shape (n, m)
        Whether both words begin with a capital.
    evidence : int32, shape (n, m)
        Lexical evidence.
    source_kinds, target_kinds : int32, shapes (n,) and (m,)
        0 content word, 1 function word, 2 punctuation.
    cells : int32, shape (k,)
        Which cells are wanted, as i * m + j.

    Returns
    -------
    numpy.ndarray
        float32, shape (k, 35).
    """
    cdef Py_ssize_t n = probability.shape[0], m = probability.shape[1], wanted = cells.shape[0], k
    if n == 0 or m == 0:
        raise ValueError("expected two sentences with at least one word each")
    if names.shape[0] != n or names.shape[1] != m or evidence.shape[0] != n or evidence.shape[1] != m:
        raise ValueError(f"expected names and evidence of shape ({n}, {m})")
    if source_kinds.shape[0] != n or target_kinds.shape[0] != m:
        raise ValueError(f"expected kinds of {n} and {m} words")
    for k in range(wanted):
        if not 0 <= cells[k] < n * m:
            raise ValueError(f"expected cells from 0 to {n * m - 1}, found {cells[k]}")
    features = np.zeros((wanted, CONTEXT), dtype=np.float32)
    if not wanted:
        return features
    scratch = np.zeros(13 * (n + m), dtype=np.float64)
    places = np.zeros(2 * (n + m), dtype=np.int32)
    identical = np.zeros(n * m, dtype=np.float32)
    cdef float[:, ::1] out = features
    cdef double[::1] work = scratch
    cdef int[::1] nearest = places
    cdef float[::1] same = identical
    with nogil:
        _context(
            n, m, wanted, &cells[0], &probability[0, 0], &names[0, 0], &evidence[0, 0], &source_kinds[0],
            &target_kinds[0], &work[0], &nearest[0], &same[0], &out[0, 0],
        )
    return features


def first_probabilities(
    const float[:, ::1] base not None,
    const int[::1] classes not None,
    const float[:, ::1] first not None,
):
    """Link probability of every cell by itself.

    Parameters
    ----------
    base : float32, shape (cells, 68)
        From :func:`base_features`.
    classes : int32, shape (cells,)
        From :func:`base_features`.
    first : float32, shape (9, 69)
        Weights, one row a class, the bias last.

    Returns
    -------
    numpy.ndarray
        float32, shape (cells,).
    """
    cdef Py_ssize_t cells = classes.shape[0]
    if base.shape[0] != cells or base.shape[1] != BASE or cells == 0:
        raise ValueError(f"expected {cells} rows of {BASE} features, found {base.shape[0]} of {base.shape[1]}")
    if first.shape[0] != CLASSES or first.shape[1] != BASE + 1:
        raise ValueError(f"expected weights of shape ({CLASSES}, {BASE + 1})")
    probability = np.zeros(cells, dtype=np.float32)
    cdef float[::1] out = probability
    with nogil:
        _score(cells, &base[0, 0], &classes[0], &first[0, 0], &out[0])
    return probability


cdef inline double _clip(double x, double low, double high) noexcept nogil:
    return low if x < low else high if x > high else x


cdef inline double _over(double x, double threshold) noexcept nogil:
    return x - threshold if x > threshold else 0.0


cdef inline double _at(const double* values, Py_ssize_t n, Py_ssize_t m, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    return values[i * m + j] if 0 <= i < n and 0 <= j < m else 0.0


cdef inline double _near(const float* values, Py_ssize_t n, Py_ssize_t m, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    return values[i * m + j] if 0 <= i < n and 0 <= j < m else 0.0


cdef void _two_best(const float* values, Py_ssize_t count, Py_ssize_t stride, double* best) noexcept nogil:
    """The best and the second-best value of a row or column; the second is the first again where there is one."""
    cdef Py_ssize_t k
    cdef double x, one = -1e30, two = -1e30
    for k in range(count):
        x = values[k * stride]
        if x > one:
            two = one
            one = x
        elif x > two:
            two = x
    best[0] = one
    best[1] = two


cdef double _dice(const int* one, Py_ssize_t size, const int* two, Py_ssize_t length) noexcept nogil:
    """Dice coefficient of the letter bigrams of two words, their edges included; at most 24 letters count."""
    cdef Py_ssize_t a, b
    cdef int common = 0
    cdef unsigned int taken = 0
    cdef int left, right, other_left, other_right
    size = 24 if size > 24 else size
    length = 24 if length > 24 else length
    for a in range(size + 1):
        left = one[a - 1] if a else 0
        right = one[a] if a < size else 0
        for b in range(length + 1):
            if taken >> b & 1:
                continue
            other_left = two[b - 1] if b else 0
            other_right = two[b] if b < length else 0
            if left == other_left and right == other_right:
                common += 1
                taken |= <unsigned int>1 << b
                break
    return 2.0 * common / (size + length + 2)


cdef void _mark_bigrams(
    const int* letters, const int* ends, Py_ssize_t words, unsigned long long* marks
) noexcept nogil:
    """One of 64 bits for every letter bigram of each word: words without a common bit have none in common."""
    cdef Py_ssize_t k, a, end, start = 0
    cdef unsigned int left, right
    for k in range(words):
        left = 0
        end = ends[k] if ends[k] < start + 24 else start + 24
        for a in range(start, end + 1):
            right = <unsigned int>letters[a] if a < end else 0
            marks[k] |= <unsigned long long>1 << ((left * 31 + right) & 63)
            left = right
        start = ends[k]


cdef void _similarity(
    Py_ssize_t n, Py_ssize_t m, const float* values, const double* knots, double null,
    double* work, float* out, Py_ssize_t first,
) noexcept nogil:
    """Sixteen features of a similarity: hinges, margins over the alternatives, soft-max log-probabilities."""
    cdef Py_ssize_t i, j, k, at
    cdef double* rows = work                 # best, second, log of the sum of exponentials
    cdef double* columns = work + 3 * n
    cdef double x, a, b, low, high, margin, p, q
    cdef double scale = 1.0 / 0.08
    for i in range(n):
        _two_best(values + i * m, m, 1, rows + 3 * i)
        rows[3 * i + 2] = null
    for j in range(m):
        _two_best(values + j, n, m, columns + 3 * j)
        columns[3 * j + 2] = null
    for i in range(n):
        for j in range(m):
            x = exp(values[i * m + j] * scale)
            rows[3 * i + 2] += x
            columns[3 * j + 2] += x
    for i in range(n):
        rows[3 * i + 2] = log(rows[3 * i + 2])
    for j in range(m):
        columns[3 * j + 2] = log(columns[3 * j + 2])
    for i in range(n):
        for j in range(m):
            at = (i * m + j) * BASE + first
            x = values[i * m + j]
            out[at] = x
            for k in range(5):
                out[at + 1 + k] = _over(x, knots[k])
            a = x
            if m > 1:
                a -= rows[3 * i + 1] if x >= rows[3 * i] else rows[3 * i]
            b = x
            if n > 1:
                b -= columns[3 * j + 1] if x >= columns[3 * j] else columns[3 * j]
            low = a if a < b else b
            high = b if a < b else a
            for k in range(2):
                margin = high if k else low
                out[at + 6 + 4 * k] = _clip(margin, 0.0, 0.5)
                out[at + 7 + 4 * k] = _clip(margin, -0.5, 0.0)
                out[at + 8 + 4 * k] = _clip(margin, -0.1, 0.1)
                out[at + 9 + 4 * k] = margin >= 0
            p = x * scale - rows[3 * i + 2]
            q = x * scale - columns[3 * j + 2]
            out[at + 14] = _clip(p + q, -12.0, 0.0)
            out[at + 15] = _clip(p if p < q else q, -8.0, 0.0)


cdef void _base(
    Py_ssize_t n, Py_ssize_t m, const float* cosine, const float* projected, const int* evidence,
    const int* source_kinds, const int* target_kinds,
    const unsigned char* source_capital, const unsigned char* target_capital,
    const int* source_letters, const int* source_ends, const int* target_letters, const int* target_ends,
    double* work, unsigned long long* bigrams, float* out, int* classes,
) noexcept nogil:
    cdef Py_ssize_t i, j, k, di, dj, at, start, other_start
    cdef double[5] knots
    cdef double[5] projected_knots
    cdef double* run = work
    cdef double* weight = work + n * m
    cdef double* strong = work + 2 * n * m
    cdef double* content = work + 3 * n * m
    cdef double* ahead = work + 4 * n * m
    cdef double* row_count = work + 6 * n * m
    cdef double* column_count = row_count + n
    cdef double* rest = column_count + m
    cdef int same, kind, own, other
    cdef double x, dice, count
    cdef double ratio = fabs(log(<double>n / m)), shorter = log(<double>(n if n < m else m)) / 3.0
    knots[0] = 0.3; knots[1] = 0.45; knots[2] = 0.6; knots[3] = 0.75; knots[4] = 0.9
    projected_knots[0] = 0.2; projected_knots[1] = 0.35; projected_knots[2] = 0.5
    projected_knots[3] = 0.65; projected_knots[4] = 0.8
    _similarity(n, m, cosine, knots, 0.0, rest, out, 0)
    _similarity(n, m, projected, projected_knots, exp(0.5 / 0.08), rest, out, 16)
    for i in range(n):
        for j in range(m):
            k = i * m + j
            same = evidence[k] & (IDENTICAL | LEMMA)
            content[k] = 1.0 if same and source_kinds[i] == CONTENT and target_kinds[j] == CONTENT else 0.0
            weight[k] = 1.0 if same else _over(cosine[k], 0.3) / 0.7
            strong[k] = _over(projected[k], 0.3)
            if same:
                row_count[i] += 1
                column_count[j] += 1
                run[k] = 1 + _at(run, n, m, i - 1, j - 1)
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            if run[i * m + j]:
                ahead[i * m + j] = 1 + _at(ahead, n, m, i + 1, j + 1)
    _mark_bigrams(source_letters, source_ends, n, bigrams)
    _mark_bigrams(target_letters, target_ends, m, bigrams + n)
    for i in range(n):
        start = source_ends[i - 1] if i else 0
        for j in range(m):
            k = i * m + j
            at = k * BASE + 32
            same = evidence[k] & (IDENTICAL | LEMMA)
            other_start = target_ends[j - 1] if j else 0
            dice = 1.0 if evidence[k] & IDENTICAL else 0.0
            if dice == 0.0 and bigrams[i] & bigrams[n + j]:
                dice = _dice(
                    source_letters + start, source_ends[i] - start,
                    target_letters + other_start, target_ends[j] - other_start,
                )
            out[at] = dice
            out[at + 1] = _over(dice, 0.5)
            if same:
                out[at + 2] = log(row_count[i]) + log(column_count[j])
            else:
                out[at + 3] = (1.0 if row_count[i] else 0.0) + (1.0 if column_count[j] else 0.0)
                out[at + 4] = 1.0 if row_count[i] and column_count[j] else 0.0
            out[at + 5] = fabs((i + 0.5) / n - (j + 0.5) / m)
            out[at + 6] = ratio
            out[at + 7] = shorter
            x = run[k] + ahead[k] - 1 if same else 0.0
            out[at + 8] = x > 1
            out[at + 9] = x > 2
            out[at + 10] = log(x) if x > 1 else 0.0
            for di in range(1, 4):
                out[at + 9 + 2 * di] = _at(weight, n, m, i + di, j + di)
                out[at + 10 + 2 * di] = _at(weight, n, m, i - di, j - di)
            out[at + 17] = _at(weight, n, m, i + 1, j - 1) + _at(weight, n, m, i - 1, j + 1)
            count = 0.0
            for di in range(-3, 4):
                if di == 0 or not 0 <= i + di < n:
                    continue
                for dj in range(-3, 4):
                    if dj and 0 <= j + dj < m:
                        count += content[(i + di) * m + j + dj]
            out[at + 18] = count if count < 4 else 4.0
            out[at + 19] = count > 0
            for di in range(1, 3):
                out[at + 18 + 2 * di] = _at(strong, n, m, i + di, j + di)
                out[at + 19 + 2 * di] = _at(strong, n, m, i - di, j - di)
            out[at + 24] = (i == 0 and j == 0) or (i == n - 1 and j == m - 1)
            for di in range(RELATIONS):
                out[at + 25 + di] = evidence[k] >> (FIRST_RELATION + di) & 1
            out[at + 35] = source_capital[i] and target_capital[j]
            own = source_kinds[i]
            other = target_kinds[j]
            kind = own if own > other else other
            if evidence[k] & IDENTICAL:
                classes[k] = kind
            elif same:
                classes[k] = 3
            elif own == other:
                classes[k] = 4 + kind
            else:
                classes[k] = 7 if kind == PUNCTUATION else 8


cdef void _expected(
    const float* p, Py_ssize_t count, Py_ssize_t other, Py_ssize_t stride, Py_ssize_t step, double* best,
    double* where, double* out,
) noexcept nogil:
    """Where each word would go if it kept the distance that its neighbours' best partners have to them."""
    cdef Py_ssize_t i, j, k
    cdef double total, weight, total_weight
    for i in range(count):
        best[i] = -1.0
        for j in range(other):
            if p[i * stride + j * step] > best[i]:
                best[i] = p[i * stride + j * step]
                where[i] = j
    for i in range(count):
        total = 0.0
        total_weight = 1e-9
        for k in range(count):
            if k == i:
                continue
            j = i - k if i > k else k - i
            if j > 16:
                continue
            weight = exp(-0.5 * j) * (best[k] + 1e-3)
            total += weight * (where[k] - k)
            total_weight += weight
        out[i] = total / total_weight + i


cdef inline double _highest(
    const float* p, Py_ssize_t n, Py_ssize_t m, Py_ssize_t i, Py_ssize_t j, int side
) noexcept nogil:
    """The most probable of the nine cells up to three words on, on one side (1 after, -1 before)."""
    cdef Py_ssize_t di, dj
    cdef double x, best = 0.0
    for di in range(1, 4):
        for dj in range(1, 4):
            x = _near(p, n, m, i + side * di, j + side * dj)
            best = x if x > best else best
    return best


cdef void _nearest_content(const int* kinds, Py_ssize_t count, int* before, int* after) noexcept nogil:
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


cdef void _context(
    Py_ssize_t n, Py_ssize_t m, Py_ssize_t wanted, const int* cells, const float* p, const unsigned char* names,
    const int* evidence, const int* source_kinds, const int* target_kinds,
    double* work, int* nearest, float* same, float* out,
) noexcept nogil:
    cdef Py_ssize_t i, j, k, c, di, dj, at
    cdef double* rows = work             # best and second best of each row
    cdef double* columns = rows + 2 * n
    cdef double* best_source = columns + 2 * m
    cdef double* best_target = best_source + n
    cdef double* goes_source = best_target + m
    cdef double* goes_target = goes_source + n
    cdef double* place = goes_target + m
    cdef double* row_sum = place + n + m
    cdef double* column_sum = row_sum + n
    cdef double* same_rows = column_sum + m
    cdef double* same_columns = same_rows + 2 * n
    cdef int* left = nearest             # nearest content words, source then target
    cdef int* right = left + n
    cdef int* other_left = right + n
    cdef int* other_right = other_left + m
    cdef double x, a, b, low, high, total = 0.0, adjacent, nulls
    for i in range(n):
        _two_best(p + i * m, m, 1, rows + 2 * i)
    for j in range(m):
        _two_best(p + j, n, m, columns + 2 * j)
    for i in range(n):
        for j in range(m):
            x = p[i * m + j]
            total += x
            row_sum[i] += x
            column_sum[j] += x
            if evidence[i * m + j] & (IDENTICAL | LEMMA):
                same[i * m + j] = p[i * m + j]
    for i in range(n):
        _two_best(same + i * m, m, 1, same_rows + 2 * i)
    for j in range(m):
        _two_best(same + j, n, m, same_columns + 2 * j)
    _expected(p, n, m, m, 1, best_source, place, goes_source)
    _expected(p, m, n, 1, m, best_target, place, goes_target)
    _nearest_content(source_kinds, n, left, right)
    _nearest_content(target_kinds, m, other_left, other_right)
    total /= n if n < m else m
    for c in range(wanted):
        k = cells[c]
        i = k // m
        j = k % m
        at = c * CONTEXT
        x = p[k]
        a = (rows[2 * i + 1] if x >= rows[2 * i] else rows[2 * i]) if m > 1 else 0.0
        b = (columns[2 * j + 1] if x >= columns[2 * j] else columns[2 * j]) if n > 1 else 0.0
        low = a if a < b else b
        high = b if a < b else a
        out[at] = _clip(log((x + 1e-4) / (1 - x + 1e-4)), -6.0, 6.0)
        out[at + 1] = x
        out[at + 2] = high
        out[at + 3] = low
        out[at + 4] = _clip(log((x + 1e-3) / (high + 1e-3)), -4.0, 4.0)
        out[at + 5] = _clip(log((x + 1e-3) / (low + 1e-3)), -4.0, 4.0)
        for di in range(1, 4):
            out[at + 4 + 2 * di] = _near(p, n, m, i + di, j + di)
            out[at + 5 + 2 * di] = _near(p, n, m, i - di, j - di)
        out[at + 12] = out[at + 6] * out[at + 7]
        a = _near(p, n, m, i + 1, j + 2)
        b = _near(p, n, m, i + 2, j + 1)
        out[at + 13] = a if a > b else b
        a = _near(p, n, m, i - 1, j - 2)
        b = _near(p, n, m, i - 2, j - 1)
        out[at + 14] = a if a > b else b
        out[at + 15] = _near(p, n, m, i + 1, j - 1) + _near(p, n, m, i - 1, j + 1)
        a = _near(p, n, m, i + 1, j)
        b = _near(p, n, m, i - 1, j)
        a = a if a > b else b
        b = _near(p, n, m, i, j + 1)
        x = _near(p, n, m, i, j - 1)
        b = b if b > x else x
        adjacent = a if a > b else b
        out[at + 16] = adjacent
        out[at + 33] = sqrt(a * b)
        a = 0.0
        for di in range(-3, 4):
            if di == 0 or not 0 <= i + di < n:
                continue
            for dj in range(-3, 4):
                if dj and dj != di and 0 <= j + dj < m:
                    a += p[(i + di) * m + j + dj]
        out[at + 17] = a if a < 3 else 3.0
        nulls = 0.0
        for di in range(-1, 2, 2):
            if 0 <= i + di < n:
                nulls += 1 - rows[2 * (i + di)]
            if 0 <= j + di < m:
                nulls += 1 - columns[2 * (j + di)]
        out[at + 18] = 0.5 * nulls
        a = fabs(goes_source[i] - j)
        b = fabs(goes_target[j] - i)
        out[at + 19] = log1p(a if a < b else b)
        out[at + 20] = log1p(b if a < b else a)
        out[at + 21] = total if total < 1.5 else 1.5
        out[at + 22] = adjacent if names[k] else 0.0
        a = _highest(p, n, m, i, j, 1)
        b = _highest(p, n, m, i, j, -1)
        out[at + 23] = a
        out[at + 24] = b
        out[at + 25] = a * b
        out[at + 26] = a if a > b else b
        a = _near(p, n, m, right[i], other_right[j])
        b = _near(p, n, m, left[i], other_left[j])
        out[at + 27] = a
        out[at + 28] = b
        out[at + 29] = a * b
        a = row_sum[i] - p[k]
        b = column_sum[j] - p[k]
        a = _clip(a, 0.0, 2.0)
        b = _clip(b, 0.0, 2.0)
        out[at + 30] = a if a < b else b
        out[at + 31] = b if a < b else a
        x = same[k]
        a = (same_rows[2 * i + 1] if x >= same_rows[2 * i] else same_rows[2 * i]) if m > 1 else 0.0
        b = (same_columns[2 * j + 1] if x >= same_columns[2 * j] else same_columns[2 * j]) if n > 1 else 0.0
        out[at + 32] = a if a > b else b
        a = _near(p, n, m, right[i], other_left[j])
        b = _near(p, n, m, left[i], other_right[j])
        out[at + 34] = a if a > b else b


cdef void _score(
    Py_ssize_t cells, const float* base, const int* classes, const float* weights, float* out
) noexcept nogil:
    cdef Py_ssize_t k
    cdef const float* w
    for k in range(cells):
        w = weights + classes[k] * (BASE + 1)
        out[k] = 1.0 / (1.0 + exp(-(w[BASE] + _dot(w, base + k * BASE, BASE))))


cdef inline double _dot(const float* one, const float* two, Py_ssize_t size) noexcept nogil:
    """Scalar product in four running sums, which the processor can add side by side."""
    cdef double a = 0.0, b = 0.0, c = 0.0, d = 0.0
    cdef Py_ssize_t f, whole = size & ~3
    for f in range(0, whole, 4):
        a += one[f] * two[f]
        b += one[f + 1] * two[f + 1]
        c += one[f + 2] * two[f + 2]
        d += one[f + 3] * two[f + 3]
    for f in range(whole, size):
        a += one[f] * two[f]
    return (a + b) + (c + d)
