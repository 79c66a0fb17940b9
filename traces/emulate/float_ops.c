/*
 * Floating point: single, double, half, conversions, special functions.
 *
 * Rounding is the host's, to nearest; directed modes go through functions the
 * compiler must not move.  Special functions are computed exactly and rounded,
 * so they differ from the hardware's approximations in the last bits.
 */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "traces/emulate/operand.h"

/* A function that computes in the rounding mode that is set: the compiler must
 * neither look into it nor move it. */
#ifdef __clang__
#define AS_SET __attribute__((noinline, optnone))
#else
#define AS_SET __attribute__((noipa))
#endif

static uint32_t bits_of(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, 4);
    return bits;
}

static float float_of(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, 4);
    return f;
}

static uint64_t bits_of_double(double f)
{
    uint64_t bits;

    memcpy(&bits, &f, 8);
    return bits;
}

static double double_of(uint64_t bits)
{
    double f;

    memcpy(&f, &bits, 8);
    return f;
}

/* The mode of bits 79:78: 0 nearest, 1 down, 2 up, 3 to zero. */
static int round_mode(unsigned code)
{
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD,
                                FE_TOWARDZERO};

    return modes[code & 3];
}

AS_SET static float fma_as_set(float a, float b, float c)
{
    return fmaf(a, b, c);
}

AS_SET static double fma_double_as_set(double a, double b, double c)
{
    return fma(a, b, c);
}

AS_SET static float narrow_as_set(double a)
{
    return (float)a;
}

static float flushed(float f, int ftz)
{
    return ftz && fabsf(f) < 1.17549435e-38f ? copysignf(0, f) : f;
}

static float saturated(float f, int sat)
{
    return !sat ? f : isnan(f) || f < 0 ? 0 : f > 1 ? 1 : f;
}

/* Denormals become zeros of their sign. */
static void flush(float f[EMU_LANES])
{
    uint32_t bits[EMU_LANES];

    memcpy(bits, f, sizeof bits);
    LANES bits[l] &= bits[l] & 0x7f800000 ? EMU_ALL : 0x80000000u;
    memcpy(f, bits, sizeof bits);
}

/* Single precision has one NaN.  (PTX ISA, floating-point instructions) */
static void write_results(struct emu_warp *w, const struct emu_op *op,
                          uint32_t mask, float out[EMU_LANES])
{
    uint32_t bits[EMU_LANES];

    if (emu_bit(op, 80))
        flush(out);
    if (emu_bit(op, 77))
        LANES out[l] = saturated(out[l], 1);
    memcpy(bits, out, sizeof bits);
    LANES bits[l] = (bits[l] & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : bits[l];
    emu_write(w, op->d, 0, mask, bits);
}

/* An operand with what its absolute value and negation do to its bits. */
struct term {
    const uint32_t *row;
    uint32_t keep, flip;
};

static struct term term_of(const struct emu_warp *w,
                           const struct emu_operand *o)
{
    int flags = o != NULL ? o->flags : 0;

    return (struct term){
        .row = emu_row(w, o, 0),
        .keep = flags & SASS_ABSOLUTE ? 0x7fffffff : EMU_ALL,
        .flip = flags & SASS_NEGATE ? 0x80000000u : 0,
    };
}

static float value_of(const struct term *t, int l)
{
    return float_of((t->row[l] & t->keep) ^ t->flip);
}

/* The bits of a result that is rounded to nearest and left as it is. */
static uint32_t plain_bits(float f)
{
    uint32_t bits = bits_of(f);

    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : bits;
}

/* Neither rounding, flushing nor saturation is asked for: nearly always. */
static int is_plain(const struct emu_op *op)
{
    return emu_bits(op, 80, 77) == 0;
}

enum arithmetic {
    SUM,
    PRODUCT,
    FUSED
};

/* a + c, a * b or a * b + c with the modifiers of the three operations, which
 * share their places.  With another rounding all are fused: b is 1, or c a
 * zero of the product's sign. */
static void multiply_add(struct emu_warp *w, const struct emu_op *op,
                         uint32_t mask, float a[EMU_LANES], float b[EMU_LANES],
                         float c[EMU_LANES], enum arithmetic what)
{
    unsigned rounding = emu_bits(op, 79, 78);
    float out[EMU_LANES];

    if (emu_bit(op, 80)) {
        flush(a);
        flush(b);
        flush(c);
    }
    if (rounding != 0) {
        if (what == PRODUCT)
            LANES c[l] = signbit(a[l]) != signbit(b[l]) ? -0.0f : 0.0f;
        fesetround(round_mode(rounding));
        LANES out[l] = fma_as_set(a[l], b[l], c[l]);
        fesetround(FE_TONEAREST);
    } else if (what == SUM) {
        LANES out[l] = a[l] + c[l];
    } else if (what == PRODUCT) {
        LANES out[l] = a[l] * b[l];
    } else {
        LANES out[l] = fmaf(a[l], b[l], c[l]);
    }
    write_results(w, op, mask, out);
}

EXEC(ffma)
{
    float a[EMU_LANES], b[EMU_LANES], c[EMU_LANES];

    if (is_plain(op)) {
        struct term x = term_of(w, op->a), y = term_of(w, op->b);
        struct term z = term_of(w, op->c);
        uint32_t out[EMU_LANES];

        LANES out[l] =
            plain_bits(fmaf(value_of(&x, l), value_of(&y, l), value_of(&z, l)));
        emu_write(w, op->d, 0, mask, out);
        return;
    }
    emu_float(w, op->a, a);
    emu_float(w, op->b, b);
    emu_float(w, op->c, c);
    multiply_add(w, op, mask, a, b, c, FUSED);
}

EXEC(fadd)
{
    float a[EMU_LANES], one[EMU_LANES], c[EMU_LANES];

    if (is_plain(op)) {
        struct term x = term_of(w, op->a), z = term_of(w, op->b);
        uint32_t out[EMU_LANES];

        LANES out[l] = plain_bits(value_of(&x, l) + value_of(&z, l));
        emu_write(w, op->d, 0, mask, out);
        return;
    }
    LANES one[l] = 1;
    emu_float(w, op->a, a);
    emu_float(w, op->b, c);
    multiply_add(w, op, mask, a, one, c, SUM);
}

/* Bits 86:84 scale the product: 4 by one, 3 by a half, 5 by two, ... */
EXEC(fmul)
{
    static const float scales[] = {1, 0.125f, 0.25f, 0.5f, 1, 2, 4, 8};
    float a[EMU_LANES], b[EMU_LANES], c[EMU_LANES] = {0};
    float scale = scales[emu_bits(op, 86, 84)];

    if (is_plain(op) && scale == 1) {
        struct term x = term_of(w, op->a), y = term_of(w, op->b);
        uint32_t out[EMU_LANES];

        LANES out[l] = plain_bits(value_of(&x, l) * value_of(&y, l));
        emu_write(w, op->d, 0, mask, out);
        return;
    }
    emu_float(w, op->a, a);
    emu_float(w, op->b, b);
    if (scale != 1)
        LANES a[l] *= scale;
    multiply_add(w, op, mask, a, b, c, PRODUCT);
}

EXEC(fsel)
{
    float a[EMU_LANES], b[EMU_LANES];
    uint32_t which[EMU_LANES], x[EMU_LANES], y[EMU_LANES], out[EMU_LANES];

    emu_spread(emu_predicate(w, op->p), which);
    memcpy(x, emu_float(w, op->a, a), sizeof x);
    memcpy(y, emu_float(w, op->b, b), sizeof y);
    LANES out[l] = (x[l] & which[l]) | (y[l] & ~which[l]);
    emu_write(w, op->d, 0, mask, out);
}

/* The lesser if `p`; a number wins over NaN unless .NAN.  As integers of which
 * negative ones are turned over, floats stand in order, -0 before +0. */
EXEC(fmnmx)
{
    float room[2][EMU_LANES];
    uint32_t want_min[EMU_LANES], a[EMU_LANES], b[EMU_LANES], out[EMU_LANES];
    uint32_t keep_nan = emu_bit(op, 81) ? EMU_ALL : 0;

    emu_float(w, op->a, room[0]);
    emu_float(w, op->b, room[1]);
    if (emu_bit(op, 80)) {
        flush(room[0]);
        flush(room[1]);
    }
    memcpy(a, room[0], sizeof a);
    memcpy(b, room[1], sizeof b);
    emu_spread(emu_predicate(w, op->p), want_min);
    LANES
    {
        int32_t x = (int32_t)(a[l] ^ (uint32_t)((int32_t)a[l] >> 31) >> 1);
        int32_t y = (int32_t)(b[l] ^ (uint32_t)((int32_t)b[l] >> 31) >> 1);
        uint32_t a_nan = (a[l] & 0x7fffffff) > 0x7f800000 ? EMU_ALL : 0;
        uint32_t b_nan = (b[l] & 0x7fffffff) > 0x7f800000 ? EMU_ALL : 0;
        uint32_t lesser = x < y ? EMU_ALL : 0;
        uint32_t take_a = ~(lesser ^ want_min[l]);
        uint32_t none = (a_nan & b_nan) | (keep_nan & (a_nan | b_nan));

        take_a = (take_a | b_nan) & ~a_nan;
        out[l] = (a[l] & take_a) | (b[l] & ~take_a);
        out[l] = (out[l] & ~none) | (0x7fffffff & none);
    }
    emu_write(w, op->d, 0, mask, out);
}

/* Codes 1..6 are false on NaN, 9..14 the same or NaN. */
static uint32_t compare(unsigned code, double a, double b)
{
    int nan = isnan(a) || isnan(b);
    uint32_t ordered =
        (code & 1 && a < b) || (code & 2 && a == b) || (code & 4 && a > b);

    if (code == 0 || code == 15)
        return code == 15;
    if (code == 7)
        return !nan;
    if (code == 8)
        return (uint32_t)nan;
    return code > 8 ? ordered || nan : ordered && !nan;
}

static uint32_t join(unsigned how, uint32_t a, uint32_t b)
{
    return how == 0 ? a & b : how == 1 ? a | b : a ^ b;
}

/* All bits of `yes` in the lanes for which the comparison holds; the code's
 * bits are less, equal, greater and not comparable. */
static void compare_floats(unsigned code, const float *a, const float *b,
                           uint32_t yes[EMU_LANES])
{
    uint32_t less = -(code & 1), equal = -(code >> 1 & 1);
    uint32_t greater = -(code >> 2 & 1), neither = -(code >> 3 & 1);

    LANES yes[l] = (isless(a[l], b[l]) ? less : 0) |
                   (a[l] == b[l] ? equal : 0) |
                   (isgreater(a[l], b[l]) ? greater : 0) |
                   (isunordered(a[l], b[l]) ? neither : 0);
}

EXEC(fsetp)
{
    float a[EMU_LANES], b[EMU_LANES];
    uint32_t yes[EMU_LANES];
    unsigned how = emu_bits(op, 75, 74);
    uint32_t p = emu_predicate(w, op->p), result;

    emu_float(w, op->a, a);
    emu_float(w, op->b, b);
    if (emu_bit(op, 80)) {
        flush(a);
        flush(b);
    }
    compare_floats(emu_bits(op, 79, 76), a, b, yes);
    result = emu_signs(yes);
    emu_write_predicate(w, op->u, mask, join(how, result, p));
    emu_write_predicate(w, op->v, mask, join(how, ~result, p));
}

EXEC(fset)
{
    float room[2][EMU_LANES];
    const float *a = emu_float(w, op->a, room[0]);
    const float *b = emu_float(w, op->b, room[1]);
    unsigned code = emu_bits(op, 79, 76), how = emu_bits(op, 75, 74);
    uint32_t p = emu_predicate(w, op->p), out[EMU_LANES];
    uint32_t yes = emu_bit(op, 71) ? EMU_ALL : bits_of(1.0f);

    LANES out[l] =
        join(how, compare(code, (double)a[l], (double)b[l]), p >> l & 1) ? yes
                                                                         : 0;
    emu_write(w, op->d, 0, mask, out);
}

enum {
    MUFU_RCP64H = 6,
    MUFU_RSQ64H = 7
};

/* Sine and cosine take the angle in turns.  RCP64H and RSQ64H: upper word of a
 * double to upper word of the result. */
static float special(unsigned code, float x)
{
    double d = (double)x;
    const double turn = 6.283185307179586476925;

    switch (code) {
    case 0:
        return (float)cos(d * turn);
    case 1:
        return (float)sin(d * turn);
    case 2:
        return (float)exp2(d);
    case 3:
        return (float)log2(d);
    case 4:
        return (float)(1 / d);
    case 5:
        return (float)(1 / sqrt(d));
    case MUFU_RCP64H:
        d = double_of((uint64_t)bits_of(x) << 32);
        return float_of((uint32_t)(bits_of_double(1 / d) >> 32));
    case MUFU_RSQ64H:
        d = double_of((uint64_t)bits_of(x) << 32);
        return float_of((uint32_t)(bits_of_double(1 / sqrt(d)) >> 32));
    case 8:
        return (float)sqrt(d);
    default:
        return (float)tanh(d);
    }
}

EXEC(mufu)
{
    float b[EMU_LANES], out[EMU_LANES];
    unsigned code = emu_bits(op, 77, 74);

    emu_float(w, op->b, b);
    if (code == 4)
        LANES out[l] = (float)(1 / (double)b[l]);
    else if (code == 5)
        LANES out[l] = (float)(1 / sqrt((double)b[l]));
    else if (code == 8)
        LANES out[l] = (float)sqrt((double)b[l]);
    else
        LANES out[l] = mask >> l & 1 ? special(code, b[l]) : 0;
    emu_write_floats(w, op->d, mask, out);
}

/* Is the plain division a / b in danger of over- or underflow?  Saying yes
 * too often only takes the slow way. */
EXEC(fchk)
{
    float room[2][EMU_LANES];
    const float *a = emu_float(w, op->a, room[0]);
    const float *b = emu_float(w, op->b, room[1]);
    uint32_t result = 0;

    LANES
    {
        int ea = (int)(bits_of(a[l]) >> 23 & 255);
        int eb = (int)(bits_of(b[l]) >> 23 & 255);

        result |= (uint32_t)(ea < 25 || ea > 250 || eb < 4 || eb > 250 ||
                             ea - eb > 96 || eb - ea > 96)
                  << l;
    }
    emu_write_predicate(w, op->u, mask, result);
}

/* ---- double precision ------------------------------------------------------ */

static void double_multiply_add(struct emu_warp *w, const struct emu_op *op,
                                uint32_t mask, const double *a, const double *b,
                                double *c, enum arithmetic what)
{
    double out[EMU_LANES];
    unsigned rounding = emu_bits(op, 79, 78);

    if (rounding != 0) {
        if (what == PRODUCT)
            LANES c[l] = signbit(a[l]) != signbit(b[l]) ? -0.0 : 0.0;
        fesetround(round_mode(rounding));
        LANES out[l] = fma_double_as_set(a[l], b[l], c[l]);
        fesetround(FE_TONEAREST);
    } else if (what == SUM) {
        LANES out[l] = a[l] + c[l];
    } else if (what == PRODUCT) {
        LANES out[l] = a[l] * b[l];
    } else {
        LANES out[l] = fma(a[l], b[l], c[l]);
    }
    emu_write_doubles(w, op->d, mask, out);
}

EXEC(dfma)
{
    double a[EMU_LANES], b[EMU_LANES], c[EMU_LANES];

    emu_double(w, op->a, a);
    emu_double(w, op->b, b);
    emu_double(w, op->c, c);
    double_multiply_add(w, op, mask, a, b, c, FUSED);
}

/* The second operand stands where C does in some forms. */
static const struct emu_operand *second(const struct emu_op *op)
{
    return op->b != NULL ? op->b : op->c;
}

EXEC(dadd)
{
    double a[EMU_LANES], one[EMU_LANES], c[EMU_LANES];

    emu_double(w, op->a, a);
    emu_double(w, second(op), c);
    LANES one[l] = 1;
    double_multiply_add(w, op, mask, a, one, c, SUM);
}

EXEC(dmul)
{
    double a[EMU_LANES], b[EMU_LANES], c[EMU_LANES] = {0};

    emu_double(w, op->a, a);
    emu_double(w, op->b, b);
    double_multiply_add(w, op, mask, a, b, c, PRODUCT);
}

/* Codes 0 and 15 choose the operand of fmin and fmax. */
EXEC(dsetp)
{
    double a[EMU_LANES], b[EMU_LANES];
    unsigned code = emu_bits(op, 79, 76), how = emu_bits(op, 75, 74);
    uint32_t p = emu_predicate(w, op->p), result = 0, nan = 0;

    emu_double(w, op->a, a);
    emu_double(w, second(op), b);
    LANES
    {
        uint32_t yes;

        if (code == 0 || code == 15)
            yes = isnan(a[l])   ? 0
                  : isnan(b[l]) ? 1
                  : code == 0   ? a[l] < b[l]
                                : a[l] > b[l];
        else
            yes = compare(code, a[l], b[l]);
        result |= yes << l;
        nan |= (uint32_t)(isnan(a[l]) || isnan(b[l])) << l;
    }
    if (code == 0 || code == 15) {
        emu_write_predicate(w, op->u, mask, result);
        emu_write_predicate(w, op->v, mask, nan);
        return;
    }
    emu_write_predicate(w, op->u, mask, join(how, result, p));
    emu_write_predicate(w, op->v, mask, join(how, ~result, p));
}

/* ---- half precision --------------------------------------------------------- */

static float half_to_float(uint32_t h)
{
    uint32_t sign = (h & 0x8000) << 16, exponent = h >> 10 & 31;
    uint32_t fraction = h & 0x3ff;

    if (exponent == 31)
        return float_of(sign | 0x7f800000 | fraction << 13);
    if (exponent == 0)
        return (sign ? -1.0f : 1.0f) * (float)fraction * 5.9604644775390625e-8f;
    return float_of(sign | (exponent + 112) << 23 | fraction << 13);
}

/* Rounds as the host's mode says; `d` holds every sum of two products exactly
 * enough for that to be the hardware's single rounding. */
static uint32_t double_to_half(double d)
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

/* The two halves of an operand as floats, swizzled. */
static void halves(struct emu_warp *w, const struct emu_operand *o,
                   float out[2][EMU_LANES])
{
    const uint32_t *row = emu_row(w, o, 0);
    unsigned select = o != NULL && (o->flags & SASS_HALF) ? o->select : 0;
    float sign = o != NULL && (o->flags & SASS_NEGATE) ? -1.0f : 1.0f;
    int absolute = o != NULL && (o->flags & SASS_ABSOLUTE);

    LANES
    {
        uint32_t low = row[l] & 0xffff, high = row[l] >> 16;

        if (select == 1) {
            out[0][l] = out[1][l] = float_of(row[l]);
        } else {
            out[0][l] = half_to_float(select == 3 ? high : low);
            out[1][l] = half_to_float(select == 2 ? low : high);
        }
        for (int h = 0; h < 2; h++) {
            if (absolute)
                out[h][l] = fabsf(out[h][l]);
            out[h][l] *= sign;
        }
    }
}

static void write_halves(struct emu_warp *w, const struct emu_op *op,
                         uint32_t mask, double out[2][EMU_LANES])
{
    uint32_t bits[EMU_LANES];
    int sat = emu_bit(op, 77), as_float = emu_bit(op, 78);

    if (emu_bit(op, 85)) {
        emu_fault(w, op, -1, TEG_LIMIT, "bfloat16 is not emulated");
        return;
    }
    LANES
    {
        for (int h = 0; h < 2 && sat; h++)
            out[h][l] = isnan(out[h][l]) || out[h][l] < 0 ? 0
                        : out[h][l] > 1                   ? 1
                                                          : out[h][l];
        bits[l] = as_float ? bits_of((float)out[0][l])
                           : double_to_half(out[0][l]) |
                                 double_to_half(out[1][l]) << 16;
    }
    emu_write(w, op->d, 0, mask, bits);
}

EXEC(hadd2)
{
    float a[2][EMU_LANES], b[2][EMU_LANES];
    double out[2][EMU_LANES];

    halves(w, op->a, a);
    halves(w, second(op), b);
    for (int h = 0; h < 2; h++)
        LANES out[h][l] = (double)a[h][l] + (double)b[h][l];
    write_halves(w, op, mask, out);
}

EXEC(hmul2)
{
    float a[2][EMU_LANES], b[2][EMU_LANES];
    double out[2][EMU_LANES];

    halves(w, op->a, a);
    halves(w, op->b, b);
    for (int h = 0; h < 2; h++)
        LANES out[h][l] = (double)a[h][l] * (double)b[h][l];
    write_halves(w, op, mask, out);
}

static int is_zero(const struct emu_operand *o)
{
    return o != NULL && o->kind == SASS_REGISTER && o->reg == TEG_SASS_RZ;
}

EXEC(hfma2)
{
    float a[2][EMU_LANES], b[2][EMU_LANES], c[2][EMU_LANES];
    double out[2][EMU_LANES];

    /* -0 x 0 + C is how compilers move 32 bits that need not be halves. */
    if (is_zero(op->a) && is_zero(op->b)) {
        emu_write(w, op->d, 0, mask, emu_row(w, op->c, 0));
        return;
    }
    halves(w, op->a, a);
    halves(w, op->b, b);
    halves(w, op->c, c);
    for (int h = 0; h < 2; h++)
        LANES out[h][l] = (double)a[h][l] * (double)b[h][l] + (double)c[h][l];
    write_halves(w, op, mask, out);
}

EXEC(hsetp2)
{
    float a[2][EMU_LANES], b[2][EMU_LANES];
    unsigned code = emu_bits(op, 79, 76), how = emu_bits(op, 70, 69);
    uint32_t p = emu_predicate(w, op->p), result[2] = {0, 0};

    halves(w, op->a, a);
    halves(w, second(op), b);
    for (int h = 0; h < 2; h++)
        LANES result[h] |= compare(code, (double)a[h][l], (double)b[h][l]) << l;
    if (emu_bit(op, 71)) {
        uint32_t both = result[0] & result[1];

        emu_write_predicate(w, op->u, mask, join(how, both, p));
        emu_write_predicate(w, op->v, mask, join(how, ~both, p));
        return;
    }
    emu_write_predicate(w, op->u, mask, join(how, result[0], p));
    emu_write_predicate(w, op->v, mask, join(how, result[1], p));
}

/* ---- conversions ------------------------------------------------------------- */

/* A float of size code 1 half, 2 single, 3 double in every lane. */
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

        LANES
        {
            double v =
                (double)half_to_float(upper_half ? b[l] >> 16 : b[l] & 0xffff);

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

/* Saturates; NaN becomes 0, or the least 64-bit integer. */
static uint64_t to_integer(double d, unsigned size, int is_signed)
{
    unsigned bits = 8u << size;
    double high = ldexp(1, (int)bits - (is_signed ? 1 : 0));
    double low = is_signed ? -high : 0;

    if (isnan(d))
        return size == 3 ? UINT64_C(1) << 63 : 0;
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

    float_source(w, op, from, 0, in);
    LANES
    {
        double d = from == 2 ? (double)flushed((float)in[l], ftz) : in[l];

        out[l] = to_integer(rounded(how, d), to, is_signed);
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
                                               : 11);
    if (to == 3) {
        emu_write_doubles(w, op->d, mask, wide);
        return;
    }
    LANES out[l] = to == 2 ? bits_of((float)wide[l]) : double_to_half(wide[l]);
    emu_write(w, op->d, 0, mask, out);
}

EXEC(i2f)
{
    from_integer(w, op, mask, emu_bits(op, 85, 84), emu_bits(op, 76, 75),
                 emu_bits(op, 61, 60));
}

EXEC(i2fp)
{
    from_integer(w, op, mask, 2, 2, 0);
}

EXEC(f2f)
{
    unsigned to = emu_bits(op, 77, 75), from = emu_bits(op, 85, 84);
    unsigned how = emu_bits(op, 79, 78);
    int ftz = emu_bit(op, 80);
    double in[EMU_LANES];
    uint32_t out[EMU_LANES];

    float_source(w, op, from, emu_bit(op, 60), in);
    if (to == 3) {
        emu_write_doubles(w, op->d, mask, in);
        return;
    }
    if (to == 4) {
        emu_fault(w, op, -1, TEG_LIMIT, "bfloat16 is not emulated");
        return;
    }
    fesetround(round_mode(how));
    LANES out[l] = to == 2 ? bits_of(flushed(narrow_as_set(in[l]), ftz))
                           : double_to_half(in[l]);
    fesetround(FE_TONEAREST);
    emu_write(w, op->d, 0, mask, out);
}

EXEC(frnd)
{
    unsigned to = emu_bits(op, 76, 75), from = emu_bits(op, 85, 84);
    unsigned how = emu_bits(op, 79, 78);
    double in[EMU_LANES];
    uint32_t out[EMU_LANES];

    float_source(w, op, from, 0, in);
    LANES in[l] = rounded(how, in[l]);
    if (to == 3) {
        emu_write_doubles(w, op->d, mask, in);
        return;
    }
    LANES out[l] = to == 2 ? bits_of((float)in[l]) : double_to_half(in[l]);
    emu_write(w, op->d, 0, mask, out);
}

/* Two floats packed as halves. */
EXEC(f2fp)
{
    float room[2][EMU_LANES];
    uint32_t out[EMU_LANES];
    const float *a = emu_float(w, op->a, room[0]);
    const float *b = emu_float(w, op->b, room[1]);

    if (emu_bit(op, 76) || emu_bit(op, 78)) {
        emu_fault(w, op, -1, TEG_LIMIT,
                  "bfloat16 and merging are not emulated");
        return;
    }
    fesetround(round_mode(emu_bits(op, 80, 79)));
    LANES out[l] =
        double_to_half((double)a[l]) << 16 | double_to_half((double)b[l]);
    fesetround(FE_TONEAREST);
    emu_write(w, op->d, 0, mask, out);
}

const struct emu_row_of EMU_TABLE(float)[] = {
    {"FFMA", ffma},
    {"FADD", fadd},
    {"FMUL", fmul},
    {"FSEL", fsel},
    {"FMNMX", fmnmx},
    {"FSETP", fsetp},
    {"FSET", fset},
    {"MUFU", mufu},
    {"FCHK", fchk},
    {"DFMA", dfma},
    {"DADD", dadd},
    {"DMUL", dmul},
    {"DSETP", dsetp},
    {"HADD2", hadd2},
    {"HMUL2", hmul2},
    {"HFMA2", hfma2},
    {"HFMA2.MMA", hfma2},
    {"HSETP2", hsetp2},
    {"F2I", f2i},
    {"I2F", i2f},
    {"I2FP", i2fp},
    {"F2F", f2f},
    {"FRND", frnd},
    {"F2FP", f2fp},
    {0},
};
