/*
 * A whole product of integers of 8 or 4 bits, 8 or 16 rows by 8 columns, on
 * machines with AVX2: two neighbors of a row of A at a time by the two that they
 * meet in each of eight columns of B, in 16 bits, which one instruction
 * multiplies and adds.  The same numbers as by the general way (matrix.c): sums
 * are exact, those of 64 products at most fit 32 bits.
 */
#ifndef TEG_TRACES_EMULATE_OPS_INTEGERS_H
#define TEG_TRACES_EMULATE_OPS_INTEGERS_H

#include "traces/emulate/ops/products.h"

#ifdef __AVX2__
/* Inlined, so that the width is known where the code is. */
#define EMU_INTEGER_PART __attribute__((always_inline)) static inline

struct emu_integers {
    unsigned bits; /* 8 or 4 */
    int is_signed;
};

enum {
    EMU_INTEGER_PAIRS = 32, /* of a row of A */
};

/* Numbers in the upper bits of 16 to 16 bits. */
EMU_INTEGER_PART __m256i emu_extended(__m256i v, unsigned bits, int is_signed)
{
    __m128i by = _mm_cvtsi32_si128(16 - (int)bits);

    return is_signed ? _mm256_sra_epi16(v, by) : _mm256_srl_epi16(v, by);
}

/* Two numbers of 4 bits stand in the upper byte of each of two neighbors of 16
 * bits: the lower one's are moved up in the first of them. */
EMU_INTEGER_PART __m256i emu_parted(__m256i twice)
{
    return _mm256_blend_epi16(_mm256_slli_epi16(twice, 4), twice, 0xaa);
}

/* The 16 bytes of a row of A that four lanes hold, as pairs. */
EMU_INTEGER_PART void emu_pairs_of_a(const uint32_t from[4],
                                     struct emu_integers type,
                                     uint32_t pair[EMU_INTEGER_PAIRS])
{
    __m128i row = _mm_loadu_si128((const __m128i *)from);
    __m256i v[2];

    if (type.bits == 8) {
        v[0] = _mm256_slli_epi16(_mm256_cvtepu8_epi16(row), 8);
    } else {
        for (int i = 0; i < 2; i++) {
            __m128i twice = i == 0 ? _mm_unpacklo_epi8(row, row)
                                   : _mm_unpackhi_epi8(row, row);

            v[i] =
                emu_parted(_mm256_slli_epi16(_mm256_cvtepu8_epi16(twice), 8));
        }
    }
    for (unsigned i = 0; i < 8 / type.bits; i++)
        _mm256_storeu_si256((__m256i *)&pair[8 * i],
                            emu_extended(v[i], type.bits, type.is_signed));
}

/* The pairs of eight columns of B that a register holds: [k / 2], a column in
 * each 32 bits. */
EMU_INTEGER_PART void emu_pairs_of_b(const uint32_t from[EMU_LANES],
                                     struct emu_integers type, __m256i pair[])
{
    /* Where a word's bytes are in its 16 bytes; 0x80 is none. */
    const __m256i words =
        _mm256_set_epi32(0x0c800c80, 0x08800880, 0x04800480, 0x00800080,
                         0x0c800c80, 0x08800880, 0x04800480, 0x00800080);
    __m256i word[4];

    emu_words_of_b(from, word);
    for (unsigned t = 0; t < 4; t++) {
        for (int i = 0; i < 16 / (int)type.bits; i++) {
            /* Bytes 2 i and 2 i + 1 of each word, or byte i twice. */
            int first = type.bits == 8 ? 2 * i : i;
            int second = type.bits == 8 ? 2 * i + 1 : i;
            /* [0, first, 0, second] of each */
            __m256i places = _mm256_add_epi32(
                words, _mm256_set1_epi32(first << 8 | second << 24));
            __m256i v = _mm256_shuffle_epi8(word[t], places);

            if (type.bits == 4)
                v = emu_parted(v);
            *pair++ = emu_extended(v, type.bits, type.is_signed);
        }
    }
}

/* To C's row, wrapping or not. */
EMU_INTEGER_PART __m256i emu_integer_sum(__m256i x, __m256i y, int saturates)
{
    __m256i sum = _mm256_add_epi32(x, y), most, over;

    if (!saturates)
        return sum;
    over =
        _mm256_andnot_si256(_mm256_xor_si256(x, y), _mm256_xor_si256(x, sum));
    most = _mm256_xor_si256(_mm256_srai_epi32(x, 31),
                            _mm256_set1_epi32(INT32_MAX));
    return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(sum),
                                                _mm256_castsi256_ps(most),
                                                _mm256_castsi256_ps(over)));
}

/* D = A B + C: registers of A, those of the lower rows and of the upper ones in
 * turn if there are 16, of B (half as many), and of C and D two for each eight
 * rows. */
EMU_INTEGER_PART void emu_integer_product(
    unsigned rows, unsigned registers_b, struct emu_integers type_a,
    struct emu_integers type_b, int saturates, const uint32_t *const a[4],
    const uint32_t *const b[2], const uint32_t *const c[4],
    uint32_t d[4][EMU_LANES])
{
    const __m256i apart = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
    const __m256i beside = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i columns[EMU_INTEGER_PAIRS];
    unsigned each = 64 / type_b.bits, pairs = registers_b * each;

    for (unsigned r = 0; r < registers_b; r++)
        emu_pairs_of_b(b[r], type_b, &columns[each * r]);
    for (unsigned m = 0; m < rows; m++) {
        unsigned upper = m / 8, at = 4 * (m % 8);
        uint32_t row[EMU_INTEGER_PAIRS];
        __m256i sum = _mm256_setzero_si256(), before;

        for (unsigned r = 0; r < registers_b; r++)
            emu_pairs_of_a(&a[rows / 8 * r + upper][at], type_a,
                           &row[each * r]);
        for (unsigned k = 0; k < pairs; k++)
            sum = _mm256_add_epi32(
                sum,
                _mm256_madd_epi16(_mm256_set1_epi32((int)row[k]), columns[k]));
        before = _mm256_set_m128i(
            _mm_loadu_si128((const __m128i *)&c[2 * upper + 1][at]),
            _mm_loadu_si128((const __m128i *)&c[2 * upper][at]));
        sum = emu_integer_sum(_mm256_permutevar8x32_epi32(before, beside), sum,
                              saturates);
        sum = _mm256_permutevar8x32_epi32(sum, apart);
        _mm_storeu_si128((__m128i *)&d[2 * upper][at],
                         _mm256_castsi256_si128(sum));
        _mm_storeu_si128((__m128i *)&d[2 * upper + 1][at],
                         _mm256_extracti128_si256(sum, 1));
    }
}

/* The same, of each width by code of its own. */
static inline void emu_product_of_integers(unsigned rows, unsigned registers_b,
                                           unsigned bits, int is_signed_a,
                                           int is_signed_b, int saturates,
                                           const uint32_t *const a[4],
                                           const uint32_t *const b[2],
                                           const uint32_t *const c[4],
                                           uint32_t d[4][EMU_LANES])
{
    if (bits == 8)
        emu_integer_product(
            rows, registers_b, (struct emu_integers){8, is_signed_a},
            (struct emu_integers){8, is_signed_b}, saturates, a, b, c, d);
    else
        emu_integer_product(
            rows, registers_b, (struct emu_integers){4, is_signed_a},
            (struct emu_integers){4, is_signed_b}, saturates, a, b, c, d);
}
#endif

#endif
