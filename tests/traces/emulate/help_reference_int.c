/* Integers, bits and predicates. */
#include "tests/traces/emulate/help_reference.h"

#include <stddef.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* ---- operands ---------------------------------------------------------------- */

static uint32_t raw(const struct reference_in *in, int i)
{
    return in->word[i][0];
}

/* Negated or inverted as marked, without the 1 that negation adds. */
static uint32_t flipped(uint32_t v, const struct teg_sass_operand *o)
{
    return reference_marked(o, SASS_NEGATE | SASS_INVERT) ? ~v : v;
}

static unsigned negation(const struct teg_sass_operand *o)
{
    return reference_marked(o, SASS_NEGATE);
}

static uint32_t signed_word(const struct reference_in *in, int i,
                            const struct teg_sass_operand *o)
{
    return flipped(raw(in, i), o) + negation(o);
}

/* A pair of registers; a 32-bit immediate has a sign, one of 64 bits none. */
static uint64_t pair(const struct reference_in *in, int i,
                     const struct teg_sass_operand *o)
{
    if (o == NULL)
        return i == 1 ? (uint64_t)reference_number(in, 0) : 0;
    if (o->kind == SASS_IMMEDIATE)
        return (uint64_t)(int64_t)(int32_t)raw(in, i);
    return (uint64_t)in->word[i][1] << 32 | raw(in, i);
}

static int is_signed(const struct reference_in *in)
{
    return !reference_is(in, "u32", "U32");
}

static int set(struct reference_out *out, uint32_t d)
{
    out->d = d;
    return 1;
}

static int set_pair(struct reference_out *out, uint64_t d)
{
    out->d = d;
    out->matters = UINT64_MAX;
    return 1;
}

static void set_u(struct reference_out *out, int u)
{
    out->has_u = 1;
    out->u = u;
}

static void set_v(struct reference_out *out, int v)
{
    out->has_v = 1;
    out->v = v;
}

/* ---- sums ---------------------------------------------------------------------- */

static int iadd3(const struct reference_in *in, struct reference_out *out)
{
    uint64_t sum = (uint64_t)flipped(raw(in, 0), in->a) +
                   flipped(raw(in, 1), in->b) + flipped(raw(in, 2), in->c) +
                   negation(in->a) + negation(in->b) + negation(in->c);

    if (reference_says(in, ".X"))
        sum += (uint64_t)in->p + (uint64_t)in->q;
    set_u(out, sum >> 32 >= 1);
    set_v(out, sum >> 32 >= 2);
    return set(out, (uint32_t)sum);
}

/* Of pairs: two terms and C, if there is one. */
static wide pair_sum(const struct reference_in *in)
{
    const struct teg_sass_operand *const o[3] = {in->a, in->b, in->c};
    wide sum = 0;

    for (int i = 0; i < 3 && (i < 2 || o[i] != NULL); i++) {
        uint64_t v = pair(in, i, o[i]);

        sum += reference_marked(o[i], SASS_NEGATE | SASS_INVERT) ? ~v : v;
        sum += negation(o[i]);
    }
    return sum;
}

static int iadd3_64(const struct reference_in *in, struct reference_out *out)
{
    wide sum = pair_sum(in);

    set_u(out, sum >> 64 >= 1);
    set_v(out, sum >> 64 >= 2);
    return set_pair(out, (uint64_t)sum);
}

/* Two terms, of words or pairs. */
static int iadd(const struct reference_in *in, struct reference_out *out)
{
    int carry = reference_says(in, ".X") ? in->p : 0;
    wide sum;

    if (reference_says(in, ".64")) {
        sum = pair_sum(in) + (wide)carry;
        set_u(out, sum >> 64 != 0);
        return set_pair(out, (uint64_t)sum);
    }
    sum = (wide)flipped(raw(in, 0), in->a) + flipped(raw(in, 1), in->b) +
          negation(in->a) + negation(in->b) + (unsigned)carry;
    set_u(out, sum >> 32 != 0);
    return set(out, (uint32_t)sum);
}

static int imad(const struct reference_in *in, struct reference_out *out)
{
    uint32_t v = raw(in, 0) * raw(in, 1) + signed_word(in, 2, in->c);

    return set(out, v + (uint32_t)(reference_says(in, ".X") && in->p));
}

/* A 64-bit product and sum: its 65 bits. */
static wide wide_sum(const struct reference_in *in)
{
    uint64_t a = raw(in, 0), b = raw(in, 1);
    uint64_t c = (uint64_t)in->word[2][1] << 32 | raw(in, 2);
    int64_t sa = (int32_t)a, sb = (int32_t)b;

    if (in->c != NULL && in->c->kind == SASS_IMMEDIATE && is_signed(in))
        c = (uint64_t)(int64_t)(int32_t)raw(in, 2);
    if (reference_marked(in->c, SASS_NEGATE | SASS_INVERT))
        c = ~c;
    return (wide)(is_signed(in) ? (uint64_t)(sa * sb) : a * b) + c +
           (wide)negation(in->c) + (wide)(reference_says(in, ".X") ? in->p : 0);
}

static int imad_wide(const struct reference_in *in, struct reference_out *out)
{
    wide sum = wide_sum(in);

    set_u(out, sum >> 64 != 0);
    out->d = (uint64_t)sum;
    out->matters = UINT64_MAX;
    return 1;
}

static int imad_hi(const struct reference_in *in, struct reference_out *out)
{
    wide sum = wide_sum(in);

    set_u(out, sum >> 64 != 0);
    return set(out, (uint32_t)(sum >> 32));
}

/* (A << n) + B, or the upper word of ({C, A} << n) plus B. */
static int lea(const struct reference_in *in, struct reference_out *out)
{
    unsigned n = (unsigned)reference_number(in, 0);
    uint64_t high = reference_says(in, ".SX32")
                        ? (uint64_t)((int64_t)(int32_t)raw(in, 0) >> 32)
                        : raw(in, 2);
    uint64_t both = high << 32 | raw(in, 0), sum;
    uint32_t term = reference_says(in, ".HI") ? (uint32_t)(both << n >> 32)
                                              : raw(in, 0) << n;

    if (reference_says(in, ".HI") && negation(in->a))
        return 0; /* of 64 bits or of the upper word? */
    sum = (uint64_t)flipped(term, in->a) + flipped(raw(in, 1), in->b) +
          negation(in->a) + negation(in->b);
    if (reference_says(in, ".X"))
        sum += (uint64_t)in->p;
    set_u(out, sum >> 32 != 0);
    return set(out, (uint32_t)sum);
}

/* ---- comparisons ------------------------------------------------------------------ */

static int joined(const struct reference_in *in, int a, int b)
{
    return reference_is(in, "bool", "AND")  ? a && b
           : reference_is(in, "bool", "OR") ? a || b
                                            : a != b;
}

static int compare(const struct reference_in *in, int64_t a, int64_t b)
{
    return reference_is(in, "icmp", "LT")   ? a < b
           : reference_is(in, "icmp", "EQ") ? a == b
           : reference_is(in, "icmp", "LE") ? a <= b
           : reference_is(in, "icmp", "GT") ? a > b
           : reference_is(in, "icmp", "NE") ? a != b
           : reference_is(in, "icmp", "GE") ? a >= b
                                            : reference_is(in, "icmp", "T");
}

static int64_t number(uint32_t v, int has_sign)
{
    return has_sign ? (int64_t)(int32_t)v : (int64_t)v;
}

static int is_of_pairs(const struct reference_in *in)
{
    return reference_is(in, "us64", "U64") || reference_is(in, "us64", "S64");
}

/* A pair as a number in whose order it stands. */
static int64_t ordered(const struct reference_in *in, int i,
                       const struct teg_sass_operand *o)
{
    uint64_t v = pair(in, i, o);

    return (int64_t)(reference_is(in, "us64", "S64") ? v
                                                     : v ^ UINT64_C(1) << 63);
}

/* .EX: upper words; the lower ones' comparison decides where they are equal. */
static int isetp(const struct reference_in *in, struct reference_out *out)
{
    int64_t a = number(raw(in, 0), is_signed(in));
    int64_t b = number(raw(in, 1), is_signed(in));
    int yes = compare(in, a, b);

    if (is_of_pairs(in))
        yes = compare(in, ordered(in, 0, in->a), ordered(in, 1, in->b));
    if (reference_says(in, ".EX") && a == b && !reference_is(in, "icmp", "F") &&
        !reference_is(in, "icmp", "T"))
        yes = in->r;
    set_u(out, joined(in, yes, in->p));
    set_v(out, joined(in, !yes, in->p));
    return 1;
}

static int imnmx(const struct reference_in *in, struct reference_out *out)
{
    int64_t a = number(raw(in, 0), is_signed(in));
    int64_t b = number(raw(in, 1), is_signed(in));

    if (is_of_pairs(in)) {
        int less = ordered(in, 0, in->a) < ordered(in, 1, in->b);

        return set_pair(out, pair(in, less == in->p ? 0 : 1,
                                  less == in->p ? in->a : in->b));
    }
    return set(out, (uint32_t)(in->p == (a < b) ? a : b));
}

/* ---- packed ------------------------------------------------------------------------- */

/* How words are packed, by the name of the type, which is in one of a few
 * tables. */
static int is_type(const struct reference_in *in, const char *text)
{
    return reference_is(in, "vtype", text) ||
           reference_is(in, "vtype120", text) ||
           reference_is(in, "viadd", text) || reference_is(in, "x16", text);
}

static unsigned bits_of(const struct reference_in *in)
{
    return is_type(in, "U16x2") || is_type(in, "S16x2") || is_type(in, "16x2")
               ? 16
           : is_type(in, "U8x4") || is_type(in, "S8x4") ? 8
                                                        : 32;
}

static int has_sign(const struct reference_in *in)
{
    return !is_type(in, "U32") && !is_type(in, "U16x2") && !is_type(in, "U8x4");
}

static int64_t cut(const struct reference_in *in, int64_t v)
{
    uint64_t most = (UINT64_C(1) << bits_of(in)) - 1, x = (uint64_t)v & most;

    return has_sign(in) && x > most / 2 ? (int64_t)(x - most - 1) : (int64_t)x;
}

/* Number `i` of an operand. */
static int64_t part(const struct reference_in *in, int n, unsigned i)
{
    return cut(in, (int64_t)(raw(in, n) >> bits_of(in) * i));
}

static unsigned parts(const struct reference_in *in)
{
    return 32 / bits_of(in);
}

/* .RELU is of signed numbers, words and halves. */
static int relu(const struct reference_in *in, int64_t *v)
{
    if (!reference_is(in, "relu", "RELU"))
        return 1;
    *v = *v < 0 ? 0 : *v;
    return has_sign(in) && bits_of(in) != 8;
}

static uint32_t put(const struct reference_in *in, unsigned i, int64_t v)
{
    return (uint32_t)((uint64_t)v & ((UINT64_C(1) << bits_of(in)) - 1))
           << bits_of(in) * i;
}

static int64_t lesser(const struct reference_in *in, int64_t a, int64_t b)
{
    return in->p ? (a < b ? a : b) : (a > b ? a : b);
}

/* The predicates are of the lower and the upper half: the first was taken. */
static int vimnmx(const struct reference_in *in, struct reference_out *out)
{
    int taken[4];

    for (unsigned i = 0; i < parts(in); i++) {
        int64_t a = part(in, 0, i), b = part(in, 1, i), v = lesser(in, a, b);

        taken[i] = v == a;
        if (!relu(in, &v))
            return 0;
        out->d |= put(in, i, v);
    }
    if (bits_of(in) == 16) {
        set_u(out, taken[0]);
        set_v(out, taken[1]);
    }
    return 1;
}

static int vimnmx3(const struct reference_in *in, struct reference_out *out)
{
    for (unsigned i = 0; i < parts(in); i++) {
        int64_t v = lesser(in, part(in, 0, i), part(in, 1, i));

        v = lesser(in, v, part(in, 2, i));
        if (!relu(in, &v))
            return 0;
        out->d |= put(in, i, v);
    }
    return 1;
}

static int viaddmnmx(const struct reference_in *in, struct reference_out *out)
{
    for (unsigned i = 0; i < parts(in); i++) {
        int64_t b = part(in, 1, i), v;

        v = cut(in, part(in, 0, i) + (negation(in->b) ? -b : b));
        v = lesser(in, v, part(in, 2, i));
        if (!relu(in, &v))
            return 0;
        out->d |= put(in, i, v);
    }
    return 1;
}

/* .ISAT: to the nearest that there is, of words as add.sat.s32. */
static int viadd(const struct reference_in *in, struct reference_out *out)
{
    int saturates = reference_is(in, "isat1", "ISAT");

    for (unsigned i = 0; i < parts(in); i++) {
        int64_t a = part(in, 0, i), b = part(in, 1, i), v;

        v = (negation(in->a) ? -a : a) + (negation(in->b) ? -b : b);
        if (saturates)
            v = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
        out->d |= put(in, i, v);
    }
    return !saturates || reference_is(in, "viadd", "S32");
}

static int vabsdiff(const struct reference_in *in, struct reference_out *out)
{
    int64_t a = number(raw(in, 0), is_signed(in));
    int64_t b = number(raw(in, 1), is_signed(in));

    return set(out, (uint32_t)(a > b ? a - b : b - a) + raw(in, 2));
}

static int vabsdiff4(const struct reference_in *in, struct reference_out *out)
{
    int unsigned_bytes = reference_is(in, "u8", "U8");
    uint32_t sum = raw(in, 2), bytes = 0;

    for (int i = 0; i < 4; i++) {
        uint8_t x = (uint8_t)(raw(in, 0) >> 8 * i);
        uint8_t y = (uint8_t)(raw(in, 1) >> 8 * i);
        int a = unsigned_bytes ? x : (int8_t)x;
        int b = unsigned_bytes ? y : (int8_t)y;
        uint32_t apart = (uint32_t)(a > b ? a - b : b - a);

        sum += apart;
        bytes |= (apart & 255) << 8 * i;
    }
    if (reference_is(in, "acc", "ACC"))
        return set(out, sum);
    return raw(in, 2) == 0 && set(out, bytes); /* C fills bytes left out */
}

static int64_t piece(uint32_t v, unsigned bits, unsigned i, int has_sign)
{
    int64_t x = v >> bits * i & ((1u << bits) - 1);

    return has_sign && x >> (bits - 1) ? x - (INT64_C(1) << bits) : x;
}

/* dp4a, dp2a */
static int idp(const struct reference_in *in, struct reference_out *out)
{
    int halves = reference_says(in, ".2A");
    int sa = halves ? reference_is(in, "us16", "S16")
                    : reference_nth(in, "us8", 0, "S8");
    int sb = reference_nth(in, "us8", halves ? 0 : 1, "S8");
    unsigned from = halves && reference_is(in, "lohi", "HI") ? 2 : 0;
    uint32_t sum = signed_word(in, 2, in->c);

    for (unsigned i = 0; i < (halves ? 2 : 4); i++)
        sum += (uint32_t)(piece(raw(in, 0), halves ? 16 : 8, i, sa) *
                          piece(raw(in, 1), 8, i + from, sb));
    return set(out, sum);
}

static int iabs(const struct reference_in *in, struct reference_out *out)
{
    int64_t b = (int32_t)raw(in, 1);

    return set(out, (uint32_t)(b < 0 ? -b : b));
}

/* ---- bits ------------------------------------------------------------------------------ */

static int mov(const struct reference_in *in, struct reference_out *out)
{
    if (reference_says(in, ".64"))
        return set_pair(out, in->b != NULL ? pair(in, 1, in->b)
                                           : (uint64_t)reference_number(in, 0));
    if (strcmp(in->s->name, "MOV") == 0 && reference_number(in, 0) != 0)
        return 0; /* some of each four lanes */
    return set(out,
               in->b != NULL ? raw(in, 1) : (uint32_t)reference_number(in, 0));
}

static int sel(const struct reference_in *in, struct reference_out *out)
{
    if (reference_says(in, ".64"))
        return set_pair(out, pair(in, in->p ? 0 : 1, in->p ? in->a : in->b));
    return set(out, raw(in, in->p ? 0 : 1));
}

static uint32_t looked_up(uint64_t table, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t v = 0;

    for (int i = 0; i < 32; i++) {
        unsigned n = (a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1);

        v |= (uint32_t)(table >> n & 1) << i;
    }
    return v;
}

static int lop3(const struct reference_in *in, struct reference_out *out)
{
    uint64_t table = (uint64_t)reference_number(in, 0);
    uint32_t v = looked_up(table, raw(in, 0), raw(in, 1), raw(in, 2));

    if (reference_is(in, "pand", "PAND"))
        set_u(out, v != 0 && in->p);
    else
        set_u(out, v != 0 || in->p);
    return set(out, v);
}

static int plop3(const struct reference_in *in, struct reference_out *out)
{
    unsigned n = (unsigned)(in->p * 4 + in->q * 2 + in->r);

    if (in->a != NULL) /* signs */
        n = raw(in, 0) >> 31 << 2 | raw(in, 1) >> 31 << 1 | raw(in, 2) >> 31;
    set_u(out, (int)(reference_number(in, 0) >> n & 1));
    set_v(out, (int)(reference_number(in, 1) >> n & 1));
    return 1;
}

static int shf(const struct reference_in *in, struct reference_out *out)
{
    int is_long =
        reference_is(in, "shtype", "S64") || reference_is(in, "shtype", "U64");
    int has_sign =
        reference_is(in, "shtype", "S64") || reference_is(in, "shtype", "S32");
    uint32_t most = is_long ? 64 : 32, n = raw(in, 1);
    uint64_t v = (uint64_t)raw(in, 2) << 32 | raw(in, 0);

    n = reference_is(in, "w", "W") ? n % most : n < most ? n : most;
    if (reference_is(in, "shdir", "L"))
        v = n < 64 ? v << n : 0;
    else if (n != 0) /* in steps that C defines */
        v = has_sign ? (uint64_t)((int64_t)v >> (n - 1) >> 1)
                     : v >> (n - 1) >> 1;
    return set(out, (uint32_t)(reference_is(in, "hi", "HI") ? v >> 32 : v));
}

static int prmt(const struct reference_in *in, struct reference_out *out)
{
    uint64_t bytes = (uint64_t)raw(in, 2) << 32 | raw(in, 0);
    uint32_t selector = raw(in, 1);
    unsigned s = selector & 3;

    for (unsigned i = 0; i < 4; i++) {
        unsigned n = reference_is(in, "prmt", "F4E")    ? s + i
                     : reference_is(in, "prmt", "B4E")  ? (s - i) & 7
                     : reference_is(in, "prmt", "RC8")  ? s
                     : reference_is(in, "prmt", "ECL")  ? (s > i ? s : i)
                     : reference_is(in, "prmt", "ECR")  ? (s < i ? s : i)
                     : reference_is(in, "prmt", "RC16") ? 2 * (s & 1) + i % 2
                                                        : selector >> 4 * i & 7;
        uint64_t byte = bytes >> 8 * n & 255;

        if (reference_is(in, "prmt", "") && selector >> 4 * i & 8)
            byte = byte >> 7 ? 255 : 0;
        out->d |= byte << 8 * i;
    }
    return 1;
}

static int popc(const struct reference_in *in, struct reference_out *out)
{
    uint32_t v = flipped(raw(in, 1), in->b), n = 0;

    for (; v != 0; v >>= 1)
        n += v & 1;
    return set(out, n);
}

static int brev(const struct reference_in *in, struct reference_out *out)
{
    uint32_t v = flipped(raw(in, 1), in->b), reversed = 0;

    for (int i = 0; i < 32; i++)
        reversed |= (v >> i & 1) << (31 - i);
    return set(out, reversed);
}

/* bfind */
static int flo(const struct reference_in *in, struct reference_out *out)
{
    uint32_t v = flipped(raw(in, 1), in->b);
    int at = 31;

    if (is_signed(in) && v >> 31)
        v = ~v;
    while (at >= 0 && !(v >> at & 1))
        at--;
    set_u(out, at >= 0);
    if (at >= 0 && reference_is(in, "sh", "SH"))
        at = 31 - at;
    return set(out, (uint32_t)at);
}

/* szext */
static int sgxt(const struct reference_in *in, struct reference_out *out)
{
    uint32_t n = raw(in, 1), v = raw(in, 0);

    if (reference_is(in, "w", "W"))
        n %= 32;
    if (n < 32) {
        v = n == 0 ? 0 : v << (32 - n) >> (32 - n);
        if (n != 0 && is_signed(in) && v >> (n - 1) & 1)
            v |= UINT32_MAX << n;
    }
    return set(out, v);
}

static int bmsk(const struct reference_in *in, struct reference_out *out)
{
    uint64_t at = raw(in, 0), n = raw(in, 1);

    if (reference_is(in, "w", "W")) {
        at %= 32;
        n %= 32;
    }
    for (uint64_t i = 0; i < 32; i++)
        out->d |= (uint64_t)(i >= at && i - at < n) << i;
    return 1;
}

const struct reference_row reference_integers[] = {
    {"IADD", iadd},
    {"IADD3", iadd3},
    {"IADD3.64", iadd3_64},
    {"IMAD", imad},
    {"IMAD.WIDE", imad_wide},
    {"IMAD.HI", imad_hi},
    {"LEA", lea},
    {"ISETP", isetp},
    {"IMNMX", imnmx},
    {"VIMNMX", vimnmx},
    {"VIMNMX3", vimnmx3},
    {"VIADDMNMX", viaddmnmx},
    {"VIADD", viadd},
    {"VABSDIFF", vabsdiff},
    {"VABSDIFF4", vabsdiff4},
    {"IDP", idp},
    {"IABS", iabs},
    {"MOV", mov},
    {"SEL", sel},
    {"LOP3", lop3},
    {"PLOP3", plop3},
    {"SHF", shf},
    {"PRMT", prmt},
    {"POPC", popc},
    {"BREV", brev},
    {"FLO", flo},
    {"SGXT", sgxt},
    {"BMSK", bmsk},
    {0},
};
