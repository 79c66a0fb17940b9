/*
 * Four rows of A by eight columns of B, added to sums: what products of warps
 * and of warp groups consist of.
 *
 * Everything is in double precision, in which products of two elements of any
 * type are exact, so that it makes no difference whether they are rounded before
 * they are added: with and without vectors the sums are the same.
 */
#ifndef TEG_TRACES_EMULATE_OPS_PRODUCTS_H
#define TEG_TRACES_EMULATE_OPS_PRODUCTS_H

#include <math.h>

#include "traces/emulate/core/half.h"
#include "traces/emulate/core/operand.h"

enum {
    EMU_PRODUCT_ROWS = 4, /* whose sums the vector registers hold */
    EMU_PRODUCT_COLUMNS = 8,
};

#ifdef __AVX2__
/* As half_value, of halves that are spread to words with their signs: a scaled
 * number of 2^16 or more was special. */
static inline void emu_eight_halves(__m256i words, double out[8])
{
    __m256 v = _mm256_castsi256_ps(_mm256_and_si256(
        _mm256_slli_epi32(words, 13), _mm256_set1_epi32((int)0x8fffe000)));
    __m256 size, special;

    v = _mm256_mul_ps(v, _mm256_set1_ps(0x1p112f));
    size = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v);
    special = _mm256_cmp_ps(size, _mm256_set1_ps(0x1p16f), _CMP_GE_OQ);
    v = _mm256_or_ps(v, _mm256_and_ps(special, _mm256_set1_ps(INFINITY)));
    _mm256_storeu_pd(out, _mm256_cvtps_pd(_mm256_castps256_ps128(v)));
    _mm256_storeu_pd(out + 4, _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)));
}
#endif

/* Eight halves that lie side by side. */
static inline void emu_halves(const void *from, double out[8])
{
#ifdef __AVX2__
    emu_eight_halves(
        _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)from)), out);
#else
    uint16_t half[8];

    memcpy(half, from, sizeof half);
    for (unsigned i = 0; i < 8; i++)
        out[i] = (double)half_value(half[i]);
#endif
}

/* Numbers side by side, a row every `stride`. */
struct emu_rows {
    double *at;
    size_t stride;
};

/* c[m][n] += the sum over k < depth of a[m][k] b[k][n], in the order of k. */
static inline void emu_multiply(unsigned depth, struct emu_rows a,
                                struct emu_rows b, struct emu_rows c)
{
#ifdef __AVX2__
    __m256d sum[EMU_PRODUCT_ROWS][2];

    for (unsigned m = 0; m < EMU_PRODUCT_ROWS; m++) {
        sum[m][0] = _mm256_loadu_pd(c.at + m * c.stride);
        sum[m][1] = _mm256_loadu_pd(c.at + m * c.stride + 4);
    }
    for (unsigned k = 0; k < depth; k++) {
        __m256d left = _mm256_loadu_pd(b.at + k * b.stride);
        __m256d right = _mm256_loadu_pd(b.at + k * b.stride + 4);

        for (unsigned m = 0; m < EMU_PRODUCT_ROWS; m++) {
            __m256d all = _mm256_broadcast_sd(a.at + m * a.stride + k);

            sum[m][0] = _mm256_fmadd_pd(all, left, sum[m][0]);
            sum[m][1] = _mm256_fmadd_pd(all, right, sum[m][1]);
        }
    }
    for (unsigned m = 0; m < EMU_PRODUCT_ROWS; m++) {
        _mm256_storeu_pd(c.at + m * c.stride, sum[m][0]);
        _mm256_storeu_pd(c.at + m * c.stride + 4, sum[m][1]);
    }
#else
    for (unsigned m = 0; m < EMU_PRODUCT_ROWS; m++) {
        for (unsigned k = 0; k < depth; k++) {
            for (unsigned n = 0; n < EMU_PRODUCT_COLUMNS; n++)
                c.at[m * c.stride + n] +=
                    a.at[m * a.stride + k] * b.at[k * b.stride + n];
        }
    }
#endif
}

#endif
