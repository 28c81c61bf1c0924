"""Similarity of spelling of the words of two sentences, by seven measures at once.

The measures are those of Yao et al. (2013a, §3.2); each is 1 for equal words and 0 for words without a common
letter. ``string_similarity_reference`` computes the same in plain Python.
"""

import numpy as np

from forest_align.cext.checked_arrays import with_checked_arrays

cdef enum:
    LETTERS = 24   # letters of a word that count
    MEASURES = 7
    PREFIX = 4     # letters that count for Winkler's bonus


@with_checked_arrays
def string_similarities(
    const int[::1] source_letters not None,
    const int[::1] source_ends not None,
    const int[::1] target_letters not None,
    const int[::1] target_ends not None,
):
    """Similarities of all word pairs.

    Parameters
    ----------
    source_letters, target_letters : int32
        Code points of all words, one after another.
    source_ends, target_ends : int32, shapes (n,) and (m,)
        Where each word's letters end. The first 24 letters of a word count.

    Returns
    -------
    numpy.ndarray
        float32, shape (7, n, m): Jaro-Winkler; Dice of letter bigrams, edges included; Hamming (share of places with
        the same letter); Jaccard of letters; Levenshtein; overlap of letter trigrams, edges included; common prefix.

    Raises
    ------
    ValueError
        If a sentence has no words, or word ends are out of order or lie beyond the letters.
    """
    cdef Py_ssize_t n = source_ends.shape[0], m = target_ends.shape[0], i, j
    cdef const int* lefts
    cdef const int* rights
    cdef int left, right, size, length
    if n == 0 or m == 0:
        raise ValueError("expected two sentences with at least one word each")
    _check_ends(source_ends, source_letters.shape[0])
    _check_ends(target_ends, target_letters.shape[0])
    result = np.zeros((MEASURES, n, m), dtype=np.float32)
    cdef float[:, :, ::1] out = result
    lefts = &source_letters[0] if source_letters.shape[0] else NULL
    rights = &target_letters[0] if target_letters.shape[0] else NULL
    with nogil:
        for i in range(n):
            left = source_ends[i - 1] if i else 0
            size = _smaller(source_ends[i] - left, LETTERS)
            for j in range(m):
                right = target_ends[j - 1] if j else 0
                length = _smaller(target_ends[j] - right, LETTERS)
                if size and length:
                    _compare(lefts + left, size, rights + right, length, &out[0, i, j], n * m)
    return result


cdef int _check_ends(const int[::1] ends, Py_ssize_t letters) except -1:
    cdef Py_ssize_t k
    cdef int before = 0
    for k in range(ends.shape[0]):
        if ends[k] < before:
            raise ValueError("expected word ends in ascending order")
        before = ends[k]
    if before > letters:
        raise ValueError("word ends lie beyond the letters")
    return 0


cdef inline int _smaller(int one, int two) noexcept nogil:
    return one if one < two else two


cdef inline int _larger(int one, int two) noexcept nogil:
    return one if one > two else two


cdef void _compare(
    const int* one, int size, const int* two, int length, float* out, Py_ssize_t stride
) noexcept nogil:
    cdef int shorter = _smaller(size, length), longer = _larger(size, length), a, b, hits = 0, prefix = 0
    cdef int distinct = 0, shared = 0, other = 0
    for a in range(size):
        if not _has(one, a, one[a]):
            distinct += 1
            shared += _has(two, length, one[a])
    if not shared:
        return
    for b in range(length):
        other += not _has(two, b, two[b])
    for a in range(shorter):
        hits += one[a] == two[a]
    while prefix < shorter and one[prefix] == two[prefix]:
        prefix += 1
    out[0] = <float>_jaro_winkler(one, size, two, length, prefix)
    out[stride] = <float>(2.0 * _common_grams(one, size, two, length, 2) / (size + length + 2))
    out[2 * stride] = <float>(<double>hits / longer)
    out[3 * stride] = <float>(<double>shared / (distinct + other - shared))
    out[4 * stride] = <float>(1.0 - <double>_edits(one, size, two, length) / longer)
    out[5 * stride] = <float>(<double>_common_grams(one, size, two, length, 3) / shorter)
    out[6 * stride] = <float>(<double>prefix / longer)


cdef int _has(const int* word, int size, int letter) noexcept nogil:
    cdef int a
    for a in range(size):
        if word[a] == letter:
            return 1
    return 0


cdef double _jaro_winkler(const int* one, int size, const int* two, int length, int prefix) noexcept nogil:
    cdef int reach = _larger(_larger(size, length) // 2 - 1, 0), a, b, matches = 0, moved = 0
    cdef unsigned int taken = 0, matched = 0
    cdef double jaro
    for a in range(size):
        for b in range(_larger(a - reach, 0), _smaller(a + reach + 1, length)):
            if not taken >> b & 1 and one[a] == two[b]:
                taken |= <unsigned int>1 << b
                matched |= <unsigned int>1 << a
                matches += 1
                break
    if not matches:
        return 0.0
    b = 0
    for a in range(size):
        if matched >> a & 1:
            while not taken >> b & 1:
                b += 1
            moved += one[a] != two[b]
            b += 1
    jaro = (<double>matches / size + <double>matches / length + (matches - moved / 2.0) / matches) / 3.0
    return jaro + 0.1 * _smaller(prefix, PREFIX) * (1.0 - jaro)


cdef int _common_grams(const int* one, int size, const int* two, int length, int gram) noexcept nogil:
    """Number of distinct bigrams or trigrams that two words share; the edges count as letters."""
    cdef int a, b, k, found = 0, last = size + 3 - gram, other = length + 3 - gram
    cdef unsigned int taken = 0
    for a in range(last):
        for b in range(other):
            if taken >> b & 1:
                continue
            k = 0
            while k < gram and _letter(one, size, a + k) == _letter(two, length, b + k):
                k += 1
            if k == gram:
                taken |= <unsigned int>1 << b
                found += 1
                break
    return found


cdef inline int _letter(const int* word, int size, int place) noexcept nogil:
    """Letters from place 1 on, between two edges."""
    return word[place - 1] if 0 < place <= size else -1


cdef int _edits(const int* one, int size, const int* two, int length) noexcept nogil:
    cdef int[LETTERS + 1] row
    cdef int a, b, corner, above
    for b in range(length + 1):
        row[b] = b
    for a in range(size):
        corner = row[0]
        row[0] = a + 1
        for b in range(length):
            above = row[b + 1]
            row[b + 1] = _smaller(_smaller(above, row[b]) + 1, corner + (one[a] != two[b]))
            corner = above
    return row[length]
