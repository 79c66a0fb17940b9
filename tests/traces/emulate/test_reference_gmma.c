/*
 * Products of a warp group (sm_90a), dense and sparse, in all types, sizes, layouts
 * and swizzles, of A from shared memory and from registers, against the tables of the PTX ISA
 * ("Asynchronous Warpgroup Level Matrix"): canonical layouts as CuTe's shapes and
 * strides, register fragments element by element, sums exact.
 *
 * How often and what is printed: as test_reference.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_launch.h"
#include "tests/help_suite.h"
#include "tests/traces/emulate/help_product.h"
#include "tests/traces/emulate/help_trial.h"

enum {
    SM = 90,
    MEMORY = 65536,
    ROWS = 16, /* of a warp */
    META = 20, /* a register of metadata */
    D = 24,
    APART = 152, /* C where it is not D */
    APART_COLUMNS = 192,
    REGISTERS = 128,
    LINE = 8, /* rows of a core matrix */
    PIECE = 16
};

/* What the instruction's text says. */
struct group {
    int columns, depth, is_sparse, selector;
    char a[8], b[8], d[8]; /* a, b "AND": bits */
    int saturates, transposes_a, transposes_b, negates_a, negates_b;
    int from_registers;
};

/* A tile as its descriptor has it: offsets in bytes. */
struct tile {
    uint32_t start, leading, stride;
    unsigned swizzle; /* bytes: 0, 32, 64, 128 */
};

static uint8_t memory[MEMORY];

/* ---- text ---------------------------------------------------------------------- */

static int is_float(const struct group *p)
{
    return p->d[0] == 'F';
}

/* Types and sizes that PTX has: sums of halves are of halves and 8-bit floats,
 * tiles of 16-bit elements alone may be turned over, integers are not negated. */
static int is_of_ptx(const struct group *p)
{
    int sixteen = product_type_bits(p->a) == 16;

    if ((unsigned)p->depth * product_type_bits(p->a) !=
        (p->is_sparse ? 512 : 256))
        return 0;
    if (p->selector > (p->is_sparse && product_type_bits(p->a) >= 16))
        return 0;
    if (strcmp(p->d, "F16") == 0 && p->a[0] != 'E' && strcmp(p->a, "F16") != 0)
        return 0;
    if ((p->transposes_a || p->transposes_b) && !sixteen)
        return 0;
    return is_float(p) || (!p->negates_a && !p->negates_b);
}

/* Returns whether it is one. */
static int group_of(const struct teg_sass *s, struct group *p)
{
    const struct teg_sass_operand *a = teg_sass_operand(s, 'a');
    const struct teg_sass_operand *e = teg_sass_operand(s, 'e');
    char opcode[TEG_SASS_TEXT], text[TEG_SASS_TEXT], *part[7] = {0};
    char *rest = opcode;
    int parts = 0, n = 1;

    *p = (struct group){0};
    teg_sass_opcode(s, opcode);
    teg_sass_text(s, text);
    while (parts < 7 && (part[parts] = strtok_r(rest, ".", &rest)) != NULL)
        parts++;
    p->is_sparse = parts > 1 && strcmp(part[1], "SP") == 0;
    n += p->is_sparse;
    if (parts < n + 2 ||
        sscanf(part[n++], "64x%dx%d", &p->columns, &p->depth) != 2)
        return 0;
    strcpy(p->d, part[0][0] == 'I' || part[0][0] == 'B' ? "S32" : part[n++]);
    strcpy(p->a, n < parts ? part[n++] : "F16");
    strcpy(p->b, strchr("IQ", part[0][0]) != NULL ? part[n++] : p->a);
    if (e != NULL && e[1].kind == SASS_IMMEDIATE) /* behind the metadata */
        p->selector = (int)e[1].value;
    p->saturates = n < parts && strcmp(part[n], "SAT") == 0;
    p->from_registers = a != NULL;
    p->transposes_a = strstr(text, "tnspA") != NULL;
    p->transposes_b = strstr(text, "tnspB") != NULL;
    p->negates_a =
        strstr(text, "negA") != NULL || (a != NULL && a->flags & SASS_NEGATE);
    p->negates_b = strstr(text, "negB") != NULL;
    return is_of_ptx(p);
}

/* ---- tiles --------------------------------------------------------------------- */

/* "Canonical layouts", with T elements in 16 bytes and i of the rows (of A, or
 * columns of B):
 *     by k, no swizzle:  ((8,m),(T,2k)) : ((T, SBO), (1, LBO))
 *     by k, 32 to 128:   ((8,m),(T,2k)) : ((2T to 8T, SBO), (1, T))
 *     by i, no swizzle:  ((T,1,m),(8,k)) : ((1, T, SBO), (T, LBO))
 *     by i, 32 to 128:   ((T,2 to 8,m),(8,k)) : ((1, T, LBO), (2T to 8T, SBO)) */
static uint32_t offset_of(const struct tile *t, int by_i, unsigned bytes,
                          unsigned i, unsigned k)
{
    unsigned each = PIECE / bytes;
    unsigned line = t->swizzle != 0 ? t->swizzle : PIECE; /* bytes */
    uint32_t at;

    if (!by_i) {
        at = i % LINE * line + i / LINE * t->stride + k % each * bytes;
        return at + k / each * (t->swizzle != 0 ? PIECE : t->leading);
    }
    at = i % each * bytes + k % LINE * line;
    if (t->swizzle == 0)
        return at + i / each * t->stride + k / LINE * t->leading;
    at += i / each % (line / PIECE) * PIECE;
    return at + i / (line / bytes) * t->leading + k / LINE * t->stride;
}

/* Bits 4 ... of the address change by bits 7 ...: one, two or three of them. */
static uint32_t swizzled(uint32_t at, unsigned swizzle)
{
    unsigned bits = swizzle == 128 ? 3 : swizzle == 64 ? 2 : swizzle == 32;

    return at ^ (at >> 7 & ((1u << bits) - 1)) << 4;
}

static uint64_t element_of(const struct tile *t, int by_i, const char *type,
                           unsigned i, unsigned k)
{
    unsigned bits = product_type_bits(type), bytes = bits < 8 ? 1 : bits / 8;
    unsigned within = bits < 8 ? k % 8 : 0;
    uint64_t v = 0;

    if (bits < 8)
        k /= 8;
    memcpy(&v,
           memory +
               swizzled(t->start + offset_of(t, by_i, bytes, i, k), t->swizzle),
           bytes);
    return bits < 8 ? v >> within & 1 : v;
}

/* Strides that a tile of `count` rows keeps within the memory. */
static struct tile draw_tile(uint64_t *seed, unsigned count)
{
    static const unsigned swizzles[] = {0, 32, 64, 128};
    struct tile t = {.swizzle = swizzles[help_below(seed, 4)]};
    unsigned unit = t.swizzle != 0 ? LINE * t.swizzle : PIECE;
    /* a quarter of the memory for the start, a half for either stride */
    unsigned most = MEMORY / 4 / (count / LINE + 1) / unit;

    t.start = unit * help_below(seed, MEMORY / 4 / unit);
    t.leading = unit * help_below(seed, most + 1);
    t.stride = unit * help_below(seed, most + 1);
    return t;
}

static void put_descriptor(struct help_single *h, unsigned number,
                           const struct tile *t)
{
    uint64_t code = t->swizzle == 128  ? 1
                    : t->swizzle == 64 ? 2
                    : t->swizzle == 32 ? 3
                                       : 0;
    uint64_t v = t->start >> 4 | (uint64_t)t->leading >> 4 << 16 |
                 (uint64_t)t->stride >> 4 << 32 | code << 62;

    for (unsigned l = 0; l < EMU_LANES; l++) {
        h->warp.r[EMU_UNIFORM_ROW + number][l] = (uint32_t)v;
        h->warp.r[EMU_UNIFORM_ROW + number + 1][l] = (uint32_t)(v >> 32);
    }
}

/* ---- numbers ------------------------------------------------------------------- */

/* Whose sums double precision holds; now and then infinity or NaN. */
static uint32_t some_word(const char *type, uint64_t *seed, int special)
{
    static const uint32_t odd[] = {0x7f800000, 0xff800000, 0x7fc00000, 0,
                                   0x80000000};
    uint64_t v = help_random(seed);
    uint32_t word = (uint32_t)v, shifted = 0;

    if (strcmp(type, "F16") == 0) {
        word = 0x30003000 + (word & 0x8fff8fff);
        return special && v >> 56 == 0 ? (word & 0xffff) | 0x7c000000 : word;
    }
    if (strcmp(type, "BF16") == 0) {
        word = 0x3e003e00 + (word & 0x81ff81ff);
        return special && v >> 56 == 0 ? (word & 0xffff) | odd[v % 5] : word;
    }
    if (strcmp(type, "TF32") == 0 || strcmp(type, "F32") == 0)
        return special && v >> 56 == 0 ? odd[v % 5]
                                       : 0x3e000000 + (word & 0x81ffffff);
    for (int i = 0; type[0] == 'E' && i < 32; i += 8) {
        uint32_t byte = word >> i & 0xff;

        byte = strcmp(type, "E4M3") == 0 ? 0x10 + (byte & 0xbf)
                                         : 0x34 + (byte & 0x8f);
        if (special && (v >> (32 + i) & 0xff) == 0)
            byte = strcmp(type, "E4M3") == 0 ? 0x7f : 0x7c;
        shifted |= byte << i;
    }
    return type[0] == 'E' ? shifted : word;
}

/* Tiles of one type are all over the memory, of two each in places of its own. */
static void fill(const struct group *p, struct help_single *h, uint64_t *seed,
                 struct tile tile[2])
{
    int special = help_below(seed, 4) == 0;

    tile[0] = draw_tile(seed, 64);
    tile[1] = draw_tile(seed, (unsigned)p->columns);
    while (p->is_sparse && !p->transposes_b && tile[1].swizzle == 32)
        tile[1] = draw_tile(seed, (unsigned)p->columns); /* refused */
    for (unsigned i = 0; i < MEMORY; i += 4) {
        uint32_t word = some_word(i < MEMORY / 2 ? p->a : p->b, seed, special);

        memcpy(memory + i, &word, 4);
    }
    /* a stride has a quarter at most, so a tile stays in its half */
    if (strcmp(p->a, p->b) != 0) {
        tile[0].start %= MEMORY / 8;
        tile[1].start = MEMORY / 2 + tile[1].start % (MEMORY / 8);
        for (int i = 0; i < 2; i++) {
            unsigned unit =
                tile[i].swizzle != 0 ? LINE * tile[i].swizzle : PIECE;

            tile[i].start = tile[i].start / unit * unit;
            tile[i].leading = tile[i].leading / 2 / unit * unit;
            tile[i].stride = tile[i].stride / 2 / unit * unit;
        }
    }
    for (unsigned r = 0; r < EMU_UNIFORM_ROW; r++) {
        for (unsigned l = 0; l < EMU_LANES; l++) {
            uint32_t *word = &h->warp.r[r][l];

            *word = some_word(r < D ? p->a : p->d, seed, special);
            if (!is_float(p) && r >= D && special)
                *word = l % 2 ? 0x7ffffff0 : 0x8000000f;
        }
    }
}

/* ---- the product --------------------------------------------------------------- */

/* "Register fragments" of A: four registers of row l / 4 and the one 8 below,
 * of each the lane's elements of the first half of k and of the second. */
static uint64_t register_of_a(const struct trial *t, const struct group *p,
                              unsigned reg, unsigned row, unsigned k)
{
    unsigned bits = product_type_bits(p->a), each = 32 / bits;
    unsigned lane = row % 8 * 4 + k / each % 4;
    unsigned number = row / 8 + k / (4 * each) * 2;
    uint32_t word = t->before[reg + number][lane];

    return word >> k % each * bits &
           (bits == 32 ? UINT32_MAX : (1u << bits) - 1);
}

static struct exact signed_value(const char *type, uint64_t bits, int negates)
{
    struct exact v = product_value(type, bits);

    v.negative ^= negates;
    return v;
}

/* The element of A's column k; 0: it is not stored. */
static int a_at(const struct trial *t, const struct group *p,
                const struct tile *tile, unsigned row, unsigned k, uint64_t *v)
{
    const struct teg_sass_operand *ra = teg_sass_operand(&t->h->op.sass, 'a');
    struct product of_row = {.k = p->depth, .selector = p->selector};
    int stored = (int)k;

    strcpy(of_row.a, p->a);
    if (p->is_sparse)
        stored = product_stored(&of_row, t->before[META], (int)row, (int)k);
    if (stored < 0)
        return 0;
    *v = p->from_registers
             ? register_of_a(t, p, ra->reg, row, (unsigned)stored)
             : element_of(tile, p->transposes_a, p->a,
                          16 * (t->h->warp.number % 4) + row, (unsigned)stored);
    return 1;
}

static struct exact sum_of(const struct trial *t, const struct group *p,
                           const struct tile tile[2], unsigned row,
                           unsigned column, struct exact sum)
{
    for (unsigned k = 0; k < (unsigned)p->depth; k++) {
        uint64_t a, b = element_of(&tile[1], p->transposes_b, p->b, column, k);

        if (!a_at(t, p, &tile[0], row, k, &a))
            continue;
        sum = exact_sum(sum,
                        exact_product(signed_value(p->a, a, p->negates_a),
                                      signed_value(p->b, b, p->negates_b)),
                        EXACT_NEAREST);
    }
    return sum;
}

/* Whether C counts: scale-d. */
static int counts_c(const struct trial *t)
{
    const struct teg_sass *s = &t->h->op.sass;
    const struct teg_sass_operand *c = teg_sass_operand(s, 'c');

    if (c == NULL || c->reg == TEG_SASS_RZ)
        return 0;
    for (unsigned i = 0; i < s->operand_count; i++) {
        const struct teg_sass_operand *o = &s->operand[i];
        int v;

        if (o->kind != SASS_UPREDICATE)
            continue;
        v = o->reg == TEG_SASS_PT || t->up[o->reg];
        return o->flags & SASS_NEGATE ? !v : v;
    }
    return 1;
}

static int same(const struct group *p, uint32_t got, uint32_t want)
{
    uint32_t size = strcmp(p->d, "F16") == 0 ? 0x7fff : 0x7fffffff;

    /* the sign of a zero goes by the order of the sum */
    return got == want || (is_float(p) && ((got | want) & size) == 0);
}

static void compare(struct trial *t, const struct group *p,
                    const struct tile tile[2])
{
    unsigned bits = product_type_bits(p->d), each = 32 / bits;
    uint32_t ones = bits == 32 ? UINT32_MAX : 0xffff;
    const struct teg_sass_operand *c = teg_sass_operand(&t->h->op.sass, 'c');
    int has_c = counts_c(t);
    struct reference_in in = {.s = &t->h->op.sass};

    for (unsigned row = 0; row < ROWS; row++) {
        for (unsigned column = 0; column < (unsigned)p->columns; column++) {
            unsigned lane = row % 8 * 4 + column % 8 / 2;
            unsigned i = column / 8 * 4 + row / 8 * 2 + column % 2;
            unsigned shift = i % each * bits;
            uint32_t old =
                has_c ? t->before[c->reg + i / each][lane] >> shift & ones : 0;
            uint32_t got = t->h->warp.r[D + i / each][lane] >> shift & ones;
            struct exact sum =
                sum_of(t, p, tile, row, column, product_value(p->d, old));
            uint32_t want =
                !is_float(p)
                    ? product_integer(sum, p->saturates)
                    : (uint32_t)exact_round(
                          sum, bits == 16 ? &exact_half : &exact_single,
                          EXACT_NEAREST);

            if (!same(p, got, want))
                trial_complain(t, &in, "an element of D", got, want);
        }
    }
}

/* ---- trials -------------------------------------------------------------------- */

static void put(struct trial *t, const char *bits, unsigned value)
{
    sass_put_bits(t->word, &bits, value);
}

static void draw_metadata(const struct group *p, struct trial *t)
{
    struct product of_row = {.k = p->depth};

    strcpy(of_row.a, p->a);
    for (unsigned l = 0; l < EMU_LANES; l++)
        t->h->warp.r[META][l] =
            product_metadata(&of_row, help_random(&t->random));
}

/* Any sizes and types; registers that hold them. */
static void draw(struct trial *t, const struct sass_row *row)
{
    struct help_field field[HELP_FIELDS];
    unsigned fields = help_fields(row, field), c;

    trial_draw(t, row, row->forms ? (unsigned)__builtin_ctz(row->forms) : 0);
    for (unsigned i = 0; i < fields; i++) { /* mostly values that have names */
        size_t length;
        uint32_t v = 0;

        for (int tries = 0; tries < 16; tries++) {
            v = (uint32_t)help_random(&t->random) &
                (help_field_values(&field[i]) - 1);
            if (sass_kind_text(field[i].table, v, &length) != NULL)
                break;
        }
        help_set(t->word, &field[i], v);
    }
    c = help_below(&t->random, 4);
    put(t, "23:16", D);
    if (strstr(row->modifiers, ".SP") != NULL) {
        put(t, "47:40", META);
        put(t, "49:48", help_below(&t->random, 8) % 5 % 3);
    }
    put(t, "71:64", c == 0 ? TEG_SASS_RZ : c == 1 ? APART : D);
}

static void try_word(struct trial *t, unsigned g)
{
    struct tally *tally;
    struct group p;
    struct tile tile[2];
    unsigned number;
    int is_known;

    if (!help_single_prepare(t->h, t->word, t->cc, 0))
        return;
    tally = trial_tally(t->h->op.sass.name);
    teg_sass_text(&t->h->op.sass, t->text);
    is_known = group_of(&t->h->op.sass, &p);
    if (teg_sass_operand(&t->h->op.sass, 'c')->reg == APART &&
        p.columns > APART_COLUMNS)
        return;
    t->h->block.shared = memory;
    t->h->block.shared_bytes = MEMORY;
    t->h->warp.number = help_below(&t->random, 8);
    trial_fill(t);
    if (is_known)
        fill(&p, t->h, &t->random, tile);
    number = (unsigned)(t->word[0] >> (p.from_registers ? 32 : 24)) & 63;
    if (is_known) {
        put_descriptor(t->h, number, &tile[0]);
        put_descriptor(t->h, number + 2, &tile[1]);
    }
    if (is_known && p.is_sparse)
        draw_metadata(&p, t);
    memcpy(t->before, t->h->warp.r, sizeof t->before);
    if (help_single_run(t->h, EMU_ALL) != TEG_OK) {
        if (is_known) {
            printf("refused: %s: %s\n", t->text, t->h->d.what);
            t->wrong++;
        }
        tally->of[g].refused++;
        return;
    }
    ck_assert_msg(is_known, "%s is not refused", t->text);
    compare(t, &p, tile);
    tally->of[g].checked += (unsigned long)(ROWS * p.columns);
    tally->of[g].forms++;
}

START_TEST(a_groups_product_is_the_references)
{
    static const char *const names[] = {"BGMMA", "HGMMA", "IGMMA", "QGMMA"};
    static struct trial t;
    unsigned g = 0;
    size_t count;
    const struct sass_row *row = sass_rows(&count);

    while (help_generations[g] != SM)
        g++;
    trial_open(&t, SM, 0x9e3779b97f4a7c15u + (unsigned)_i);
    for (size_t r = 0; r < count; r++) {
        if (strcmp(row[r].name, names[_i]) != 0)
            continue;
        for (unsigned n = 0; n < HELP_ROUNDS(2 * trial_count()); n++) {
            draw(&t, &row[r]);
            if (sass_row_fits(&row[r], t.word, SM))
                try_word(&t, g);
        }
    }
    trial_close(&t);
    trial_report(SM, g);
    ck_assert_uint_eq(t.wrong, 0);
}
END_TEST

HELP_MAIN("emulate reference of groups' products", 1800,
          {a_groups_product_is_the_references, 4})
