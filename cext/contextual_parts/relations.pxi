# How the words of a sentence are related, for the contextual kernel: cells whose words are related to those of a cell.

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
