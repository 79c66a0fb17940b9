/*
 * Every matrix product of every generation, in all its shapes and types, dense
 * and sparse, against a reference written from the tables of the PTX ISA
 * (help_product.h): by the plain and by the vector function.  Operands are such
 * that every sum is exact in double precision, whatever its order: moderate
 * numbers, small ones by themselves, and infinities, NaN and zeros among them.
 *
 * How often and what is printed: as test_reference.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_launch.h"
#include "tests/help_suite.h"
#include "tests/traces/emulate/help_product.h"
#include "tests/traces/emulate/help_single.h"
#include "tests/traces/emulate/help_words.h"
#include "traces/emulate/core/half.h"

enum {
    TRIALS = 12,
    COMPLAINTS = 3,
    REGISTERS = 64, /* that are compared */
    A = 8,
    B = 16,
    C = 24,
    D = 32,
    E = 40,     /* metadata, or A's scales, or those behind it */
    G = 42,     /* B's scales */
    CHOSEN = 16 /* the uniform register that says where scales are */
};

struct tally {
    unsigned long checked;
    unsigned forms, refused, wrong;
};

/* ---- operands ----------------------------------------------------------------- */

enum mood {
    MODERATE,
    SPECIAL, /* moderate, with infinities and the like */
    SMALL,   /* A: denormals; B: near 1; C: 0 */
    MOODS
};

static uint32_t some_half(uint64_t v, enum mood mood, char operand)
{
    static const uint16_t special[] = {0, 0x8000, 0x7c00, 0xfc00, 0x7e01};

    if (mood == SPECIAL && v >> 60 == 0)
        return special[v % 5];
    if (mood == SMALL && operand != 'b')
        return operand == 'a' ? (uint32_t)(v & 0x83ff) : 0;
    return (uint32_t)(0x3000 + (v & 0x8fff)); /* 2^-3 to 2 */
}

/* bfloat16 or tf32 in the upper bits of a word; whole floats of C. */
static uint32_t some_float(uint64_t v, enum mood mood, char operand)
{
    static const uint32_t special[] = {0, 0x80000000, 0x7f800000, 0xff800000,
                                       0x7fc10000};

    if (mood == SPECIAL && v >> 60 == 0)
        return special[v % 5];
    if (mood == SMALL && operand != 'b')
        return operand == 'a' ? (uint32_t)(v & 0x807fffff) : 0;
    return (uint32_t)(0x3e000000 + (v & 0x81ffffff));
}

/* 2^-4 to 2^4, and E5M2's infinities and NaN. */
static uint32_t some_byte(const struct product *p, char operand, uint64_t v,
                          enum mood mood)
{
    const char *type = operand == 'a' ? p->a : p->b;
    uint32_t byte = v & 0xff;

    if (type[0] != 'E' || type[1] < '4' || mood == SPECIAL)
        return byte;
    if (mood == SMALL && operand == 'a')
        return byte & (strcmp(type, "E4M3") == 0 ? 0x87 : 0x83);
    return strcmp(type, "E4M3") == 0 ? 0x10 + (byte & 0xbf)
                                     : 0x34 + (byte & 0x8f);
}

static uint32_t some_word(const struct product *p, char operand, uint64_t *seed,
                          enum mood mood)
{
    uint64_t v = help_random(seed), u = help_random(seed);
    const char *type = operand == 'a' ? p->a : operand == 'b' ? p->b : p->d;
    uint32_t word = 0;

    if (strcmp(type, "F16") == 0)
        return some_half(v, mood, operand) | some_half(u, mood, operand) << 16;
    if (strcmp(type, "BF16") == 0)
        return some_float(v, mood, operand) >> 16 |
               (some_float(u, mood, operand) & 0xffff0000);
    if (strcmp(type, "F32") == 0 || strcmp(type, "TF32") == 0)
        return some_float(v, mood, operand);
    if (type[0] != 'E')
        return mood == SMALL && operand == 'c' ? 0x7fffff00 + (v & 0xff)
                                               : (uint32_t)v;
    for (unsigned i = 0; i < 4; i++)
        word |= some_byte(p, operand, v >> 8 * i, mood) << 8 * i;
    return word;
}

/* Doubles of 20 bits near 1, so that products and sums fit. */
static void fill_doubles(uint32_t row[][PRODUCT_LANES], unsigned words,
                         uint64_t *seed, enum mood mood)
{
    static const double special[] = {0, -0.0, 1.0 / 0.0, -1.0 / 0.0};

    for (unsigned n = 0; n < words / 2; n++) {
        for (unsigned l = 0; l < PRODUCT_LANES; l++) {
            uint64_t v = help_random(seed), bits;
            double d = (double)(int32_t)v / 4096 / 4096;

            d = (double)(int32_t)(d * 1024) / 32;
            if (mood == SPECIAL && v >> 60 == 0)
                d = special[v % 4];
            memcpy(&bits, &d, sizeof bits);
            row[2 * n][l] = (uint32_t)bits;
            row[2 * n + 1][l] = (uint32_t)(bits >> 32);
        }
    }
}

static void fill(const struct product *p, char operand, uint64_t *seed,
                 enum mood mood, uint32_t row[][PRODUCT_LANES])
{
    unsigned words = product_registers(p, operand);

    if (strcmp(p->d, "F64") == 0) {
        fill_doubles(row, words, seed, mood);
        return;
    }
    for (unsigned n = 0; n < words; n++) {
        for (unsigned l = 0; l < PRODUCT_LANES; l++)
            row[n][l] = some_word(p, operand, seed, mood);
    }
}

/* Small ones, so that sums stay exact; now and then a NaN. */
static uint32_t some_scales(const struct product *p, uint64_t *seed,
                            enum mood mood)
{
    uint32_t word = 0;

    for (int i = 0; i < 4; i++) {
        uint64_t v = help_random(seed);
        uint32_t byte = p->scale_is_e4m3  ? 0x30 + (uint32_t)(v % 24)
                        : mood == SPECIAL ? 126 + (uint32_t)(v % 3)
                                          : 125 + (uint32_t)(v % 5);

        if (mood == SPECIAL && v >> 56 == 0)
            byte = p->scale_is_e4m3 ? 0x7f : 0xff;
        word |= byte << 8 * i;
    }
    return word;
}

/* Scales, and which lanes and bytes have them: what PTX allows. */
static void fill_scales(struct product *p, uint64_t *seed, enum mood mood,
                        struct product_operands *in)
{
    uint64_t v = help_random(seed);
    int step = p->scales;

    if (step == 0)
        return;
    for (unsigned l = 0; l < PRODUCT_LANES; l++) {
        in->scale_a[l] = some_scales(p, seed, mood);
        in->scale_b[l] = some_scales(p, seed, mood);
    }
    p->byte_a = (int)(v & 3) / step * step;
    p->byte_b = (int)(v >> 2 & 3) / step * step;
    p->pair_a = (int)(v >> 4 & 1);
    p->lane_b = (int)(v >> 5 & 3);
}

/* ---- one instruction ------------------------------------------------------------- */

static void put(uint64_t word[2], const char *bits, unsigned value)
{
    sass_put_bits(word, &bits, value);
}

/* Mostly one that has a name. */
static uint32_t some_value(const struct help_field *f, uint64_t *seed)
{
    uint32_t value = 0;
    size_t length;

    for (int tries = 0; tries < 8; tries++) {
        value = (uint32_t)help_random(seed) & (help_field_values(f) - 1);
        if (sass_kind_text(f->table, value, &length) != NULL)
            break;
    }
    return value;
}

/* Any value in every field and every mark, registers that do not overlap. */
static void draw_word(const struct sass_row *row, uint32_t cc, uint64_t *seed,
                      uint64_t word[2])
{
    struct help_field field[HELP_FIELDS];
    unsigned fields = help_fields(row, field);
    uint64_t random[2] = {help_random(seed), help_random(seed)};

    help_word(row, 1u * (row->forms ? (unsigned)__builtin_ctz(row->forms) : 0),
              cc, random, word);
    for (unsigned i = 0; i < fields; i++)
        help_set(word, &field[i], some_value(&field[i], seed));
    put(word, "31:24", A);
    put(word, "39:32", B);
    put(word, "71:64", C);
    put(word, "23:16", D);
    if (strstr(row->operands, "Re") != NULL)
        put(word, "47:40", E);
    if (strstr(row->operands, "Rg") != NULL) {
        put(word, "59:52", G);
        put(word, "62:60", CHOSEN & 7);
        put(word, "77:73", CHOSEN >> 3);
    }
    put(word, "90:87", 0); /* no predicate */
}

/* The selector, and what is negated. */
static void read_marks(const struct teg_sass *s, struct product *p)
{
    for (unsigned i = 0; i < s->operand_count; i++) {
        if (s->operand[i].kind == SASS_IMMEDIATE)
            p->selector = (int)s->operand[i].value;
    }
    if (strcmp(p->d, "F64") == 0)
        return; /* mark_doubles */
    p->negates_a = (teg_sass_operand(s, 'a')->flags & SASS_NEGATE) != 0;
    p->negates_b = (teg_sass_operand(s, 'b')->flags & SASS_NEGATE) != 0;
}

/* Doubles as their operand's marks make them. */
static void mark_doubles(const struct teg_sass *s, char operand,
                         uint32_t row[][PRODUCT_LANES])
{
    unsigned flags = teg_sass_operand(s, operand)->flags;

    for (unsigned n = 1; n < PRODUCT_WORDS; n += 2) {
        for (unsigned l = 0; l < PRODUCT_LANES; l++) {
            if (flags & SASS_ABSOLUTE)
                row[n][l] &= 0x7fffffff;
            if (flags & SASS_NEGATE)
                row[n][l] ^= 0x80000000;
        }
    }
}

/* The uniform register as ptxas packs {byte-id, thread-id} of both scales. */
static uint32_t chosen_of(const struct product *p)
{
    return (uint32_t)(p->byte_a | p->pair_a << 2 | p->byte_b << 3 |
                      p->lane_b << 5);
}

static void load(struct help_single *h, const struct product *p,
                 const struct product_operands *in)
{
    for (unsigned r = 0; r < REGISTERS; r++)
        memset(h->warp.r[r], 0x5a, sizeof h->warp.r[r]);
    memcpy(h->warp.r[A], in->a, sizeof in->a);
    memcpy(h->warp.r[B], in->b, sizeof in->b);
    memcpy(h->warp.r[C], in->c, sizeof in->c);
    memcpy(h->warp.r[E], in->e, sizeof in->e);
    if (p->scales == 0)
        return;
    memcpy(h->warp.r[E + p->is_sparse], in->scale_a, sizeof in->scale_a);
    memcpy(h->warp.r[G], in->scale_b, sizeof in->scale_b);
    for (unsigned l = 0; l < EMU_LANES; l++)
        h->warp.r[EMU_UNIFORM_ROW + CHOSEN][l] = chosen_of(p);
}

/* The sign of a zero is left open: it goes by the order of the sum. */
static int same(const struct product *p, uint32_t got, uint32_t want)
{
    if (got == want)
        return 1;
    if (strcmp(p->d, "F16") == 0) {
        for (unsigned i = 0; i < 2; i++) {
            uint32_t g = got >> 16 * i & 0xffff, w = want >> 16 * i & 0xffff;

            if (g != w && ((g | w) & 0x7fff) != 0)
                return 0;
        }
        return 1;
    }
    return p->d[0] == 'F' && ((got | want) & 0x7fffffff) == 0;
}

static void compare(const struct help_single *h, const struct product *p,
                    uint32_t want[PRODUCT_WORDS][PRODUCT_LANES],
                    struct tally *t)
{
    unsigned words = product_registers(p, 'd');
    char text[TEG_SASS_TEXT];

    teg_sass_text(&h->op.sass, text);
    for (unsigned n = 0; n < words; n++) {
        for (unsigned l = 0; l < PRODUCT_LANES; l++) {
            /* the payload of a double's NaN is not told */
            uint32_t got = h->warp.r[D + n][l];
            int is_nan = strcmp(p->d, "F64") == 0 &&
                         (want[n | 1][l] & 0x7fffffff) > 0x7ff00000 &&
                         (h->warp.r[D + (n | 1)][l] & 0x7fffffff) >= 0x7ff80000;

            if (is_nan || same(p, got, want[n][l]) || t->wrong++ >= COMPLAINTS)
                continue;
            fprintf(stderr,
                    "sm_%u %s: lane %u R%u is 0x%08x, expected 0x%08x\n",
                    h->op.cc, text, l, D + n, got, want[n][l]);
        }
    }
    t->checked += words * PRODUCT_LANES;
    for (unsigned r = 0; r < REGISTERS; r++) {
        if (r < D || r >= D + words)
            ck_assert(r < D ? r >= A || h->warp.r[r][0] == 0x5a5a5a5a
                            : r >= E || h->warp.r[r][0] == 0x5a5a5a5a);
    }
}

/* Runs the word by both functions; what PTX has not must be refused. */
static void try_word(struct help_single *h, const uint64_t word[2], uint32_t cc,
                     uint64_t *seed, struct tally *t)
{
    static struct product_operands in, given;
    uint32_t want[PRODUCT_WORDS][PRODUCT_LANES];
    char opcode[TEG_SASS_TEXT];
    struct product p;
    enum mood mood = (enum mood)(help_random(seed) % MOODS);
    int plain, is_known;

    if (!help_single_prepare(h, word, cc, 0))
        return;
    teg_sass_opcode(&h->op.sass, opcode);
    is_known = product_of(opcode, &p);
    if (!is_known) {
        load(h, &p, &in);
        ck_assert_msg(help_single_run(h, EMU_ALL) != TEG_OK,
                      "sm_%u %s is not refused", cc, opcode);
        t->refused++;
        return;
    }
    t->forms++;
    read_marks(&h->op.sass, &p);
    fill(&p, 'a', seed, mood, in.a);
    fill(&p, 'b', seed, mood, in.b);
    fill(&p, 'c', seed, mood, in.c);
    for (unsigned l = 0; l < PRODUCT_LANES && p.is_sparse; l++)
        in.e[l] = product_metadata(&p, help_random(seed));
    fill_scales(&p, seed, mood, &in);
    given = in;
    for (plain = 0; plain < 2; plain++) {
        help_single_prepare(h, word, cc, plain);
        load(h, &p, &given);
        if (help_single_run(h, EMU_ALL) != TEG_OK) {
            t->refused++;
            return;
        }
        if (plain == 0 && strcmp(p.d, "F64") == 0) {
            for (const char *o = "abc"; *o != '\0'; o++)
                mark_doubles(&h->op.sass, *o,
                             *o == 'a'   ? in.a
                             : *o == 'b' ? in.b
                                         : in.c);
        }
        product_result(&p, &in, want);
        compare(h, &p, want, t);
    }
}

static unsigned trials(void)
{
    const char *given = getenv("TEG_REFERENCE_TRIALS");

    return given != NULL ? (unsigned)atoi(given) : TRIALS;
}

static const char *const products[] = {"HMMA", "QMMA", "OMMA",
                                       "IMMA", "BMMA", "DMMA"};

START_TEST(a_product_is_the_references)
{
    uint32_t cc = help_generations[_i];
    uint64_t seed = 0x2545f4914f6cdd1du + cc;
    struct help_single *h = help_single_new();
    unsigned wrong = 0;
    size_t count;
    const struct sass_row *row = sass_rows(&count);

    ck_assert_ptr_nonnull(h);
    for (unsigned i = 0; i < sizeof products / sizeof products[0]; i++) {
        struct tally t = {0};

        for (size_t r = 0; r < count; r++) {
            uint64_t word[2];

            if (strcmp(row[r].name, products[i]) != 0 || cc < row[r].first ||
                cc > row[r].last)
                continue;
            for (unsigned n = 0; n < HELP_ROUNDS(4 * trials()); n++) {
                draw_word(&row[r], cc, &seed, word);
                if (sass_row_fits(&row[r], word, cc))
                    try_word(h, word, cc, &seed, &t);
            }
        }
        wrong += t.wrong;
        if (t.forms + t.refused > 0)
            printf("sm_%u %s %lu values, %u forms, 0 without, %u refused\n", cc,
                   products[i], t.checked, t.forms, t.refused);
    }
    help_single_free(h);
    ck_assert_uint_eq(wrong, 0);
}
END_TEST

HELP_MAIN("emulate reference of products", 1800,
          {a_product_is_the_references, HELP_DECODED})
