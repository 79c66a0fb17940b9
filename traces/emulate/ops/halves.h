/*
 * A whole product of halves or bfloat16, 16 rows by 8 columns, with sums in
 * single precision, on machines with vectors of eight doubles: what most
 * products of programs are.  The same numbers as by the general way (matrix.c):
 * the same conversions, the same sums in the same order; sums stay in vectors,
 * and nothing asks for the type of each element.
 */
#ifndef TEG_TRACES_EMULATE_OPS_HALVES_H
#define TEG_TRACES_EMULATE_OPS_HALVES_H

#include "traces/emulate/ops/products.h"

#ifdef __AVX2__
#define EMU_WIDE __attribute__((target("avx512f")))
/* Inlined, so that the type is known where the code is. */
#define EMU_WIDE_PART \
    __attribute__((target("avx512f"), always_inline)) static inline

/* Eight numbers of 16 bits; bfloat16 are the upper halves of floats. */
EMU_WIDE_PART __m512d emu_wide_numbers(__m128i numbers, int bf16)
{
    __m256i upper = _mm256_slli_epi32(_mm256_cvtepu16_epi32(numbers), 16);

    return _mm512_cvtps_pd(bf16 ? _mm256_castsi256_ps(upper)
                                : _mm256_cvtph_ps(numbers));
}

/* Registers of A as rows: lanes 4 m to 4 m + 3 have eight numbers of row m. */
EMU_WIDE_PART void emu_wide_a(const uint32_t *const from[4], unsigned depth,
                              int bf16, double a[16][16])
{
    for (unsigned r = 0; r < depth / 4; r++) {
        for (unsigned m = 0; m < 8; m++) {
            const void *row = &from[r][4 * m];

            _mm512_storeu_pd(&a[8 * (r % 2) + m][8 * (r / 2)],
                             emu_wide_numbers(_mm_loadu_si128(row), bf16));
        }
    }
}

/* The eight rows of B that a register holds: lane 4 n + t has two of column n. */
EMU_WIDE_PART void emu_wide_b(const uint32_t from[EMU_LANES], int bf16,
                              double out[8][8])
{
    __m256i word[4];

    emu_words_of_b(from, word);
    for (unsigned t = 0; t < 4; t++) {
        __m256i both = emu_two_rows(word[t]);

        _mm512_storeu_pd(out[2 * t],
                         emu_wide_numbers(_mm256_castsi256_si128(both), bf16));
        _mm512_storeu_pd(
            out[2 * t + 1],
            emu_wide_numbers(_mm256_extracti128_si256(both, 1), bf16));
    }
}

/* Row m of the sums, which lanes 4 m to 4 m + 3 have two numbers each of. */
EMU_WIDE_PART __m512d emu_wide_row(const uint32_t *first,
                                   const uint32_t *second)
{
    __m128 x = _mm_loadu_ps((const float *)first);
    __m128 y = _mm_loadu_ps((const float *)second);

    return _mm512_cvtps_pd(
        _mm256_set_m128(_mm_unpackhi_ps(x, y), _mm_unpacklo_ps(x, y)));
}

/* Back; of all NaN the one that products give. */
EMU_WIDE_PART void emu_wide_store(__m512d sum, uint32_t *first,
                                  uint32_t *second)
{
    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    __m256 s = _mm512_cvtpd_ps(sum);

    s = _mm256_blendv_ps(s, nan, _mm256_cmp_ps(s, s, _CMP_UNORD_Q));
    s = _mm256_permutevar8x32_ps(s, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
    _mm_storeu_ps((float *)first, _mm256_castps256_ps128(s));
    _mm_storeu_ps((float *)second, _mm256_extractf128_ps(s, 1));
}

/* D = A B + C: registers of A (depth / 4 of them), of B (depth / 8) and the four
 * of C, two of each eight rows; `depth` is 8 or 16. */
EMU_WIDE_PART void emu_wide_product(unsigned depth, int bf16,
                                    const uint32_t *const from_a[4],
                                    const uint32_t *const from_b[2],
                                    const uint32_t *const from_c[4],
                                    uint32_t d[4][EMU_LANES])
{
    double a[16][16], b[16][8];
    __m512d sum[16];

    emu_wide_a(from_a, depth, bf16, a);
    for (unsigned r = 0; r < depth / 8; r++)
        emu_wide_b(from_b[r], bf16, &b[8 * r]);
#pragma GCC unroll 16
    for (unsigned m = 0; m < 16; m++)
        sum[m] = emu_wide_row(&from_c[m / 8 * 2][4 * (m % 8)],
                              &from_c[m / 8 * 2 + 1][4 * (m % 8)]);
    for (unsigned k = 0; k < depth; k++) {
        __m512d row = _mm512_loadu_pd(b[k]);

#pragma GCC unroll 16
        for (unsigned m = 0; m < 16; m++)
            sum[m] = _mm512_fmadd_pd(_mm512_set1_pd(a[m][k]), row, sum[m]);
    }
#pragma GCC unroll 16
    for (unsigned m = 0; m < 16; m++)
        emu_wide_store(sum[m], &d[m / 8 * 2][4 * (m % 8)],
                       &d[m / 8 * 2 + 1][4 * (m % 8)]);
}

EMU_WIDE static inline void emu_product_of_halves(unsigned depth,
                                                  const uint32_t *const a[4],
                                                  const uint32_t *const b[2],
                                                  const uint32_t *const c[4],
                                                  uint32_t d[4][EMU_LANES])
{
    emu_wide_product(depth, 0, a, b, c, d);
}

EMU_WIDE static inline void emu_product_of_bf16(unsigned depth,
                                                const uint32_t *const a[4],
                                                const uint32_t *const b[2],
                                                const uint32_t *const c[4],
                                                uint32_t d[4][EMU_LANES])
{
    emu_wide_product(depth, 1, a, b, c, d);
}
#endif

#endif
