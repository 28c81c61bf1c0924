"""The layers of encoder networks, on rows of numbers: integer matrix products, normalisation, attention.

Rows belong to words or parts of words, those of a sentence one after the other, without padding. Every row
gives the same numbers, to the last bit, whatever other sentences are in the batch: integers are summed exactly,
and floating-point numbers in an order that depends on the row's own sentence only.

Matrix products have a version for AVX-512 VNNI, one for AVX2 and a portable one, which agree to the last bit.
The best one that the processor has is chosen when the module is loaded.
"""

from libc.math cimport sqrtf
from libc.stdlib cimport free, malloc

import numpy as np

from forest_align.cext.checked_arrays import with_checked_arrays

include "encoder_parts/integers.pxi"
include "encoder_parts/rows.pxi"

cdef tuple _NAMES = ("portable", "avx2", "vnni")
#: Versions of the matrix product that this processor can run, the best one last.
PROCESSOR_KINDS_HERE = tuple(name for number, name in enumerate(_NAMES) if has_instructions(number))
_BEST = PROCESSOR_KINDS_HERE[len(PROCESSOR_KINDS_HERE) - 1]


@with_checked_arrays
def quantize(const float[:, ::1] rows not None):
    """Convert rows to integers from -127 to 127 times one scale per row.

    Parameters
    ----------
    rows : float32, shape (n, K)

    Returns
    -------
    numpy.ndarray
        int8, shape (n, K).
    numpy.ndarray
        float32, shape (n,): the scales, above 0.
    """
    cdef Py_ssize_t n = rows.shape[0], size = rows.shape[1], i
    integers = np.zeros((n, size), dtype=np.int8)
    scales = np.full(n, np.float32(1e-12) / np.float32(MOST_OF_WEIGHT), dtype=np.float32)
    if n == 0 or size == 0:
        return integers, scales
    cdef signed char[:, ::1] out = integers
    cdef float[::1] scale = scales
    with nogil:
        for i in range(n):
            scale[i] = quantize_row(&rows[i, 0], size, MOST_OF_WEIGHT, 0, <unsigned char*> &out[i, 0])
    return integers, scales


@with_checked_arrays
def pack(const signed char[:, ::1] weight not None):
    """Arrange a weight in integers for :func:`multiply`.

    Parameters
    ----------
    weight : int8, shape (N, K)
        From :func:`quantize`.

    Returns
    -------
    numpy.ndarray
        int8, shape (B, G, 16, 4): blocks of 16 rows, and in each of them groups of 4 columns; zeros fill up.
    numpy.ndarray
        int32, shape (16 B,): what the zero point of the inputs adds to the product with each row.
    """
    cdef Py_ssize_t n = weight.shape[0], size = weight.shape[1]
    blocks, groups = (n + BLOCK - 1) // BLOCK, (size + GROUP - 1) // GROUP
    padded = np.zeros((blocks * BLOCK, groups * GROUP), dtype=np.int8)
    padded[:n, :size] = weight
    packed = padded.reshape(blocks, BLOCK, groups, GROUP).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(packed), ZERO * padded.sum(1, dtype=np.int32)


@with_checked_arrays
def multiply(
    const float[:, ::1] rows not None,
    const signed char[:, :, :, ::1] packed not None,
    const int[::1] offsets not None,
    const float[::1] scales not None,
    const float[::1] bias not None,
    columns,
    kind=_BEST,
):
    """Return ``rows @ weight.T + bias``, both quantized.

    Parameters
    ----------
    rows : float32, shape (n, K)
        Finite numbers.
    packed, offsets : int8, shape (B, G, 16, 4); int32, shape (16 B,)
        A weight, from :func:`pack`.
    scales, bias : float32, shape (16 B,)
        Of each row of the weight; values that fill up are not read into the result.
    columns : int
        Rows of the weight, N.
    kind : str
        One of :data:`PROCESSOR_KINDS_HERE`. The result is the same.

    Returns
    -------
    numpy.ndarray
        float32, shape (n, N).

    Raises
    ------
    ValueError
        If shapes do not fit, or the processor cannot run this version.
    MemoryError
        If there is not enough memory.
    """
    cdef Py_ssize_t n = rows.shape[0], size = rows.shape[1], width = columns, padded = packed.shape[0] * BLOCK
    cdef int number, status
    if (
        packed.shape[2] != BLOCK
        or packed.shape[3] != GROUP
        or packed.shape[1] != (size + GROUP - 1) // GROUP
        or not padded - BLOCK < width <= padded
        or offsets.shape[0] != padded
        or scales.shape[0] != padded
        or bias.shape[0] != padded
    ):
        raise ValueError(f"expected a packed weight of {columns} rows and {size} columns")
    if kind not in PROCESSOR_KINDS_HERE:
        raise ValueError(f"expected one of {PROCESSOR_KINDS_HERE}, found {kind!r}")
    number = _NAMES.index(kind)
    result = np.zeros((n, width), dtype=np.float32)
    if n == 0 or size == 0 or width == 0:
        result[:] = np.asarray(bias)[:width]
        return result
    cdef float[:, ::1] out = result
    with nogil:
        status = multiply_rows(
            &rows[0, 0], n, size, &packed[0, 0, 0, 0], &offsets[0], &scales[0], &bias[0], width, number, &out[0, 0]
        )
    if status:
        raise MemoryError(f"not enough memory to multiply {n} rows of {size} numbers")
    return result


@with_checked_arrays
def gelu(float[:, ::1] rows not None):
    """Apply the Gaussian error linear unit to rows, float32, shape (n, K), in place."""
    cdef Py_ssize_t n = rows.shape[0], size = rows.shape[1], i
    if size == 0:
        return
    with nogil:
        for i in range(n):
            gelu_row(&rows[i, 0], size)


@with_checked_arrays
def normalise(
    const float[:, ::1] rows not None,
    const float[::1] weight not None,
    const float[::1] bias not None,
    double epsilon,
    const float[:, ::1] added=None,
):
    """Layer normalisation of rows, or of their sums with other rows (Ba et al. 2016).

    Parameters
    ----------
    rows : float32, shape (n, K)
    weight, bias : float32, shape (K,)
    epsilon : float
        Added to variances.
    added : float32, shape (n, K), optional
        Added to the rows first.

    Returns
    -------
    numpy.ndarray
        float32, shape (n, K).

    Raises
    ------
    ValueError
        If shapes do not fit.
    """
    cdef Py_ssize_t n = rows.shape[0], size = rows.shape[1], i
    if weight.shape[0] != size or bias.shape[0] != size:
        raise ValueError(f"expected a weight and a bias of {size} numbers")
    if added is not None and (added.shape[0] != n or added.shape[1] != size):
        raise ValueError(f"expected {n} rows of {size} numbers to add")
    result = np.empty((n, size), dtype=np.float32)
    if n == 0 or size == 0:
        return result
    cdef float[:, ::1] out = result
    with nogil:
        for i in range(n):
            normalise_row(
                &rows[i, 0], NULL if added is None else &added[i, 0], size, &weight[0], &bias[0],
                <float> epsilon, &out[i, 0],
            )
    return result


@with_checked_arrays
def attend(
    const float[:, ::1] joined not None,
    const long long[::1] starts not None,
    Py_ssize_t heads,
    const float[:, ::1] bias=None,
):
    """Let the rows of each sentence attend to each other.

    Parameters
    ----------
    joined : float32, shape (R, 3 H P)
        Query, key and value of each row; each of them has H heads of P numbers.
    starts : int64, shape (B + 1,)
        Sentence b has the rows from ``starts[b]`` to ``starts[b + 1]``.
    heads : int
        H.
    bias : float32, shape (H, 2 L - 1), optional
        Added to the scores of a head: in column L - 1 + d, for keys that are d rows after the query. Sentences
        have at most L rows.

    Returns
    -------
    numpy.ndarray
        float32, shape (R, H P).

    Raises
    ------
    ValueError
        If shapes or starts do not fit.
    MemoryError
        If there is not enough memory.
    """
    cdef Py_ssize_t count = joined.shape[0], width = joined.shape[1], sentences = starts.shape[0] - 1
    cdef Py_ssize_t b, head, part, longest = 0, padded
    cdef const float *of_head = NULL
    cdef float *keys = NULL
    cdef float *weights = NULL
    if heads < 1 or width == 0 or width % (3 * heads):
        raise ValueError(f"expected three times {heads} parts of equal size, found {width} numbers")
    if sentences < 0 or starts[0] != 0 or starts[sentences] != count:
        raise ValueError(f"expected starts of sentences from 0 to {count}")
    for b in range(sentences):
        if starts[b + 1] < starts[b]:
            raise ValueError("expected starts of sentences in order")
        longest = max(longest, starts[b + 1] - starts[b])
    if bias is not None and (bias.shape[0] != heads or bias.shape[1] % 2 == 0 or bias.shape[1] < 2 * longest - 1):
        raise ValueError(f"expected a bias for {heads} heads and distances below {longest}")
    part = width // (3 * heads)
    result = np.empty((count, heads * part), dtype=np.float32)
    if count == 0:
        return result
    cdef float[:, ::1] out = result
    cdef float scale = <float> (1 / part**0.5)
    padded = (longest + LANES - 1) // LANES * LANES
    with nogil:
        keys = <float *> malloc(part * padded * sizeof(float))
        weights = <float *> malloc(padded * sizeof(float))
        if keys != NULL and weights != NULL:
            for b in range(sentences):
                for head in range(heads):
                    if starts[b] == starts[b + 1]:
                        continue
                    if bias is not None:
                        of_head = &bias[head, bias.shape[1] // 2]
                    attend_head(
                        &joined[starts[b], head * part], starts[b + 1] - starts[b], width, heads * part, part,
                        of_head, scale, keys, weights, &out[starts[b], head * part], heads * part,
                    )
        free(weights)
        free(keys)
    if keys == NULL or weights == NULL:
        raise MemoryError(f"not enough memory for the attention of {longest} rows")
    return result
