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
    double high = ldexp(1, (int)bits - (is_signed ? 1 : 0));
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
    double d = ldexp((double)(kept + (uint64_t)up), drop);

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

/* The nearest 8-bit float, of which none is infinite.  (PTX ISA, cvt with
 * .satfinite: what is greater than the greatest becomes that, a NaN the one
 * with all bits but the sign) */
static uint32_t eight_bits(float f, int e4m3)
{
    unsigned fraction = e4m3 ? 3 : 2;
    int bias = e4m3 ? 7 : 15, least = 1 - bias, exponent;
    uint32_t sign = float_bits(f) >> 31 << 7, most = e4m3 ? 0x7e : 0x7b, v;
    double size = fabs((double)f), step;

    if (isnan(f))
        return 0x7f;
    if (size >= 65536)
        return sign | most;
    frexp(size, &exponent);
    exponent = exponent - 1 < least ? least : exponent - 1;
    step = rint(ldexp(size, (int)fraction - exponent)); /* to nearest, even */
    if (step >= ldexp(2, (int)fraction)) {
        step /= 2;
        exponent++;
    }
    v = (uint32_t)step;
    if (v >> fraction) /* else a denormal */
        v += (uint32_t)(exponent + bias - 1) << fraction;
    return sign | (v > most ? most : v);
}

/* Two floats, or the halves of B, as 8-bit floats beside 16 bits of C. */
static void to_eight_bits(struct emu_warp *w, const struct emu_op *op,
                          uint32_t mask)
{
    float a[EMU_LANES], b[EMU_LANES];
    const uint32_t *c = emu_row(w, op->c, 0);
    const uint32_t *halves = emu_row(w, op->b, 0);
    uint32_t out[EMU_LANES];
    int of_halves = emu_bit(op, 73), relu = emu_bit(op, 75);
    int e4m3 = emu_bit(op, 76), upper = emu_bit(op, 72);

    emu_float(w, op->a, a);
    emu_float(w, op->b, b);
    LANES
    {
        if (of_halves) {
            a[l] = half_value(halves[l] >> 16);
            b[l] = half_value(halves[l] & 0xffff);
        }
        a[l] = relu && a[l] < 0 ? 0 : a[l];
        b[l] = relu && b[l] < 0 ? 0 : b[l];
        out[l] = eight_bits(b[l], e4m3) | eight_bits(a[l], e4m3) << 8 |
                 c[l] >> (upper ? 16 : 0) << 16;
    }
    emu_write(w, op->d, 0, mask, out);
}

/* Two 8-bit floats of a half of B as halves, which hold them exactly. */
static void from_eight_bits(struct emu_warp *w, const struct emu_op *op,
                            uint32_t mask)
{
    const uint32_t *b = emu_row(w, op->b, 0);
    unsigned shift = emu_bit(op, 88) ? 16 : 0;
    uint32_t out[EMU_LANES] = {0};

    LANES
    {
        for (unsigned i = 0; i < 2; i++) {
            uint32_t v = b[l] >> (shift + 8 * i) & 0xff;
            float f = emu_bit(op, 73) ? e4m3_value(v) : e5m2_value(v);

            if (emu_bit(op, 75) && f < 0)
                f = 0;
            out[l] |= half_bits((double)f) << 16 * i;
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

/* From sm_100 on there are floats of 4 and 6 bits and powers of two as well,
 * which are not emulated, and roundings for them. */
static int is_of_eight_bits(const struct emu_op *op, int packs)
{
    if (op->cc < 100)
        return 1;
    if (packs)
        return emu_bits(op, 87, 85) == 4 && !emu_bit(op, 83) &&
               emu_bits(op, 80, 79) == 0;
    return emu_bits(op, 83, 82) == 0 && emu_bit(op, 74);
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
    int packs_eight = op->cc >= 89 && emu_bit(op, 90);
    int unpacks = op->cc >= 89 && emu_bit(op, 89);

    if (unpacks && emu_bit(op, 86)) {
        to_tf32(w, op, mask);
        return;
    }
    /* PTX has only saturated 8-bit floats, and makes halves of them.  .RS (81)
     * rounds by bits that it is given; which they are no text says. */
    if ((op->cc >= 100 && emu_bit(op, 81)) ||
        (packs_eight && !emu_bit(op, 77)) || (unpacks && emu_bit(op, 76)) ||
        ((packs_eight || unpacks) && !is_of_eight_bits(op, packs_eight)))
        emu_refuse(w, op);
    else if (packs_eight)
        to_eight_bits(w, op, mask);
    else if (unpacks)
        from_eight_bits(w, op, mask);
    else
        to_sixteen_bits(w, op, mask);
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
    {"F2I", f2i},    {"I2F", i2f},
    {"I2FP", i2fp},  {"F2F", f2f},
    {"FRND", frnd},  {"F2FP", f2fp},
    {"I2I", i2i},    {"I2IP", i2ip},
    {"UF2I", f2i},   {"UI2F", i2f},
    {"UI2FP", i2fp}, {"UF2F", f2f},
    {"UFRND", frnd}, {0},
};
