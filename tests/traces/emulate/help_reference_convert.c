/* Conversions: cvt of the PTX ISA. */
#include <string.h>

#include "tests/traces/emulate/help_exact.h"
#include "tests/traces/emulate/help_reference.h"

static const struct exact_format *format_of(const struct reference_in *in,
                                            const char *table)
{
    return reference_is(in, table, "F16")    ? &exact_half
           : reference_is(in, table, "F64")  ? &exact_double
           : reference_is(in, table, "BF16") ? &exact_bfloat
                                             : &exact_single;
}

/* Of B, where the name itself says it. */
static const struct exact_format *format_said(const struct reference_in *in)
{
    return reference_says(in, ".F16")    ? &exact_half
           : reference_says(in, ".F64")  ? &exact_double
           : reference_says(in, ".BF16") ? &exact_bfloat
                                         : NULL;
}

static enum exact_rounding rounding(const struct reference_in *in)
{
    return reference_is(in, "rnd", "RM")   ? EXACT_DOWN
           : reference_is(in, "rnd", "RP") ? EXACT_UP
           : reference_is(in, "rnd", "RZ") ? EXACT_ZERO
                                           : EXACT_NEAREST;
}

static enum exact_rounding integer_rounding(const struct reference_in *in)
{
    return reference_is(in, "irnd", "FLOOR")   ? EXACT_DOWN
           : reference_is(in, "irnd", "CEIL")  ? EXACT_UP
           : reference_is(in, "irnd", "TRUNC") ? EXACT_ZERO
                                               : EXACT_NEAREST;
}

static int flushes(const struct reference_in *in)
{
    return reference_is(in, "ftz", "FTZ");
}

/* B with its marks, of that format, flushed if it is single precision. */
static uint64_t source(const struct reference_in *in,
                       const struct exact_format *f)
{
    uint64_t sign = UINT64_C(1) << (f->fraction + f->exponent);
    uint64_t v = in->word[1][0];

    if (f == &exact_double && in->b->kind == SASS_IMMEDIATE)
        v <<= 32;
    else if (f == &exact_double)
        v |= (uint64_t)in->word[1][1] << 32;
    if ((f == &exact_half || f == &exact_bfloat) && in->b->suffix_value != 0 &&
        in->b->kind != SASS_IMMEDIATE)
        v >>= 16;
    v &= 2 * sign - 1;
    if (reference_marked(in->b, SASS_ABSOLUTE))
        v &= ~sign;
    if (reference_marked(in->b, SASS_NEGATE))
        v ^= sign;
    return flushes(in) && f == &exact_single ? exact_flushed(v, f) : v;
}

static void give(const struct reference_in *in, struct reference_out *out,
                 const struct exact_format *f, struct exact v,
                 enum exact_rounding r)
{
    out->d = exact_round(v, f, r);
    if (flushes(in) && f == &exact_single)
        out->d = exact_flushed(out->d, f);
    if (f == &exact_double) {
        out->matters = UINT64_MAX;
        out->is_nan = v.kind == EXACT_NAN ? 2 : 0;
    }
    if (f == &exact_half || f == &exact_bfloat)
        out->matters = 0xffff;
}

static int f2f(const struct reference_in *in, struct reference_out *out)
{
    const struct exact_format *said = format_said(in);
    const struct exact_format *from = said ? said : format_of(in, "ftypeb");
    const struct exact_format *to = format_of(in, "ftypea");

    give(in, out, to, exact_of(source(in, from), from), rounding(in));
    return to != &exact_bfloat || from == &exact_single;
}

static int frnd(const struct reference_in *in, struct reference_out *out)
{
    const struct exact_format *said = format_said(in);
    const struct exact_format *f = said ? said : &exact_single;
    struct exact v = exact_of(source(in, f), f), whole = v;
    int beyond;

    if (v.kind == EXACT_FINITE) {
        whole.significand = exact_integer(v, integer_rounding(in), &beyond);
        whole.exponent = 0;
        whole = beyond ? v : whole; /* so big that it is whole */
    }
    give(in, out, f, whole, EXACT_NEAREST);
    return 1;
}

struct integer {
    unsigned bits;
    int has_sign;
};

static struct integer integer_of(const struct reference_in *in,
                                 const char *table)
{
    static const struct {
        const char *text;
        struct integer is;
    } row[] = {
        {"U8", {8, 0}},   {"S8", {8, 1}},   {"U16", {16, 0}},
        {"S16", {16, 1}}, {"U32", {32, 0}}, {"", {32, 1}},
        {"U64", {64, 0}}, {"S64", {64, 1}}, {"S32", {32, 1}},
    };
    unsigned i = 0;

    while (!reference_is(in, table, row[i].text))
        i++;
    return row[i].is;
}

static uint64_t ones(unsigned bits)
{
    return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* Saturates.  NaN becomes 0 with .NTZ, else the sign's bit alone: "zero if the
 * source is not .f64 and the destination not 64 bits".  (PTX ISA, cvt) */
static int f2i(const struct reference_in *in, struct reference_out *out)
{
    const struct exact_format *said = format_said(in);
    const struct exact_format *from = said ? said : format_of(in, "ftype");
    struct exact v = exact_of(source(in, from), from);
    struct integer to = integer_of(in, "itype");
    int beyond;
    uint64_t most = to.has_sign ? ones(to.bits - 1) : ones(to.bits);
    uint64_t least = to.has_sign ? most + 1 : 0, n;

    out->matters = ones(to.bits);
    if (v.kind == EXACT_NAN) {
        out->d =
            reference_is(in, "ntz", "NTZ") ? 0 : UINT64_C(1) << (to.bits - 1);
        return 1;
    }
    n = exact_integer(v, integer_rounding(in), &beyond);
    if (v.negative)
        out->d = 0 - (beyond || n > least ? least : n);
    else
        out->d = beyond || n > most ? most : n;
    out->d &= ones(to.bits);
    return 1;
}

static uint64_t magnitude(uint64_t v, struct integer of, int *negative)
{
    v &= ones(of.bits);
    *negative = of.has_sign && v >> (of.bits - 1);
    return *negative ? (0 - v) & ones(of.bits) : v;
}

static int i2f(const struct reference_in *in, struct reference_out *out)
{
    struct integer from = integer_of(in, "itype");
    const struct exact_format *to =
        reference_is(in, "ftypeb16", "BF16")         ? &exact_bfloat
        : format_of(in, "ftypeb16") != &exact_single ? format_of(in, "ftypeb16")
                                                     : format_of(in, "ftype");
    uint64_t v = (uint64_t)in->word[1][1] << 32 | in->word[1][0];
    int negative;

    if (in->b->kind == SASS_IMMEDIATE && from.bits == 64)
        return 0; /* what fills the upper part? */
    v >>= (from.bits < 32 ? from.bits : 0) * in->b->suffix_value;
    v = magnitude(v, from, &negative);
    give(in, out, to, exact_of_integer(v, negative), rounding(in));
    return 1;
}

static int i2fp(const struct reference_in *in, struct reference_out *out)
{
    struct integer from = integer_of(in, "itype3");
    int negative;
    uint64_t v = magnitude(in->word[1][0], from, &negative);

    give(in, out, &exact_single, exact_of_integer(v, negative), rounding(in));
    return reference_is(in, "ftypeb", "F32");
}

/* A float as 16 bits; .RELU makes what is negative 0. */
static uint64_t narrowed(const struct reference_in *in, int n,
                         const struct teg_sass_operand *o)
{
    const struct exact_format *f =
        reference_is(in, "f2fpa", "BF16") || reference_is(in, "f2fpb", "BF16")
            ? &exact_bfloat
            : &exact_half;
    uint64_t v = in->word[n][0], d;

    if (reference_marked(o, SASS_ABSOLUTE))
        v &= 0x7fffffff;
    if (reference_marked(o, SASS_NEGATE))
        v ^= 0x80000000;
    d = exact_round(exact_of(v, &exact_single), f, rounding(in));
    if (reference_is(in, "satfin", "SATFINITE") &&
        exact_of(d, f).kind == EXACT_INFINITE)
        d--;
    return reference_is(in, "relu", "RELU") && !exact_is_nan(d, f) && d & 0x8000
               ? 0
               : d;
}

/* By the tables of all generations. */
static int is_eight(const struct reference_in *in, const char *text)
{
    return reference_is(in, "f2fp8", text) || reference_is(in, "f2fpn", text) ||
           reference_is(in, "f2fpu", text);
}

/* Narrow floats: a code's value is that of its exponent and fraction, and the
 * greatest code is a number.  (OCP 8-bit and microscaling formats) */
static const struct narrow {
    const char *text;
    unsigned exponent, fraction, most, nan;
} narrows[] = {
    {"E5M2", 5, 2, 0x7b, 0x7f}, {"E4M3", 4, 3, 0x7e, 0x7f},
    {"E2M3", 2, 3, 0x1f, 0x1f}, {"E3M2", 3, 2, 0x1f, 0x1f},
    {"E2M1", 2, 1, 0x07, 0x07},
};

static const struct narrow *narrow_of(const struct reference_in *in)
{
    for (unsigned i = 0; i < sizeof narrows / sizeof *narrows; i++) {
        if (is_eight(in, narrows[i].text))
            return &narrows[i];
    }
    return NULL;
}

static struct exact value_of_code(const struct narrow *n, unsigned code)
{
    unsigned exponent = code >> n->fraction;
    struct exact v = exact_of_integer(
        (code & ones(n->fraction)) | (exponent ? 1u << n->fraction : 0), 0);

    v.exponent = (int)(exponent ? exponent : 1) - (int)ones(n->exponent - 1) -
                 (int)n->fraction;
    return v;
}

/* The nearest of all codes, of two the even one; the greatest of its sign for
 * greater ones.  (PTX ISA, cvt: .satfinite) */
static uint64_t narrowest(const struct reference_in *in, const struct narrow *n,
                          struct exact v)
{
    uint64_t sign = v.negative ? 1u << (n->exponent + n->fraction) : 0;
    unsigned code = 0;
    struct exact size = v;

    if (v.kind == EXACT_NAN)
        return n->nan;
    if (reference_is(in, "relu", "RELU") && v.negative)
        return 0;
    size.negative = 0;
    for (; code < n->most; code++) {
        struct exact half = exact_sum(
            value_of_code(n, code), value_of_code(n, code + 1), EXACT_NEAREST);
        int place;

        half.exponent--;
        place = exact_compare(size, half);
        if (place < 0 || (place == 0 && code % 2 == 0))
            break;
    }
    return sign | code;
}

/* 2^(v - 127) below, or with .RP above; 255 is NaN.  Signs do not count. */
static uint64_t power_of_two(const struct reference_in *in, struct exact v)
{
    int up = reference_is(in, "rnd", "RP");
    struct exact power = exact_of_integer(1, 0);
    unsigned code = 0;

    if (v.kind == EXACT_NAN)
        return 255;
    v.negative = 0;
    for (; code < 255; code++) {
        int place;

        power.exponent = (int)code - 127;
        place = exact_compare(v, power);
        if (up ? place <= 0 : place < 0)
            break;
    }
    if (!up && v.kind == EXACT_FINITE)
        code -= code > 0;
    return code == 255 && reference_is(in, "satfin", "SATFINITE") ? 254 : code;
}

static struct exact source_of(const struct reference_in *in, int upper)
{
    const struct teg_sass_operand *o = upper ? in->a : in->b;
    uint64_t word = in->word[upper ? 0 : 1][0];

    if (reference_says(in, ".UNPACK_B_MERGE_C"))
        return exact_of(in->word[1][0] >> 16 * upper & 0xffff,
                        reference_is(in, "f2fps", "BF16") ? &exact_bfloat
                                                          : &exact_half);
    if (reference_marked(o, SASS_ABSOLUTE))
        word &= 0x7fffffff;
    if (reference_marked(o, SASS_NEGATE))
        word ^= 0x80000000;
    return exact_of(word, &exact_single);
}

static int to_narrow(const struct reference_in *in, struct reference_out *out)
{
    const struct narrow *n = narrow_of(in);
    uint64_t c = in->word[2][0];
    unsigned bits = n != NULL && n->exponent + n->fraction < 4 ? 4 : 8;

    for (int i = 0; i < 2; i++) {
        struct exact v = source_of(in, i);

        out->d |= (n != NULL ? narrowest(in, n, v) : power_of_two(in, v))
                  << bits * (unsigned)i;
        if (n != NULL && reference_is(in, "relu", "RELU")) /* nor is -0 */
            out->matters &= ~(UINT64_C(1) << (bits * (unsigned)i + n->exponent +
                                              n->fraction));
    }
    if (in->c != NULL && in->c->suffix_value != 0)
        c >>= 16;
    out->d |= c << 2 * bits & UINT32_MAX;
    return 1;
}

static int from_narrow(const struct reference_in *in, struct reference_out *out)
{
    const struct narrow *n = narrow_of(in);
    unsigned bits = n != NULL && n->exponent + n->fraction < 4 ? 4 : 8;

    for (unsigned i = 0; i < 2; i++) {
        unsigned v =
            in->word[1][0] >> (2 * bits * in->b->suffix_value + bits * i);
        unsigned sign, code;
        struct exact x;

        if (n == NULL) { /* E8M0, as bfloat16 */
            x = exact_of_integer(1, 0);
            x.exponent = (int)(v & 255) - 127;
            x.kind = (v & 255) == 255 ? EXACT_NAN : EXACT_FINITE;
            out->d |= exact_round(x, &exact_bfloat, EXACT_NEAREST) << 16 * i;
            continue;
        }
        sign = v >> (n->exponent + n->fraction) & 1;
        code = v & (unsigned)ones(n->exponent + n->fraction);
        x = value_of_code(n, code);
        x.negative = (int)sign;
        if (code > n->most)
            x.kind = n->fraction == 2 && code == n->most + 1 ? EXACT_INFINITE
                                                             : EXACT_NAN;
        if (reference_is(in, "relu", "RELU") && x.kind != EXACT_NAN && sign) {
            if (code == 0)
                out->matters &= ~(UINT64_C(0x8000) << 16 * i);
            continue;
        }
        out->d |= exact_round(x, &exact_half, EXACT_NEAREST) << 16 * i;
    }
    return 1;
}

/* A number and as many random bits as those that bfloat16 lacks, cut. */
static int to_bfloat_by(const struct reference_in *in,
                        struct reference_out *out)
{
    for (int i = 0; i < 2; i++) {
        struct exact v = source_of(in, i), more, most = exact_of_integer(1, 0);
        uint64_t d;

        more = exact_of_integer(in->word[2][0] >> 16 * i & 0xffff, v.negative);
        more.exponent = v.exponent; /* that of the last bit of a single */
        if (v.kind == EXACT_FINITE)
            v = exact_sum(v, more, EXACT_NEAREST);
        most.exponent = 128;
        most.negative = v.negative;
        if (exact_compare(v, most) == (v.negative ? -1 : 1) ||
            exact_compare(v, most) == 0)
            v.kind = EXACT_INFINITE;
        d = exact_round(v, &exact_bfloat, EXACT_ZERO);
        if (v.kind == EXACT_INFINITE && reference_is(in, "satfin", "SATFINITE"))
            d--;
        if (reference_is(in, "relu", "RELU") && v.negative &&
            v.kind != EXACT_NAN) {
            d = 0;
            out->matters &= ~(UINT64_C(0x8000) << 16 * i);
        }
        out->d |= d << 16 * i;
    }
    return 1;
}

/* A float whose fraction has ten bits; no number is infinite with .SATFINITE. */
static int to_tf32(const struct reference_in *in, struct reference_out *out)
{
    static const struct exact_format tf32 = {10, 8};
    uint64_t v = in->word[1][0], d;

    if (reference_marked(in->b, SASS_ABSOLUTE))
        v &= 0x7fffffff;
    if (reference_marked(in->b, SASS_NEGATE))
        v ^= 0x80000000;
    d = exact_round(exact_of(v, &exact_single), &tf32,
                    reference_is(in, "rndrz", "RZ") ? EXACT_ZERO
                                                    : EXACT_NEAREST);
    if (reference_is(in, "satfin", "SATFINITE") &&
        exact_of(d, &tf32).kind == EXACT_INFINITE)
        d--;
    if (reference_is(in, "relu", "RELU") && !exact_is_nan(d, &tf32) &&
        d & 0x40000)
        d = 0;
    out->d = d << 13;
    out->matters = 0xffffe000;
    if (reference_is(in, "relu", "RELU") && d == 0) /* -0 is not negative */
        out->matters &= 0x7fffffff;
    return 1;
}

static int f2fp(const struct reference_in *in, struct reference_out *out)
{
    int is_narrow = reference_says(in, ".UNPACK_B") ||
                    reference_says(in, ".UNPACK_B_MERGE_C") ||
                    reference_says(in, ".PACK_AB_MERGE_C");

    if (reference_says(in, ".TF32"))
        return to_tf32(in, out);
    if (reference_says(in, ".RS"))
        return !is_narrow && !reference_is(in, "f2fpb", "F16") &&
               to_bfloat_by(in, out);
    if (is_narrow && narrow_of(in) == NULL && !is_eight(in, "E8") &&
        !reference_says(in, ".E8"))
        return 0;
    if (reference_says(in, ".UNPACK_B"))
        return from_narrow(in, out);
    if (is_narrow)
        return to_narrow(in, out);
    if (reference_says(in, ".MERGE_C"))
        out->d = narrowed(in, 1, in->b) | (in->word[2][0] & 0xffff0000);
    else
        out->d = narrowed(in, 1, in->b) | narrowed(in, 0, in->a) << 16;
    for (int i = 0; i < 2; i++) { /* -0 is not negative */
        if (reference_is(in, "relu", "RELU") &&
            (out->d >> 16 * i & 0x7fff) == 0)
            out->matters &= ~(UINT64_C(0x8000) << 16 * i);
    }
    return 1;
}

static int i2i(const struct reference_in *in, struct reference_out *out)
{
    struct integer to = integer_of(in, "isat");
    int64_t v = (int32_t)in->word[1][0];
    int64_t most = (int64_t)(to.has_sign ? ones(to.bits - 1) : ones(to.bits));
    int64_t least = to.has_sign ? -most - 1 : 0;

    v = v < least ? least : v > most ? most : v;
    out->d = (uint64_t)v & UINT32_MAX;
    return 1;
}

/* "td[0..size-1] = tb, td[size..2*size-1] = ta", c above them.  (PTX ISA,
 * cvt.pack) */
static int i2ip(const struct reference_in *in, struct reference_out *out)
{
    static const struct {
        const char *text;
        struct integer to;
    } row[] = {{"U8", {8, 0}},   {"S8", {8, 1}}, {"U16", {16, 0}},
               {"S16", {16, 1}}, {"U4", {4, 0}}, {"S4", {4, 1}},
               {"U2", {2, 0}},   {"S2", {2, 1}}};
    struct integer to;
    uint64_t c = in->word[2][0];
    int64_t most, least;
    unsigned n = 0;

    while (!reference_is(in, "i2ip", row[n].text))
        n++;
    to = row[n].to;
    most = (int64_t)(to.has_sign ? ones(to.bits - 1) : ones(to.bits));
    least = to.has_sign ? -most - 1 : 0;
    if (to.bits == 8 && in->c->suffix_value != 0)
        c >>= 16;
    out->d = to.bits == 16 ? 0 : c << 2 * to.bits;
    for (unsigned i = 0; i < 2; i++) {
        int64_t v = (int32_t)in->word[i ? 0 : 1][0];

        v = v < least ? least : v > most ? most : v;
        out->d |= ((uint64_t)v & ones(to.bits)) << i * to.bits;
    }
    out->d &= UINT32_MAX;
    return reference_says(in, ".SAT") || reference_is(in, "satmode", "SAT");
}

const struct reference_row reference_conversions[] = {
    {"F2F", f2f}, {"FRND", frnd}, {"F2I", f2i},
    {"I2F", i2f}, {"I2FP", i2fp}, {"F2FP", f2fp},
    {"I2I", i2i}, {"I2IP", i2ip}, {0},
};
