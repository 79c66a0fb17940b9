#include "tests/traces/emulate/help_product.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct exact_format e4m3 = {3, 4}, e5m2 = {2, 5};

/* ---- types ------------------------------------------------------------------ */

static const struct type {
    const char *name;
    unsigned bits;
    const struct exact_format *format; /* NULL: an integer */
    int has_sign;
} types[] = {
    {"F16", 16, &exact_half, 0},
    {"BF16", 16, &exact_bfloat, 0},
    {"TF32", 32, &exact_single, 0},
    {"E4M3", 8, &e4m3, 0},
    {"E5M2", 8, &e5m2, 0},
    {"E2M3", 8, NULL, 0}, /* these in bytes */
    {"E3M2", 8, NULL, 0},
    {"E2M1", 8, NULL, 0},
    {"E2M1x8", 4, NULL, 0}, /* and without gaps */
    {"F32", 32, &exact_single, 0},
    {"F64", 64, &exact_double, 0},
    {"S32", 32, NULL, 1},
    {"U8", 8, NULL, 0},
    {"S8", 8, NULL, 1},
    {"U4", 4, NULL, 0},
    {"S4", 4, NULL, 1},
    {"XOR", 1, NULL, 0},
    {"AND", 1, NULL, 0},
};

static const struct type *type_of(const char *name)
{
    for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    }
    return NULL;
}

unsigned product_bits(const struct product *p)
{
    return type_of(p->a)->bits;
}

/* A float without infinities and NaN.  Of six bits in a byte the upper two do not
 * count, four are in the middle. */
static struct exact narrow_value(uint64_t bits, const struct type *t)
{
    unsigned e = (unsigned)t->name[1] - '0', f = (unsigned)t->name[3] - '0';
    unsigned shift = t->bits == 8 && e + f == 3 ? 2 : 0, power, rest;
    struct exact v;

    bits >>= shift;
    power = (unsigned)(bits >> f) & ((1u << e) - 1);
    rest = (unsigned)bits & ((1u << f) - 1);
    v = exact_of_integer(rest + (power != 0 ? 1u << f : 0),
                         (int)(bits >> (e + f) & 1));
    v.exponent =
        (int)(power != 0 ? power : 1) - (int)((1u << (e - 1)) - 1) - (int)f;
    return v;
}

static int is_float(const struct type *t)
{
    return t->format != NULL || t->name[0] == 'E';
}

static struct exact value_of(uint64_t bits, const struct type *t)
{
    uint64_t sign = UINT64_C(1) << (t->bits - 1);

    if (t->format == NULL && is_float(t))
        return narrow_value(bits, t);

    if (strcmp(t->name, "TF32") == 0)
        bits &= 0xffffe000; /* 10 bits of the fraction */
    if (strcmp(t->name, "E4M3") == 0 && (bits & 0x78) == 0x78) {
        /* where others have infinities it has numbers, and one NaN */
        struct exact v = exact_of_integer(8 + (bits & 7), bits >> 7 & 1);

        v.exponent += 15 - 7 - 3;
        if ((bits & 7) == 7)
            v.kind = EXACT_NAN;
        return v;
    }
    if (t->format != NULL)
        return exact_of(bits, t->format);
    if (t->has_sign && bits & sign)
        return exact_of_integer(2 * sign - bits, 1);
    return exact_of_integer(bits, 0);
}

struct exact product_value(const char *type, uint64_t bits)
{
    return value_of(bits, type_of(type));
}

unsigned product_type_bits(const char *type)
{
    const struct type *t = type_of(type);

    return t != NULL ? t->bits : 0;
}

/* ---- the name ---------------------------------------------------------------- */

static const struct shape {
    const char *name, *operation;
    int m, k;
} shapes[] = {
    {"1684", "HMMA", 16, 4},     {"1688", "HMMA", 16, 8},
    {"16816", "HMMA", 16, 16},   {"16832", "HMMA", 16, 32},
    {"16816", "QMMA", 16, 16},   {"16832", "QMMA", 16, 32},
    {"16864", "QMMA", 16, 64},   {"16864", "OMMA", 16, 64},
    {"168128", "OMMA", 16, 128}, {"8816", "IMMA", 8, 16},
    {"8832", "IMMA", 8, 32},     {"16816", "IMMA", 16, 16},
    {"16832", "IMMA", 16, 32},   {"16864", "IMMA", 16, 64},
    {"168128", "IMMA", 16, 128}, {"88128", "BMMA", 8, 128},
    {"168128", "BMMA", 16, 128}, {"168256", "BMMA", 16, 256},
    {"884", "DMMA", 8, 4},       {"8x8x4", "DMMA", 8, 4},
    {"16x8x4", "DMMA", 16, 4},   {"16x8x8", "DMMA", 16, 8},
};

/* What PTX has, of k: the bits of the elements, dense, sparse.  Products of
 * bits and of doubles are all there are names for. */
static int is_of_ptx(const struct product *p)
{
    static const struct {
        unsigned bits;
        int is_sparse, m, k[4];
    } row[] = {
        {32, 0, 16, {4, 8}},   {32, 1, 16, {8, 16}}, {16, 0, 16, {8, 16}},
        {16, 1, 16, {16, 32}}, {8, 0, 8, {16}},      {8, 0, 16, {16, 32}},
        {8, 1, 16, {32, 64}},  {4, 0, 8, {32}},      {4, 0, 16, {32, 64}},
        {4, 1, 16, {64, 128}},
    };
    unsigned bits = product_bits(p);

    if (bits == 64 || bits == 1)
        return 1;
    if (bits != type_of(p->b)->bits)
        return 0;
    if (is_float(type_of(p->a)) && bits == 8) {
        int eight = p->a[3] + p->a[1] + p->b[3] + p->b[1] == 2 * (7 + 2 * '0');

        return p->is_sparse ? p->k == 64 : p->k == 32 || (p->k == 16 && eight);
    }
    if (is_float(type_of(p->a)) && bits == 4)
        return p->scales != 0 && p->k == (p->is_sparse ? 128 : 64);
    if (strcmp(p->d, "F16") == 0 && bits == 32)
        return 0;
    if (strcmp(p->d, "F16") == 0 && strcmp(p->a, "BF16") == 0)
        return 0;
    for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
        for (int n = 0; n < 4; n++) {
            if (row[i].bits == bits && row[i].is_sparse == p->is_sparse &&
                row[i].m == p->m && row[i].k[n] == p->k)
                return 1;
        }
    }
    return 0;
}

static void set(char to[PRODUCT_NAME], const char *from)
{
    snprintf(to, PRODUCT_NAME, "%s", from);
}

/* The types behind the shape: of floats D's comes first. */
static int read_types(struct product *p, const char *operation,
                      char *const *part, unsigned parts)
{
    unsigned n = 0;

    if (strcmp(operation, "DMMA") == 0) {
        set(p->a, "F64"), set(p->b, "F64"), set(p->d, "F64");
        return parts == 0;
    }
    set(p->d, "S32");
    if (strchr("HQO", operation[0]) != NULL) {
        if (parts == 0)
            return 0;
        set(p->d, part[n++]);
    }
    if (operation[0] == 'H') {
        set(p->a, n < parts ? part[n++] : "F16");
        set(p->b, p->a);
    } else if (n < parts) {
        set(p->a, part[n++]);
        set(p->b, operation[0] != 'B' && n < parts ? part[n++] : p->a);
    }
    if (operation[0] == 'O') {
        if (strcmp(p->a, "E2M1") != 0 || strcmp(p->b, "E2M1") != 0)
            return 0;
        set(p->a, "E2M1x8"), set(p->b, "E2M1x8");
        p->scales = 2;
    }
    for (; n < parts; n++) {
        if (p->scales != 0 && strcmp(part[n], "4X") == 0)
            p->scales = 4;
        else if (p->scales != 0 && strcmp(part[n], "UE4M3") == 0)
            p->scale_is_e4m3 = 1;
        else if (p->scales != 0 && strcmp(part[n], "E8") == 0)
            p->scale_is_e4m3 = 0;
        else if (strcmp(part[n], "SAT") == 0 && operation[0] == 'I')
            p->saturates = 1;
        else if (strcmp(part[n], "POPC") != 0)
            return 0;
    }
    return type_of(p->a) != NULL && type_of(p->b) != NULL &&
           type_of(p->d) != NULL;
}

enum {
    PARTS = 10 /* "OMMA.SF.SP.168128.F32.E2M1.E2M1.UE4M3.4X" has nine */
};

int product_of(const char *opcode, struct product *p)
{
    char text[96], *part[PARTS] = {0}, *rest = text;
    unsigned parts = 0, at = 1;

    *p = (struct product){0};
    snprintf(text, sizeof text, "%s", opcode);
    while (parts < PARTS && (part[parts] = strtok_r(rest, ".", &rest)) != NULL)
        parts++;
    if (parts > at && strcmp(part[at], "SF") == 0) {
        p->scales = 1;
        at++;
    }
    if (parts > at && strcmp(part[at], "SP") == 0) {
        p->is_sparse = 1;
        at++;
    }
    for (unsigned i = 0; at < parts && i < sizeof shapes / sizeof shapes[0];
         i++) {
        if (strcmp(shapes[i].operation, part[0]) == 0 &&
            strcmp(shapes[i].name, part[at]) == 0) {
            p->m = shapes[i].m;
            p->k = shapes[i].k;
        }
    }
    return p->m != 0 && read_types(p, part[0], part + at + 1, parts - at - 1) &&
           is_of_ptx(p);
}

/* ---- where elements stand ------------------------------------------------------ */

/* Elements of a register, or of the two of a double. */
static int each_of(const struct product *p)
{
    unsigned bits = product_bits(p);

    return bits >= 32 ? 1 : 32 / (int)bits;
}

unsigned product_registers(const struct product *p, char operand)
{
    unsigned elements = operand == 'a'   ? (unsigned)(p->m * p->k)
                        : operand == 'b' ? 8 * (unsigned)p->k
                                         : 8 * (unsigned)p->m;
    unsigned bits = operand == 'a' || operand == 'b' ? product_bits(p)
                                                     : type_of(p->d)->bits;

    if (operand == 'a' && p->is_sparse)
        elements /= 2;
    return elements * bits / 32 / PRODUCT_LANES;
}

static uint64_t element_at(const uint32_t word[][PRODUCT_LANES], int lane,
                           int fragment, int each, unsigned bits)
{
    if (bits == 64)
        return (uint64_t)word[2 * fragment + 1][lane] << 32 |
               word[2 * fragment][lane];
    return word[fragment / each][lane] >> fragment % each * (int)bits &
           (bits == 32 ? UINT32_MAX : (1u << bits) - 1);
}

/* A as it is stored: "row = groupID for ai where (i / each) % 2 is 0, groupID + 8
 * otherwise; column = threadID_in_group * each + (i % each), further on by
 * four times that for every two registers" (every one where m is 8). */
static uint64_t a_at(const struct product *p, const struct product_operands *in,
                     int row, int column)
{
    int each = each_of(p), lane = row % 8 * 4 + column / each % 4;
    int across = column / (4 * each);
    int reg = p->m == 16 ? 2 * across + row / 8 : across;

    return element_at(in->a, lane, reg * each + column % each, each,
                      product_bits(p));
}

static uint64_t b_at(const struct product *p, const struct product_operands *in,
                     int row, int column)
{
    int each = each_of(p), lane = column * 4 + row / each % 4;

    return element_at(in->b, lane, row / (4 * each) * each + row % each, each,
                      product_bits(p));
}

/* ---- sparse ------------------------------------------------------------------------ */

/* Figures of "Sparse matrix storage": columns that four bits tell of, and for
 * the element size and k how many columns a lane's word reaches, how many of
 * the four lanes one selector means, and whether a word has both rows. */
static const struct storage {
    unsigned bits;
    int k, chunk, reach, lanes, both_rows;
} storages[] = {
    {32, 8, 2, 8, 1, 1},   {32, 16, 2, 8, 2, 1},  {16, 16, 4, 16, 1, 1},
    {16, 32, 4, 16, 2, 1}, {8, 32, 4, 32, 2, 0},  {8, 64, 4, 32, 4, 0},
    {4, 64, 8, 64, 2, 0},  {4, 128, 8, 64, 4, 0},
};

static const struct storage *storage_of(const struct product *p)
{
    const struct storage *s = storages;

    while (s->bits != product_bits(p) || s->k != p->k)
        s++;
    return s;
}

uint32_t product_metadata(const struct product *p, uint64_t random)
{
    static const uint8_t pairs[] = {4, 8, 9, 12, 13, 14, 1, 2, 3, 6, 7, 11};
    uint32_t word = 0;

    for (int i = 0; i < 8; i++, random /= 12)
        word |= (uint32_t)(product_bits(p) == 32 ? (random % 2 ? 4 : 14)
                                                 : pairs[random % 12])
                << 4 * i;
    return word;
}

int product_stored(const struct product *p, const uint32_t e[PRODUCT_LANES],
                   int row, int column)
{
    const struct storage *s = storage_of(p);
    int lane = row % 8 * 4 + s->lanes * p->selector, shift;
    int chunk = column / s->chunk, at = column % s->chunk;
    uint32_t four;

    if (s->both_rows) {
        lane += column / s->reach;
        shift = row / 8 * 16;
    } else {
        lane += column / s->reach * 2 + row / 8;
        shift = 0;
    }
    four = e[lane] >> (shift + column % s->reach / s->chunk * 4) & 15;
    if (s->chunk == 2)
        return four == (at ? 14 : 4) ? chunk : -1;
    for (int i = 0; i < 2; i++) {
        int pair = s->chunk / 4; /* 4 bits go in pairs */

        if ((int)(four >> 2 * i & 3) == at / pair)
            return chunk * s->chunk / 2 + i * pair + at % pair;
    }
    return -1;
}

/* ---- products ------------------------------------------------------------------------ */

static struct exact negated(struct exact v, int is)
{
    v.negative ^= is;
    return v;
}

/* UE8M0, "exponent alone, 0xff is NaN", or UE4M3, without its sign. */
static struct exact scale_of(const struct product *p, uint32_t word, int byte)
{
    uint32_t v = word >> 8 * byte & 0xff;
    struct exact one = exact_of_integer(1, 0);

    if (p->scale_is_e4m3)
        return value_of(v & 0x7f, type_of("E4M3"));
    one.exponent = (int)v - 127;
    one.kind = v == 0xff ? EXACT_NAN : EXACT_FINITE;
    return one;
}

/* Both scales of a term: of the lanes of a row's group those of the pair that
 * the thread-id names have A's, rows 8 to 15 the second; of a column's group the
 * one lane that it names has B's. */
static struct exact scaled(const struct product *p,
                           const struct product_operands *in, int row, int k,
                           int column, struct exact v)
{
    int block = k * p->scales / p->k;
    int lane_a = row % 8 * 4 + 2 * p->pair_a + row / 8;
    int lane_b = column * 4 + p->lane_b;

    if (p->scales == 0)
        return v;
    v = exact_product(v, scale_of(p, in->scale_a[lane_a], p->byte_a + block));
    return exact_product(v,
                         scale_of(p, in->scale_b[lane_b], p->byte_b + block));
}

static struct exact term(const struct product *p,
                         const struct product_operands *in, int row, int k,
                         int column)
{
    int stored = p->is_sparse ? product_stored(p, in->e, row, k) : k;
    uint64_t a, b;

    if (stored < 0)
        return exact_of_integer(0, 0);
    a = a_at(p, in, row, stored);
    b = b_at(p, in, k, column);
    if (strcmp(p->a, "XOR") == 0)
        return exact_of_integer(a ^ b, 0);
    return scaled(
        p, in, row, k, column,
        exact_product(negated(value_of(a, type_of(p->a)), p->negates_a),
                      negated(value_of(b, type_of(p->b)), p->negates_b)));
}

uint32_t product_integer(struct exact v, int saturates)
{
    int beyond;
    uint64_t size = exact_integer(v, EXACT_ZERO, &beyond);
    uint64_t most = v.negative ? UINT64_C(1) << 31 : INT32_MAX;

    if (saturates && size > most)
        size = most;
    return (uint32_t)(v.negative ? 0 - size : size);
}

void product_result(const struct product *p, const struct product_operands *in,
                    uint32_t d[PRODUCT_WORDS][PRODUCT_LANES])
{
    const struct type *t = type_of(p->d);
    int each = t->bits == 16 ? 2 : 1;

    memset(d, 0, sizeof(uint32_t[PRODUCT_WORDS][PRODUCT_LANES]));
    for (int row = 0; row < p->m; row++) {
        for (int column = 0; column < 8; column++) {
            int lane = row % 8 * 4 + column / 2;
            int i = row / 8 * 2 + column % 2;
            struct exact sum =
                value_of(element_at(in->c, lane, i, each, t->bits), t);
            uint64_t bits;

            for (int k = 0; k < p->k; k++)
                sum =
                    exact_sum(sum, term(p, in, row, k, column), EXACT_NEAREST);
            bits = t->format == NULL
                       ? product_integer(sum, p->saturates)
                       : exact_round(sum, t->format, EXACT_NEAREST);
            if (t->bits == 64)
                d[2 * i + 1][lane] = (uint32_t)(bits >> 32);
            if (t->bits == 64)
                d[2 * i][lane] = (uint32_t)bits;
            else
                d[i / each][lane] |= (uint32_t)bits << i % each * 16;
        }
    }
}
