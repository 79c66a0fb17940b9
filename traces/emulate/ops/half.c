/*
 * Two halves, or two bfloat16, in a register: arithmetic and comparisons.
 */
#include "traces/emulate/core/half.h"

#include <float.h>

#include "traces/emulate/ops/float.h"

/* Which of the two a form works on, and what it does to operands and result:
 * bits 85, 80, 77, 78, 79. */
struct form {
    int bf16, ftz, sat, as_float, relu;
    int mixed; /* an operand is single precision (.F32) */
};

static int is_single(const struct emu_operand *o)
{
    return o != NULL && (o->flags & SASS_HALF) && o->select == 1;
}

static struct form form_of(const struct emu_op *op)
{
    return (struct form){
        .bf16 = emu_bit(op, 85),
        .ftz = emu_bit(op, 80),
        .sat = emu_bit(op, 77),
        .as_float = emu_bit(op, 78),
        .mixed = is_single(op->a) || is_single(op->b) || is_single(op->c),
    };
}

/* Halves that are denormal become zero. */
static double flushed(double d)
{
    return fabs(d) < 0x1p-14 ? copysign(0, d) : d;
}

/* A sum that rounds to the least half that is not denormal stays. */
static double flushed_sum(double d)
{
    return fabs(d) < 0x1.ffcp-15 ? copysign(0, d) : d;
}

/* The two values of an operand, swizzled. */
static void halves(struct emu_warp *w, const struct form *f,
                   const struct emu_operand *o, double out[2][EMU_LANES])
{
    const uint32_t *row = emu_row(w, o, 0);
    unsigned select = o != NULL && (o->flags & SASS_HALF) ? o->select : 0;
    unsigned first = select == 3 ? 16 : 0, second = select == 2 ? 0 : 16;
    int negate = o != NULL && (o->flags & SASS_NEGATE);
    int absolute = o != NULL && (o->flags & SASS_ABSOLUTE);

    if (select == 1) {
        LANES out[0][l] = out[1][l] = (double)float_of(row[l]);
    } else if (f->bf16) {
        LANES out[0][l] = (double)bf16_value(row[l] >> first & 0xffff);
        LANES out[1][l] = (double)bf16_value(row[l] >> second & 0xffff);
    } else {
        LANES out[0][l] = (double)half_value(row[l] >> first & 0xffff);
        LANES out[1][l] = (double)half_value(row[l] >> second & 0xffff);
    }
    for (int h = 0; h < 2; h++) {
        if (absolute)
            LANES out[h][l] = fabs(out[h][l]);
        if (negate)
            LANES out[h][l] = -out[h][l];
        if (f->ftz && !f->bf16)
            LANES out[h][l] = flushed(out[h][l]);
    }
}

/* What PTX has not: bfloat16 flushed or saturated, single precision flushed
 * among halves, .FMZ (76 of products), by
 * which a product with zero is zero, a half that is negated by itself (H0_NH1),
 * and what a predicate does to a sum. */
static int is_refused(struct emu_warp *w, const struct emu_op *op,
                      const struct form *f, int is_product)
{
    int odd = (f->bf16 && (f->ftz || f->sat)) ||
              ((f->as_float || f->mixed) && f->ftz);

    if (is_product)
        odd |= emu_bit(op, 76) || (op->b != NULL && op->b->suffix_value != 0) ||
               (op->p != NULL &&
                (op->p->reg != TEG_SASS_PT || op->p->flags & SASS_NEGATE));
    if (odd)
        emu_refuse(w, op);
    return odd;
}

static void write_halves(struct emu_warp *w, const struct emu_op *op,
                         uint32_t mask, const struct form *f,
                         double out[2][EMU_LANES])
{
    uint32_t bits[EMU_LANES];

    for (int h = 0; h < 2; h++) {
        if (f->ftz && !f->bf16)
            LANES out[h][l] = flushed_sum(out[h][l]);
        if (f->relu)
            LANES out[h][l] = out[h][l] < 0 ? 0 : out[h][l];
        if (f->sat)
            LANES out[h][l] = !(out[h][l] > 0) ? 0 : fmin(out[h][l], 1);
    }
    if (f->as_float)
        LANES bits[l] = float_bits((float)out[0][l]);
    else if (f->bf16)
        LANES bits[l] = bf16_bits(out[0][l]) | bf16_bits(out[1][l]) << 16;
    else
        LANES bits[l] = half_bits(out[0][l]) | half_bits(out[1][l]) << 16;
    emu_write(w, op->d, 0, mask, bits);
}

/* The second operand stands where C does in some forms. */
static const struct emu_operand *second(const struct emu_op *op)
{
    return op->b != NULL ? op->b : op->c;
}

/* A sum of which bits are lost, with the last one set: whoever rounds it to less
 * knows on which side of the middle it was.  Single precision and bfloat16 need
 * that, whose exponents are far apart; of halves no bits are lost that matter. */
static double odd_sum(double a, double b)
{
    double sum = a + b, of_b = sum - a, lost = (a - (sum - of_b)) + (b - of_b);
    uint64_t bits = bits_of_double(sum);

    if (!(fabs(sum) <= DBL_MAX) || lost == 0 || bits & 1)
        return sum;
    return double_of((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

static void add(const struct form *f, double a[EMU_LANES],
                const double b[EMU_LANES])
{
    if (f->bf16 || f->mixed || f->as_float)
        LANES a[l] = odd_sum(a[l], b[l]);
    else
        LANES a[l] += b[l];
}

EXEC(hadd2)
{
    struct form f = form_of(op);
    double a[2][EMU_LANES], b[2][EMU_LANES];

    if (is_refused(w, op, &f, 0))
        return;
    halves(w, &f, op->a, a);
    halves(w, &f, second(op), b);
    for (int h = 0; h < 2; h++)
        add(&f, a[h], b[h]);
    write_halves(w, op, mask, &f, a);
}

EXEC(hmul2)
{
    struct form f = form_of(op);
    double a[2][EMU_LANES], b[2][EMU_LANES];

    if (is_refused(w, op, &f, 1))
        return;
    halves(w, &f, op->a, a);
    halves(w, &f, op->b, b);
    for (int h = 0; h < 2; h++)
        LANES a[h][l] *= b[h][l];
    write_halves(w, op, mask, &f, a);
}

static int is_zero(const struct emu_operand *o)
{
    return o != NULL && o->kind == SASS_REGISTER && o->reg == TEG_SASS_RZ;
}

/* -0 x 0 + C is how compilers move 32 bits that need not be halves. */
static int is_move(const struct emu_op *op, const struct form *f)
{
    const struct emu_operand *c = op->c;

    return is_zero(op->a) && is_zero(op->b) && !f->ftz && !f->sat && !f->relu &&
           !f->as_float && c != NULL && c->select == 0 &&
           !(c->flags & (SASS_NEGATE | SASS_ABSOLUTE));
}

EXEC(hfma2)
{
    struct form f = form_of(op);
    double a[2][EMU_LANES], b[2][EMU_LANES], c[2][EMU_LANES];

    f.relu = emu_bit(op, 79);
    if (strcmp(op->sass.name, "HFMA2.MMA") == 0)
        f.as_float = 0;
    if (is_refused(w, op, &f, 1))
        return;
    if (is_move(op, &f)) {
        emu_write(w, op->d, 0, mask, emu_row(w, op->c, 0));
        return;
    }
    halves(w, &f, op->a, a);
    halves(w, &f, op->b, b);
    halves(w, &f, op->c, c);
    for (int h = 0; h < 2; h++) {
        LANES a[h][l] *= b[h][l];
        add(&f, a[h], c[h]);
    }
    write_halves(w, op, mask, &f, a);
}

/* .XORSIGN is of absolute values of both halves where they stand. */
static int can_cross(const struct emu_operand *o)
{
    return o != NULL && o->select == 0 && (o->flags & SASS_ABSOLUTE) &&
           !(o->flags & SASS_NEGATE);
}

/* .XORSIGN: the sign is that of the product of the operands, before what their
 * marks do.  (PTX ISA, min.xorsign.abs) */
static void cross_signs(struct emu_warp *w, const struct emu_op *op,
                        double v[2][EMU_LANES])
{
    const uint32_t *a = emu_row(w, op->a, 0), *b = emu_row(w, op->b, 0);

    for (int h = 0; h < 2; h++)
        LANES v[h][l] =
            copysign(v[h][l], (a[l] ^ b[l]) >> (16 * h + 15) & 1 ? -1.0 : 1.0);
}

/* The lesser if P; a number wins over NaN unless .NAN. */
EXEC(hmnmx2)
{
    struct form f = form_of(op);
    double a[2][EMU_LANES], b[2][EMU_LANES];
    uint32_t want_min = emu_predicate(w, op->p);
    int keep_nan = emu_bit(op, 81);

    f.sat = 0;
    if (f.as_float || (f.bf16 && f.ftz) ||
        (emu_bit(op, 82) && !(can_cross(op->a) && can_cross(op->b)))) {
        emu_refuse(w, op);
        return;
    }
    halves(w, &f, op->a, a);
    halves(w, &f, op->b, b);
    for (int h = 0; h < 2; h++) {
        LANES
        {
            double x = a[h][l], y = b[h][l];
            int less = x < y || (x == y && signbit(x));

            if (isnan(x) || isnan(y))
                a[h][l] = keep_nan || (isnan(x) && isnan(y)) ? (double)NAN
                          : isnan(x)                         ? y
                                                             : x;
            else
                a[h][l] = less == (int)(want_min >> l & 1) ? x : y;
        }
    }
    if (emu_bit(op, 82))
        cross_signs(w, op, a);
    write_halves(w, op, mask, &f, a);
}

/* Lanes for which the comparison holds, of the low and the high values. */
static void compare_halves(struct emu_warp *w, const struct emu_op *op,
                           uint32_t result[2])
{
    struct form f = {.ftz = emu_bit(op, 80),
                     .bf16 = op->cc >= 90 && emu_bit(op, 65)};
    double a[2][EMU_LANES], b[2][EMU_LANES];

    result[0] = result[1] = 0;
    if (is_refused(w, op, &f, 0))
        return;
    halves(w, &f, op->a, a);
    halves(w, &f, second(op), b);
    for (int h = 0; h < 2; h++) {
        float x[EMU_LANES], y[EMU_LANES];
        uint32_t yes[EMU_LANES];

        LANES x[l] = (float)a[h][l];
        LANES y[l] = (float)b[h][l];
        compare_floats(emu_bits(op, 79, 76), x, y, yes);
        result[h] = emu_signs(yes);
    }
}

EXEC(hsetp2)
{
    unsigned how = emu_bits(op, 70, 69);
    uint32_t p = emu_predicate(w, op->p), result[2];

    compare_halves(w, op, result);
    if (emu_bit(op, 71)) {
        uint32_t both = result[0] & result[1];

        emu_write_predicate(w, op->u, mask, join(how, both, p));
        emu_write_predicate(w, op->v, mask, join(how, ~both, p));
        return;
    }
    emu_write_predicate(w, op->u, mask, join(how, result[0], p));
    emu_write_predicate(w, op->v, mask, join(how, result[1], p));
}

/* Ones as halves, or all bits, where it holds. */
EXEC(hset2)
{
    unsigned how = emu_bits(op, 70, 69);
    uint32_t p = emu_predicate(w, op->p), result[2], out[EMU_LANES];
    uint32_t yes = emu_bit(op, 71) ? 0x3c00 : 0xffff;

    compare_halves(w, op, result);
    for (int h = 0; h < 2; h++)
        result[h] = join(how, result[h], p);
    LANES out[l] =
        (result[0] >> l & 1 ? yes : 0) | (result[1] >> l & 1 ? yes << 16 : 0);
    emu_write(w, op->d, 0, mask, out);
}

const struct emu_row_of EMU_TABLE(half)[] = {
    {"HADD2", hadd2},   {"HMUL2", hmul2},
    {"HFMA2", hfma2},   {"HFMA2.MMA", hfma2},
    {"HMNMX2", hmnmx2}, {"HSETP2", hsetp2},
    {"HSET2", hset2},   {0},
};
