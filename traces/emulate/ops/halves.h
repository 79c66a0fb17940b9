/*
 * A whole product of halves, bfloat16 or tf32, 16 rows by 8 columns, on machines
 * with vectors of eight doubles: what most products of programs are.  The same
 * numbers as by the general way (matrix.c): the same conversions, the same sums in
 * the same order; sums stay in vectors, and nothing asks for the type of each
 * element.
 */
#ifndef TEG_TRACES_EMULATE_OPS_HALVES_H
#define TEG_TRACES_EMULATE_OPS_HALVES_H

#include "traces/emulate/ops/products.h"

enum emu_wide_type {
    WIDE_HALF,
    WIDE_BF16,
    WIDE_TF32,
};

#ifdef __AVX2__
#define EMU_WIDE __attribute__((target("avx512f")))
/* Inlined, so that the type is known where the code is. */
#define EMU_WIDE_PART \
    __attribute__((target("avx512f"), always_inline)) static inline

/* Eight numbers of 16 bits; bfloat16 are the upper halves of floats. */
EMU_WIDE_PART __m512d emu_wide_numbers(__m128i numbers, enum emu_wide_type type)
{
    __m256i upper = _mm256_slli_epi32(_mm256_cvtepu16_epi32(numbers), 16);

    return _mm512_cvtps_pd(type == WIDE_BF16 ? _mm256_castsi256_ps(upper)
                                             : _mm256_cvtph_ps(numbers));
}

/* Registers of A as rows: lanes 4 m to 4 m + 3 have eight numbers of row m, four
 * of tf32, whose lower bits do not count. */
EMU_WIDE_PART void emu_wide_a(const uint32_t *const from[4], unsigned registers,
                              enum emu_wide_type type, double a[16][16])
{
    for (unsigned r = 0; r < registers; r++) {
        for (unsigned m = 0; m < 8; m++) {
            __m128i row = _mm_loadu_si128((const __m128i *)&from[r][4 * m]);
            double *to = a[8 * (r % 2) + m];

            if (type == WIDE_TF32)
                _mm256_storeu_pd(to + 4 * (r / 2),
                                 _mm256_cvtps_pd(_mm_castsi128_ps(_mm_and_si128(
                                     row, _mm_set1_epi32((int)0xffffe000)))));
            else
                _mm512_storeu_pd(to + 8 * (r / 2), emu_wide_numbers(row, type));
        }
    }
}

/* The rows of B that a register holds, eight or four: lane 4 n + t has two
 * numbers, or one, of column n. */
EMU_WIDE_PART void emu_wide_b(const uint32_t from[EMU_LANES],
                              enum emu_wide_type type, double out[8][8])
{
    __m256i word[4];

    emu_words_of_b(from, word);
    for (unsigned t = 0; t < 4; t++) {
        __m256i both;

        if (type == WIDE_TF32) {
            both =
                _mm256_and_si256(word[t], _mm256_set1_epi32((int)0xffffe000));
            _mm512_storeu_pd(out[t],
                             _mm512_cvtps_pd(_mm256_castsi256_ps(both)));
            continue;
        }
        both = emu_two_rows(word[t]);
        _mm512_storeu_pd(out[2 * t],
                         emu_wide_numbers(_mm256_castsi256_si128(both), type));
        _mm512_storeu_pd(
            out[2 * t + 1],
            emu_wide_numbers(_mm256_extracti128_si256(both, 1), type));
    }
}

/* Row m of the sums, which lanes 4 m to 4 m + 3 have two numbers each of: in two
 * registers, or as halves in one. */
EMU_WIDE_PART __m512d emu_wide_row(const uint32_t *const c[4], unsigned m,
                                   int single)
{
    unsigned upper = m / 8, at = 4 * (m % 8);
    __m128 x, y;

    if (!single)
        return _mm512_cvtps_pd(
            _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)&c[upper][at])));
    x = _mm_loadu_ps((const float *)&c[2 * upper][at]);
    y = _mm_loadu_ps((const float *)&c[2 * upper + 1][at]);
    return _mm512_cvtps_pd(
        _mm256_set_m128(_mm_unpackhi_ps(x, y), _mm_unpacklo_ps(x, y)));
}

/* Rounded once: by way of floats that keep in their last bit whether anything is
 * beyond it (rounded to odd).  Of all NaN the one that products give. */
EMU_WIDE_PART __m128i emu_wide_halves(__m512d sum)
{
    const __m128i nan = _mm_set1_epi16(0x7fff);
    __m256 cut =
        _mm512_cvt_roundpd_ps(sum, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    __mmask8 more = _mm512_cmp_pd_mask(_mm512_cvtps_pd(cut), sum, _CMP_NEQ_OQ);
    __m512i odd = _mm512_castsi256_si512(_mm256_castps_si256(cut));
    __m256 rounded;
    __m128i halves, is_nan;

    odd = _mm512_mask_or_epi32(odd, more, odd, _mm512_set1_epi32(1));
    rounded = _mm256_castsi256_ps(_mm512_castsi512_si256(odd));
    halves = _mm256_cvtps_ph(rounded, _MM_FROUND_TO_NEAREST_INT);
    /* greater than infinity */
    is_nan =
        _mm_cmpgt_epi16(_mm_and_si128(halves, nan), _mm_set1_epi16(0x7c00));
    return _mm_blendv_epi8(halves, nan, is_nan);
}

/* Back; of all NaN the one that products give. */
EMU_WIDE_PART void emu_wide_store(__m512d sum, unsigned m, int single,
                                  uint32_t d[4][EMU_LANES])
{
    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    unsigned upper = m / 8, at = 4 * (m % 8);
    __m256 s;

    if (!single) {
        _mm_storeu_si128((__m128i *)&d[upper][at], emu_wide_halves(sum));
        return;
    }
    s = _mm512_cvtpd_ps(sum);
    s = _mm256_blendv_ps(s, nan, _mm256_cmp_ps(s, s, _CMP_UNORD_Q));
    s = _mm256_permutevar8x32_ps(s, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
    _mm_storeu_ps((float *)&d[2 * upper][at], _mm256_castps256_ps128(s));
    _mm_storeu_ps((float *)&d[2 * upper + 1][at], _mm256_extractf128_ps(s, 1));
}

/* D = A B + C: registers of A (depth / 4 of them, of tf32 depth / 2), of B (half as
 * many) and of C, two of each eight rows if they are `single`, else one; `depth`
 * is 8 or 16, of tf32 4 or 8. */
EMU_WIDE_PART void emu_wide_product(unsigned depth, enum emu_wide_type type,
                                    int single, const uint32_t *const from_a[4],
                                    const uint32_t *const from_b[2],
                                    const uint32_t *const from_c[4],
                                    uint32_t d[4][EMU_LANES])
{
    unsigned each = type == WIDE_TF32 ? 4 : 8; /* rows of B in a register */
    double a[16][16], b[16][8];
    __m512d sum[16];

    emu_wide_a(from_a, depth / each * 2, type, a);
    for (unsigned r = 0; r < depth / each; r++)
        emu_wide_b(from_b[r], type, &b[each * r]);
#pragma GCC unroll 16
    for (unsigned m = 0; m < 16; m++)
        sum[m] = emu_wide_row(from_c, m, single);
    for (unsigned k = 0; k < depth; k++) {
        __m512d row = _mm512_loadu_pd(b[k]);

#pragma GCC unroll 16
        for (unsigned m = 0; m < 16; m++)
            sum[m] = _mm512_fmadd_pd(_mm512_set1_pd(a[m][k]), row, sum[m]);
    }
#pragma GCC unroll 16
    for (unsigned m = 0; m < 16; m++)
        emu_wide_store(sum[m], m, single, d);
}

/* The products that PTX has, by type and whether C and D are single. */
#define EMU_WIDE_PRODUCT(name, type, single)                              \
    EMU_WIDE static void name(unsigned depth, const uint32_t *const a[4], \
                              const uint32_t *const b[2],                 \
                              const uint32_t *const c[4],                 \
                              uint32_t d[4][EMU_LANES])                   \
    {                                                                     \
        emu_wide_product(depth, (type), (single), a, b, c, d);            \
    }
EMU_WIDE_PRODUCT(emu_product_of_halves, WIDE_HALF, 1)
EMU_WIDE_PRODUCT(emu_product_to_halves, WIDE_HALF, 0)
EMU_WIDE_PRODUCT(emu_product_of_bf16, WIDE_BF16, 1)
EMU_WIDE_PRODUCT(emu_product_of_tf32, WIDE_TF32, 1)
#endif

#endif
