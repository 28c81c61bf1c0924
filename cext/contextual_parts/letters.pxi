# Similarity of spelling for the contextual kernel: the letter bigrams that two words share.

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
