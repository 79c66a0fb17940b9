/* Floating point: single, double and half precision, bfloat16. */
#include <string.h>

#include "tests/traces/emulate/help_exact.h"
#include "tests/traces/emulate/help_reference.h"

/* ---- operands and results -------------------------------------------------------- */

static enum exact_rounding rounding(const struct reference_in *in)
{
    return reference_is(in, "rnd", "RM")   ? EXACT_DOWN
           : reference_is(in, "rnd", "RP") ? EXACT_UP
           : reference_is(in, "rnd", "RZ") ? EXACT_ZERO
                                           : EXACT_NEAREST;
}

/* .FMZ: 0 times anything is 0, or .OOB, which stands in its place. */
static int is_fmz(const struct reference_in *in)
{
    return reference_is(in, "fmz", "FMZ") ||
           reference_is(in, "fmzftz", "FMZ") ||
           reference_is(in, "fmzoob", "FMZ") ||
           reference_is(in, "fmzoob", "OOB");
}

static int flushes(const struct reference_in *in)
{
    return reference_is(in, "ftz", "FTZ") ||
           reference_is(in, "fmzftz", "FTZ") ||
           reference_is(in, "fmzoob", "FTZ");
}

static uint64_t sign_of(const struct exact_format *f)
{
    return UINT64_C(1) << (f->fraction + f->exponent);
}

static uint64_t marked(uint64_t v, const struct teg_sass_operand *o,
                       const struct exact_format *f)
{
    if (reference_marked(o, SASS_ABSOLUTE))
        v &= ~sign_of(f);
    if (reference_marked(o, SASS_NEGATE))
        v ^= sign_of(f);
    return v;
}

static const struct teg_sass_operand *operand(const struct reference_in *in,
                                              int i)
{
    return i == 0 ? in->a : i == 1 ? in->b : in->c;
}

static uint64_t single_bits(const struct reference_in *in, int i)
{
    uint64_t v = marked(in->word[i][0], operand(in, i), &exact_single);

    return flushes(in) ? exact_flushed(v, &exact_single) : v;
}

static struct exact single(const struct reference_in *in, int i)
{
    return exact_of(single_bits(in, i), &exact_single);
}

/* An immediate is the upper word. */
static uint64_t double_bits(const struct reference_in *in, int i)
{
    const struct teg_sass_operand *o = operand(in, i);
    uint64_t v = (uint64_t)in->word[i][1] << 32 | in->word[i][0];

    if (o != NULL && o->kind == SASS_IMMEDIATE)
        v = (uint64_t)in->word[i][0] << 32;
    return marked(v, o, &exact_double);
}

static struct exact double_of(const struct reference_in *in, int i)
{
    return exact_of(double_bits(in, i), &exact_double);
}

/* To [0, 1]; NaN becomes 0. */
static uint64_t saturated(uint64_t v, const struct exact_format *f)
{
    uint64_t one = ((UINT64_C(1) << (f->exponent - 1)) - 1) << f->fraction;

    if (exact_is_nan(v, f) || v & sign_of(f))
        return 0;
    return v > one ? one : v;
}

static int give_single(const struct reference_in *in, struct reference_out *out,
                       struct exact v)
{
    uint64_t d = exact_round(v, &exact_single, rounding(in));

    if (flushes(in))
        d = exact_flushed(d, &exact_single);
    if (reference_is(in, "sat", "SAT"))
        d = saturated(d, &exact_single);
    if (d == 0 && reference_is(in, "sat", "SAT"))
        out->matters = 0x7fffffff; /* -0 lies in [0, 1] too */
    out->d = d;
    return 1;
}

/* The payload of a NaN is not said. */
static int give_double(const struct reference_in *in, struct reference_out *out,
                       struct exact v)
{
    out->d = exact_round(v, &exact_double, rounding(in));
    out->matters = UINT64_MAX;
    if (v.kind == EXACT_NAN)
        out->is_nan = 2;
    return 1;
}

/* ---- single precision --------------------------------------------------------------- */

static int fadd(const struct reference_in *in, struct reference_out *out)
{
    return give_single(in, out,
                       exact_sum(single(in, 0), single(in, 1), rounding(in)));
}

static int fmul(const struct reference_in *in, struct reference_out *out)
{
    static const struct {
        const char *text;
        int power;
    } scale[] = {{"D8", -3}, {"D4", -2}, {"D2", -1}, {"", 0},
                 {"M2", 1},  {"M4", 2},  {"M8", 3}};
    struct exact v = exact_product(single(in, 0), single(in, 1));

    if (is_fmz(in))
        return 0;
    for (unsigned i = 0; i < sizeof scale / sizeof scale[0]; i++) {
        if (reference_is(in, "fscale", scale[i].text))
            v.exponent += scale[i].power;
    }
    return give_single(in, out, v);
}

static int ffma(const struct reference_in *in, struct reference_out *out)
{
    struct exact v = exact_product(single(in, 0), single(in, 1));

    if (is_fmz(in))
        return 0;
    return give_single(in, out, exact_sum(v, single(in, 2), rounding(in)));
}

/* The lesser if `least`, -0 before +0; a number wins over NaN unless .NAN.
 * Returns all bits of the fraction for NaN. */
static uint64_t chosen(uint64_t a, uint64_t b, const struct exact_format *f,
                       int least, int keeps_nan)
{
    int a_nan = exact_is_nan(a, f), b_nan = exact_is_nan(b, f), order;

    if ((a_nan && b_nan) || (keeps_nan && (a_nan || b_nan)))
        return sign_of(f) - 1;
    if (a_nan || b_nan)
        return a_nan ? b : a;
    order = exact_compare(exact_of(a, f), exact_of(b, f));
    if (order == 0)
        order = a & sign_of(f) ? -1 : 1;
    return (order < 0) == least ? a : b;
}

static int fmnmx(const struct reference_in *in, struct reference_out *out)
{
    uint64_t sign = (in->word[0][0] ^ in->word[1][0]) & 0x80000000;

    out->d = chosen(single_bits(in, 0), single_bits(in, 1), &exact_single,
                    in->p, reference_is(in, "nan", "NAN"));
    if (!reference_is(in, "xorsign", "XORSIGN"))
        return 1;
    if (!exact_is_nan(out->d, &exact_single))
        out->d = (out->d & 0x7fffffff) | sign;
    /* PTX has it of absolute values alone. */
    return reference_marked(in->a, SASS_ABSOLUTE) &&
           reference_marked(in->b, SASS_ABSOLUTE) &&
           !reference_marked(in->a, SASS_NEGATE) &&
           !reference_marked(in->b, SASS_NEGATE);
}

static int fmnmx3(const struct reference_in *in, struct reference_out *out)
{
    int keeps_nan = reference_is(in, "nan", "NAN");
    uint64_t two = chosen(single_bits(in, 0), single_bits(in, 1), &exact_single,
                          in->p, keeps_nan);

    out->d = chosen(two, single_bits(in, 2), &exact_single, in->p, keeps_nan);
    return 1;
}

/* Two numbers, each as the instruction of one has it: of an operand as they
 * stand, crosswise, or its first register (or an immediate) for both; the second
 * with its sign turned by .NP. */
static int pairs(const struct reference_in *in, struct reference_out *out,
                 reference one)
{
    const struct teg_sass_operand *o[3] = {in->a, in->b, in->c};

    out->d = 0;
    for (int i = 0; i < 2; i++) {
        struct reference_in each = *in;
        struct reference_out result = {0};
        struct teg_sass_operand turned[3];
        const struct teg_sass_operand **own[3] = {&each.a, &each.b, &each.c};

        for (int k = 0; k < 3; k++) {
            int form = o[k] == NULL || o[k]->kind == SASS_IMMEDIATE
                           ? 2
                           : o[k]->suffix_value;
            int which = form % 4 == 2 ? 0 : form % 4 == 1 ? 1 - i : i;

            each.word[k][0] = in->word[k][which];
            if (form >= 4 && i == 1)
                turned[k] = *o[k], turned[k].flags ^= SASS_NEGATE,
                *own[k] = &turned[k];
        }
        if (!one(&each, &result))
            return 0;
        out->d |= (result.d & UINT32_MAX) << 32 * i;
    }
    out->matters = UINT64_MAX;
    return 1;
}

/* A half or bfloat16 of an operand, which single precision holds. */
static struct exact widened(const struct reference_in *in, int i)
{
    const struct teg_sass_operand *o = operand(in, i);
    const struct exact_format *f =
        reference_is(in, "bf16h", "BF16") ? &exact_bfloat : &exact_half;
    int upper = o != NULL && o->suffix_value == 1;

    return exact_of(marked(in->word[i][0] >> 16 * upper & 0xffff, o, f), f);
}

static int fhadd(const struct reference_in *in, struct reference_out *out)
{
    return give_single(in, out,
                       exact_sum(widened(in, 0), single(in, 1), rounding(in)));
}

static int fhfma(const struct reference_in *in, struct reference_out *out)
{
    return give_single(in, out,
                       exact_sum(exact_product(widened(in, 0), widened(in, 1)),
                                 single(in, 2), rounding(in)));
}

static int fadd2(const struct reference_in *in, struct reference_out *out)
{
    return pairs(in, out, fadd);
}

static int fmul2(const struct reference_in *in, struct reference_out *out)
{
    return pairs(in, out, fmul);
}

static int ffma2(const struct reference_in *in, struct reference_out *out)
{
    return pairs(in, out, ffma);
}

static int fsel(const struct reference_in *in, struct reference_out *out)
{
    out->d = single_bits(in, in->p ? 0 : 1);
    return 1;
}

static int joined(const struct reference_in *in, int a, int b)
{
    return reference_is(in, "bool", "AND")  ? a && b
           : reference_is(in, "bool", "OR") ? a || b
                                            : a != b;
}

/* By the comparison's text: two letters, and U for "or NaN". */
static int holds(const struct reference_in *in, const char *table, int order)
{
    static const struct {
        const char *text;
        int less, equal, greater, nan;
    } row[] = {
        {"F", 0, 0, 0, 0},   {"LT", 1, 0, 0, 0},  {"EQ", 0, 1, 0, 0},
        {"LE", 1, 1, 0, 0},  {"GT", 0, 0, 1, 0},  {"NE", 1, 0, 1, 0},
        {"GE", 0, 1, 1, 0},  {"NUM", 1, 1, 1, 0}, {"NAN", 0, 0, 0, 1},
        {"LTU", 1, 0, 0, 1}, {"EQU", 0, 1, 0, 1}, {"LEU", 1, 1, 0, 1},
        {"GTU", 0, 0, 1, 1}, {"NEU", 1, 0, 1, 1}, {"GEU", 0, 1, 1, 1},
        {"T", 1, 1, 1, 1},
    };
    unsigned i = 0;

    while (!reference_is(in, table, row[i].text))
        i++;
    return order == 2   ? row[i].nan
           : order < 0  ? row[i].less
           : order == 0 ? row[i].equal
                        : row[i].greater;
}

static int fsetp(const struct reference_in *in, struct reference_out *out)
{
    int yes = holds(in, "fcmp", exact_compare(single(in, 0), single(in, 1)));

    out->has_u = out->has_v = 1;
    out->u = joined(in, yes, in->p);
    out->v = joined(in, !yes, in->p);
    return 1;
}

static int fset(const struct reference_in *in, struct reference_out *out)
{
    int yes = holds(in, "fcmp", exact_compare(single(in, 0), single(in, 1)));
    uint32_t true_word =
        reference_is(in, "hbf", "BF") ? 0x3f800000 : UINT32_MAX;

    out->d = joined(in, yes, in->p) ? true_word : 0;
    return 1;
}

/* ---- double precision ------------------------------------------------------------------ */

static int dadd(const struct reference_in *in, struct reference_out *out)
{
    int second = in->b != NULL ? 1 : 2;

    return give_double(
        in, out,
        exact_sum(double_of(in, 0), double_of(in, second), rounding(in)));
}

static int dmul(const struct reference_in *in, struct reference_out *out)
{
    return give_double(in, out,
                       exact_product(double_of(in, 0), double_of(in, 1)));
}

static int dfma(const struct reference_in *in, struct reference_out *out)
{
    struct exact v = exact_product(double_of(in, 0), double_of(in, 1));

    return give_double(in, out, exact_sum(v, double_of(in, 2), rounding(in)));
}

/* MIN and MAX: which is chosen, and whether both are NaN. */
static int dsetp(const struct reference_in *in, struct reference_out *out)
{
    int second = in->b != NULL ? 1 : 2, yes;
    uint64_t a = double_bits(in, 0), b = double_bits(in, second);
    int least = reference_is(in, "dcmp", "MIN");

    out->has_u = out->has_v = 1;
    if (!least && !reference_is(in, "dcmp", "MAX")) {
        yes = holds(in, "dcmp",
                    exact_compare(double_of(in, 0), double_of(in, second)));
        out->u = joined(in, yes, in->p);
        out->v = joined(in, !yes, in->p);
        return 1;
    }
    out->v = exact_is_nan(a, &exact_double) && exact_is_nan(b, &exact_double);
    out->u = !out->v && chosen(a, b, &exact_double, least, 0) == a;
    if (a == b) /* it makes no difference which */
        out->has_u = 0;
    return reference_is(in, "bool", "AND") && in->p &&
           teg_sass_operand(in->s, 'p')->reg == TEG_SASS_PT;
}

/* ---- halves and bfloat16 --------------------------------------------------------------- */

static int is_bfloat(const struct reference_in *in)
{
    return reference_is(in, "bf16v2", "BF16_V2");
}

static const struct exact_format *format(const struct reference_in *in)
{
    return is_bfloat(in) ? &exact_bfloat : &exact_half;
}

static int is_single(const struct teg_sass_operand *o)
{
    return o != NULL && o->flags & SASS_HALF && o->select == 1;
}

/* Number `i` of an operand: swizzled, marked, flushed; or single precision. */
static uint64_t half_bits(const struct reference_in *in, int n, int i)
{
    const struct teg_sass_operand *o = operand(in, n);
    const struct exact_format *f = format(in);
    int upper = i;
    uint64_t v;

    if (is_single(o))
        return marked(in->word[n][0], o, &exact_single);
    if (o != NULL && o->flags & SASS_HALF && o->select >= 2)
        upper = o->select == 3;
    v = marked(in->word[n][0] >> 16 * upper & 0xffff, o, f);
    return flushes(in) ? exact_flushed(v, f) : v;
}

static struct exact half(const struct reference_in *in, int n, int i)
{
    return exact_of(half_bits(in, n, i),
                    is_single(operand(in, n)) ? &exact_single : format(in));
}

/* Modifiers that PTX does not have, or not of bfloat16. */
static int is_odd_half(const struct reference_in *in)
{
    int mixed = is_single(in->a) || is_single(in->b) || is_single(in->c);

    if (in->b != NULL && in->b->suffix_value != 0)
        return 1;
    if (mixed || reference_is(in, "f32out", "F32"))
        return flushes(in) || is_fmz(in) ||
               (is_bfloat(in) && reference_is(in, "sat", "SAT"));
    return is_fmz(in) ||
           (is_bfloat(in) && (flushes(in) || reference_is(in, "sat", "SAT")));
}

/* Half `i` of the result; .F32: of the first alone, in single precision. */
static void give_half(const struct reference_in *in, struct reference_out *out,
                      int i, struct exact v)
{
    int whole = reference_is(in, "f32out", "F32");
    const struct exact_format *f = whole ? &exact_single : format(in);
    uint64_t d = exact_round(v, f, EXACT_NEAREST);

    if (whole && i != 0)
        return;
    if (flushes(in))
        d = exact_flushed(d, f);
    if (reference_is(in, "sat", "SAT"))
        d = saturated(d, f);
    if (reference_says(in, ".RELU") && !exact_is_nan(d, f) && d & sign_of(f))
        d = 0;
    if (d == 0 &&
        (reference_says(in, ".RELU") || reference_is(in, "sat", "SAT")))
        out->matters &= ~(sign_of(f) << 16 * i);
    out->d |= d << 16 * i;
}

static int second_half(const struct reference_in *in)
{
    return in->b != NULL ? 1 : 2;
}

static int hadd2(const struct reference_in *in, struct reference_out *out)
{
    for (int i = 0; i < 2; i++)
        give_half(in, out, i,
                  exact_sum(half(in, 0, i), half(in, second_half(in), i),
                            EXACT_NEAREST));
    return !is_odd_half(in);
}

static int hmul2(const struct reference_in *in, struct reference_out *out)
{
    for (int i = 0; i < 2; i++)
        give_half(in, out, i, exact_product(half(in, 0, i), half(in, 1, i)));
    return !is_odd_half(in);
}

static int is_zero_register(const struct teg_sass_operand *o)
{
    return o != NULL && o->kind == SASS_REGISTER && o->reg == TEG_SASS_RZ;
}

static int hfma2(const struct reference_in *in, struct reference_out *out)
{
    const struct teg_sass_operand *p = teg_sass_operand(in->s, 'p');

    for (int i = 0; i < 2; i++)
        give_half(in, out, i,
                  exact_sum(exact_product(half(in, 0, i), half(in, 1, i)),
                            half(in, 2, i), EXACT_NEAREST));
    if (is_zero_register(in->a) && is_zero_register(in->b))
        return 0; /* a move of 32 bits, unless they are changed */
    return !is_odd_half(in) && (p == NULL || p->flags & SASS_OPTIONAL);
}

static int hmnmx2(const struct reference_in *in, struct reference_out *out)
{
    int crosses = reference_is(in, "xorsign", "XORSIGN");

    for (int i = 0; i < 2; i++) {
        const struct exact_format *f = format(in);
        uint64_t a = half_bits(in, 0, i), b = half_bits(in, 1, i), d;

        d = chosen(a, b, f, in->p, reference_is(in, "nan", "NAN"));
        if (crosses && !exact_is_nan(d, f))
            d = (d & 0x7fff) |
                ((in->word[0][0] ^ in->word[1][0]) >> 16 * i & 0x8000);
        out->d |= d << 16 * i;
    }
    if (crosses &&
        ((in->a->flags & (SASS_ABSOLUTE | SASS_NEGATE)) != SASS_ABSOLUTE ||
         (in->b->flags & (SASS_ABSOLUTE | SASS_NEGATE)) != SASS_ABSOLUTE ||
         in->a->select != 0 || in->b->select != 0))
        return 0;
    return !is_odd_half(in) && !is_single(in->a) && !is_single(in->b) &&
           !reference_is(in, "f32out", "F32");
}

static int compared(const struct reference_in *in, int i)
{
    return holds(in, "fcmp",
                 exact_compare(half(in, 0, i), half(in, second_half(in), i)));
}

static int hsetp2(const struct reference_in *in, struct reference_out *out)
{
    int low = compared(in, 0), high = compared(in, 1);

    out->has_u = out->has_v = 1;
    if (reference_is(in, "hand", "H_AND")) {
        out->u = joined(in, low && high, in->p);
        out->v = joined(in, !(low && high), in->p);
    } else {
        out->u = joined(in, low, in->p);
        out->v = joined(in, high, in->p);
    }
    return !is_odd_half(in);
}

static int hset2(const struct reference_in *in, struct reference_out *out)
{
    uint64_t yes = reference_is(in, "bf", "BF") ? 0x3c00 : 0xffff;

    for (int i = 0; i < 2; i++)
        out->d |= (joined(in, compared(in, i), in->p) ? yes : 0) << 16 * i;
    return !is_odd_half(in);
}

const struct reference_row reference_floats[] = {
    {"FADD", fadd},
    {"FMUL", fmul},
    {"FFMA", ffma},
    {"FMNMX", fmnmx},
    {"FMNMX3", fmnmx3},
    {"FHADD", fhadd},
    {"FHFMA", fhfma},
    {"FADD2", fadd2},
    {"FMUL2", fmul2},
    {"FFMA2", ffma2},
    {"FSEL", fsel},
    {"FSETP", fsetp},
    {"FSET", fset},
    {"DADD", dadd},
    {"DMUL", dmul},
    {"DFMA", dfma},
    {"DSETP", dsetp},
    {"HADD2", hadd2},
    {"HMUL2", hmul2},
    {"HFMA2", hfma2},
    {"HFMA2.MMA", hfma2},
    {"HMNMX2", hmnmx2},
    {"HSETP2", hsetp2},
    {"HSET2", hset2},
    {0},
};
