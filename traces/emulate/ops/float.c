/*
 * Floating point: single, double, special functions.
 *
 * Rounding is the host's, to nearest; directed modes go through functions the
 * compiler must not move.  Special functions are computed exactly and rounded,
 * so they differ from the hardware's approximations in the last bits.
 */
#include "traces/emulate/ops/float.h"
#include "traces/emulate/core/half.h"

AS_SET static float fma_as_set(float a, float b, float c)
{
    return fmaf(a, b, c);
}

AS_SET static double fma_double_as_set(double a, double b, double c)
{
    return fma(a, b, c);
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

/* .FMZ (76), by which a product with zero is zero: PTX has none. */
static int is_refused(struct emu_warp *w, const struct emu_op *op)
{
    if (!emu_bit(op, 76))
        return 0;
    emu_refuse(w, op);
    return 1;
}

/* How an operand makes a pair (f32x2n of isa/sass/kinds.def). */
enum {
    CROSSWISE = 1,
    SECOND_IS_FIRST = 2,
    TURNS_SECOND = 4
};

enum arithmetic {
    SUM,
    PRODUCT,
    FUSED
};

/* a + c, a * b or a * b + c with the modifiers of the three operations, which
 * share their places.  With another rounding all are fused: b is 1, or c a
 * zero of the product's sign. */
static void combine(const struct emu_op *op, float a[EMU_LANES],
                    float b[EMU_LANES], float c[EMU_LANES],
                    enum arithmetic what, float out[EMU_LANES])
{
    unsigned rounding = emu_bits(op, 79, 78);

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
}

static void multiply_add(struct emu_warp *w, const struct emu_op *op,
                         uint32_t mask, float a[EMU_LANES], float b[EMU_LANES],
                         float c[EMU_LANES], enum arithmetic what)
{
    float out[EMU_LANES];

    combine(op, a, b, c, what, out);
    write_results(w, op, mask, out);
}

/* Number `i` of a pair: of one register for both (2), or of two, crosswise if 1;
 * with 4 added the sign of the second is turned.  An immediate stands for both. */
static void one_of_pair(const struct emu_warp *w, const struct emu_operand *o,
                        unsigned i, float out[EMU_LANES])
{
    unsigned flags = o != NULL ? o->flags : 0;
    unsigned suffix = o == NULL || o->kind == SASS_IMMEDIATE ? SECOND_IS_FIRST
                                                             : o->suffix_value;
    unsigned order = suffix & 3;
    unsigned word = order == SECOND_IS_FIRST ? 0
                    : order == CROSSWISE     ? 1 - i
                                             : i;
    uint32_t flip = flags & SASS_NEGATE ? 0x80000000u : 0;
    const uint32_t *row = emu_row(w, o, word);

    if (i == 1 && suffix & TURNS_SECOND)
        flip ^= 0x80000000u;
    LANES
    {
        uint32_t bits = row[l];

        bits &= flags & SASS_ABSOLUTE ? 0x7fffffff : EMU_ALL;
        out[l] = float_of(bits ^ flip);
    }
}

/* Two numbers of single precision in register pairs. */
static void combine_pairs(struct emu_warp *w, const struct emu_op *op,
                          uint32_t mask, enum arithmetic what)
{
    uint32_t result[2][EMU_LANES];

    if (what != SUM && is_refused(w, op))
        return;
    for (unsigned i = 0; i < 2; i++) {
        float a[EMU_LANES], b[EMU_LANES], c[EMU_LANES], out[EMU_LANES];

        one_of_pair(w, op->a, i, a);
        one_of_pair(w, op->b, i, what == SUM ? c : b);
        if (what == SUM)
            LANES b[l] = 1;
        else if (what == FUSED)
            one_of_pair(w, op->c, i, c);
        else
            LANES c[l] = 0;
        combine(op, a, b, c, what, out);
        if (emu_bit(op, 80))
            flush(out);
        LANES result[i][l] = plain_bits(out[l]);
    }
    emu_write(w, op->d, 0, mask, result[0]);
    emu_write(w, op->d, 1, mask, result[1]);
}

EXEC(fadd2)
{
    combine_pairs(w, op, mask, SUM);
}

EXEC(fmul2)
{
    combine_pairs(w, op, mask, PRODUCT);
}

EXEC(ffma2)
{
    combine_pairs(w, op, mask, FUSED);
}

EXEC(ffma)
{
    float a[EMU_LANES], b[EMU_LANES], c[EMU_LANES];

    if (is_refused(w, op))
        return;
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

/* Of a half or, with bit 82, a bfloat16: the upper one of its register if the
 * operand says so. */
static void widened(const struct emu_warp *w, const struct emu_op *op,
                    const struct emu_operand *o, float out[EMU_LANES])
{
    const uint32_t *row = emu_row(w, o, 0);
    unsigned shift = o != NULL && o->suffix_value ? 16 : 0;
    int flags = o != NULL ? o->flags : 0;

    LANES
    {
        uint32_t h = row[l] >> shift & 0xffff;

        h &= flags & SASS_ABSOLUTE ? 0x7fff : 0xffff;
        h ^= flags & SASS_NEGATE ? 0x8000 : 0;
        out[l] = emu_bit(op, 82) ? bf16_value(h) : half_value(h);
    }
}

/* Single precision with factors or a term of half (sm_100). */
EXEC(fhadd)
{
    float a[EMU_LANES], one[EMU_LANES], c[EMU_LANES];

    LANES one[l] = 1;
    widened(w, op, op->a, a);
    emu_float(w, op->b, c);
    multiply_add(w, op, mask, a, one, c, SUM);
}

EXEC(fhfma)
{
    float a[EMU_LANES], b[EMU_LANES], c[EMU_LANES];

    widened(w, op, op->a, a);
    widened(w, op, op->b, b);
    emu_float(w, op->c, c);
    multiply_add(w, op, mask, a, b, c, FUSED);
}

AS_SET static float narrow_as_set(double a)
{
    return (float)a;
}

/* The exact product, scaled, rounded once. */
static void scaled_product(struct emu_warp *w, const struct emu_op *op,
                           uint32_t mask, float a[EMU_LANES],
                           float b[EMU_LANES], double scale)
{
    float out[EMU_LANES];

    if (emu_bit(op, 80)) {
        flush(a);
        flush(b);
    }
    fesetround(round_mode(emu_bits(op, 79, 78)));
    LANES out[l] = narrow_as_set((double)a[l] * (double)b[l] * scale);
    fesetround(FE_TONEAREST);
    write_results(w, op, mask, out);
}

/* Bits 86:84 scale the product: 4 by one, 3 by a half, 5 by two, ... */
EXEC(fmul)
{
    static const double scales[] = {1, 0.125, 0.25, 0.5, 1, 2, 4, 8};
    float a[EMU_LANES], b[EMU_LANES], c[EMU_LANES] = {0};
    double scale = scales[emu_bits(op, 86, 84)];

    if (is_refused(w, op))
        return;
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
        scaled_product(w, op, mask, a, b, scale);
    else
        multiply_add(w, op, mask, a, b, c, PRODUCT);
}

EXEC(fsel)
{
    float a[EMU_LANES], b[EMU_LANES];
    uint32_t which[EMU_LANES], x[EMU_LANES], y[EMU_LANES], out[EMU_LANES];

    emu_spread(emu_predicate(w, op->p), which);
    emu_float(w, op->a, a);
    emu_float(w, op->b, b);
    if (emu_bit(op, 80)) {
        flush(a);
        flush(b);
    }
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    LANES out[l] = (x[l] & which[l]) | (y[l] & ~which[l]);
    emu_write(w, op->d, 0, mask, out);
}

/* .XORSIGN: the sign is that of the product of the operands, before what their
 * marks do.  (PTX ISA, min.xorsign.abs) */
static void cross_signs(struct emu_warp *w, const struct emu_op *op,
                        uint32_t out[EMU_LANES])
{
    const uint32_t *a = emu_row(w, op->a, 0), *b = emu_row(w, op->b, 0);

    LANES
    {
        uint32_t crossed =
            (out[l] & 0x7fffffff) | ((a[l] ^ b[l]) & 0x80000000u);

        out[l] = out[l] == 0x7fffffff ? out[l] : crossed;
    }
}

static int is_absolute(const struct emu_operand *o)
{
    return o != NULL && (o->flags & SASS_ABSOLUTE) && !(o->flags & SASS_NEGATE);
}

/* The lesser if `p`; a number wins over NaN unless .NAN.  As integers of which
 * negative ones are turned over, floats stand in order, -0 before +0. */
/* The lesser one, or the greater, into `a`; a NaN does not count, with `keep_nan`
 * nothing else does. */
static void prefer(uint32_t a[EMU_LANES], const uint32_t b[EMU_LANES],
                   const uint32_t want_min[EMU_LANES], uint32_t keep_nan)
{
    LANES
    {
        int32_t x = (int32_t)(a[l] ^ (uint32_t)((int32_t)a[l] >> 31) >> 1);
        int32_t y = (int32_t)(b[l] ^ (uint32_t)((int32_t)b[l] >> 31) >> 1);
        uint32_t a_nan = (a[l] & 0x7fffffff) > 0x7f800000 ? EMU_ALL : 0;
        uint32_t b_nan = (b[l] & 0x7fffffff) > 0x7f800000 ? EMU_ALL : 0;
        uint32_t lesser = x < y ? EMU_ALL : 0;
        uint32_t take_a = ~(lesser ^ want_min[l]);
        uint32_t none = (a_nan & b_nan) | (keep_nan & (a_nan | b_nan));
        uint32_t one;

        take_a = (take_a | b_nan) & ~a_nan;
        one = (a[l] & take_a) | (b[l] & ~take_a);
        a[l] = (one & ~none) | (0x7fffffff & none);
    }
}

EXEC(fmnmx3)
{
    const struct emu_operand *operand[3] = {op->a, op->b, op->c};
    uint32_t want_min[EMU_LANES], out[EMU_LANES], bits[EMU_LANES];

    emu_spread(emu_predicate(w, op->p), want_min);
    for (int i = 0; i < 3; i++) {
        float room[EMU_LANES];

        emu_float(w, operand[i], room);
        if (emu_bit(op, 80))
            flush(room);
        memcpy(i == 0 ? out : bits, room, sizeof bits);
        if (i != 0)
            prefer(out, bits, want_min, emu_bit(op, 81) ? EMU_ALL : 0);
    }
    emu_write(w, op->d, 0, mask, out);
}

EXEC(fmnmx)
{
    float room[2][EMU_LANES];
    uint32_t want_min[EMU_LANES], out[EMU_LANES], b[EMU_LANES];

    if (emu_bit(op, 82) && !(is_absolute(op->a) && is_absolute(op->b))) {
        emu_refuse(w, op);
        return;
    }
    emu_float(w, op->a, room[0]);
    emu_float(w, op->b, room[1]);
    if (emu_bit(op, 80)) {
        flush(room[0]);
        flush(room[1]);
    }
    memcpy(out, room[0], sizeof out);
    memcpy(b, room[1], sizeof b);
    emu_spread(emu_predicate(w, op->p), want_min);
    prefer(out, b, want_min, emu_bit(op, 81) ? EMU_ALL : 0);
    if (emu_bit(op, 82))
        cross_signs(w, op, out);
    emu_write(w, op->d, 0, mask, out);
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

EXEC(fset)
{
    float a[EMU_LANES], b[EMU_LANES];
    unsigned code = emu_bits(op, 79, 76), how = emu_bits(op, 75, 74);
    uint32_t p = emu_predicate(w, op->p), out[EMU_LANES];
    uint32_t yes = emu_bit(op, 71) ? EMU_ALL : bits_of(1.0f);

    emu_float(w, op->a, a);
    emu_float(w, op->b, b);
    if (emu_bit(op, 80)) {
        flush(a);
        flush(b);
    }
    LANES out[l] =
        join(how, compare(code, (double)a[l], (double)b[l]), p >> l & 1) ? yes
                                                                         : 0;
    emu_write(w, op->d, 0, mask, out);
}

enum {
    MUFU_COS,
    MUFU_SIN,
    MUFU_EX2,
    MUFU_LG2,
    MUFU_RCP,
    MUFU_RSQ,
    MUFU_RCP64H,
    MUFU_RSQ64H,
    MUFU_SQRT,
    MUFU_TANH,
};

/* An angle in turns, in radians: whole turns are dropped first, exactly; -0
 * stays. */
static double radians(double turns)
{
    double rest = turns - rint(turns);

    return (rest != 0 ? rest : copysign(0, turns)) * 6.283185307179586476925;
}

/* Sine and cosine take the angle in turns.  RCP64H and RSQ64H: upper word of a
 * double to upper word of the result. */
static float special(unsigned code, float x)
{
    double d = (double)x;

    switch (code) {
    case MUFU_COS:
        return (float)cos(radians(d));
    case MUFU_SIN:
        return (float)sin(radians(d));
    case MUFU_EX2:
        return (float)exp2(d);
    case MUFU_LG2:
        return (float)log2(d);
    case MUFU_RCP64H:
        d = double_of((uint64_t)bits_of(x) << 32);
        return float_of((uint32_t)(bits_of_double(1 / d) >> 32));
    case MUFU_RSQ64H:
        d = double_of((uint64_t)bits_of(x) << 32);
        return float_of((uint32_t)(bits_of_double(1 / sqrt(d)) >> 32));
    default:
        return (float)tanh(d);
    }
}

/* Denormals are zeros: of what these read, and of RCP's and EX2's results.  (PTX
 * ISA: rcp, rsqrt, sqrt, lg2 and ex2 with .ftz, which are this instruction and
 * nothing else, where those without scale what they give it) */
static int flushes_source(unsigned code)
{
    return code == MUFU_LG2 || code == MUFU_RCP || code == MUFU_RSQ ||
           code == MUFU_SQRT;
}

/* .F16 and .BF16 (from sm_90 on 1 and 2 in 73:72, before bit 73): of one half of a
 * register into the lower half of another.  EX2 of bfloat16 has no denormals.
 * (PTX ISA, ex2 and tanh) */
static void mufu_of_half(struct emu_warp *w, const struct emu_op *op,
                         uint32_t mask, unsigned code)
{
    int bf16 = op->cc >= 90 && emu_bit(op, 73);
    unsigned shift = op->b->suffix_value ? 16 : 0;
    const uint32_t *b = emu_row(w, op->b, 0);
    uint32_t out[EMU_LANES];

    if (code != MUFU_EX2 && code != MUFU_TANH) {
        emu_refuse(w, op);
        return;
    }
    LANES
    {
        uint32_t v = b[l] >> shift & 0xffff;
        double x;

        if (op->b->flags & SASS_ABSOLUTE)
            v &= 0x7fff;
        if (op->b->flags & SASS_NEGATE)
            v ^= 0x8000;
        x = (double)(bf16 ? bf16_value(v) : half_value(v));
        x = code == MUFU_EX2 ? exp2(x) : tanh(x);
        if (bf16 && code == MUFU_EX2 && x < 0x1p-126)
            x = 0;
        out[l] = bf16 ? bf16_bits(x) : half_bits(x);
    }
    emu_write(w, op->d, 0, mask, out);
}

EXEC(mufu)
{
    float b[EMU_LANES], out[EMU_LANES];
    unsigned code = emu_bits(op, 77, 74);

    /* .F16x2, .BF16x2 */
    if (op->cc == 103 && (emu_bits(op, 73, 72) == 3 || emu_bit(op, 80))) {
        emu_refuse(w, op);
        return;
    }
    if (emu_bit(op, 73) || (op->cc >= 90 && emu_bit(op, 72))) {
        mufu_of_half(w, op, mask, code);
        return;
    }
    emu_float(w, op->b, b);
    if (flushes_source(code))
        flush(b);
    if (code == MUFU_RCP)
        LANES out[l] = (float)(1 / (double)b[l]);
    else if (code == MUFU_RSQ)
        LANES out[l] = (float)(1 / sqrt((double)b[l]));
    else if (code == MUFU_SQRT)
        LANES out[l] = (float)sqrt((double)b[l]);
    else
        LANES out[l] = mask >> l & 1 ? special(code, b[l]) : 0;
    if (code == MUFU_RCP || code == MUFU_EX2)
        flush(out);
    if (code != MUFU_RCP64H && code != MUFU_RSQ64H)
        LANES out[l] = float_of(plain_bits(out[l]));
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

/* -0 before +0.  (PTX ISA, min and max) */
static int precedes(double a, double b)
{
    return a < b || (a == b && signbit(a) && !signbit(b));
}

/* Codes 0 and 15 are minimum and maximum: the first predicate tells whether it
 * is the first operand, the second whether it is neither, both being NaN: what
 * is chosen then is the second, which compilers make quiet. */
static void choose(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                   const double *a, const double *b, int want_min)
{
    uint32_t first = 0, neither = 0;

    for (int l = 0; l < EMU_LANES; l++) {
        int ordered = want_min ? precedes(a[l], b[l]) : precedes(b[l], a[l]);

        first |= (uint32_t)(!isnan(a[l]) && (isnan(b[l]) || ordered)) << l;
        neither |= (uint32_t)(isnan(a[l]) && isnan(b[l])) << l;
    }
    emu_write_predicate(w, op->u, mask, first);
    emu_write_predicate(w, op->v, mask, neither);
}

EXEC(dsetp)
{
    double a[EMU_LANES], b[EMU_LANES];
    unsigned code = emu_bits(op, 79, 76), how = emu_bits(op, 75, 74);
    uint32_t p = emu_predicate(w, op->p), result = 0;

    emu_double(w, op->a, a);
    emu_double(w, second(op), b);
    if (code == 0 || code == 15) {
        if (how != 0 || p != EMU_ALL)
            emu_refuse(w, op);
        else
            choose(w, op, mask, a, b, code == 0);
        return;
    }
    LANES result |= compare(code, a[l], b[l]) << l;
    emu_write_predicate(w, op->u, mask, join(how, result, p));
    emu_write_predicate(w, op->v, mask, join(how, ~result, p));
}

const struct emu_row_of EMU_TABLE(float)[] = {
    {"FFMA", ffma},    {"FADD", fadd},   {"FMUL", fmul},
    {"FSEL", fsel},    {"FMNMX", fmnmx}, {"FSETP", fsetp},
    {"FSET", fset},    {"MUFU", mufu},   {"FCHK", fchk},
    {"DFMA", dfma},    {"DADD", dadd},   {"DMUL", dmul},
    {"DSETP", dsetp},  {"UFFMA", ffma},  {"UFADD", fadd},
    {"UFMUL", fmul},   {"UFSEL", fsel},  {"UFMNMX", fmnmx},
    {"UFSETP", fsetp}, {"UFSET", fset},  {"FMNMX3", fmnmx3},
    {"FHADD", fhadd},  {"FHFMA", fhfma}, {"FADD2", fadd2},
    {"FMUL2", fmul2},  {"FFMA2", ffma2}, {0},
};
