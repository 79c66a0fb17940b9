/*
 * Rows of A by eight columns of B, added to sums: what products of warps
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
    EMU_PRODUCT_COLUMNS = 8,
};

#ifdef __AVX2__
/* A machine that has AVX2 has F16C, too, whose numbers are half_value's. */
static inline void emu_eight_halves(__m128i halves, double out[8])
{
    __m256 v = _mm256_cvtph_ps(halves);

    _mm256_storeu_pd(out, _mm256_cvtps_pd(_mm256_castps256_ps128(v)));
    _mm256_storeu_pd(out + 4, _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)));
}

/* The words of B that a register holds: word[t] has those of lanes 4 n + t, n
 * the column. */
static inline void emu_words_of_b(const uint32_t from[EMU_LANES],
                                  __m256i word[4])
{
    const __m256i places = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i x[4], y[4];

    for (unsigned i = 0; i < 4; i++) /* columns 2 i and 2 i + 1 */
        x[i] = _mm256_loadu_si256((const __m256i *)&from[8 * i]);
    /* [t] of columns 0, 2, 4, 6 and 1, 3, 5, 7 in the halves */
    y[0] = _mm256_unpacklo_epi32(x[0], x[1]);
    y[1] = _mm256_unpackhi_epi32(x[0], x[1]);
    y[2] = _mm256_unpacklo_epi32(x[2], x[3]);
    y[3] = _mm256_unpackhi_epi32(x[2], x[3]);
    x[0] = _mm256_unpacklo_epi64(y[0], y[2]);
    x[1] = _mm256_unpackhi_epi64(y[0], y[2]);
    x[2] = _mm256_unpacklo_epi64(y[1], y[3]);
    x[3] = _mm256_unpackhi_epi64(y[1], y[3]);
    for (unsigned t = 0; t < 4; t++)
        word[t] = _mm256_permutevar8x32_epi32(x[t], places);
}

/* Two rows of 16 bits: the lower parts of all words, then the upper ones. */
static inline __m256i emu_two_rows(__m256i words)
{
    __m256i low = _mm256_and_si256(words, _mm256_set1_epi32(0xffff));
    __m256i both = _mm256_packus_epi32(low, _mm256_srli_epi32(words, 16));

    return _mm256_permute4x64_epi64(both, 0xd8);
}
#endif

/* Eight halves that lie side by side. */
static inline void emu_halves(const void *from, double out[8])
{
#ifdef __AVX2__
    emu_eight_halves(_mm_loadu_si128((const __m128i *)from), out);
#else
    uint16_t half[8];

    memcpy(half, from, sizeof half);
    for (unsigned i = 0; i < 8; i++)
        out[i] = (double)half_value(half[i]);
#endif
}

/* Lane l has columns 2 t and 2 t + 1 of row g: numbers 2 l and 2 l + 1 of eight
 * rows.  Single precision: a register of each, row by row. */
static inline void emu_singles_of(const uint32_t first[EMU_LANES],
                                  const uint32_t second[EMU_LANES], double to[])
{
#ifdef __AVX2__
    for (unsigned l = 0; l < EMU_LANES; l += 4) {
        __m128 x = _mm_loadu_ps((const float *)&first[l]);
        __m128 y = _mm_loadu_ps((const float *)&second[l]);

        _mm256_storeu_pd(to + 2 * l, _mm256_cvtps_pd(_mm_unpacklo_ps(x, y)));
        _mm256_storeu_pd(to + 2 * l + 4,
                         _mm256_cvtps_pd(_mm_unpackhi_ps(x, y)));
    }
#else
    for (unsigned l = 0; l < EMU_LANES; l++) {
        to[2 * l] = (double)float_of(first[l]);
        to[2 * l + 1] = (double)float_of(second[l]);
    }
#endif
}

/* Of all NaN the one that products give. */
static inline void emu_singles_from(const double from[],
                                    uint32_t first[EMU_LANES],
                                    uint32_t second[EMU_LANES])
{
#ifdef __AVX2__
    const __m128 nan = _mm_castsi128_ps(_mm_set1_epi32(0x7fffffff));

    for (unsigned l = 0; l < EMU_LANES; l += 4) {
        __m128 x = _mm256_cvtpd_ps(_mm256_loadu_pd(from + 2 * l));
        __m128 y = _mm256_cvtpd_ps(_mm256_loadu_pd(from + 2 * l + 4));

        x = _mm_blendv_ps(x, nan, _mm_cmpunord_ps(x, x));
        y = _mm_blendv_ps(y, nan, _mm_cmpunord_ps(y, y));
        _mm_storeu_ps((float *)&first[l], _mm_shuffle_ps(x, y, 0x88));
        _mm_storeu_ps((float *)&second[l], _mm_shuffle_ps(x, y, 0xdd));
    }
#else
    for (unsigned l = 0; l < EMU_LANES; l++) {
        double x = from[2 * l], y = from[2 * l + 1];

        first[l] = isnan(x) ? 0x7fffffff : float_bits((float)x);
        second[l] = isnan(y) ? 0x7fffffff : float_bits((float)y);
    }
#endif
}

/* Numbers side by side, a row every `stride`. */
struct emu_rows {
    double *at;
    size_t stride;
};

#ifdef __AVX2__
/* Eight rows by eight columns, where the machine has vectors of that many. */
__attribute__((target("avx512f"))) static inline void emu_multiply_8(
    unsigned depth, struct emu_rows a, struct emu_rows b, struct emu_rows c)
{
    __m512d sum[8];

    for (unsigned m = 0; m < 8; m++)
        sum[m] = _mm512_loadu_pd(c.at + m * c.stride);
    for (unsigned k = 0; k < depth; k++) {
        __m512d row = _mm512_loadu_pd(b.at + k * b.stride);

        for (unsigned m = 0; m < 8; m++)
            sum[m] = _mm512_fmadd_pd(_mm512_set1_pd(a.at[m * a.stride + k]),
                                     row, sum[m]);
    }
    for (unsigned m = 0; m < 8; m++)
        _mm512_storeu_pd(c.at + m * c.stride, sum[m]);
}

static inline void emu_multiply_4(unsigned depth, struct emu_rows a,
                                  struct emu_rows b, struct emu_rows c)
{
    __m256d sum[4][2];

    for (unsigned m = 0; m < 4; m++) {
        sum[m][0] = _mm256_loadu_pd(c.at + m * c.stride);
        sum[m][1] = _mm256_loadu_pd(c.at + m * c.stride + 4);
    }
    for (unsigned k = 0; k < depth; k++) {
        __m256d left = _mm256_loadu_pd(b.at + k * b.stride);
        __m256d right = _mm256_loadu_pd(b.at + k * b.stride + 4);

        for (unsigned m = 0; m < 4; m++) {
            __m256d all = _mm256_broadcast_sd(a.at + m * a.stride + k);

            sum[m][0] = _mm256_fmadd_pd(all, left, sum[m][0]);
            sum[m][1] = _mm256_fmadd_pd(all, right, sum[m][1]);
        }
    }
    for (unsigned m = 0; m < 4; m++) {
        _mm256_storeu_pd(c.at + m * c.stride, sum[m][0]);
        _mm256_storeu_pd(c.at + m * c.stride + 4, sum[m][1]);
    }
}
#endif

/* c[m][n] += the sum over k < depth of a[m][k] b[k][n], in the order of k;
 * `rows` are a multiple of 8. */
static inline void emu_multiply(unsigned rows, unsigned depth,
                                struct emu_rows a, struct emu_rows b,
                                struct emu_rows c)
{
#ifdef __AVX2__
    unsigned step = __builtin_cpu_supports("avx512f") ? 8 : 4;

    for (unsigned m = 0; m < rows; m += step) {
        struct emu_rows from = {a.at + m * a.stride, a.stride};
        struct emu_rows to = {c.at + m * c.stride, c.stride};

        if (step == 8)
            emu_multiply_8(depth, from, b, to);
        else
            emu_multiply_4(depth, from, b, to);
    }
#else
    for (unsigned m = 0; m < rows; m++) {
        for (unsigned k = 0; k < depth; k++) {
            for (unsigned n = 0; n < EMU_PRODUCT_COLUMNS; n++)
                c.at[m * c.stride + n] +=
                    a.at[m * a.stride + k] * b.at[k * b.stride + n];
        }
    }
#endif
}

#endif
