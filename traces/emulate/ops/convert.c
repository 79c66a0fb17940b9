/*
 * Conversions between floats, integers and halves of all sizes.  Directed
 * rounding goes through functions the compiler must not move.
 */
#include "traces/emulate/core/half.h"
#include "traces/emulate/ops/float.h"

AS_SET static float narrow_as_set(double a)
{
    return (float)a;
}

static float flushed(float f, int ftz)
{
    return ftz && fabsf(f) < 1.17549435e-38f ? copysignf(0, f) : f;
}

/* Rounds as the host's mode says; `d` holds every sum of two products exactly
 * enough for that to be the hardware's single rounding. */
static uint32_t half_as_set(double d)
{
    uint32_t sign = signbit(d) ? 0x8000 : 0;
    double scaled;
    int exponent;

    if (isnan(d))
        return 0x7fff;
    if (isinf(d))
        return sign | 0x7c00;
    if (d == 0)
        return sign;
    (void)frexp(d, &exponent);
    exponent = exponent - 1 < -14 ? -14 : exponent - 1;
    scaled = fabs(nearbyint(ldexp(d, 10 - exponent)));
    if (scaled >= 2048) {
        scaled /= 2;
        exponent++;
    }
    if (exponent > 15) {
        int away = fegetround() == FE_TONEAREST ||
                   (fegetround() == FE_UPWARD && !sign) ||
                   (fegetround() == FE_DOWNWARD && sign);

        return sign | (away ? 0x7c00 : 0x7bff);
    }
    return sign | (uint32_t)(scaled >= 1024
                                 ? ((exponent + 15) << 10) + (int)scaled - 1024
                                 : (int)scaled);
}

/* A float of size code 0 bfloat16, 1 half, 2 single, 3 double in every lane. */
static void float_source(struct emu_warp *w, const struct emu_op *op,
                         unsigned size, int upper_half, double out[EMU_LANES])
{
    float room[EMU_LANES];

    if (size == 3) {
        emu_double(w, op->b, out);
    } else if (size == 2) {
        const float *b = emu_float(w, op->b, room);

        LANES out[l] = (double)b[l];
    } else {
        const uint32_t *b = emu_row(w, op->b, 0);
        int negate = op->b != NULL && (op->b->flags & SASS_NEGATE);
        int absolute = op->b != NULL && (op->b->flags & SASS_ABSOLUTE);

        if (op->b != NULL && op->b->kind == SASS_IMMEDIATE)
            upper_half = 0; /* the bit is one of the number's */
        LANES
        {
            uint32_t bits = upper_half ? b[l] >> 16 : b[l] & 0xffff;
            double v =
                (double)(size == 0 ? bf16_value(bits) : half_value(bits));

            v = absolute ? fabs(v) : v;
            out[l] = negate ? -v : v;
        }
    }
}

static double rounded(unsigned how, double d)
{
    return how == 0   ? nearbyint(d)
           : how == 1 ? floor(d)
           : how == 2 ? ceil(d)
                      : trunc(d);
}

/* Saturates.  NaN becomes 0 if `ntz` (.NTZ), else the sign's bit alone.  (PTX
 * ISA, cvt: of doubles and to 64 bits, where compilers leave .NTZ out) */
static uint64_t to_integer(double d, unsigned size, int is_signed, int ntz)
{
    unsigned bits = 8u << size;
    double high = double_of((1023 + (uint64_t)bits - (is_signed != 0)) << 52);
    double low = is_signed ? -high : 0;

    if (isnan(d))
        return ntz ? 0 : UINT64_C(1) << (bits - 1);
    if (d >= high)
        return is_signed    ? (UINT64_C(1) << (bits - 1)) - 1
               : bits == 64 ? UINT64_MAX
                            : (UINT64_C(1) << bits) - 1;
    if (d <= low)
        return is_signed ? (uint64_t)(int64_t)low : 0;
    return is_signed ? (uint64_t)(int64_t)d : (uint64_t)d;
}

EXEC(f2i)
{
    unsigned to = emu_bits(op, 76, 75), from = emu_bits(op, 85, 84);
    unsigned how = emu_bits(op, 79, 78);
    int is_signed = emu_bit(op, 72), ftz = emu_bit(op, 80);
    double in[EMU_LANES];
    uint64_t out[EMU_LANES];
    uint32_t low[EMU_LANES];

    float_source(w, op, from, emu_bit(op, 60), in);
    LANES
    {
        double d = from == 2 ? (double)flushed((float)in[l], ftz) : in[l];

        out[l] = to_integer(rounded(how, d), to, is_signed, emu_bit(op, 77));
        low[l] = (uint32_t)out[l];
    }
    if (to == 3)
        emu_write64(w, op->d, mask, out);
    else
        emu_write(w, op->d, 0, mask, low);
}

/* An integer source of size code 0..3 as sign and magnitude. */
static void integer_source(struct emu_warp *w, const struct emu_op *op,
                           unsigned size, int is_signed, unsigned part,
                           uint64_t magnitude[EMU_LANES], uint32_t *negative)
{
    uint64_t in[EMU_LANES];

    *negative = 0;
    emu_int64(w, op->b, is_signed, in);
    LANES
    {
        unsigned bits = 8u << size;
        uint64_t v = size < 2 ? in[l] >> (part * bits) : in[l];

        if (bits < 64) {
            v &= (UINT64_C(1) << bits) - 1;
            if (is_signed && v >> (bits - 1))
                v |= ~((UINT64_C(1) << bits) - 1);
        }
        if (is_signed && v >> 63) {
            *negative |= 1u << l;
            v = -v;
        }
        magnitude[l] = v;
    }
}

/* `v` with its sign as a float of `precision` bits, rounded as code says. */
static double integer_to_float(uint64_t v, int negative, unsigned how,
                               int precision)
{
    int length = v != 0 ? 64 - __builtin_clzll(v) : 0;
    int drop = length > precision ? length - precision : 0;
    uint64_t kept = drop != 0 ? v >> drop : v;
    uint64_t lost = drop != 0 ? v & ((UINT64_C(1) << drop) - 1) : 0;
    uint64_t half = drop != 0 ? UINT64_C(1) << (drop - 1) : 0;
    int up = how == 0   ? lost > half || (lost == half && lost && (kept & 1))
             : how == 1 ? negative && lost
             : how == 2 ? !negative && lost
                        : 0;
    double d = (double)(kept + (uint64_t)up) *
               double_of((uint64_t)(1023 + drop) << 52);

    return negative ? -d : d;
}

static void from_integer(struct emu_warp *w, const struct emu_op *op,
                         uint32_t mask, unsigned from, unsigned to,
                         unsigned part)
{
    unsigned how = emu_bits(op, 79, 78);
    uint64_t magnitude[EMU_LANES];
    uint32_t negative, out[EMU_LANES];
    double wide[EMU_LANES];

    integer_source(w, op, from, emu_bit(op, 74), part, magnitude, &negative);
    LANES wide[l] = integer_to_float(magnitude[l], negative >> l & 1, how,
                                     to == 3   ? 53
                                     : to == 2 ? 24
                                     : to == 1 ? 11
                                               : 8);
    if (to == 3) {
        emu_write_doubles(w, op->d, mask, wide);
        return;
    }
    /* What is rounded to 11 bits may yet be beyond the greatest half. */
    fesetround(round_mode(how));
    LANES out[l] = to == 0   ? bits_of((float)wide[l]) >> 16
                   : to == 1 ? half_as_set(wide[l])
                             : bits_of((float)wide[l]);
    fesetround(FE_TONEAREST);
    emu_write(w, op->d, 0, mask, out);
}

EXEC(i2f)
{
    from_integer(w, op, mask, emu_bits(op, 85, 84), emu_bits(op, 76, 75),
                 emu_bits(op, 61, 60));
}

EXEC(i2fp)
{
    if (emu_bits(op, 76, 75) != 2) {
        emu_refuse(w, op);
        return;
    }
    from_integer(w, op, mask, 2, 2, 0);
}

/* A single-precision number as bfloat16, its lower half rounded away. */
static uint32_t bf16_rounded(float f, unsigned how)
{
    uint32_t bits = float_bits(f), rest = bits & 0xffff;
    int negative = (int)(bits >> 31);
    int away = how == 1 ? negative : how == 2 ? !negative : 0;

    if (isnan(f))
        return 0x7fff;
    if (how == 0)
        away = rest > 0x8000 || (rest == 0x8000 && bits >> 16 & 1);
    return (bits >> 16) + (uint32_t)(rest != 0 && away && !isinf(f));
}

/* Single precision without its denormals, if .FTZ says so. */
static void flush_source(const struct emu_op *op, unsigned from,
                         double in[EMU_LANES])
{
    if (emu_bit(op, 80) && from == 2)
        LANES in[l] = (double)flushed((float)in[l], 1);
}

EXEC(f2f)
{
    unsigned to = emu_bits(op, 77, 75), from = emu_bits(op, 85, 84);
    unsigned how = emu_bits(op, 79, 78);
    int ftz = emu_bit(op, 80);
    double in[EMU_LANES];
    uint32_t out[EMU_LANES];

    if (to == 4 && from != 2) {
        emu_refuse(w, op);
        return;
    }
    float_source(w, op, from, emu_bit(op, 60), in);
    flush_source(op, from, in);
    if (to == 3) {
        emu_write_doubles(w, op->d, mask, in);
        return;
    }
    if (to == 4) {
        LANES out[l] = bf16_rounded((float)in[l], how);
    } else if (how == 0) {
        LANES out[l] =
            to == 2 ? float_bits(flushed((float)in[l], ftz)) : half_bits(in[l]);
    } else {
        fesetround(round_mode(how));
        LANES out[l] = to == 2 ? float_bits(flushed(narrow_as_set(in[l]), ftz))
                               : half_as_set(in[l]);
        fesetround(FE_TONEAREST);
    }
    emu_write(w, op->d, 0, mask, out);
}

EXEC(frnd)
{
    unsigned to = emu_bits(op, 76, 75), from = emu_bits(op, 85, 84);
    unsigned how = emu_bits(op, 79, 78);
    double in[EMU_LANES];
    uint32_t out[EMU_LANES];

    float_source(w, op, from, emu_bit(op, 60), in);
    flush_source(op, from, in);
    LANES in[l] = rounded(how, in[l]);
    if (to == 3) {
        emu_write_doubles(w, op->d, mask, in);
        return;
    }
    /* A whole number of bfloat16 is one, too. */
    LANES out[l] = to == 0   ? bf16_rounded((float)in[l], 0)
                   : to == 1 ? half_bits(in[l])
                             : float_bits((float)in[l]);
    emu_write(w, op->d, 0, mask, out);
}

/* A float as 16 bits: half or bfloat16; .SATFINITE (77) makes infinity the
 * greatest number.  (PTX ISA, cvt) */
static uint32_t packed(const struct emu_op *op, float f)
{
    int bf16 = emu_bit(op, 76);
    unsigned how = emu_bits(op, 80, 79);
    uint32_t infinite = bf16 ? 0x7f80 : 0x7c00;
    uint32_t v = bf16       ? bf16_rounded(f, how)
                 : how == 0 ? half_bits((double)f)
                            : half_as_set((double)f);

    return emu_bit(op, 77) && (v & 0x7fff) == infinite ? v - 1 : v;
}

/* Floats of 8, 6 and 4 bits, by the code that sm_100 gives them: bits of the
 * exponent and the fraction, the greatest and what NaN becomes (its sign is
 * lost).  None is infinite.  (PTX ISA, cvt with .satfinite) */
struct narrow {
    uint8_t exponent, fraction, most, nan;
};

enum {
    CODE_E2M1 = 3,
    CODE_E5M2 = 8,
    CODE_E8M0 = 12, /* a power of two: no float of those above */
};

static const struct narrow narrows[] = {
    [CODE_E2M1] = {2, 1, 0x07, 0x07}, [6] = {2, 3, 0x1f, 0x1f},
    [7] = {3, 2, 0x1f, 0x1f},         [CODE_E5M2] = {5, 2, 0x7b, 0x7f},
    [9] = {4, 3, 0x7e, 0x7f},         [CODE_E8M0] = {0, 0, 0, 0},
};

static unsigned bits_of_narrow(const struct narrow *n)
{
    return 1u + n->exponent + n->fraction;
}

/* To nearest, the greatest for what is greater. */
static uint32_t narrowed(float f, const struct narrow *n)
{
    int bias = (1 << (n->exponent - 1)) - 1, least = 1 - bias, exponent;
    uint32_t sign = float_bits(f) >> 31 << (n->exponent + n->fraction), v;
    double size = fabs((double)f), step;

    if (isnan(f))
        return n->nan;
    if (size >= 65536)
        return sign | n->most;
    frexp(size, &exponent);
    exponent = exponent - 1 < least ? least : exponent - 1;
    step = rint(ldexp(size, n->fraction - exponent)); /* to nearest, even */
    if (step >= ldexp(2, n->fraction)) {
        step /= 2;
        exponent++;
    }
    v = (uint32_t)step;
    if (v >> n->fraction) /* else a denormal */
        v += (uint32_t)(exponent + bias - 1) << n->fraction;
    return sign | (v > n->most ? n->most : v);
}

/* UE8M0: 2^(v - 127), 255 is NaN.  The sign does not count; infinity and what
 * is beyond the greatest is NaN, or with .SATFINITE the greatest.  (PTX ISA,
 * cvt; of signs, zeros and denormals: cuda_fp8.hpp of CUDA 13, what it has for
 * hosts) */
static uint32_t power_of_two(float f, int up, int finite)
{
    uint32_t bits = float_bits(f) & 0x7fffffff, v = bits >> 23;
    uint32_t least = 1u << 22; /* 2^-127, which 0 stands for */

    if (bits > 0x7f800000)
        return 0xff;
    if (up && v < 0xff)
        v += (bits & 0x7fffff) != 0 && bits > least;
    return finite && v == 0xff ? 0xfe : v;
}

/* What a pair of them becomes beside bits of C: 16 of them, of 4-bit floats,
 * which fill a byte, 24. */
static uint32_t beside_c(const struct narrow *n, uint32_t upper, uint32_t lower,
                         uint32_t c, int upper_half)
{
    unsigned bits = bits_of_narrow(n);

    if (bits == 4)
        return lower | upper << 4 | c << 8;
    return lower | upper << 8 | c >> (upper_half ? 16 : 0) << 16;
}

/* The code of what F2FP makes or takes apart; before sm_100 there are two. */
static unsigned narrow_code(const struct emu_op *op, int packs)
{
    static const uint8_t unpacked[16] = {
        [2] = CODE_E5M2, [3] = 9, [5] = CODE_E2M1,
        [6] = 6,         [7] = 7, [11] = CODE_E8M0};

    if (op->cc < 100)
        return CODE_E5M2 + emu_bit(op, packs ? 76 : 73);
    if (packs)
        return emu_bits(op, 87, 85) << 1 | emu_bit(op, 76);
    return unpacked[emu_bits(op, 83, 82) << 2 | emu_bits(op, 74, 73)];
}

/* Two floats, or the halves or bfloat16 of B, as narrow ones beside C. */
static void to_narrow(struct emu_warp *w, const struct emu_op *op,
                      uint32_t mask, unsigned code)
{
    const struct narrow *n = &narrows[code];
    float a[EMU_LANES], b[EMU_LANES];
    const uint32_t *c = emu_row(w, op->c, 0);
    const uint32_t *pair = emu_row(w, op->b, 0);
    uint32_t out[EMU_LANES];
    /* 73: before sm_100, where 78 tells too */
    int of_pair = emu_bit(op, 73), of_bf16 = op->cc >= 100 && emu_bit(op, 83);
    int relu = emu_bit(op, 75), up = emu_bits(op, 80, 79) == 2;

    emu_float(w, op->a, a);
    emu_float(w, op->b, b);
    LANES
    {
        if (of_pair) {
            a[l] =
                of_bf16 ? bf16_value(pair[l] >> 16) : half_value(pair[l] >> 16);
            b[l] = of_bf16 ? bf16_value(pair[l] & 0xffff)
                           : half_value(pair[l] & 0xffff);
        }
        if (code == CODE_E8M0) {
            out[l] = power_of_two(b[l], up, emu_bit(op, 77)) |
                     power_of_two(a[l], up, emu_bit(op, 77)) << 8 |
                     c[l] >> (emu_bit(op, 72) ? 16 : 0) << 16;
            continue;
        }
        a[l] = relu && a[l] < 0 ? 0 : a[l];
        b[l] = relu && b[l] < 0 ? 0 : b[l];
        out[l] = beside_c(n, narrowed(a[l], n), narrowed(b[l], n), c[l],
                          emu_bit(op, 72));
    }
    emu_write(w, op->d, 0, mask, out);
}

/* A narrow float; halves hold it exactly, bfloat16 E8M0. */
static double narrow_value(uint32_t v, unsigned code)
{
    const struct narrow *n = &narrows[code];

    if (code == CODE_E8M0)
        return scale_value(v & 0xff, 0);
    v &= (1u << bits_of_narrow(n)) - 1;
    if (code == CODE_E5M2)
        return (double)e5m2_value(v);
    if (code > CODE_E5M2)
        return (double)e4m3_value(v);
    return small_float_value(v, n->exponent, n->fraction);
}

/* Two of a half of B, of 4 bits of a byte, as halves or bfloat16 (76). */
static void from_narrow(struct emu_warp *w, const struct emu_op *op,
                        uint32_t mask, unsigned code)
{
    const uint32_t *b = emu_row(w, op->b, 0);
    unsigned step = code == CODE_E2M1 ? 4 : 8, shift = emu_bit(op, 88) ? 16 : 0;
    uint32_t out[EMU_LANES] = {0};

    if (code == CODE_E2M1 && emu_bit(op, 72))
        shift += 8;
    LANES
    {
        for (unsigned i = 0; i < 2; i++) {
            double d = narrow_value(b[l] >> (shift + step * i), code);

            if (emu_bit(op, 75) && d < 0)
                d = 0;
            out[l] |= (emu_bit(op, 76) ? bf16_bits(d) : half_bits(d)) << 16 * i;
        }
    }
    emu_write(w, op->d, 0, mask, out);
}

/* Towards zero or away from it by the carry out of the bits that are dropped
 * and as many random ones.  (PTX ISA, cvt.rs: of .f16x2 and .bf16x2 13 and 16
 * bits of each half of C) */
static uint32_t rounded_by(uint32_t bits, uint32_t random, int bf16, int finite)
{
    uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff, v;

    if (size > 0x7f800000)
        return 0x7fff;
    if (size == 0x7f800000) {
        v = bf16 ? 0x7f80 : 0x7c00;
    } else if (bf16) {
        v = (size + random) >> 16;
    } else {
        v = (size + (random & 0x1fff)) >> 13;
        /* from the float's exponent to the half's */
        v = size < 0x38800000       ? 0
            : v >= (127 + 16) << 10 ? 0x7c00
                                    : v - ((127 - 15) << 10);
    }
    if (finite && v == (bf16 ? 0x7f80u : 0x7c00u))
        v--;
    return sign | v;
}

/* Two floats by the random bits of C's halves. */
static void to_sixteen_bits_by(struct emu_warp *w, const struct emu_op *op,
                               uint32_t mask)
{
    float room[2][EMU_LANES];
    const float *in[] = {emu_float(w, op->b, room[0]),
                         emu_float(w, op->a, room[1])};
    const uint32_t *c = emu_row(w, op->c, 0);
    int bf16 = emu_bit(op, 76);
    uint32_t out[EMU_LANES] = {0};

    LANES
    {
        for (unsigned i = 0; i < 2; i++) {
            uint32_t bits = float_bits(in[i][l]);

            if (emu_bit(op, 75) && in[i][l] < 0)
                bits = 0;
            if (!bf16 && mask >> l & 1 && (bits & 0x7fffffff) != 0 &&
                (bits & 0x7fffffff) < 0x38800000) {
                emu_fault(w, op, l, TEG_LIMIT,
                          "which random bits decide how a number becomes a "
                          "denormal half is not known");
                return;
            }
            out[l] |=
                rounded_by(bits, c[l] >> 16 * i & 0xffff, bf16, emu_bit(op, 77))
                << 16 * i;
        }
    }
    emu_write(w, op->d, 0, mask, out);
}

/* Two floats packed, or one beside the upper half of C. */
static void to_sixteen_bits(struct emu_warp *w, const struct emu_op *op,
                            uint32_t mask)
{
    float a[EMU_LANES], b[EMU_LANES];
    uint32_t out[EMU_LANES];
    const uint32_t *c = emu_row(w, op->c, 0);
    int merges = emu_bit(op, 78);

    emu_float(w, op->a, a);
    emu_float(w, op->b, b);
    if (emu_bit(op, 75)) {
        LANES a[l] = a[l] < 0 ? 0 : a[l];
        LANES b[l] = b[l] < 0 ? 0 : b[l];
    }
    fesetround(round_mode(emu_bits(op, 80, 79)));
    if (merges)
        LANES out[l] = packed(op, b[l]) | (c[l] & 0xffff0000);
    else
        LANES out[l] = packed(op, b[l]) | packed(op, a[l]) << 16;
    fesetround(FE_TONEAREST);
    emu_write(w, op->d, 0, mask, out);
}

/* Whether PTX has the conversion: narrow floats are saturated and rounded to
 * nearest, powers of two towards zero or up and of bfloat16 alone, and .RS (81)
 * of pairs of 16 bits: which random bits four narrower ones take only a figure
 * says. */
static int has_narrow(const struct emu_op *op, unsigned code, int packs)
{
    unsigned how = op->cc >= 100 ? emu_bits(op, 80, 79) : 0;
    int of_bf16 = emu_bit(op, packs ? 83 : 76);

    if (narrows[code].exponent == 0 && code != CODE_E8M0)
        return 0;
    if (op->cc < 100)
        return packs ? emu_bit(op, 77) : !emu_bit(op, 76);
    if (!packs)
        return of_bf16 == (code == CODE_E8M0);
    if (emu_bit(op, 81) || (code == CODE_E2M1 && emu_bit(op, 72)))
        return 0;
    if (code != CODE_E8M0)
        return emu_bit(op, 77) && how == 0;
    return !emu_bit(op, 75) && how >= 2 && (!emu_bit(op, 73) || of_bf16);
}

/* A float of TF32, which has ten bits of a fraction, to nearest even or towards
 * zero. */
static uint32_t tf32_rounded(float f, int cuts)
{
    uint32_t v = float_bits(f);

    if (isnan(f))
        return 0x7fffffff;
    if (!cuts && !isinf(f))
        v += 0xfff + (v >> 13 & 1);
    return v & 0xffffe000;
}

static void to_tf32(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    float room[EMU_LANES];
    const float *b = emu_float(w, op->b, room);
    int cuts = emu_bits(op, 80, 79) == 3;
    uint32_t out[EMU_LANES];

    LANES
    {
        out[l] = tf32_rounded(emu_bit(op, 75) && b[l] < 0 ? 0 : b[l], cuts);
        if (emu_bit(op, 77) && (out[l] & 0x7fffffff) == 0x7f800000)
            out[l] -= 0x2000;
    }
    emu_write(w, op->d, 0, mask, out);
}

EXEC(f2fp)
{
    int packs_narrow = op->cc >= 89 && emu_bit(op, 90);
    int unpacks = op->cc >= 89 && emu_bit(op, 89);

    if (unpacks && emu_bit(op, 86)) {
        to_tf32(w, op, mask);
        return;
    }
    if (emu_bits(op, 11, 0) == 0xe3e) { /* with a scale, which no PTX has */
        emu_refuse(w, op);
    } else if (packs_narrow || unpacks) {
        unsigned code = narrow_code(op, packs_narrow);

        if (!has_narrow(op, code, packs_narrow))
            emu_refuse(w, op);
        else if (packs_narrow)
            to_narrow(w, op, mask, code);
        else
            from_narrow(w, op, mask, code);
    } else if (op->cc >= 100 && emu_bit(op, 81)) {
        to_sixteen_bits_by(w, op, mask);
    } else {
        to_sixteen_bits(w, op, mask);
    }
}

/* A float as a byte, as cvt.rni.u8.f32 and cvt.rzi.u8.f32 of PTX have it, of
 * which ptxas makes this with nothing for A and C.  Where theirs would go, and
 * what else there is, no PTX tells. */
EXEC(f2ip)
{
    unsigned how = emu_bits(op, 79, 78);
    float room[EMU_LANES];
    const float *b = emu_float(w, op->b, room);
    uint32_t out[EMU_LANES];

    if (emu_bits(op, 31, 24) != TEG_SASS_RZ ||
        emu_bits(op, 71, 64) != TEG_SASS_RZ || !emu_bit(op, 74) ||
        emu_bits(op, 76, 75) != 0 || (how != 0 && how != 3)) {
        emu_refuse(w, op);
        return;
    }
    LANES out[l] = (uint32_t)to_integer(rounded(how, (double)b[l]), 0, 0, 1);
    emu_write(w, op->d, 0, mask, out);
}

/* A signed word to a byte or half of it, as far as it fits. */
EXEC(i2i)
{
    const uint32_t *b = emu_row(w, op->b, 0);
    static const int32_t least[] = {0, -128, 0, -32768};
    static const int32_t most[] = {255, 127, 65535, 32767};
    unsigned type = emu_bits(op, 77, 76);
    uint32_t out[EMU_LANES];

    LANES
    {
        int32_t v = (int32_t)b[l];

        v = v < least[type] ? least[type] : v;
        out[l] = (uint32_t)(v > most[type] ? most[type] : v);
    }
    emu_write(w, op->d, 0, mask, out);
}

/* Two signed words as numbers of 2 to 16 bits, as far as they fit, before bits
 * of C.  (PTX ISA, cvt.pack) */
EXEC(i2ip)
{
    static const uint8_t widths[] = {8, 16, 2, 4};
    unsigned type = emu_bits(op, 78, 76), bits = widths[type / 2];
    int is_signed = type & 1;
    int32_t most = (int32_t)((1u << (bits - (unsigned)is_signed)) - 1);
    int32_t least = is_signed ? -most - 1 : 0;
    const uint32_t *in[] = {emu_row(w, op->b, 0), emu_row(w, op->a, 0)};
    const uint32_t *c = emu_row(w, op->c, 0);
    uint32_t out[EMU_LANES];

    if (op->cc >= 90 && emu_bits(op, 75, 74) != 1) { /* PTX saturates */
        emu_refuse(w, op);
        return;
    }
    LANES
    {
        out[l] =
            bits == 16 ? 0 : c[l] >> (bits == 8 && emu_bit(op, 72) ? 16 : 0);
        out[l] <<= 2 * bits & 31;
        for (unsigned i = 0; i < 2; i++) {
            int32_t v = (int32_t)in[i][l];

            v = v < least ? least : v > most ? most : v;
            out[l] |= ((uint32_t)v & ((1u << bits) - 1)) << i * bits;
        }
    }
    emu_write(w, op->d, 0, mask, out);
}

const struct emu_row_of EMU_TABLE(convert)[] = {
    {"F2I", f2i},  {"I2F", i2f},    {"I2FP", i2fp},
    {"F2F", f2f},  {"FRND", frnd},  {"F2FP", f2fp},
    {"I2I", i2i},  {"I2IP", i2ip},  {"F2IP", f2ip},
    {"UF2I", f2i}, {"UI2F", i2f},   {"UI2FP", i2fp},
    {"UF2F", f2f}, {"UFRND", frnd}, {0},
};
