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
    SYNONYM = 32
    PPDB = 4096          # a paraphrase table that the user brings counts as more synonyms
    BASE = 68
    CONTEXT = 35
    CLASSES = 9
    CONTENT = 0
    FUNCTION = 1
    PUNCTUATION = 2
    BORDER = 3           # zeros around a table, so that neighbours up to three words away can be read anywhere
    LETTERS = 24         # letters of a word that count
    MARKS = 4            # words of 64 bits that say which bigrams a word has

BASE_FEATURES = BASE
CONTEXT_FEATURES = CONTEXT
LINK_CLASSES = CLASSES

cdef double SCALE = 12.5   # of similarities in the soft-max

cdef struct Similarity:
    const float* values
    double[5] knots
    double* rows             # best, second best, and logarithm of the sum of exponentials of each row
    double* columns


# What the features of a cell are made of. Tables with a border have cell (i, j) at i * wide + j.
cdef struct Pair:
    Py_ssize_t n, m, wide
    const int* evidence
    const int* source_kinds
    const int* target_kinds
    const unsigned char* source_capital
    const unsigned char* target_capital
    const int* source_letters
    const int* source_ends
    const int* target_letters
    const int* target_ends
    unsigned long long* source_marks
    unsigned long long* target_marks
    Similarity cosine
    Similarity projected
    double* run              # with border: length of the identical sequence through the cell
    double* weight           # with border: similarity as evidence for a neighbour
    double* strong           # with border: the same of the projections
    double* around           # with border: same content words in the window
    double* row_count        # same words in the row
    double* column_count
    double* source_place     # from 0 to 1
    double* target_place
    double ratio
    double shorter


def base_features(
    cosine,
    projected,
    evidence,
    source_kinds,
    target_kinds,
    source_capital,
    target_capital,
    source_letters,
    source_ends,
    target_letters,
    target_ends,
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
    unweighted = np.zeros((CLASSES, BASE + 1), dtype=np.float32)
    _, _, features, classes = first_pass(
        cosine, projected, evidence, source_kinds, target_kinds, source_capital, target_capital,
        source_letters, source_ends, target_letters, target_ends, unweighted, 0.0,
    )
    return features, classes


def first_pass(
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
    const float[:, ::1] first not None,
    float hopeless,
):
    """Link probability of every cell by itself, and the features of those cells that are not hopeless.

    The same as :func:`base_features` and :func:`first_probabilities`, without keeping what nobody asks for.

    Parameters
    ----------
    cosine, projected, evidence, source_kinds, …, target_ends
        As for :func:`base_features`.
    first : float32, shape (9, 69)
        Weights, one row a class, the bias last.
    hopeless : float
        Cells of a lower probability are left out.

    Returns
    -------
    probability : numpy.ndarray
        float32, shape (n, m): of all cells.
    cells : numpy.ndarray
        int32, shape (k,): the cells that are not hopeless, ascending, as i * m + j.
    features : numpy.ndarray
        float32, shape (k, 68).
    classes : numpy.ndarray
        int32, shape (k,): which weights apply.
    """
    cdef Py_ssize_t n = cosine.shape[0], m = cosine.shape[1], kept
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
    _check_weights(first.shape[0], first.shape[1])
    probability = np.empty((n, m), dtype=np.float32)
    cells = np.empty(n * m, dtype=np.int32)
    features = np.empty((n * m, BASE), dtype=np.float32)
    classes = np.empty(n * m, dtype=np.int32)
    scratch = np.zeros(4 * (n + 2 * BORDER) * (m + 2 * BORDER) + 8 * (n + m), dtype=np.float64)
    marks = np.zeros(MARKS * (n + m), dtype=np.uint64)
    cdef float[:, ::1] out = features, table = probability
    cdef int[::1] cls = classes, which = cells
    cdef double[::1] work = scratch
    cdef unsigned long long[::1] bigrams = marks
    cdef Pair pair
    pair.n, pair.m, pair.wide = n, m, m + 2 * BORDER
    pair.evidence = &evidence[0, 0]
    pair.source_kinds, pair.target_kinds = &source_kinds[0], &target_kinds[0]
    pair.source_capital, pair.target_capital = &source_capital[0], &target_capital[0]
    pair.source_letters = &source_letters[0] if source_letters.shape[0] else NULL
    pair.target_letters = &target_letters[0] if target_letters.shape[0] else NULL
    pair.source_ends, pair.target_ends = &source_ends[0], &target_ends[0]
    pair.source_marks, pair.target_marks = &bigrams[0], &bigrams[MARKS * n]
    pair.cosine.values, pair.projected.values = &cosine[0, 0], &projected[0, 0]
    with nogil:
        _survey(&pair, &work[0])
        kept = _first(&pair, &first[0, 0], hopeless, &table[0, 0], &which[0], &out[0, 0], &cls[0])
    return probability, cells[:kept], features[:kept], classes[:kept]


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
    cdef Py_ssize_t n = probability.shape[0], m = probability.shape[1], wanted = cells.shape[0]
    if n == 0 or m == 0:
        raise ValueError("expected two sentences with at least one word each")
    if names.shape[0] != n or names.shape[1] != m or evidence.shape[0] != n or evidence.shape[1] != m:
        raise ValueError(f"expected names and evidence of shape ({n}, {m})")
    if source_kinds.shape[0] != n or target_kinds.shape[0] != m:
        raise ValueError(f"expected kinds of {n} and {m} words")
    _check_cells(cells, n * m)
    features = np.empty((wanted, CONTEXT), dtype=np.float32)
    if not wanted:
        return features
    scratch = np.zeros(13 * (n + m), dtype=np.float64)
    places = np.zeros(2 * (n + m), dtype=np.int32)
    tables = np.zeros((n + 2 * BORDER) * (m + 2 * BORDER) + n * m, dtype=np.float32)
    cdef float[:, ::1] out = features
    cdef double[::1] work = scratch
    cdef int[::1] nearest = places
    cdef float[::1] copies = tables
    with nogil:
        _context(
            n, m, wanted, &cells[0], &probability[0, 0], &names[0, 0], &evidence[0, 0], &source_kinds[0],
            &target_kinds[0], &work[0], &nearest[0], &copies[0], &out[0, 0],
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
    _check_weights(first.shape[0], first.shape[1])
    probability = np.empty(cells, dtype=np.float32)
    cdef float[::1] out = probability
    cdef Py_ssize_t k
    with nogil:
        for k in range(cells):
            out[k] = _probability(&base[k, 0], &first[classes[k], 0])
    return probability


def later_probabilities(
    const float[:, ::1] probability not None,
    const int[::1] cells not None,
    const int[::1] classes not None,
    const float[:, ::1] units not None,
    const float[:, ::1] bias not None,
    const float[::1] output not None,
):
    """Link probabilities after one more pass, from what arrives at its hidden units.

    Parameters
    ----------
    probability : float32, shape (n, m)
        Of the pass before; what is in no cell of the pass stays.
    cells, classes : int32, shape (k,)
        Which cells are scored, as i * m + j, and the class of each.
    units : float32, shape (k, h + 1)
        Weighted sums of the features; the last unit is linear and belongs to the score itself.
    bias : float32, shape (9, h + 1)
        What each class adds to the units.
    output : float32, shape (h,)
        Weights of the hidden units, rectified, in the score.

    Returns
    -------
    numpy.ndarray
        float32, shape (n, m).
    """
    cdef Py_ssize_t wanted = cells.shape[0], hidden = output.shape[0], size, k
    if classes.shape[0] != wanted or units.shape[0] != wanted or units.shape[1] != hidden + 1:
        raise ValueError(f"expected {wanted} classes and rows of {hidden + 1} units")
    if bias.shape[0] != CLASSES or bias.shape[1] != hidden + 1:
        raise ValueError(f"expected biases of shape ({CLASSES}, {hidden + 1})")
    size = probability.shape[0] * probability.shape[1]
    _check_cells(cells, size)
    result = np.array(probability)
    cdef float[:, ::1] table = result
    cdef float* out
    if wanted:
        out = &table[0, 0]
        with nogil:
            for k in range(wanted):
                out[cells[k]] = _network(&units[k, 0], &bias[classes[k], 0], &output[0], hidden)
    return result


def _check_weights(Py_ssize_t rows, Py_ssize_t columns):
    if rows != CLASSES or columns != BASE + 1:
        raise ValueError(f"expected weights of shape ({CLASSES}, {BASE + 1})")


cdef int _check_cells(const int[::1] cells, Py_ssize_t size) except -1:
    cdef Py_ssize_t k
    for k in range(cells.shape[0]):
        if not 0 <= cells[k] < size:
            raise ValueError(f"expected cells from 0 to {size - 1}, found {cells[k]}")
    return 0


cdef inline double _clip(double x, double low, double high) noexcept nogil:
    x = x if x > low else low
    return x if x < high else high


cdef inline double _over(double x, double threshold) noexcept nogil:
    x = x - threshold
    return x if x > 0.0 else 0.0


cdef inline double _smaller(double one, double two) noexcept nogil:
    return one if one < two else two


cdef inline double _larger(double one, double two) noexcept nogil:
    return one if one > two else two


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
    size = LETTERS if size > LETTERS else size
    length = LETTERS if length > LETTERS else length
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
    """One of 256 bits for every letter bigram of each word: words without a common bit have none in common."""
    cdef Py_ssize_t k, a, end, start = 0
    cdef unsigned int left, right, bit
    for k in range(words):
        left = 0
        end = ends[k] if ends[k] < start + LETTERS else start + LETTERS
        for a in range(start, end + 1):
            right = <unsigned int>letters[a] if a < end else 0
            bit = left * 31 + right
            marks[MARKS * k + (bit >> 6 & 3)] |= <unsigned long long>1 << (bit & 63)
            left = right
        start = ends[k]


cdef inline bint _meet(const unsigned long long* one, const unsigned long long* two) noexcept nogil:
    return (one[0] & two[0] | one[1] & two[1] | one[2] & two[2] | one[3] & two[3]) != 0


cdef void _summarize(Similarity* similarity, Py_ssize_t n, Py_ssize_t m, double null) noexcept nogil:
    """Best values and soft-max denominators of rows and columns; ``null`` is what no link weighs."""
    cdef Py_ssize_t i, j
    cdef double x
    cdef double* rows = similarity.rows
    cdef double* columns = similarity.columns
    for i in range(n):
        _two_best(similarity.values + i * m, m, 1, rows + 3 * i)
        rows[3 * i + 2] = null
    for j in range(m):
        _two_best(similarity.values + j, n, m, columns + 3 * j)
        columns[3 * j + 2] = null
    for i in range(n):
        for j in range(m):
            x = exp(similarity.values[i * m + j] * SCALE)
            rows[3 * i + 2] += x
            columns[3 * j + 2] += x
    for i in range(n):
        rows[3 * i + 2] = log(rows[3 * i + 2])
    for j in range(m):
        columns[3 * j + 2] = log(columns[3 * j + 2])


cdef inline void _similarity(
    const Similarity* similarity, Py_ssize_t n, Py_ssize_t m, Py_ssize_t i, Py_ssize_t j, float* row
) noexcept nogil:
    """Sixteen features of a similarity: hinges, margins over the alternatives, soft-max log-probabilities."""
    cdef const double* here = similarity.rows + 3 * i
    cdef const double* there = similarity.columns + 3 * j
    cdef double x = similarity.values[i * m + j], a = x, b = x, p, q, margin
    cdef double[2] margins
    cdef int k
    row[0] = x
    for k in range(5):
        row[1 + k] = _over(x, similarity.knots[k])
    if m > 1:
        a -= here[1] if x >= here[0] else here[0]
    if n > 1:
        b -= there[1] if x >= there[0] else there[0]
    margins[0] = _smaller(a, b)
    margins[1] = _larger(a, b)
    for k in range(2):
        margin = margins[k]
        row[6 + 4 * k] = _clip(margin, 0.0, 0.5)
        row[7 + 4 * k] = _clip(margin, -0.5, 0.0)
        row[8 + 4 * k] = _clip(margin, -0.1, 0.1)
        row[9 + 4 * k] = margin >= 0
    p = x * SCALE - here[2]
    q = x * SCALE - there[2]
    row[14] = _clip(p + q, -12.0, 0.0)
    row[15] = _clip(_smaller(p, q), -8.0, 0.0)


cdef void _survey(Pair* pair, double* work) noexcept nogil:
    """Fill in what cells learn from the rest of the pair; ``work`` holds zeros."""
    cdef Py_ssize_t n = pair.n, m = pair.m, wide = pair.wide, size = (n + 2 * BORDER) * wide, diagonal = wide + 1
    cdef Py_ssize_t i, j, k, c, di, dj
    cdef double* run = work + BORDER * diagonal
    pair.run, pair.weight, pair.strong, pair.around = run, run + size, run + 2 * size, run + 3 * size
    pair.row_count = work + 4 * size
    pair.column_count = pair.row_count + n
    pair.source_place = pair.column_count + m
    pair.target_place = pair.source_place + n
    pair.cosine.rows = pair.target_place + m
    pair.cosine.columns = pair.cosine.rows + 3 * n
    pair.projected.rows = pair.cosine.columns + 3 * m
    pair.projected.columns = pair.projected.rows + 3 * n
    pair.cosine.knots[:] = [0.3, 0.45, 0.6, 0.75, 0.9]
    pair.projected.knots[:] = [0.2, 0.35, 0.5, 0.65, 0.8]
    pair.ratio = fabs(log(<double>n / m))
    pair.shorter = log(<double>(n if n < m else m)) / 3.0
    for i in range(n):
        pair.source_place[i] = (i + 0.5) / n
    for j in range(m):
        pair.target_place[j] = (j + 0.5) / m
    _summarize(&pair.cosine, n, m, 0.0)
    _summarize(&pair.projected, n, m, exp(0.5 * SCALE))
    _mark_bigrams(pair.source_letters, pair.source_ends, n, pair.source_marks)
    _mark_bigrams(pair.target_letters, pair.target_ends, m, pair.target_marks)
    for i in range(n):
        for j in range(m):
            k = i * m + j
            c = i * wide + j
            pair.strong[c] = _over(pair.projected.values[k], 0.3)
            if not pair.evidence[k] & (IDENTICAL | LEMMA):
                pair.weight[c] = _over(pair.cosine.values[k], 0.3) / 0.7
                continue
            pair.weight[c] = 1.0
            pair.row_count[i] += 1
            pair.column_count[j] += 1
            run[c] = 1 + run[c - diagonal]
            if pair.source_kinds[i] == CONTENT and pair.target_kinds[j] == CONTENT:
                for di in range(-3, 4):
                    for dj in range(-3, 4):
                        if di and dj:
                            pair.around[c + di * wide + dj] += 1
    # What has been counted up to each word of a sequence becomes the length of the whole.
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            c = i * wide + j
            if run[c] and run[c + diagonal]:
                run[c] = run[c + diagonal]


cdef Py_ssize_t _first(
    const Pair* pair, const float* weights, float hopeless, float* probability, int* cells, float* features,
    int* classes,
) noexcept nogil:
    """Score all cells and keep those that are not hopeless, one after another; how many they are."""
    cdef Py_ssize_t i, j, k, kept = 0
    cdef float* row
    for i in range(pair.n):
        for j in range(pair.m):
            k = i * pair.m + j
            row = features + kept * BASE
            classes[kept] = _class(pair, i, j)
            _base(pair, i, j, row)
            probability[k] = _probability(row, weights + classes[kept] * (BASE + 1))
            if probability[k] >= hopeless:
                cells[kept] = <int>k
                kept += 1
    return kept


cdef inline int _class(const Pair* pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Which weights apply to a cell."""
    cdef int evidence = pair.evidence[i * pair.m + j], own = pair.source_kinds[i], other = pair.target_kinds[j]
    cdef int kind = own if own > other else other
    if evidence & IDENTICAL:
        return kind
    if evidence & LEMMA:
        return 3
    if own == other:
        return 4 + kind
    return 7 if kind == PUNCTUATION else 8


cdef void _base(const Pair* pair, Py_ssize_t i, Py_ssize_t j, float* row) noexcept nogil:
    """All features of a cell."""
    cdef Py_ssize_t k = i * pair.m + j, wide = pair.wide, c = i * wide + j, diagonal = wide + 1, step
    cdef int evidence = pair.evidence[k], same = evidence & (IDENTICAL | LEMMA)
    cdef double rows = pair.row_count[i], columns = pair.column_count[j], around = pair.around[c]
    cdef double length = pair.run[c], letters = _letters_in_common(pair, i, j)
    _similarity(&pair.cosine, pair.n, pair.m, i, j, row)
    _similarity(&pair.projected, pair.n, pair.m, i, j, row + 16)
    row += 32
    row[0] = letters
    row[1] = _over(letters, 0.5)
    row[2] = log(rows) + log(columns) if same else 0.0
    row[3] = 0.0 if same else (rows > 0) + (columns > 0)
    row[4] = 0.0 if same else rows > 0 and columns > 0
    row[5] = fabs(pair.source_place[i] - pair.target_place[j])
    row[6] = pair.ratio
    row[7] = pair.shorter
    row[8] = length > 1
    row[9] = length > 2
    row[10] = log(length) if length > 1 else 0.0
    for step in range(1, 4):
        row[9 + 2 * step] = pair.weight[c + step * diagonal]
        row[10 + 2 * step] = pair.weight[c - step * diagonal]
    row[17] = pair.weight[c + wide - 1] + pair.weight[c - wide + 1]
    row[18] = _smaller(around, 4.0)
    row[19] = around > 0
    for step in range(1, 3):
        row[18 + 2 * step] = pair.strong[c + step * diagonal]
        row[19 + 2 * step] = pair.strong[c - step * diagonal]
    row[24] = (i == 0 and j == 0) or (i == pair.n - 1 and j == pair.m - 1)
    for step in range(RELATIONS):
        row[25 + step] = evidence >> (FIRST_RELATION + step) & 1
    row[28] = (evidence & (SYNONYM | PPDB)) != 0
    row[35] = pair.source_capital[i] and pair.target_capital[j]


cdef inline double _letters_in_common(const Pair* pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Dice coefficient of two words, without looking closely where it is 0 or 1."""
    cdef Py_ssize_t start = pair.source_ends[i - 1] if i else 0, other_start = pair.target_ends[j - 1] if j else 0
    if pair.evidence[i * pair.m + j] & IDENTICAL:
        return 1.0
    if not _meet(pair.source_marks + MARKS * i, pair.target_marks + MARKS * j):
        return 0.0
    return _dice(
        pair.source_letters + start, pair.source_ends[i] - start,
        pair.target_letters + other_start, pair.target_ends[j] - other_start,
    )


cdef void _expected(
    const float* p, Py_ssize_t count, Py_ssize_t other, Py_ssize_t stride, Py_ssize_t step, double* best,
    double* where, double* out,
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
                where[i] = j
    for i in range(count):
        total = 0.0
        total_weight = 1e-9
        for k in range(i - 16 if i > 16 else 0, i + 17 if i + 17 < count else count):
            if k == i:
                continue
            weight = decay[i - k if i > k else k - i] * (best[k] + 1e-3)
            total += weight * (where[k] - k)
            total_weight += weight
        out[i] = total / total_weight + i


cdef inline double _highest(const float* at, Py_ssize_t wide, int side) noexcept nogil:
    """The most probable of the nine cells up to three words on, on one side (1 after, -1 before)."""
    cdef Py_ssize_t di, dj
    cdef double best = 0.0
    for di in range(1, 4):
        for dj in range(1, 4):
            best = _larger(best, at[side * (di * wide + dj)])
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
    double* work, int* nearest, float* tables, float* out,
) noexcept nogil:
    cdef Py_ssize_t i, j, k, c, di, dj
    cdef Py_ssize_t wide = m + 2 * BORDER, diagonal = wide + 1
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
    cdef float* table = tables + BORDER * diagonal      # the probabilities with a border
    cdef float* same = tables + (n + 2 * BORDER) * wide # those of equal words
    cdef const float* here
    cdef float* row
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
            table[i * wide + j] = p[i * m + j]
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
        here = table + i * wide + j
        row = out + c * CONTEXT
        x = p[k]
        a = (rows[2 * i + 1] if x >= rows[2 * i] else rows[2 * i]) if m > 1 else 0.0
        b = (columns[2 * j + 1] if x >= columns[2 * j] else columns[2 * j]) if n > 1 else 0.0
        low = a if a < b else b
        high = b if a < b else a
        row[0] = _clip(log((x + 1e-4) / (1 - x + 1e-4)), -6.0, 6.0)
        row[1] = x
        row[2] = high
        row[3] = low
        row[4] = _clip(log((x + 1e-3) / (high + 1e-3)), -4.0, 4.0)
        row[5] = _clip(log((x + 1e-3) / (low + 1e-3)), -4.0, 4.0)
        for di in range(1, 4):
            row[4 + 2 * di] = here[di * diagonal]
            row[5 + 2 * di] = here[-di * diagonal]
        row[12] = row[6] * row[7]
        row[13] = _larger(here[wide + 2], here[2 * wide + 1])
        row[14] = _larger(here[-wide - 2], here[-2 * wide - 1])
        row[15] = <double>here[wide - 1] + here[1 - wide]
        a = _larger(here[wide], here[-wide])
        b = _larger(here[1], (here - 1)[0])
        adjacent = _larger(a, b)
        row[16] = adjacent
        row[33] = sqrt(a * b)
        a = 0.0
        for di in range(-3, 4):
            for dj in range(-3, 4):
                if di and dj and di != dj:
                    a += here[di * wide + dj]
        row[17] = a if a < 3 else 3.0
        nulls = 0.0
        for di in range(-1, 2, 2):
            if 0 <= i + di < n:
                nulls += 1 - rows[2 * (i + di)]
            if 0 <= j + di < m:
                nulls += 1 - columns[2 * (j + di)]
        row[18] = 0.5 * nulls
        a = fabs(goes_source[i] - j)
        b = fabs(goes_target[j] - i)
        row[19] = log1p(a if a < b else b)
        row[20] = log1p(b if a < b else a)
        row[21] = total if total < 1.5 else 1.5
        row[22] = adjacent if names[k] else 0.0
        a = _highest(here, wide, 1)
        b = _highest(here, wide, -1)
        row[23] = a
        row[24] = b
        row[25] = a * b
        row[26] = _larger(a, b)
        a = table[right[i] * wide + other_right[j]]     # -1, for none, stands in the border
        b = table[left[i] * wide + other_left[j]]
        row[27] = a
        row[28] = b
        row[29] = a * b
        a = row_sum[i] - p[k]
        b = column_sum[j] - p[k]
        a = _clip(a, 0.0, 2.0)
        b = _clip(b, 0.0, 2.0)
        row[30] = a if a < b else b
        row[31] = b if a < b else a
        x = same[k]
        a = (same_rows[2 * i + 1] if x >= same_rows[2 * i] else same_rows[2 * i]) if m > 1 else 0.0
        b = (same_columns[2 * j + 1] if x >= same_columns[2 * j] else same_columns[2 * j]) if n > 1 else 0.0
        row[32] = _larger(a, b)
        row[34] = _larger(table[right[i] * wide + other_left[j]], table[left[i] * wide + other_right[j]])


cdef inline double _probability(const float* features, const float* weights) noexcept nogil:
    """Of the first pass; the bias is the last weight."""
    return 1.0 / (1.0 + exp(-(weights[BASE] + _dot(weights, features, BASE))))


cdef double _network(const float* units, const float* bias, const float* output, Py_ssize_t hidden) noexcept nogil:
    """Probability of a later pass."""
    cdef double score = units[hidden] + bias[hidden], unit
    cdef Py_ssize_t h
    for h in range(hidden):
        unit = units[h] + bias[h]
        # max(unit, 0), without a branch that the processor would guess wrongly half of the time.
        score += 0.5 * (unit + fabs(unit)) * output[h]
    return 1.0 / (1.0 + exp(-score))


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
