cdef extern from *:
    """
    enum { LANES = 16 };  /* partial sums of a row: their order is the same on every processor */

    INSIDE float total_of(const float *lanes)
    {
        float half[8];
        int k;
        for (k = 0; k < 8; k++)
            half[k] = lanes[k] + lanes[k + 8];
        return ((half[0] + half[4]) + (half[1] + half[5])) + ((half[2] + half[6]) + (half[3] + half[7]));
    }

    /* e to the power of a number of at most 0, to about 1e-7 of its value (Cephes' expf). */
    INSIDE float exponential(float x)
    {
        float shifted, whole, rest, sum, power;
        int32_t bits;
        x = x < -87.0f ? -87.0f : x;
        shifted = x * 1.44269504088896341f + ROUNDER;
        memcpy(&bits, &shifted, sizeof bits);
        whole = shifted - ROUNDER;
        rest = x - whole * 0.693359375f;
        rest = rest - whole * -2.12194440e-4f;
        sum = 1.9875691500e-4f * rest + 1.3981999507e-3f;
        sum = sum * rest + 8.3334519073e-3f;
        sum = sum * rest + 4.1665795894e-2f;
        sum = sum * rest + 1.6666665459e-1f;
        sum = sum * rest + 5.0000001201e-1f;
        sum = sum * (rest * rest) + rest + 1.0f;
        bits = (int32_t)((uint32_t)(bits - 0x4b400000 + 127) << 23);
        memcpy(&power, &bits, sizeof power);
        return sum * power;
    }

    /* x times the normal distribution's probability below x (Hendrycks & Gimpel 2016). The error function is
       that of Abramowitz & Stegun, 7.1.26, to 1.5e-7. */
    FOR_EACH_PROCESSOR NO_EXCEPTIONS
    static void gelu_row(float *row, Py_ssize_t size)
    {
        Py_ssize_t k;
        for (k = 0; k < size; k++) {
            const float x = row[k] * 0.70710678118654752f;
            const float positive = x < 0 ? -x : x;
            const float t = 1.0f / (1.0f + 0.3275911f * positive);
            float sum = 1.061405429f * t + -1.453152027f, tail;
            sum = sum * t + 1.421413741f;
            sum = sum * t + -0.284496736f;
            sum = sum * t + 0.254829592f;
            tail = sum * t * exponential(-positive * positive);  /* 1 - erf(|x|) */
            row[k] *= 0.5f * (x < 0 ? tail : 2.0f - tail);
        }
    }

    /* The sum of two rows, or one of them, normalised to mean 0 and variance 1; with a weight and a bias. */
    FOR_EACH_PROCESSOR
    static void normalise_row(const float *row, const float *added, Py_ssize_t size, const float *weight,
                              const float *bias, float epsilon, float *out)
    {
        float lanes[LANES] = {0}, mean, factor;
        const Py_ssize_t even = size / LANES * LANES;
        Py_ssize_t k;
        int lane;
        for (k = 0; k < size; k++)
            out[k] = added ? row[k] + added[k] : row[k];
        for (k = 0; k < even; k += LANES)
            for (lane = 0; lane < LANES; lane++)
                lanes[lane] += out[k + lane];
        for (k = even; k < size; k++)
            lanes[k - even] += out[k];
        mean = total_of(lanes) / (float)size;
        memset(lanes, 0, sizeof lanes);
        for (k = 0; k < size; k++)
            out[k] -= mean;
        for (k = 0; k < even; k += LANES)
            for (lane = 0; lane < LANES; lane++)
                lanes[lane] += out[k + lane] * out[k + lane];
        for (k = even; k < size; k++)
            lanes[k - even] += out[k] * out[k];
        factor = 1.0f / sqrtf(total_of(lanes) / (float)size + epsilon);
        for (k = 0; k < size; k++) {
            const float scaled = out[k] * factor;
            const float weighted = scaled * weight[k];
            out[k] = weighted + bias[k];
        }
    }

    /* Attention of one head in one sentence of n rows (Vaswani et al. 2017, section 3.2.1).
       joined: the sentence's first row, at this head's query; key and value follow after `apart` numbers.
       bias: of the distance 0, or NULL; keys [part][padded] and weights [padded] are scratch. */
    FOR_EACH_PROCESSOR NO_EXCEPTIONS
    static void attend_head(const float *joined, Py_ssize_t n, Py_ssize_t stride, Py_ssize_t apart,
                            Py_ssize_t part, const float *bias, float scale, float *keys, float *weights,
                            float *out, Py_ssize_t out_stride)
    {
        const Py_ssize_t padded = (n + LANES - 1) / LANES * LANES;
        Py_ssize_t i, j, d;
        int lane;
        for (d = 0; d < part; d++) {
            for (j = 0; j < n; j++)
                keys[d * padded + j] = joined[j * stride + apart + d];
            for (j = n; j < padded; j++)
                keys[d * padded + j] = 0;
        }
        for (i = 0; i < n; i++) {
            const float *query = joined + i * stride;
            float largest, lanes[LANES] = {0}, factor;
            for (j = 0; j < padded; j += LANES) {
                float scores[LANES] = {0};
                for (d = 0; d < part; d++) {
                    const float *key = keys + d * padded + j, from = query[d];
                    for (lane = 0; lane < LANES; lane++)
                        scores[lane] += from * key[lane];
                }
                for (lane = 0; lane < LANES; lane++)
                    weights[j + lane] = scores[lane] * scale;
            }
            if (bias)
                for (j = 0; j < n; j++)
                    weights[j] += bias[j - i];
            largest = weights[0];
            for (j = 1; j < n; j++)
                largest = weights[j] > largest ? weights[j] : largest;
            for (j = 0; j < padded; j++)
                weights[j] = exponential(weights[j] - largest);
            for (j = n; j < padded; j++)
                weights[j] = 0;
            for (j = 0; j < padded; j += LANES)
                for (lane = 0; lane < LANES; lane++)
                    lanes[lane] += weights[j + lane];
            factor = 1.0f / total_of(lanes);
            for (d = 0; d + LANES <= part; d += LANES) {
                const float *value = joined + 2 * apart + d;
                float sums[LANES] = {0};
                for (j = 0; j < n; j++, value += stride)
                    for (lane = 0; lane < LANES; lane++)
                        sums[lane] += weights[j] * value[lane];
                for (lane = 0; lane < LANES; lane++)
                    out[i * out_stride + d + lane] = sums[lane] * factor;
            }
            for (; d < part; d++) {
                float sum = 0;
                for (j = 0; j < n; j++)
                    sum += weights[j] * joined[j * stride + 2 * apart + d];
                out[i * out_stride + d] = sum * factor;
            }
        }
    }
    """
    enum:
        LANES
    void gelu_row(float*, Py_ssize_t) noexcept nogil
    void normalise_row(
        const float*, const float*, Py_ssize_t, const float*, const float*, float, float*
    ) noexcept nogil
    void attend_head(
        const float*, Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t, const float*, float, float*, float*,
        float*, Py_ssize_t,
    ) noexcept nogil
