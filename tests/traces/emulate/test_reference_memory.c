/*
 * Every instruction that loads, stores or changes memory lane by lane, in all
 * forms, widths and types, against the PTX ISA's ld, st, atom, red, cp.async,
 * ldmatrix and stmatrix: what the lanes get, and every byte of global, shared
 * and local memory. It goes by the text of the opcode; sums of floats are
 * help_exact.h's. Lanes of an atomic come from the lowest (docs/emulator.md).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_launch.h"
#include "tests/help_suite.h"
#include "tests/traces/emulate/help_exact.h"
#include "tests/traces/emulate/help_trial.h"

enum {
    REGION = 1024, /* bytes of each memory that are touched */
    PLACE = 16,    /* bytes: the widest access */
    WORDS = 4,
    FEW = 6, /* places that lanes of an atomic share */
    LOW_ADDRESS = 0x20000,
    LOCAL_LANE = HELP_LOCAL_BYTES
};

#define NO_NAN 0xbfffffffu /* of a double's upper word */

enum space {
    GLOBAL,
    SHARED,
    LOCAL,
    SPACES
};

/* A lane's access: where, and what is there. */
struct at {
    enum space space;
    uint32_t offset;
};

struct memory {
    struct trial t;
    char opcode[TEG_SASS_TEXT];
    uint8_t low[REGION]; /* device memory that 32 bits reach */
    uint8_t *global;     /* of the address's width: low, or the buffer */
    uint8_t want[SPACES][EMU_LANES * LOCAL_LANE];
    struct at at[EMU_LANES];
    struct at to[EMU_LANES];        /* of a copy */
    unsigned missing[EMU_LANES];    /* bytes of its source */
    uint32_t got[WORDS][EMU_LANES]; /* what the lanes get */
};

/* ---- the opcode's text -------------------------------------------------------- */

/* Whether ".MORE" is one of its parts. */
static int says(const struct memory *m, const char *more)
{
    const char *at = m->opcode;
    size_t length = strlen(more);

    while ((at = strstr(at, more)) != NULL) {
        at += length;
        if (*at == '.' || *at == '\0')
            return 1;
    }
    return 0;
}

static int is_named(const struct memory *m, const char *name)
{
    return strcmp(m->t.h->op.sass.name, name) == 0;
}

static unsigned width_of(const struct memory *m)
{
    return says(m, ".U8") || says(m, ".S8")     ? 1
           : says(m, ".U16") || says(m, ".S16") ? 2
           : says(m, ".64")                     ? 8
           : says(m, ".128")                    ? 16
                                                : 4;
}

/* ---- where -------------------------------------------------------------------- */

static uint64_t *wide_random(struct memory *m)
{
    return &m->t.random;
}

static uint8_t *bytes_at(const struct memory *m, const struct at *at,
                         unsigned l, int wanted)
{
    struct help_single *h = m->t.h;
    uint8_t *base = wanted                ? (uint8_t *)m->want[at->space]
                    : at->space == LOCAL  ? h->local
                    : at->space == SHARED ? h->shared
                                          : m->global;

    return base + at->offset + (at->space == LOCAL ? l * LOCAL_LANE : 0);
}

static uint64_t address_of(const struct memory *m, const struct at *at,
                           int generic, int narrow)
{
    static const uint64_t window[SPACES] = {0, EMU_SHARED_WINDOW,
                                            EMU_LOCAL_WINDOW};

    if (at->space == GLOBAL)
        return (narrow ? LOW_ADDRESS : m->t.h->buffer) + at->offset;
    return (generic ? window[at->space] : 0) + at->offset;
}

/* Gives the registers of the address values that make it `want` in each lane:
 * (register << scale) + uniform register + offset. */
static int set_address(struct memory *m, const struct teg_sass_operand *o,
                       const uint64_t want[EMU_LANES])
{
    struct emu_warp *w = &m->t.h->warp;
    int has_uniform = o->ureg < EMU_NO_UNIFORM && !(o->flags & SASS_DESCRIPTOR);
    int wide = o->count >= 2 || o->select == 1;
    uint64_t uniform = help_random(wide_random(m)) & ~UINT64_C(15);

    if (o->reg >= TEG_SASS_RZ)
        return 0;
    /* A register of 32 bits is added to a uniform one of 64. */
    if (has_uniform && o->count < 2 && wide)
        uniform = want[0] - (uint64_t)o->value - 0x8000;
    else if (o->count < 2 && wide)
        return 0;
    for (unsigned l = 0; l < EMU_LANES; l++) {
        uint64_t v = want[l] - (uint64_t)o->value;

        v -= has_uniform ? (wide ? uniform : (uint32_t)uniform) : 0;
        if (v & ((1u << o->scale) - 1))
            return 0;
        if (o->count < 2 && wide && v >> 32 != 0)
            return 0;
        v = wide ? v >> o->scale : (uint32_t)v >> o->scale;
        w->r[o->reg][l] = (uint32_t)v;
        if (o->count >= 2)
            w->r[o->reg + 1][l] = (uint32_t)(v >> 32);
    }
    for (unsigned l = 0; has_uniform && l < EMU_LANES; l++) {
        w->r[EMU_UNIFORM_ROW + o->ureg][l] = (uint32_t)uniform;
        if (wide)
            w->r[EMU_UNIFORM_ROW + o->ureg + 1][l] = (uint32_t)(uniform >> 32);
    }
    return 1;
}

/* Draws a place for each lane: of its own, or one of a few. */
static void draw_places(struct memory *m, enum space space, int generic,
                        unsigned bytes, int shared)
{
    uint8_t place[REGION / PLACE];

    for (unsigned i = 0; i < sizeof place; i++)
        place[i] = (uint8_t)i;
    for (unsigned l = 0; l < EMU_LANES; l++) {
        unsigned other =
            l + help_below(wide_random(m), (unsigned)sizeof place - l);
        unsigned mine = place[other];

        place[other] = place[l];
        m->at[l].space = space;
        if (generic)
            m->at[l].space = (enum space)help_below(wide_random(m), SPACES);
        if (m->at[l].space == LOCAL)
            mine %= LOCAL_LANE / PLACE;
        if (shared)
            mine = help_below(wide_random(m), FEW);
        m->at[l].offset =
            PLACE * mine + bytes * help_below(wide_random(m), PLACE / bytes);
        if (shared)
            m->at[l].offset = PLACE * mine;
    }
}

/* ---- memory ------------------------------------------------------------------- */

static void fill_memory(struct memory *m, uint32_t keep)
{
    struct help_single *h = m->t.h;

    for (unsigned i = 0; i < REGION; i += 4) {
        uint32_t v[2] = {trial_some_word(wide_random(m)),
                         trial_some_word(wide_random(m))};

        v[0] &= keep;
        memcpy(m->global + i, &v[0], 4);
        memcpy(h->shared + i, &v[1], 4);
    }
    for (unsigned i = 0; i < sizeof h->local; i += 4) {
        uint32_t v = trial_some_word(wide_random(m));

        memcpy(h->local + i, &v, 4);
    }
    memcpy(m->want[GLOBAL], m->global, REGION);
    memcpy(m->want[SHARED], h->shared, REGION);
    memcpy(m->want[LOCAL], h->local, sizeof h->local);
}

static void check_memory(struct memory *m)
{
    static const char *const names[] = {"global", "shared", "local memory"};
    const struct help_single *h = m->t.h;
    const uint8_t *is[SPACES] = {m->global, h->shared, h->local};
    const size_t sizes[SPACES] = {REGION, REGION, sizeof h->local};
    struct reference_in in = trial_inputs(&m->t, 0);

    for (int s = 0; s < SPACES; s++) {
        for (size_t i = 0; i < sizes[s]; i++) {
            if (is[s][i] == m->want[s][i])
                continue;
            trial_complain(&m->t, &in, names[s], is[s][i], m->want[s][i]);
            break;
        }
    }
}

static void check_registers(struct memory *m, unsigned words, uint32_t mask)
{
    const struct teg_sass_operand *d = trial_target(&m->t, 'd');
    unsigned row = d == NULL ? 0 : d->reg;

    if (d != NULL && d->kind == SASS_UNIFORM)
        row += EMU_UNIFORM_ROW;
    for (unsigned l = 0; l < EMU_LANES; l++) {
        struct reference_in in = trial_inputs(&m->t, l);

        if (!(mask >> l & 1)) {
            trial_check_lane_off(&m->t, l);
            continue;
        }
        for (unsigned i = 0; d != NULL && i < words; i++) {
            if (m->t.h->warp.r[row + i][l] != m->got[i][l])
                trial_complain(&m->t, &in, "D", m->t.h->warp.r[row + i][l],
                               m->got[i][l]);
        }
    }
}

/* ---- loads and stores --------------------------------------------------------- */

static uint32_t extended(uint32_t v, unsigned bits, int is_signed)
{
    return is_signed && v >> (bits - 1) & 1 ? v | ~UINT32_C(0) << bits : v;
}

static void load(struct memory *m, uint32_t mask)
{
    unsigned bytes = width_of(m);

    for (unsigned l = 0; l < EMU_LANES; l++) {
        uint32_t word[WORDS] = {0};

        if (!(mask >> l & 1))
            continue;
        memcpy(word, bytes_at(m, &m->at[l], l, 1), bytes);
        if (bytes < 4)
            word[0] =
                extended(word[0], 8 * bytes, says(m, ".S8") || says(m, ".S16"));
        for (unsigned i = 0; i < WORDS; i++)
            m->got[i][l] = word[i];
    }
}

static void store(struct memory *m, uint32_t mask)
{
    const struct teg_sass *s = &m->t.h->op.sass;
    const struct teg_sass_operand *from = teg_sass_operand(s, 'b');
    unsigned bytes = width_of(m);

    if (from == NULL)
        from = teg_sass_operand(s, 'c');
    for (unsigned l = 0; l < EMU_LANES; l++) {
        uint32_t word[WORDS];

        for (unsigned i = 0; i < WORDS; i++)
            word[i] = trial_word(&m->t, from, i, l);
        if (mask >> l & 1)
            memcpy(bytes_at(m, &m->at[l], l, 1), word, bytes);
    }
}

/* ---- atomics ------------------------------------------------------------------ */

/* What one lane changes at once, by the opcode's text. */
struct type {
    unsigned bytes, count; /* of an element, elements side by side */
    int is_signed, flushes;
    const struct exact_format *format; /* NULL: integers */
};

static struct type type_of(const struct memory *m)
{
    static const struct {
        const char *text;
        unsigned bytes;
        const struct exact_format *format;
    } floats[] = {
        {".F16x", 2, &exact_half},
        {".BF16x", 2, &exact_bfloat},
        {".F32", 4, &exact_single},
        {".F64", 8, &exact_double},
    };

    for (unsigned i = 0; i < sizeof floats / sizeof floats[0]; i++) {
        const char *found = strstr(m->opcode, floats[i].text);

        if (found == NULL)
            continue;
        const char *end = found + strlen(floats[i].text);
        end += *end == 'x';
        return (struct type){
            .bytes = floats[i].bytes,
            .count = *end == '.' ? 1 : (unsigned)strtoul(end, NULL, 10),
            .flushes = says(m, ".FTZ"),
            .format = floats[i].format,
        };
    }
    return (struct type){
        .bytes = says(m, ".128")                     ? 16
                 : says(m, ".64") || says(m, ".S64") ? 8
                                                     : 4,
        .count = 1,
        .is_signed = says(m, ".S32") || says(m, ".S64"),
    };
}

static uint64_t float_sum(const struct type *k, uint64_t a, uint64_t b)
{
    uint64_t sum;

    if (k->flushes) {
        a = exact_flushed(a, k->format);
        b = exact_flushed(b, k->format);
    }
    sum = exact_round(exact_sum(exact_of(a, k->format), exact_of(b, k->format),
                                EXACT_NEAREST),
                      k->format, EXACT_NEAREST);
    return k->flushes ? exact_flushed(sum, k->format) : sum;
}

static int is_less(const struct type *k, uint64_t a, uint64_t b)
{
    uint64_t sign = k->is_signed ? UINT64_C(1) << (8 * k->bytes - 1) : 0;

    return (a ^ sign) < (b ^ sign);
}

static uint64_t combined(const struct memory *m, const struct type *k,
                         uint64_t old, uint64_t b)
{
    if (says(m, ".EXCH"))
        return b;
    if (says(m, ".MIN"))
        return is_less(k, b, old) ? b : old;
    if (says(m, ".MAX"))
        return is_less(k, old, b) ? b : old;
    if (says(m, ".INC"))
        return old >= b ? 0 : old + 1;
    if (says(m, ".DEC"))
        return old == 0 || old > b ? b : old - 1;
    if (says(m, ".AND"))
        return old & b;
    if (says(m, ".OR"))
        return old | b;
    if (says(m, ".XOR"))
        return old ^ b;
    return k->format != NULL ? float_sum(k, old, b) : old + b;
}

/* Element by element, or all of it at once. */
static void change(const struct memory *m, const struct type *k,
                   const uint32_t b[WORDS], const uint32_t c[WORDS],
                   uint8_t *place)
{
    unsigned all = k->bytes * k->count;

    if (says(m, ".CAS") || says(m, ".CAST")) {
        if (memcmp(place, b, all) == 0)
            memcpy(place, c, all);
        return;
    }
    if (k->bytes > 8) {
        memcpy(place, b, all); /* .EXCH */
        return;
    }
    for (unsigned i = 0; i < k->count; i++) {
        uint64_t old = 0, v = 0;

        memcpy(&old, place + i * k->bytes, k->bytes);
        memcpy(&v, (const uint8_t *)b + i * k->bytes, k->bytes);
        v = says(m, ".POPC") ? old + 1 : combined(m, k, old, v);
        memcpy(place + i * k->bytes, &v, k->bytes);
    }
}

static void atomic(struct memory *m, uint32_t mask)
{
    const struct teg_sass *s = &m->t.h->op.sass;
    const struct type k = type_of(m);

    for (unsigned l = 0; l < EMU_LANES; l++) {
        uint8_t *place = bytes_at(m, &m->at[l], l, 1);
        uint32_t b[WORDS], c[WORDS], old[WORDS] = {0};

        for (unsigned i = 0; i < WORDS; i++) {
            b[i] = trial_word(&m->t, teg_sass_operand(s, 'b'), i, l);
            c[i] = trial_word(&m->t, teg_sass_operand(s, 'c'), i, l);
        }
        if (!(mask >> l & 1))
            continue;
        memcpy(old, place, k.bytes * k.count);
        change(m, &k, b, c, place);
        /* CAST.SPIN asks whether it was as expected. */
        if (says(m, ".SPIN")) {
            old[0] = memcmp(old, b, k.bytes) == 0;
            old[1] = 0;
        }
        for (unsigned i = 0; i < WORDS; i++)
            m->got[i][l] = old[i];
    }
}

/* Some lanes expect what is there; no NaN of doubles, whose payloads are not
 * said. */
static void suit_operands(struct memory *m)
{
    const struct type k = type_of(m);
    uint32_t(*row)[EMU_LANES] = m->t.h->warp.r;

    for (unsigned l = 0; l < EMU_LANES; l++) {
        const uint8_t *place = bytes_at(m, &m->at[l], l, 0);

        for (unsigned i = 0; k.format == &exact_double && i < WORDS; i++)
            row[HELP_B + i][l] &= NO_NAN;
        for (unsigned i = 0; says(m, ".CAS") && l % 2 == 0 && i < WORDS; i++)
            memcpy(&row[HELP_B + i][l], place + 4 * i, 4);
    }
}

/* ---- constants and copies ----------------------------------------------------- */

static const struct teg_sass_operand *operand_of(const struct memory *m,
                                                 unsigned kind, unsigned n)
{
    const struct teg_sass *s = &m->t.h->op.sass;

    for (unsigned i = 0; i < s->operand_count; i++) {
        if (s->operand[i].kind == kind && n-- == 0)
            return &s->operand[i];
    }
    return NULL;
}

/* Where a lane's constant is: a sum of 32 bits. */
static uint32_t constant_at(const struct memory *m, unsigned l)
{
    const struct teg_sass_operand *o = operand_of(m, SASS_CONSTANT, 0);
    struct teg_sass_operand index = {.kind = SASS_REGISTER, .reg = o->reg};

    if (o->reg == TEG_SASS_NONE)
        return (uint32_t)o->value;
    if (o->flags & SASS_UNIFORM_INDEX)
        index.kind = SASS_UNIFORM;
    return (uint32_t)o->value + trial_word(&m->t, &index, 0, l);
}

/* Beyond the bank is 0. */
static void load_constant(struct memory *m, uint32_t mask)
{
    unsigned bytes = width_of(m);

    (void)mask;
    for (unsigned l = 0; l < EMU_LANES; l++) {
        uint32_t word[WORDS] = {0}, at = constant_at(m, l);

        if (at <= HELP_BANK_BYTES - bytes)
            memcpy(word, m->t.h->bank + at, bytes);
        if (bytes < 4)
            word[0] =
                extended(word[0], 8 * bytes, says(m, ".S8") || says(m, ".S16"));
        for (unsigned i = 0; i < WORDS; i++)
            m->got[i][l] = word[i];
    }
}

/* Registers of indices, half of them near the bank's beginning. */
static int set_index(struct memory *m)
{
    const struct teg_sass_operand *o = operand_of(m, SASS_CONSTANT, 0);
    unsigned row = o->reg;

    if (o->bank != 0)
        return 0;
    if (o->reg == TEG_SASS_NONE || o->reg >= TEG_SASS_RZ)
        return 1;
    if (o->flags & SASS_UNIFORM_INDEX)
        row = o->reg < EMU_NO_UNIFORM ? EMU_UNIFORM_ROW + o->reg : 0;
    for (unsigned l = 0; row != 0 && l < EMU_LANES; l++) {
        uint32_t at = PLACE * help_below(wide_random(m), 2 * REGION / PLACE);

        m->t.h->warp.r[row][l] = at - (uint32_t)o->value;
        if (o->flags & SASS_UNIFORM_INDEX)
            m->t.h->warp.r[row][l] = m->t.h->warp.r[row][0];
    }
    return 1;
}

/* cp.async: lanes whose predicate does not hold copy zeros, all others what
 * their source has. */
static void copy(struct memory *m, uint32_t mask)
{
    unsigned bytes = width_of(m);

    for (unsigned l = 0; l < EMU_LANES; l++) {
        uint8_t *to = bytes_at(m, &m->to[l], l, 1);

        if (!(mask >> l & 1))
            continue;
        memset(to, 0, bytes);
        if (trial_predicate(&m->t, 'p', l))
            memcpy(to, bytes_at(m, &m->at[l], l, 1), bytes - m->missing[l]);
    }
}

/* The first address is the one that is written. */
static int set_copy(struct memory *m)
{
    uint64_t from[EMU_LANES], to[EMU_LANES];

    draw_places(m, SHARED, 0, width_of(m), 0);
    memcpy(m->to, m->at, sizeof m->to);
    draw_places(m, GLOBAL, 0, width_of(m), 0);
    for (unsigned l = 0; l < EMU_LANES; l++) {
        m->missing[l] =
            says(m, ".ZFILL") ? help_below(wide_random(m), width_of(m)) : 0;
        from[l] = address_of(m, &m->at[l], 0, 0) + m->missing[l];
        to[l] = address_of(m, &m->to[l], 0, 0);
    }
    return set_address(m, operand_of(m, SASS_ADDRESS, 0), to) &&
           set_address(m, operand_of(m, SASS_ADDRESS, 1), from);
}

/* ---- tiles -------------------------------------------------------------------- */

/* Element `i` of those that lane `l` has of tile `n`. */
static uint8_t *element(struct memory *m, unsigned n, unsigned l, unsigned i)
{
    unsigned row = l / 4, column = 2 * (l % 4) + i, lane;

    if (says(m, ".MT88")) {
        unsigned t = row;

        row = column;
        column = t;
    }
    lane = 8 * n + row;
    return bytes_at(m, &m->at[lane], lane, 1) + 2 * column;
}

/* Sixteen numbers of a few bits in a row become bytes, of which lane l has
 * columns 4 (l mod 4) ... of row l / 4.  (ldmatrix, .b4x16_p64, .b6x16_p32) */
static uint32_t spread_bytes(struct memory *m, unsigned n, unsigned l,
                             unsigned bits)
{
    unsigned lane = 8 * n + l / 4;
    const uint8_t *row = bytes_at(m, &m->at[lane], lane, 1);
    uint32_t word = 0;

    for (unsigned i = 0; i < 4 * bits; i++) {
        unsigned at = l % 4 * 4 * bits + i;
        uint32_t bit = row[at / 8] >> at % 8 & 1;

        word |= bit << (i / bits * 8 + i % bits);
    }
    return word;
}

/* Byte `i` of register `n` of lane `l` of tiles of bytes that are turned over, in
 * rows of 16 bytes one after the other as CUTLASS's copy traits have them
 * (copy_traits_sm100.hpp): of loads its registers are made of two of the
 * instruction's each, `*r` and `*b`, and rows come from lanes in another order. */
static uint8_t *turned_byte(struct memory *m, int loads, unsigned n, unsigned l,
                            unsigned i, unsigned *r, unsigned *b)
{
    unsigned at = 32 * (l % 4) + l / 4 + 16 * (i % 2) + 8 * (i / 2) + 128 * n;
    unsigned row = at / 16, lane = row;

    *r = n;
    *b = i;
    if (loads) {
        lane = row % 2 + row / 2 % 4 * 4 + row / 8 % 2 * 2 + row / 16 * 16;
        *r = n / 2 * 2 + i / 2;
        *b = n % 2 * 2 + i % 2;
    }
    return bytes_at(m, &m->at[lane], lane, 1) + at % 16;
}

/* The number of `bits` at that byte's place in its row, or the byte. */
static uint8_t unpacked(const uint8_t *byte, unsigned column, unsigned bits)
{
    const uint8_t *row = byte - column;
    uint8_t v = 0;

    if (bits == 0)
        return *byte;
    for (unsigned i = 0; i < bits; i++) {
        unsigned at = column * bits + i;

        v |= (uint8_t)((row[at / 8] >> at % 8 & 1) << i);
    }
    return v;
}

static void turned_tiles(struct memory *m, int loads, unsigned registers,
                         unsigned bits)
{
    for (unsigned n = 0; n < registers; n++) {
        for (unsigned l = 0; l < EMU_LANES; l++) {
            uint32_t v = trial_word(
                &m->t, teg_sass_operand(&m->t.h->op.sass, 'b'), n, l);

            for (unsigned i = 0; i < 4; i++) {
                unsigned r, b, column = l / 4 + 8 * (i / 2);
                uint8_t *byte = turned_byte(m, loads, n, l, i, &r, &b);

                if (loads)
                    m->got[r][l] |= (uint32_t)unpacked(byte, column, bits)
                                    << 8 * b;
                else
                    *byte = (uint8_t)(v >> 8 * i);
            }
        }
    }
}

static void tiles(struct memory *m, uint32_t mask)
{
    unsigned count = says(m, ".4") ? 4 : says(m, ".2") ? 2 : 1;
    unsigned bits = says(m, ".U4x16P64TO8")   ? 4
                    : says(m, ".U6x16P32TO8") ? 6
                                              : 0;
    int loads = is_named(m, "LDSM");

    (void)mask;
    if (says(m, ".MT1616") || says(m, ".MT168")) {
        turned_tiles(m, loads, loads ? 2 * count : count, bits);
        return;
    }
    for (unsigned n = 0; n < count; n++) {
        for (unsigned l = 0; l < EMU_LANES; l++) {
            if (bits != 0) {
                m->got[n][l] = spread_bytes(m, n, l, bits);
                continue;
            }
            uint32_t v = trial_word(
                &m->t, teg_sass_operand(&m->t.h->op.sass, 'b'), n, l);
            uint16_t half[2] = {(uint16_t)v, (uint16_t)(v >> 16)};

            for (unsigned i = 0; i < 2; i++)
                memcpy(loads ? (uint8_t *)&half[i] : element(m, n, l, i),
                       loads ? element(m, n, l, i) : (uint8_t *)&half[i], 2);
            m->got[n][l] = half[0] | (uint32_t)half[1] << 16;
        }
    }
}

/* ---- trials ------------------------------------------------------------------- */

enum kind {
    LOADS = 1 << 0,  /* answers that are compared */
    SHARES = 1 << 1, /* lanes may meet */
    WHOLE = 1 << 2,  /* all lanes take part */
};

static const struct instruction {
    const char *name;
    enum space space;
    int generic;
    unsigned kind;
    void (*of)(struct memory *m, uint32_t mask);
} instructions[] = {
    {"LDG", GLOBAL, 0, LOADS, load},
    {"LDS", SHARED, 0, LOADS, load},
    {"LDL", LOCAL, 0, LOADS, load},
    {"LD", GLOBAL, 1, LOADS, load},
    {"STG", GLOBAL, 0, 0, store},
    {"STS", SHARED, 0, 0, store},
    {"STL", LOCAL, 0, 0, store},
    {"ST", GLOBAL, 1, 0, store},
    {"ATOMG", GLOBAL, 0, LOADS | SHARES, atomic},
    {"ATOM", GLOBAL, 0, LOADS | SHARES, atomic},
    {"ATOMS", SHARED, 0, LOADS | SHARES, atomic},
    {"RED", GLOBAL, 0, SHARES, atomic},
    {"REDG", GLOBAL, 0, SHARES, atomic},
    {"LDSM", SHARED, 0, LOADS | WHOLE, tiles},
    {"STSM", SHARED, 0, WHOLE, tiles},
    {"LDC", GLOBAL, 0, LOADS, load_constant},
    {"ULDC", GLOBAL, 0, LOADS, load_constant},
    {"LDCU", GLOBAL, 0, LOADS, load_constant},
    {"LDGSTS", GLOBAL, 0, 0, copy},
};

/* Bytes of the access, and what of them a lane gets. */
static unsigned bytes_of(const struct memory *m, const struct instruction *k)
{
    struct type type = type_of(m);

    return k->of == tiles    ? 16
           : k->of == atomic ? type.bytes * type.count
                             : width_of(m);
}

static int is_narrow(const struct teg_sass_operand *o)
{
    return o->count < 2 && o->select != 1;
}

/* Places and registers that point at them; 0: no address can be made. */
static int set_places(struct memory *m, const struct instruction *k)
{
    const struct teg_sass_operand *o = teg_sass_operand(&m->t.h->op.sass, 'm');
    int narrow = is_narrow(o);
    uint64_t want[EMU_LANES];

    /* Windows of shared and local memory need 64 bits. */
    draw_places(m, k->space, k->generic && o->count >= 2, bytes_of(m, k),
                (k->kind & SHARES) != 0);
    for (unsigned l = 0; l < EMU_LANES; l++)
        want[l] = address_of(m, &m->at[l], k->generic, narrow);
    return set_address(m, o, want);
}

/* Memory, places and registers for the word. */
static int set_out(struct memory *m, const struct instruction *k)
{
    const struct teg_sass_operand *o = teg_sass_operand(&m->t.h->op.sass, 'm');
    int fits;

    m->global = emu_device_at(m->t.h->block.device, m->t.h->buffer, REGION);
    if (o != NULL && k->of != copy && k->space == GLOBAL && is_narrow(o))
        m->global = m->low;
    trial_fill(&m->t);
    fill_memory(m, strstr(m->opcode, ".F64") != NULL ? NO_NAN : UINT32_MAX);
    fits = k->of == load_constant ? set_index(m)
           : k->of == copy        ? set_copy(m)
                                  : set_places(m, k);
    if (k->of == atomic)
        suit_operands(m);
    memcpy(m->t.before, m->t.h->warp.r, sizeof m->t.before);
    return fits;
}

static void try_word(struct memory *m, const struct instruction *k, unsigned g)
{
    static const uint32_t masks[] = {EMU_ALL, 0x5a0ff0c1, 0x00010000};
    struct tally *tally;

    for (unsigned i = 0; i < 6; i++) {
        uint32_t mask = k->kind & WHOLE ? EMU_ALL : masks[i / 2];
        unsigned words;

        if (!help_single_prepare(m->t.h, m->t.word, m->t.cc, i % 2 != 0))
            return;
        tally = trial_tally(m->t.h->op.sass.name);
        teg_sass_opcode(&m->t.h->op.sass, m->opcode);
        teg_sass_text(&m->t.h->op.sass, m->t.text);
        if (says(m, ".ARRIVE")) { /* at what PTX calls opaque */
            tally->of[g].without++;
            return;
        }
        if (!set_out(m, k))
            return;
        if (help_single_run(m->t.h, mask) != TEG_OK) {
            tally->of[g].refused++;
            if (getenv("TEG_REFERENCE_LIST") != NULL)
                printf("refused: sm_%u %s %s\n", m->t.cc, m->t.text,
                       m->t.h->d.what);
            return;
        }
        memset(m->got, 0, sizeof m->got);
        k->of(m, mask);
        words = (bytes_of(m, k) + 3) / 4;
        if (k->of == tiles)
            words = (says(m, ".4")   ? 4u
                     : says(m, ".2") ? 2u
                                     : 1u)
                    << (says(m, ".MT1616") != 0);
        if ((k->kind & LOADS) == 0 || says(m, ".POPC"))
            words = 0;
        check_registers(m, words, mask);
        check_memory(m);
        tally->of[g].checked += (unsigned long)__builtin_popcount(mask);
    }
    tally->of[g].forms++;
}

/* Registers that are stored, compared and exchanged stand where others do not. */
static void put_registers(struct memory *m)
{
    static const struct {
        char role;
        const char *bits;
        unsigned reg;
    } places[] = {{'b', "39:32", HELP_B}, {'c', "71:64", HELP_C}};

    const char *bank = "58:54", *read = "67:64", *written = "83:81";

    if (!help_single_prepare(m->t.h, m->t.word, m->t.cc, 0))
        return;
    if (operand_of(m, SASS_CONSTANT, 0) != NULL)
        sass_put_bits(m->t.word, &bank, 0);
    /* Loads that read or write a predicate are refused: most have none. */
    if (teg_sass_operand(&m->t.h->op.sass, 'x') != NULL &&
        help_below(wide_random(m), 8) != 0) {
        sass_put_bits(m->t.word, &read, 0);
        if (teg_sass_operand(&m->t.h->op.sass, 'u') != NULL)
            sass_put_bits(m->t.word, &written, TEG_SASS_PT);
    }
    for (unsigned i = 0; i < 2; i++) {
        const struct teg_sass_operand *o =
            teg_sass_operand(&m->t.h->op.sass, places[i].role);
        const char *bits = places[i].bits;

        if (o != NULL && o->kind == SASS_REGISTER)
            sass_put_bits(m->t.word, &bits, places[i].reg);
    }
}

static const struct instruction *find(const char *name)
{
    for (unsigned i = 0; i < sizeof instructions / sizeof instructions[0];
         i++) {
        if (strcmp(instructions[i].name, name) == 0)
            return &instructions[i];
    }
    return NULL;
}

static void try_row(struct memory *m, const struct sass_row *row, unsigned form,
                    unsigned g)
{
    const struct instruction *k = find(row->name);

    for (unsigned n = 0; k != NULL && n < HELP_ROUNDS(2 * trial_count()); n++) {
        trial_draw(&m->t, row, form);
        put_registers(m);
        if (sass_row_fits(row, m->t.word, m->t.cc))
            try_word(m, k, g);
    }
}

START_TEST(memory_is_as_the_reference_says)
{
    static struct memory m;
    size_t count;
    const struct sass_row *row = sass_rows(&count);
    struct teg_diag d;

    trial_open(&m.t, help_generations[_i],
               0x9e3779b97f4a7c15u * help_generations[_i]);
    ck_assert(emu_device_map(m.t.h->block.device, LOW_ADDRESS, m.low,
                             sizeof m.low, &d) == TEG_OK);
    for (size_t r = 0; r < count; r++) {
        for (unsigned form = 0; form < 16; form++) {
            if ((row[r].forms >> form & 1) && m.t.cc >= row[r].first &&
                m.t.cc <= row[r].last)
                try_row(&m, &row[r], form, (unsigned)_i);
        }
    }
    trial_report(m.t.cc, (unsigned)_i);
    trial_close(&m.t);
    ck_assert_uint_eq(m.t.wrong, 0);
}
END_TEST

/* ---- 256 bits ----------------------------------------------------------------- */

enum {
    WIDE = 32, /* bytes */
    LOW = HELP_B,
    HIGH = HELP_C,
};

/* ld.global.v8.b32 and st of sm_100: a load's mask says which of the eight words
 * are wanted, those of each half go into registers one after the other.  Words as
 * ptxas 13.0 makes them, with these registers. */
static void draw_wide(struct memory *m, int stores, unsigned wanted,
                      int64_t offset)
{
    uint64_t far = (uint64_t)(offset / WIDE) & (stores ? 0x7ffff : 0x1ffff);

    m->t.word[0] = far << 40 | UINT64_C(4) << 32 | HELP_A << 24;
    if (stores) {
        m->t.word[0] = far << 40 | (uint64_t)LOW << 32 | HELP_A << 24 |
                       HIGH << 16 | 0x797f | UINT64_C(0xf8) << 56;
        m->t.word[1] = 0x008fe2000f121804;
    } else {
        m->t.word[0] |= LOW << 16 | 0x797e | (uint64_t)wanted << 57;
        m->t.word[1] = 0x000ee20008121800 | HIGH | (wanted >> 7) << 8;
    }
}

static void check_wide(struct memory *m, int stores, unsigned wanted,
                       uint32_t mask)
{
    struct reference_in in = trial_inputs(&m->t, 0);
    uint32_t(*row)[EMU_LANES] = m->t.h->warp.r;

    for (unsigned l = 0; l < EMU_LANES; l++) {
        unsigned reg[2] = {LOW, HIGH};

        for (unsigned i = 0; i < WIDE / 4; i++) {
            uint8_t *at = m->want[GLOBAL] + m->at[l].offset + 4 * i;
            uint32_t word;

            if (stores && (mask >> l & 1))
                memcpy(at, &m->t.before[reg[i / 4]++][l], 4);
            if (stores || !(wanted >> i & 1) || !(mask >> l & 1))
                continue;
            memcpy(&word, at, 4);
            if (row[reg[i / 4]][l] != word)
                trial_complain(&m->t, &in, "D", row[reg[i / 4]][l], word);
            reg[i / 4]++;
        }
        for (unsigned i = 0; i < 2; i++) {
            for (; reg[i] < (i == 0 ? LOW : HIGH) + 4u; reg[i]++)
                if (row[reg[i]][l] != m->t.before[reg[i]][l])
                    trial_complain(&m->t, &in, "not D", row[reg[i]][l],
                                   m->t.before[reg[i]][l]);
        }
    }
    check_memory(m);
}

START_TEST(accesses_of_256_bits_are_as_the_reference_says)
{
    static struct memory m;

    trial_open(&m.t, _i == 0 ? 100 : 120, 77);
    m.global = emu_device_at(m.t.h->block.device, m.t.h->buffer, REGION);
    for (unsigned n = 0; n < 200; n++) {
        static const uint32_t masks[] = {EMU_ALL, 0x5a0ff0c1, 0x00010000};
        uint32_t mask = masks[n % 3];
        unsigned wanted = help_below(wide_random(&m), 4) == 0
                              ? 255
                              : help_below(wide_random(&m), 256);
        int64_t offset = (int64_t)help_below(wide_random(&m), 512) * WIDE -
                         256 * (int64_t)WIDE;
        int stores = n % 4 == 0;
        uint32_t first = help_below(wide_random(&m), EMU_LANES);

        draw_wide(&m, stores, wanted, offset);
        ck_assert(help_single_prepare(m.t.h, m.t.word, m.t.cc, n % 2 != 0));
        teg_sass_text(&m.t.h->op.sass, m.t.text);
        trial_fill(&m.t);
        fill_memory(&m, UINT32_MAX);
        for (unsigned l = 0; l < EMU_LANES; l++) {
            uint64_t at;

            m.at[l].offset = (5 * l + first) % EMU_LANES * WIDE;
            at = m.t.h->buffer + m.at[l].offset - (uint64_t)offset;
            m.t.h->warp.r[HELP_A][l] = (uint32_t)at;
            m.t.h->warp.r[HELP_A + 1][l] = (uint32_t)(at >> 32);
        }
        memcpy(m.t.before, m.t.h->warp.r, sizeof m.t.before);
        ck_assert_msg(help_single_run(m.t.h, mask) == TEG_OK, "%s",
                      m.t.h->d.what);
        check_wide(&m, stores, wanted, mask);
    }
    trial_close(&m.t);
    ck_assert_uint_eq(m.t.wrong, 0);
}
END_TEST

HELP_MAIN("emulate reference memory", 1800,
          {memory_is_as_the_reference_says, HELP_DECODED},
          {accesses_of_256_bits_are_as_the_reference_says, 2})
