# The features of a cell of the contextual kernel that do not depend on other links (among them those of vectors and
# of spelling), the class of its weights, and its probability in the log-linear first pass.

cdef enum:
    SIMILARITY = 16      # features of a table

cdef double SCALE = 12.5   # of similarities in the soft-max

cdef struct Similarity:
    const float* values
    double[5] knots
    double* rows             # best, second best, and logarithm of the sum of exponentials of each row
    double* columns


cdef void summarize(Similarity* similarity, Py_ssize_t n, Py_ssize_t m, double null) noexcept nogil:
    """Best values and soft-max denominators of rows and columns; ``null`` is the weight of no link."""
    cdef Py_ssize_t i, j
    cdef double x
    cdef double* rows = similarity.rows
    cdef double* columns = similarity.columns
    for i in range(n):
        two_best(similarity.values + i * m, m, 1, rows + 3 * i)
        rows[3 * i + 2] = null
    for j in range(m):
        two_best(similarity.values + j, n, m, columns + 3 * j)
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


cdef inline void similarity_features(
    const Similarity* similarity, Py_ssize_t n, Py_ssize_t m, Py_ssize_t i, Py_ssize_t j, float* row
) noexcept nogil:
    """Sixteen features of a similarity: hinges, margins over the alternatives, soft-max log-probabilities."""
    cdef const double* here = similarity.rows + 3 * i
    cdef const double* there = similarity.columns + 3 * j
    cdef double x = similarity.values[i * m + j], a, b, p, q, margin
    cdef double[2] margins
    cdef int k
    row[0] = x
    for k in range(5):
        row[1 + k] = over(x, similarity.knots[k])
    a = x - best_other(here, x, m)
    b = x - best_other(there, x, n)
    margins[0] = smaller(a, b)
    margins[1] = larger(a, b)
    for k in range(2):
        margin = margins[k]
        row[6 + 4 * k] = clip(margin, 0.0, 0.5)
        row[7 + 4 * k] = clip(margin, -0.5, 0.0)
        row[8 + 4 * k] = clip(margin, -0.1, 0.1)
        row[9 + 4 * k] = margin >= 0
    p = x * SCALE - here[2]
    q = x * SCALE - there[2]
    row[14] = clip(p + q, -12.0, 0.0)
    row[15] = clip(smaller(p, q), -8.0, 0.0)


cdef enum:
    LETTERS = 24         # letters of a word that count
    MARKS = 4            # 64-bit words of the bit set of a word's bigrams


cdef double bigram_dice(const int* one, Py_ssize_t size, const int* two, Py_ssize_t length) noexcept nogil:
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


cdef void mark_bigrams(
    const int* letters, const int* ends, Py_ssize_t words, unsigned long long* marks
) noexcept nogil:
    """A set of 256 bits for the letter bigrams of each word: words without a common bit share no bigram."""
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


cdef inline bint have_common_mark(const unsigned long long* one, const unsigned long long* two) noexcept nogil:
    return (one[0] & two[0] | one[1] & two[1] | one[2] & two[2] | one[3] & two[3]) != 0


# The input of the features of a cell. Tables with a border have cell (i, j) at i * wide + j.
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


cdef void lay_out_pair(Pair* pair, double* work) noexcept nogil:
    """Divide ``work`` among the tables. It has zeros for four tables with a border, and 8 (n + m) more."""
    cdef Py_ssize_t n = pair.n, m = pair.m, size = size_with_border(n, m)
    cdef double* run = work + BORDER * (pair.wide + 1)
    pair.run, pair.weight, pair.strong, pair.around = run, run + size, run + 2 * size, run + 3 * size
    pair.row_count = work + 4 * size
    pair.column_count = pair.row_count + n
    pair.source_place = pair.column_count + m
    pair.target_place = pair.source_place + n
    pair.cosine.rows = pair.target_place + m
    pair.cosine.columns = pair.cosine.rows + 3 * n
    pair.projected.rows = pair.cosine.columns + 3 * m
    pair.projected.columns = pair.projected.rows + 3 * n


cdef void survey_pair(Pair* pair) noexcept nogil:
    """Compute the values of cells that depend on the rest of the pair."""
    cdef Py_ssize_t n = pair.n, m = pair.m, i, j
    pair.cosine.knots[:] = [0.3, 0.45, 0.6, 0.75, 0.9]
    pair.projected.knots[:] = [0.2, 0.35, 0.5, 0.65, 0.8]
    pair.ratio = fabs(log(<double>n / m))
    pair.shorter = log(<double>(n if n < m else m)) / 3.0
    for i in range(n):
        pair.source_place[i] = (i + 0.5) / n
    for j in range(m):
        pair.target_place[j] = (j + 0.5) / m
    summarize(&pair.cosine, n, m, 0.0)
    summarize(&pair.projected, n, m, exp(0.5 * SCALE))
    mark_bigrams(pair.source_letters, pair.source_ends, n, pair.source_marks)
    mark_bigrams(pair.target_letters, pair.target_ends, m, pair.target_marks)
    fill_tables(pair)
    complete_runs(pair)


cdef void fill_tables(Pair* pair) noexcept nogil:
    """Compute each cell's evidence for its neighbours, recurrences of each word, and sequences up to each cell."""
    cdef Py_ssize_t wide = pair.wide, i, j, k, c, di, dj
    for i in range(pair.n):
        for j in range(pair.m):
            k = i * pair.m + j
            c = i * wide + j
            pair.strong[c] = over(pair.projected.values[k], 0.3)
            if not pair.evidence[k] & (IDENTICAL | LEMMA):
                pair.weight[c] = over(pair.cosine.values[k], 0.3) / 0.7
                continue
            pair.weight[c] = 1.0
            pair.row_count[i] += 1
            pair.column_count[j] += 1
            pair.run[c] = 1 + pair.run[c - wide - 1]
            if pair.source_kinds[i] == CONTENT and pair.target_kinds[j] == CONTENT:
                for di in range(-3, 4):
                    for dj in range(-3, 4):
                        if di and dj:
                            pair.around[c + di * wide + dj] += 1


cdef void complete_runs(Pair* pair) noexcept nogil:
    """Replace the count up to each word of a sequence by the length of the whole sequence."""
    cdef Py_ssize_t diagonal = pair.wide + 1, i, j, c
    cdef double* run = pair.run
    for i in range(pair.n - 1, -1, -1):
        for j in range(pair.m - 1, -1, -1):
            c = i * pair.wide + j
            if run[c] and run[c + diagonal]:
                run[c] = run[c + diagonal]


cdef inline int class_of(const Pair* pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """The class of a cell, which determines its weights."""
    cdef int evidence = pair.evidence[i * pair.m + j], own = pair.source_kinds[i], other = pair.target_kinds[j]
    cdef int kind = own if own > other else other
    if evidence & IDENTICAL:
        return kind
    if evidence & LEMMA:
        return 3
    if own == other:
        return 4 + kind
    return 7 if kind == PUNCTUATION else 8


cdef inline double letters_in_common(const Pair* pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Dice coefficient of two words; the cases 0 and 1 are decided without counting."""
    cdef Py_ssize_t start = pair.source_ends[i - 1] if i else 0, other_start = pair.target_ends[j - 1] if j else 0
    if pair.evidence[i * pair.m + j] & IDENTICAL:
        return 1.0
    if not have_common_mark(pair.source_marks + MARKS * i, pair.target_marks + MARKS * j):
        return 0.0
    return bigram_dice(
        pair.source_letters + start, pair.source_ends[i] - start,
        pair.target_letters + other_start, pair.target_ends[j] - other_start,
    )


cdef void fill_base(const Pair* pair, Py_ssize_t i, Py_ssize_t j, float* row) noexcept nogil:
    """All features of a cell."""
    similarity_features(&pair.cosine, pair.n, pair.m, i, j, row)
    similarity_features(&pair.projected, pair.n, pair.m, i, j, row + SIMILARITY)
    row += 2 * SIMILARITY
    word_features(pair, i, j, row)
    sequence_features(pair, i, j, row)
    evidence_features(pair, i, j, row)


cdef inline void word_features(const Pair* pair, Py_ssize_t i, Py_ssize_t j, float* row) noexcept nogil:
    """Letters, whether the words recur in the sentences, and their positions."""
    cdef int same = pair.evidence[i * pair.m + j] & (IDENTICAL | LEMMA)
    cdef double rows = pair.row_count[i], columns = pair.column_count[j], letters = letters_in_common(pair, i, j)
    row[0] = letters
    row[1] = over(letters, 0.5)
    row[2] = log(rows) + log(columns) if same else 0.0
    row[3] = 0.0 if same else (rows > 0) + (columns > 0)
    row[4] = 0.0 if same else rows > 0 and columns > 0
    row[5] = fabs(pair.source_place[i] - pair.target_place[j])
    row[6] = pair.ratio
    row[7] = pair.shorter


cdef inline void sequence_features(const Pair* pair, Py_ssize_t i, Py_ssize_t j, float* row) noexcept nogil:
    """The sequence of equal words that contains the cell, and the cells around it."""
    cdef Py_ssize_t wide = pair.wide, diagonal = wide + 1, c = i * wide + j, step
    cdef double length = pair.run[c], around = pair.around[c]
    row[8] = length > 1
    row[9] = length > 2
    row[10] = log(length) if length > 1 else 0.0
    for step in range(1, 4):
        row[9 + 2 * step] = pair.weight[c + step * diagonal]
        row[10 + 2 * step] = pair.weight[c - step * diagonal]
    row[17] = pair.weight[c + wide - 1] + pair.weight[c - wide + 1]
    row[18] = smaller(around, 4.0)
    row[19] = around > 0
    for step in range(1, 3):
        row[18 + 2 * step] = pair.strong[c + step * diagonal]
        row[19 + 2 * step] = pair.strong[c - step * diagonal]
    row[24] = (i == 0 and j == 0) or (i == pair.n - 1 and j == pair.m - 1)


cdef inline void evidence_features(const Pair* pair, Py_ssize_t i, Py_ssize_t j, float* row) noexcept nogil:
    """Lexical relations and capitals."""
    cdef int evidence = pair.evidence[i * pair.m + j], step
    for step in range(RELATIONS):
        row[25 + step] = evidence >> (FIRST_RELATION + step) & 1
    row[28] = (evidence & (SYNONYM | PPDB)) != 0
    row[35] = pair.source_capital[i] and pair.target_capital[j]
    for step in range(KNOWN):
        row[36 + step] = evidence >> (FIRST_KNOWN + step) & 1


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
