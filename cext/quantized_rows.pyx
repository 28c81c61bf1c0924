"""Conversion of rows to 8-bit integers with one scale each, and of products of such rows to numbers.

A network layer passes over its rows once for each, where array operations would pass seven times. The loops are
compiled for several kinds of processors (AVX-512, AVX2, others), and the best one is chosen when the module is
loaded; all of them round in the same way, to the last bit.
"""

import numpy as np

cdef enum:
    MOST_PADDING = 1024

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__) \
        && !defined(__SANITIZE_ADDRESS__)
    #define FOR_EACH_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
    #else
    #define FOR_EACH_PROCESSOR
    #endif

    /* Its sum with a number below 2^22 has no bits for a fraction: it is rounded, ties to even. */
    #define ROUNDER 12582912.0f

    /* The largest absolute value. Without their sign, floats are in the order of their bits as integers. */
    FOR_EACH_PROCESSOR
    static float largest_absolute(const float *row, Py_ssize_t size)
    {
        int32_t largest = 0;
        float value;
        Py_ssize_t k;
        for (k = 0; k < size; k++) {
            int32_t bits;
            memcpy(&bits, row + k, sizeof bits);
            bits &= 0x7fffffff;
            largest = bits > largest ? bits : largest;
        }
        memcpy(&value, &largest, sizeof value);
        return value;
    }

    FOR_EACH_PROCESSOR
    static void divide_and_round(const float *row, Py_ssize_t size, float scale, int32_t zero, uint8_t *out)
    {
        const int32_t rounder = 0x4b400000 - zero;  /* the bits of ROUNDER */
        Py_ssize_t k;
        for (k = 0; k < size; k++) {
            const float rounded = row[k] / scale + ROUNDER;
            int32_t bits;
            memcpy(&bits, &rounded, sizeof bits);
            out[k] = (uint8_t)(bits - rounder);
        }
    }

    FOR_EACH_PROCESSOR
    static void scale_and_add(float *row, Py_ssize_t size, float scale, const float *bias)
    {
        Py_ssize_t k;
        for (k = 0; k < size; k++) {
            const float product = row[k] * scale;
            row[k] = product + bias[k];
        }
    }

    FOR_EACH_PROCESSOR
    static void scale_only(float *row, Py_ssize_t size, float scale)
    {
        Py_ssize_t k;
        for (k = 0; k < size; k++)
            row[k] *= scale;
    }
    """
    float largest_absolute(const float*, Py_ssize_t) noexcept nogil
    void divide_and_round(const float*, Py_ssize_t, float, int, unsigned char*) noexcept nogil
    void scale_and_add(float*, Py_ssize_t, float, const float*) noexcept nogil
    void scale_only(float*, Py_ssize_t, float) noexcept nogil


def quantize(const float[:, ::1] rows not None, largest, zero, padded):
    """Convert rows to integers times one scale per row.

    Parameters
    ----------
    rows : float32, shape (n, K)
    largest : int
        Integers lie between -largest and largest; 127 at most.
    zero : int
        Is added to all integers: between largest and 255 - largest, so that none is negative; or 0, and the
        result is to be read as int8.
    padded : int
        Number of rows of the result, n or up to 1,024 more; the others are 0, so ``zero``.

    Returns
    -------
    numpy.ndarray
        uint8, shape (padded, K).
    numpy.ndarray
        float32, shape (n,): the scales, above 0.

    Raises
    ------
    ValueError
        If an argument is outside of its range.
    """
    cdef Py_ssize_t n = rows.shape[0], size = rows.shape[1], i
    if not 1 <= largest <= 127 or not (zero == 0 or largest <= zero <= 255 - largest) or not n <= padded <= n + MOST_PADDING:
        raise ValueError(
            f"expected largest <= 127, room for it on both sides of zero, and {n} to {n + MOST_PADDING} rows"
        )
    cdef int most = largest, added = zero
    integers = np.empty((padded, size), dtype=np.uint8)
    scales = np.empty(n, dtype=np.float32)
    integers[n:] = zero
    if n == 0 or size == 0:
        scales[:] = <float>1e-12 / <float>most
        return integers, scales
    cdef unsigned char[:, ::1] out = integers
    cdef float[::1] scale = scales
    with nogil:
        for i in range(n):
            scale[i] = largest_absolute(&rows[i, 0], size)
            if scale[i] < <float>1e-12:
                scale[i] = <float>1e-12
            scale[i] /= <float>most
            divide_and_round(&rows[i, 0], size, scale[i], added, &out[i, 0])
    return integers, scales


def scale_rows(float[:, ::1] rows not None, const float[::1] scales not None, const float[::1] bias=None):
    """Multiply each row by its scale, and add a bias, in place.

    Parameters
    ----------
    rows : float32, shape (n, N)
        Is changed.
    scales : float32, shape (n,)
    bias : float32, shape (N,), optional

    Raises
    ------
    ValueError
        If the shapes do not fit.
    """
    cdef Py_ssize_t n = rows.shape[0], size = rows.shape[1], i
    if scales.shape[0] != n or (bias is not None and bias.shape[0] != size):
        raise ValueError(f"expected {n} scales, and a bias for {size} columns")
    if n == 0 or size == 0:
        return
    with nogil:
        if bias is None:
            for i in range(n):
                scale_only(&rows[i, 0], size, scales[i])
        else:
            for i in range(n):
                scale_and_add(&rows[i, 0], size, scales[i], &bias[0])
