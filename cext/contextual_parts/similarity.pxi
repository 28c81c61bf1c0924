# Features of the contextual kernel from a table of similarities of word vectors.

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
