# What all parts of the contextual kernel use: small sums and comparisons, and how the words of a sentence are related.

cdef enum:
    BORDER = 3           # zeros around a table, so that neighbours up to three words away exist for every cell


cdef inline Py_ssize_t size_with_border(Py_ssize_t n, Py_ssize_t m) noexcept nogil:
    return (n + 2 * BORDER) * (m + 2 * BORDER)


cdef inline double clip(double x, double low, double high) noexcept nogil:
    x = x if x > low else low
    return x if x < high else high


cdef inline double over(double x, double threshold) noexcept nogil:
    x = x - threshold
    return x if x > 0.0 else 0.0


cdef inline double smaller(double one, double two) noexcept nogil:
    return one if one < two else two


cdef inline double larger(double one, double two) noexcept nogil:
    return one if one > two else two


cdef void two_best(const float* values, Py_ssize_t count, Py_ssize_t stride, double* best) noexcept nogil:
    """The best and the second-best value of a row or column; equal if the best one occurs twice."""
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


cdef inline double best_other(const double* best, double x, Py_ssize_t count) noexcept nogil:
    """The best value of a row or column of ``count`` cells without a cell of value ``x``; 0 if it is the only cell."""
    if count == 1:
        return 0.0
    return best[1] if x >= best[0] else best[0]


cdef inline double dot(const float* one, const float* two, Py_ssize_t size) noexcept nogil:
    """Scalar product in four running sums, which the processor can add in parallel."""
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


cdef enum:
    RELATIONS_OF_WORDS = 10   # forest_align.aligners.contextual.relations, in this order
    PAIRED = 9                # of these, the ones whose partners on both sides are compared
    WIDTH = 3                 # words that a word is related to in one way; -1 for none
    AGENT = 2
    PATIENT = 3
    OTHER = 4
    PATIENT_OF = 6
    OTHER_OF = 7
    PARTICLE = 9

RELATED = (RELATIONS_OF_WORDS, WIDTH)

# The related words of both sentences: those of word i for relation r begin at (i * RELATIONS_OF_WORDS + r) * WIDTH.
cdef struct Related:
    const int* source
    const int* target


cdef inline const int* words_related(const int* related, Py_ssize_t word, int relation) noexcept nogil:
    return related + (word * RELATIONS_OF_WORDS + relation) * WIDTH


cdef int check_related(str name, const int[:, :, ::1] related, Py_ssize_t words) except -1:
    cdef Py_ssize_t i, r, k
    if related.shape[0] != words or related.shape[1] != RELATIONS_OF_WORDS or related.shape[2] != WIDTH:
        raise ValueError(f"expected {name} of shape ({words}, {RELATIONS_OF_WORDS}, {WIDTH})")
    for i in range(words):
        for r in range(RELATIONS_OF_WORDS):
            for k in range(WIDTH):
                if not -1 <= related[i, r, k] < words:
                    raise ValueError(f"expected {name} from -1 to {words - 1}, found {related[i, r, k]}")
    return 0
