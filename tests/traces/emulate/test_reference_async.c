/*
 * Barriers in shared memory (SYNCS) and what reports to them: bulk copies and
 * reductions (UBLKCP, UBLKRED), stores and reductions of registers (STAS, REDAS),
 * in all forms, in random order, against a model of the PTX ISA's mbarrier: a
 * phase, arrivals that are expected and those still to come, bytes still to
 * come.  Every byte of memory is compared, and after each instruction whether
 * either phase is over, as test_wait.parity says it.
 *
 * What the 64 bits of a barrier are PTX does not say: they are made as ptxas's
 * code makes them, and not looked at.
 */
#include <stdio.h>
#include <string.h>

#include "tests/help_launch.h"
#include "tests/help_suite.h"
#include "tests/traces/emulate/help_exact.h"
#include "tests/traces/emulate/help_trial.h"

enum {
    BYTES = 512, /* of an area */
    FROM = 1024, /* areas of shared memory */
    BARRIER = 2048,
    COUNT_MAX = 40,
};

struct barrier {
    int phase, expected, pending, bytes;
};

struct bench {
    struct trial t;
    char opcode[TEG_SASS_TEXT];
    struct barrier barrier;
    uint8_t shared[HELP_SHARED_BYTES], global[HELP_BUFFER_BYTES];
    uint64_t check[2]; /* the word of PHASECHK */
};

static uint64_t *seed_of(struct bench *b)
{
    return &b->t.random;
}

static int says(const struct bench *b, const char *text)
{
    return strstr(b->opcode, text) != NULL;
}

/* ---- the barrier ---------------------------------------------------------------- */

static void settle(struct barrier *b)
{
    if (b->pending != 0 || b->bytes != 0)
        return;
    b->phase++;
    b->pending = b->expected;
}

/* mbarrier.init, as code does it: negative counts in bits 20:1 and 62:43. */
static void make_barrier(struct bench *b)
{
    int count = 1 + (int)help_below(seed_of(b), COUNT_MAX);
    uint64_t negative = (uint64_t)(0 - count) & 0xfffff;
    uint64_t word = negative << 1 | negative << 43;

    b->barrier = (struct barrier){0, count, count, 0};
    memcpy(b->t.h->shared + BARRIER, &word, sizeof word);
}

/* Gives the registers of the address values that make it `at`; 0: none. */
static int set_address(struct bench *b, const struct teg_sass_operand *m,
                       uint32_t at)
{
    struct emu_warp *w = &b->t.h->warp;
    uint32_t uniform = 0;

    if (m->reg >= TEG_SASS_RZ)
        return 0;
    if (m->ureg < EMU_NO_UNIFORM && !(m->flags & SASS_DESCRIPTOR))
        uniform = w->r[EMU_UNIFORM_ROW + m->ureg][0];
    for (unsigned l = 0; l < EMU_LANES; l++)
        w->r[m->reg][l] = at - uniform - (uint32_t)m->value;
    return 1;
}

/* Whether the phase of that parity is over: test_wait.parity waits for the
 * current phase or the one before. */
static void check_phase(struct bench *b)
{
    struct help_single *h = b->t.h;
    struct reference_in in = {.s = &h->op.sass};
    char was[TEG_SASS_TEXT];

    memcpy(was, b->t.text, sizeof was);
    help_single_prepare(h, b->check, b->t.cc, 0);
    if (!set_address(b, teg_sass_operand(&h->op.sass, 'm'), BARRIER))
        ck_abort_msg("no address of %s", b->t.text);
    for (unsigned parity = 0; parity < 2; parity++) {
        const struct teg_sass_operand *u = teg_sass_operand(&h->op.sass, 'u');
        const struct teg_sass_operand *o = teg_sass_operand(&h->op.sass, 'b');
        int over = (b->barrier.phase & 1) != (int)parity, got;

        for (unsigned l = 0; l < EMU_LANES; l++)
            h->warp.r[o->reg][l] = parity << 31;
        ck_assert(help_single_run(h, 1) == TEG_OK);
        got = (int)(h->warp.p[u->reg] & 1);
        if (got != over)
            trial_complain(&b->t, &in, was, (uint64_t)got, (uint64_t)over);
    }
}

/* ---- memory --------------------------------------------------------------------- */

static void fill(struct bench *b)
{
    struct help_single *h = b->t.h;
    uint8_t *global = emu_device_at(h->block.device, h->buffer, BYTES);

    for (unsigned i = 0; i < 2 * FROM; i += 4) {
        /* halves and floats that are neither small nor NaN, and anything */
        uint32_t v = (uint32_t)help_random(seed_of(b));

        if (says(b, ".F") || says(b, ".BF"))
            v = (v & 0x8fff8fff) + 0x30003000;
        memcpy(h->shared + i, &v, 4);
        v ^= (uint32_t)help_random(seed_of(b)) & 0x80ff80ff;
        if (i < BYTES)
            memcpy(global + i, &v, 4);
    }
}

static void keep(struct bench *b)
{
    struct help_single *h = b->t.h;

    memcpy(b->shared, h->shared, sizeof b->shared);
    memcpy(b->global, emu_device_at(h->block.device, h->buffer, BYTES), BYTES);
}

/* The barrier's own bits are left out. */
static void check_memory(struct bench *b)
{
    struct help_single *h = b->t.h;
    const uint8_t *global = emu_device_at(h->block.device, h->buffer, BYTES);
    struct reference_in in = {.s = &h->op.sass};

    for (unsigned i = 0; i < sizeof b->shared; i++) {
        if (i / 8 != BARRIER / 8 && h->shared[i] != b->shared[i]) {
            trial_complain(&b->t, &in, "shared memory", h->shared[i],
                           b->shared[i]);
            break;
        }
    }
    for (unsigned i = 0; i < BYTES; i++) {
        if (global[i] != b->global[i]) {
            trial_complain(&b->t, &in, "global memory", global[i],
                           b->global[i]);
            break;
        }
    }
}

/* ---- reductions ----------------------------------------------------------------- */

struct type {
    unsigned bytes;
    int has_sign;
    const struct exact_format *format; /* NULL: integers */
};

static struct type type_of(const struct bench *b)
{
    static const struct {
        const char *text;
        struct type is;
    } row[] = {
        {".BF16", {2, 0, &exact_bfloat}}, {".F16", {2, 0, &exact_half}},
        {".F32", {4, 0, &exact_single}},  {".F64", {8, 0, &exact_double}},
        {".S32", {4, 1, NULL}},           {".U64", {8, 0, NULL}},
        {".S64", {8, 1, NULL}},           {".64", {8, 0, NULL}},
    };

    for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
        if (says(b, row[i].text))
            return row[i].is;
    }
    return (struct type){4, 0, NULL};
}

static int is_less(const struct type *t, uint64_t a, uint64_t b)
{
    uint64_t sign = t->has_sign ? UINT64_C(1) << (8 * t->bytes - 1) : 0;

    if (t->format != NULL)
        return exact_compare(exact_of(a, t->format), exact_of(b, t->format)) ==
               -1;
    return (a ^ sign) < (b ^ sign);
}

static uint64_t combined(const struct bench *b, const struct type *t,
                         uint64_t old, uint64_t v)
{
    if (says(b, ".MIN"))
        return is_less(t, v, old) ? v : old;
    if (says(b, ".MAX"))
        return is_less(t, old, v) ? v : old;
    if (says(b, ".INC"))
        return old >= v ? 0 : old + 1;
    if (says(b, ".DEC"))
        return old == 0 || old > v ? v : old - 1;
    if (says(b, ".AND"))
        return old & v;
    if (says(b, ".XOR"))
        return old ^ v;
    if (says(b, ".OR"))
        return old | v;
    if (t->format == NULL)
        return old + v;
    return exact_round(exact_sum(exact_of(old, t->format),
                                 exact_of(v, t->format), EXACT_NEAREST),
                       t->format, EXACT_NEAREST);
}

static void reduce(const struct bench *b, uint8_t *to, const uint8_t *from,
                   unsigned bytes)
{
    struct type t = type_of(b);

    for (unsigned i = 0; i < bytes; i += t.bytes) {
        uint64_t old = 0, v = 0;

        memcpy(&old, to + i, t.bytes);
        memcpy(&v, from + i, t.bytes);
        v = combined(b, &t, old, v);
        memcpy(to + i, &v, t.bytes);
    }
}

/* ---- the instructions ------------------------------------------------------------ */

static const struct teg_sass_operand *address_of(const struct bench *b,
                                                 unsigned n)
{
    const struct teg_sass *s = &b->t.h->op.sass;

    for (unsigned i = 0; i < s->operand_count; i++) {
        if (s->operand[i].kind == SASS_ADDRESS && n-- == 0)
            return &s->operand[i];
    }
    return NULL;
}

static void set_uniform(struct bench *b, unsigned number, uint32_t v)
{
    for (unsigned l = 0; l < EMU_LANES; l++)
        b->t.h->warp.r[EMU_UNIFORM_ROW + number][l] = v;
}

/* Copies: three sets of uniform registers that do not overlap. */
static int bulk(struct bench *b, uint32_t mask)
{
    const struct teg_sass_operand *c = teg_sass_operand(&b->t.h->op.sass, 'c');
    const struct teg_sass_operand *to = address_of(b, 0),
                                  *from = address_of(b, 1);
    uint32_t pieces = help_below(seed_of(b), BYTES / 32 + 1);
    uint32_t at = 16 * help_below(seed_of(b), 4), bytes = 16 * pieces;
    int into_global = says(b, ".G.S"), from_global = says(b, ".S.G");
    uint64_t global = b->t.h->buffer + at;
    uint8_t *target = into_global ? b->global + at : b->shared + at;
    const uint8_t *source = from_global ? b->global + at : b->shared + FROM;
    uint32_t above = says(b, ".MULTICAST"); /* blocks, or bytes */

    (void)mask;
    if (says(b, "_BYTE_MASK"))
        above = help_below(seed_of(b), 0x10000);
    if (to == NULL || from == NULL || c == NULL || to->ureg > 60 ||
        from->ureg > 60 || c->reg > 60 || to->ureg / 2 == from->ureg / 2 ||
        to->ureg / 2 == c->reg / 2 || from->ureg / 2 == c->reg / 2 ||
        to->ureg % 2 != 0 || from->ureg % 2 != 0)
        return 0;
    set_uniform(b, to->ureg, into_global ? (uint32_t)global : at);
    set_uniform(b, to->ureg + 1u,
                into_global ? (uint32_t)(global >> 32) : BARRIER);
    set_uniform(b, from->ureg, from_global ? (uint32_t)global : FROM);
    set_uniform(b, from->ureg + 1u, (uint32_t)(global >> 32));
    set_uniform(b, c->reg, pieces | above << 16);
    if (says(b, "UBLKRED"))
        reduce(b, target, source, bytes);
    for (uint32_t i = 0; i < bytes && !says(b, "UBLKRED"); i++) {
        if (!says(b, "_BYTE_MASK") || (above >> i % 16 & 1) != 0)
            target[i] = source[i];
    }
    if (!into_global) {
        b->barrier.bytes -= (int)bytes;
        settle(&b->barrier);
    }
    return 1;
}

/* st.async, red.async: address and barrier in a pair of registers. */
static int store(struct bench *b, uint32_t mask)
{
    const struct teg_sass *s = &b->t.h->op.sass;
    const struct teg_sass_operand *m = teg_sass_operand(s, 'm'),
                                  *from = teg_sass_operand(s, 'b');
    struct type t = type_of(b);
    unsigned bytes = says(b, "REDAS")  ? t.bytes
                     : says(b, ".128") ? 16
                     : says(b, ".64")  ? 8
                                       : 4;

    if (m->reg >= HELP_B - 1 || from->reg >= TEG_SASS_RZ)
        return 0;
    for (unsigned l = 0; l < EMU_LANES; l++) {
        uint32_t at = 16 * (says(b, "REDAS") ? l / 3 : l), word[4];

        b->t.h->warp.r[m->reg][l] = at - (uint32_t)m->value;
        b->t.h->warp.r[m->reg + 1][l] = BARRIER;
        for (unsigned i = 0; i < bytes / 4; i++)
            word[i] = b->t.h->warp.r[from->reg + i][l];
        if (!(mask >> l & 1))
            continue;
        if (says(b, "REDAS"))
            reduce(b, b->shared + at, (const uint8_t *)word, bytes);
        else
            memcpy(b->shared + at, word, bytes);
        b->barrier.bytes -= (int)bytes;
        settle(&b->barrier);
    }
    return 1;
}

/* mbarrier.arrive, .expect_tx, .complete_tx, arrive_drop; of lanes one after the
 * other, no more than are expected. */
static int arrive(struct bench *b, uint32_t mask)
{
    const struct teg_sass *s = &b->t.h->op.sass;
    const struct teg_sass_operand *o = teg_sass_operand(s, 'b');
    struct barrier next = b->barrier;

    if (o->reg >= TEG_SASS_RZ || says(b, ".A0T1") || says(b, ".CCTL") ||
        !set_address(b, teg_sass_operand(s, 'm'), BARRIER) ||
        o->reg == teg_sass_operand(s, 'm')->reg)
        return 0;
    for (unsigned l = 0; l < EMU_LANES; l++) {
        uint32_t v = 1 + help_below(seed_of(b), 3);
        int arrivals = says(b, ".A0T") ? 0 : says(b, ".ART0") ? (int)v : 1;
        int bytes = says(b, ".A1T0") || says(b, ".ART0") ? 0
                    : says(b, ".A0TX")                   ? -16 * (int)v
                                                         : 16 * (int)v;

        v = bytes != 0 ? 16 * v : v;
        b->t.h->warp.r[o->reg][l] = v;
        if (!(mask >> l & 1))
            continue;
        if (next.pending < arrivals)
            return 0;
        next.bytes += bytes;
        next.pending -= arrivals;
        if (says(b, ".OPTOUT"))
            next.expected -= arrivals;
        if (next.expected == 0)
            return 0; /* nobody is left */
        settle(&next);
    }
    b->barrier = next;
    return 1;
}

static const struct {
    const char *name;
    int (*of)(struct bench *b, uint32_t mask);
    int alone; /* one lane speaks for the warp */
} rows[] = {
    {"SYNCS", arrive, 0}, {"UBLKCP", bulk, 1}, {"UBLKRED", bulk, 1},
    {"STAS", store, 0},   {"REDAS", store, 0},
};

/* Numbers of registers that the others do not use. */
static void put_registers(struct bench *b)
{
    const char *to = "37:32", *from = "29:24", *count = "69:64";

    if (says(b, "UBLK")) {
        sass_put_bits(b->t.word, &to, 8);
        sass_put_bits(b->t.word, &from, 16);
        sass_put_bits(b->t.word, &count, 24);
    }
}

static void try_word(struct bench *b, unsigned which, unsigned g)
{
    static const uint32_t masks[] = {EMU_ALL, 0x5a0ff0c1, 0x00010000};
    struct help_single *h = b->t.h;
    struct tally *tally;
    uint32_t mask = masks[rows[which].alone ? 2 : help_below(seed_of(b), 3)];
    struct barrier before = b->barrier;

    if (!help_single_prepare(h, b->t.word, b->t.cc, 0))
        return;
    teg_sass_opcode(&h->op.sass, b->opcode);
    put_registers(b);
    if (!help_single_prepare(h, b->t.word, b->t.cc, 0))
        return;
    tally = trial_tally(h->op.sass.name);
    teg_sass_text(&h->op.sass, b->t.text);
    if (strcmp(rows[which].name, "SYNCS") == 0 && !says(b, ".ARRIVE"))
        return; /* PHASECHK: check_phase; EXCH, CCTL: kernels */
    trial_fill(&b->t);
    fill(b);
    keep(b);
    if (!rows[which].of(b, mask)) {
        b->barrier = before;
        return;
    }
    if (help_single_run(h, mask) != TEG_OK) {
        b->barrier = before;
        make_barrier(b); /* some lanes may have come */
        tally->of[g].refused++;
        return;
    }
    check_memory(b);
    check_phase(b);
    tally->of[g].forms++;
    tally->of[g].checked += (unsigned long)__builtin_popcount(mask);
}

/* A PHASECHK whose operands are registers that can be set. */
static void find_check(struct bench *b, const struct sass_row *row,
                       size_t count)
{
    const char *reg = "39:32", *u = "83:81";

    for (size_t r = 0; r < count; r++) {
        if (strcmp(row[r].name, "SYNCS") != 0 ||
            strstr(row[r].modifiers, "TRYWAIT") == NULL ||
            b->t.cc < row[r].first || b->t.cc > row[r].last)
            continue;
        trial_draw(&b->t, &row[r],
                   row[r].forms != 0 ? (unsigned)__builtin_ctz(row[r].forms)
                                     : 0);
        memcpy(b->check, b->t.word, sizeof b->check);
        sass_put_bits(b->check, &reg, HELP_B);
        sass_put_bits(b->check, &u, 0);
        return;
    }
}

START_TEST(barriers_and_what_tells_them_are_the_references)
{
    static struct bench b;
    size_t count;
    const struct sass_row *row = sass_rows(&count);

    trial_open(&b.t, help_generations[_i],
               0xaf251af3b0f025b5u ^ help_generations[_i]);
    find_check(&b, row, count);
    for (unsigned n = 0; n < HELP_ROUNDS(trial_count()); n++) {
        make_barrier(&b);
        for (unsigned k = 0; k < 4; k++) {
            for (size_t r = 0; r < count; r++) {
                for (unsigned w = 0; w < sizeof rows / sizeof rows[0]; w++) {
                    if (strcmp(row[r].name, rows[w].name) != 0 ||
                        b.t.cc < row[r].first || b.t.cc > row[r].last)
                        continue;
                    trial_draw(&b.t, &row[r],
                               row[r].forms != 0
                                   ? (unsigned)__builtin_ctz(row[r].forms)
                                   : 0);
                    if (sass_row_fits(&row[r], b.t.word, b.t.cc))
                        try_word(&b, w, (unsigned)_i);
                }
            }
        }
    }
    trial_close(&b.t);
    trial_report(b.t.cc, (unsigned)_i);
    ck_assert_uint_eq(b.t.wrong, 0);
}
END_TEST

HELP_MAIN("emulate reference of barriers", 1800,
          {barriers_and_what_tells_them_are_the_references, HELP_DECODED})
