cdef extern from *:
    """
    #include <stdint.h>
    #include <stdlib.h>
    #include <string.h>

    #if defined(__GNUC__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
    #include <immintrin.h>
    #define X86 1
    #define FOR_AVX2 __attribute__((target("avx2")))
    #define FOR_VNNI __attribute__((target("avx512f,avx512vnni")))
    #else
    #define X86 0
    #endif

    #if X86 && !defined(__clang__) && defined(__gnu_linux__)
    #define FOR_EACH_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
    /* Nothing here reads the processor's floating-point exceptions, so loops with a choice may become vectors. */
    #define NO_EXCEPTIONS __attribute__((optimize("no-trapping-math")))
    #define INSIDE static inline __attribute__((always_inline, optimize("no-trapping-math")))
    #else
    #define FOR_EACH_PROCESSOR
    #define NO_EXCEPTIONS
    #define INSIDE static inline
    #endif

    enum {
        BLOCK = 16,       /* columns of a packed weight that are computed together */
        GROUP = 4,        /* neighbours of a row that one instruction multiplies and adds */
        TILE = 8,         /* rows that are computed together */
        ZERO = 64,        /* what is added to the integers of a row, so that none is negative */
        MOST_OF_ROW = 63, /* largest integer of a row: without VNNI two products are added in 16 bits */
        MOST_OF_WEIGHT = 127
    };

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

    /* Integers of a row, and their scale. */
    static float quantize_row(const float *row, Py_ssize_t size, int32_t most, int32_t zero, uint8_t *out)
    {
        float scale = largest_absolute(row, size);
        scale = (scale < 1e-12f ? 1e-12f : scale) / (float)most;
        divide_and_round(row, size, scale, zero, out);
        return scale;
    }

    /* Sums of products of TILE rows with a block of a packed weight: int32 [TILE][BLOCK]. */
    typedef void (*TileProduct)(const uint8_t *rows, Py_ssize_t stride, const int8_t *block,
                                Py_ssize_t groups, int32_t *sums);

    static void tile_portable(const uint8_t *rows, Py_ssize_t stride, const int8_t *block,
                              Py_ssize_t groups, int32_t *sums)
    {
        Py_ssize_t g;
        int r, n, k;
        memset(sums, 0, TILE * BLOCK * sizeof *sums);
        for (g = 0; g < groups; g++, block += BLOCK * GROUP)
            for (r = 0; r < TILE; r++)
                for (n = 0; n < BLOCK; n++)
                    for (k = 0; k < GROUP; k++)
                        sums[r * BLOCK + n] += (int32_t)rows[r * stride + g * GROUP + k]
                            * (int32_t)block[n * GROUP + k];
    }

    #if X86
    FOR_AVX2
    static void tile_avx2(const uint8_t *rows, Py_ssize_t stride, const int8_t *block,
                          Py_ssize_t groups, int32_t *sums)
    {
        const __m256i ones = _mm256_set1_epi16(1);
        int half, r;
        for (half = 0; half < TILE; half += 4) {
            const uint8_t *row = rows + half * stride;
            const int8_t *weights = block;
            __m256i left[4], right[4];
            Py_ssize_t g;
            for (r = 0; r < 4; r++)
                left[r] = right[r] = _mm256_setzero_si256();
            for (g = 0; g < groups; g++, weights += BLOCK * GROUP) {
                const __m256i first = _mm256_loadu_si256((const __m256i *)weights);
                const __m256i second = _mm256_loadu_si256((const __m256i *)(weights + 32));
                #pragma GCC unroll 4
                for (r = 0; r < 4; r++) {
                    int32_t four;
                    __m256i inputs;
                    memcpy(&four, row + r * stride + g * GROUP, sizeof four);
                    inputs = _mm256_set1_epi32(four);
                    left[r] = _mm256_add_epi32(
                        left[r], _mm256_madd_epi16(_mm256_maddubs_epi16(inputs, first), ones));
                    right[r] = _mm256_add_epi32(
                        right[r], _mm256_madd_epi16(_mm256_maddubs_epi16(inputs, second), ones));
                }
            }
            for (r = 0; r < 4; r++) {
                _mm256_storeu_si256((__m256i *)(sums + (half + r) * BLOCK), left[r]);
                _mm256_storeu_si256((__m256i *)(sums + (half + r) * BLOCK + 8), right[r]);
            }
        }
    }

    FOR_VNNI
    static void tile_vnni(const uint8_t *rows, Py_ssize_t stride, const int8_t *block,
                          Py_ssize_t groups, int32_t *sums)
    {
        __m512i total[TILE];
        Py_ssize_t g;
        int r;
        for (r = 0; r < TILE; r++)
            total[r] = _mm512_setzero_si512();
        for (g = 0; g < groups; g++, block += BLOCK * GROUP) {
            const __m512i weights = _mm512_loadu_si512((const void *)block);
            #pragma GCC unroll 8
            for (r = 0; r < TILE; r++) {
                int32_t four;
                memcpy(&four, rows + r * stride + g * GROUP, sizeof four);
                total[r] = _mm512_dpbusd_epi32(total[r], _mm512_set1_epi32(four), weights);
            }
        }
        for (r = 0; r < TILE; r++)
            _mm512_storeu_si512((void *)(sums + r * BLOCK), total[r]);
    }
    #endif

    enum { PORTABLE, AVX2, VNNI, PROCESSOR_KINDS };

    /* Whether this processor has the instructions of a kind. */
    static int has_instructions(int kind)
    {
    #if X86
        __builtin_cpu_init();
        if (kind == AVX2)
            return __builtin_cpu_supports("avx2") != 0;
        if (kind == VNNI)
            return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni");
    #endif
        return kind == PORTABLE;
    }

    static TileProduct tile_product(int kind)
    {
    #if X86
        if (kind == AVX2)
            return tile_avx2;
        if (kind == VNNI)
            return tile_vnni;
    #endif
        return tile_portable;
    }

    /* Sums of a tile as numbers, with scales and bias: `rows` rows of `columns` columns. */
    FOR_EACH_PROCESSOR
    static void scale_tile(const int32_t *sums, const int32_t *offsets, const float *weight_scales,
                           const float *row_scales, const float *bias, Py_ssize_t rows, Py_ssize_t columns,
                           float *out, Py_ssize_t stride)
    {
        Py_ssize_t r;
        int n;
        for (r = 0; r < rows; r++, sums += BLOCK, out += stride) {
            float scaled[BLOCK];
            for (n = 0; n < BLOCK; n++) {
                const float product = (float)(sums[n] - offsets[n]) * weight_scales[n];
                const float with_row = product * row_scales[r];
                scaled[n] = with_row + bias[n];
            }
            if (columns == BLOCK)
                memcpy(out, scaled, sizeof scaled);
            else
                memcpy(out, scaled, columns * sizeof *out);
        }
    }

    /* rows [n][size] times a packed weight, in integers; out [n][columns]. Returns 0, or -1 without memory. */
    static int multiply_rows(const float *rows, Py_ssize_t n, Py_ssize_t size, const int8_t *packed,
                             const int32_t *offsets, const float *weight_scales, const float *bias,
                             Py_ssize_t columns, int kind, float *out)
    {
        const TileProduct product = tile_product(kind);
        const Py_ssize_t groups = (size + GROUP - 1) / GROUP, stride = groups * GROUP;
        const Py_ssize_t padded = (n + TILE - 1) / TILE * TILE;
        uint8_t *integers = (uint8_t *)malloc(padded * stride + 1);
        float *scales = (float *)malloc(padded * sizeof *scales + 1);
        int32_t sums[TILE * BLOCK];
        Py_ssize_t i, block;
        if (!integers || !scales) {
            free(integers);
            free(scales);
            return -1;
        }
        memset(integers, ZERO, padded * stride);
        for (i = 0; i < n; i++)
            scales[i] = quantize_row(rows + i * size, size, MOST_OF_ROW, ZERO, integers + i * stride);
        for (block = 0; block < columns; block += BLOCK) {
            const int8_t *weights = packed + block * stride;
            const Py_ssize_t width = columns - block < BLOCK ? columns - block : BLOCK;
            for (i = 0; i < n; i += TILE) {
                product(integers + i * stride, stride, weights, groups, sums);
                scale_tile(sums, offsets + block, weight_scales + block, scales + i, bias + block,
                           n - i < TILE ? n - i : TILE, width, out + i * columns + block, columns);
            }
        }
        free(integers);
        free(scales);
        return 0;
    }
    """
    enum:
        BLOCK
        GROUP
        ZERO
        MOST_OF_WEIGHT
        PROCESSOR_KINDS
    float quantize_row(const float*, Py_ssize_t, int, int, unsigned char*) noexcept nogil
    bint has_instructions(int) noexcept nogil
    int multiply_rows(
        const float*, Py_ssize_t, Py_ssize_t, const signed char*, const int*, const float*, const float*,
        Py_ssize_t, int, float*,
    ) noexcept nogil
