/*
 * Every instruction that computes lane by lane, of every generation, in all its
 * forms and modifiers, on random and special operands, against a reference
 * written from the PTX ISA (help_reference.h): by the plain and by the vector
 * function, with some of the lanes off.
 *
 * `make check` tries each form a few times.  TEG_REFERENCE_TRIALS sets how
 * often, TEG_REFERENCE_LIST names what has no reference.  From the lines
 *
 *     sm_90 IADD3 13430 values, 170 forms, 0 without, 0 refused
 *     sm_90 HMMA runs
 *
 * `make emulator-check` makes the table of docs/emulator.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_launch.h"
#include "tests/help_suite.h"
#include "tests/traces/emulate/help_reference.h"
#include "tests/traces/emulate/help_single.h"
#include "tests/traces/emulate/help_words.h"
#include "traces/emulate/core/control.h"

enum {
    TRIALS = 24,
    NAMES = 256,
    ROWS_USED = 32, /* registers that may be read or written */
    WIDTH = 2,      /* words of a result */
    COMPLAINTS = 3
};

/* What was tried of an operation for a generation. */
struct tally {
    const char *name;
    unsigned wrong;
    struct {
        unsigned long checked; /* values of lanes */
        unsigned forms, without, refused;
    } of[HELP_DECODED];
};

struct trial {
    struct help_single *h;
    uint64_t random;
    uint64_t word[2];
    uint32_t cc;
    uint32_t before[EMU_ROWS][EMU_LANES];
    uint32_t p[8];
    uint8_t up[8];
    char text[TEG_SASS_TEXT];
    unsigned long wrong;
};

static struct tally tallies[NAMES];
static unsigned names;

static struct tally *tally_of(const char *name)
{
    for (unsigned i = 0; i < names; i++) {
        if (strcmp(tallies[i].name, name) == 0)
            return &tallies[i];
    }
    if (names == NAMES)
        ck_abort_msg("more than %d operations", NAMES);
    tallies[names].name = name;
    return &tallies[names++];
}

/* ---- operands ------------------------------------------------------------------- */

static const uint32_t special[] = {
    0,          1,          0x80000000, 0x7fffffff, 0xffffffff, 0x80000001,
    0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
    0xffc12345, 0x00400000, 0x807fffff, 0x00800000, 0x7f7fffff, 0x3f000000,
    0x4b000000, 0x4f000000, 0xcf000000, 0x4b7fffff, 0x5f000000, 0x33800000,
    0x3c003c00, 0x7c00fc00, 0x7e017c01, 0x00010001, 0x04008400, 0x7bfffbff,
    0x3f803f80, 0x7f80ff80, 0x7fc0ffc1, 0x00800080, 0x00ff00ff, 0x80008000,
    0x7fff8000, 0x00008000, 0x0000ffff, 0x0001ffff, 0x20000000, 0x1000000,
    0x7ff00000, 0xfff00000, 0x7ff80000, 0x3ff00000, 0x41dfffff, 0x43e00000,
    31,         32,         33,         63,         64,         0x1f00,
};

static uint32_t some_word(uint64_t *random)
{
    uint64_t v = help_random(random);

    switch (v >> 60) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        return special[v % (sizeof special / sizeof special[0])];
    case 5: /* floats near each other */
        return (uint32_t)((v & 0x80ffffff) | 0x3f000000);
    case 6:
        return (uint32_t)(v & 0x1f);
    case 7: /* halves near each other */
        return (uint32_t)((v & 0x83ff83ff) | 0x3c003c00);
    case 8: /* doubles of moderate size, by their upper word */
        return (uint32_t)((v & 0x807fffff) | 0x3ff00000);
    default:
        return (uint32_t)v;
    }
}

static void fill(struct trial *t)
{
    struct emu_warp *w = &t->h->warp;

    for (unsigned r = 0; r < EMU_ROWS; r++) {
        int uniform = r >= EMU_UNIFORM_ROW;

        if (r % EMU_REGISTERS >= ROWS_USED)
            continue;
        for (unsigned l = 0; l < EMU_LANES; l++)
            w->r[r][l] = uniform && l != 0 ? w->r[r][0] : some_word(&t->random);
    }
    for (unsigned i = 0; i < 7; i++) {
        w->p[i] = (uint32_t)help_random(&t->random);
        w->up[i] = help_random(&t->random) & 1;
    }
    for (unsigned i = 0; i < HELP_BANK_BYTES / 4; i += 1 + i % 3) {
        uint32_t v = some_word(&t->random);

        if (i < 512)
            memcpy(t->h->bank + 4 * (size_t)i, &v, 4);
    }
    memcpy(t->before, w->r, sizeof t->before);
    memcpy(t->p, w->p, sizeof t->p);
    memcpy(t->up, w->up, sizeof t->up);
}

static void restore(struct trial *t)
{
    memcpy(t->h->warp.r, t->before, sizeof t->before);
    memcpy(t->h->warp.p, t->p, sizeof t->p);
    memcpy(t->h->warp.up, t->up, sizeof t->up);
}

static uint32_t operand_word(const struct trial *t,
                             const struct teg_sass_operand *o, unsigned word,
                             unsigned l)
{
    uint32_t v = 0;

    if (o == NULL)
        return 0;
    switch (o->kind) {
    case SASS_REGISTER:
        return o->reg == TEG_SASS_RZ ? 0 : t->before[o->reg + word][l];
    case SASS_UNIFORM:
        return o->reg >= TEG_SASS_URZ
                   ? 0
                   : t->before[EMU_UNIFORM_ROW + o->reg + word][0];
    case SASS_IMMEDIATE:
        return word == 0 ? (uint32_t)o->value : 0;
    default:
        memcpy(&v, t->h->bank + o->value + 4 * (int)word, 4);
        return v;
    }
}

static int predicate(const struct trial *t, char role, unsigned l)
{
    const struct teg_sass_operand *o = teg_sass_operand(&t->h->op.sass, role);
    int v;

    if (o == NULL)
        return 1;
    v = o->reg == TEG_SASS_PT        ? 1
        : o->kind == SASS_UPREDICATE ? t->up[o->reg]
                                     : (int)(t->p[o->reg] >> l & 1);
    return o->flags & SASS_NEGATE ? !v : v;
}

static struct reference_in inputs(const struct trial *t, unsigned l)
{
    const struct teg_sass *s = &t->h->op.sass;
    struct reference_in in = {
        .s = s,
        .a = teg_sass_operand(s, 'a'),
        .b = teg_sass_operand(s, 'b'),
        .c = teg_sass_operand(s, 'c'),
        .p = predicate(t, 'p', l),
        .q = predicate(t, 'q', l),
        .r = predicate(t, 'r', l),
    };
    const struct teg_sass_operand *o[] = {in.a, in.b, in.c};

    for (int i = 0; i < 3; i++) {
        for (unsigned k = 0; k < WIDTH; k++)
            in.word[i][k] = operand_word(t, o[i], k, l);
    }
    return in;
}

/* ---- results ----------------------------------------------------------------------- */

/* A destination that is there: not RZ, not PT. */
static const struct teg_sass_operand *target(const struct trial *t, char role)
{
    const struct teg_sass_operand *o = teg_sass_operand(&t->h->op.sass, role);

    if (o == NULL)
        return NULL;
    return o->kind == SASS_PREDICATE || o->kind == SASS_UPREDICATE
               ? (o->reg == TEG_SASS_PT ? NULL : o)
           : o->kind == SASS_REGISTER ? (o->reg == TEG_SASS_RZ ? NULL : o)
                                      : (o->reg >= TEG_SASS_URZ ? NULL : o);
}

static int same_result(const struct reference_out *want, uint64_t got)
{
    uint64_t size = got & (UINT64_MAX >> 1);

    if (want->is_nan == 2)
        return size > UINT64_C(0x7ff0000000000000);
    return ((want->d ^ got) & want->matters) == 0;
}

/* Says what is wrong, of each operation the first few times. */
static void complain(struct trial *t, const struct reference_in *in,
                     const char *what, uint64_t got, uint64_t want)
{
    t->wrong++;
    if (tally_of(t->h->op.sass.name)->wrong++ >= COMPLAINTS)
        return;
    printf("sm_%u %s of %08x:%08x %08x:%08x %08x:%08x p%d%d%d: %s is %llx, "
           "expected %llx\n",
           t->cc, t->text, in->word[0][1], in->word[0][0], in->word[1][1],
           in->word[1][0], in->word[2][1], in->word[2][0], in->p, in->q, in->r,
           what, (unsigned long long)got, (unsigned long long)want);
}

static void check_result(struct trial *t, const struct reference_in *in,
                         const struct reference_out *want, unsigned l)
{
    const struct teg_sass_operand *d = target(t, 'd');
    uint64_t got;
    unsigned row;

    if (d == NULL)
        return;
    row = d->reg + (d->kind == SASS_UNIFORM ? EMU_UNIFORM_ROW : 0);
    got = (uint64_t)t->h->warp.r[row + 1][l] << 32 | t->h->warp.r[row][l];
    if (!same_result(want, got))
        complain(t, in, "D", got & want->matters, want->d);
}

static void check_predicate(struct trial *t, const struct reference_in *in,
                            char role, int want, unsigned l)
{
    const struct teg_sass_operand *o = target(t, role);
    int got;

    if (o == NULL)
        return;
    got = o->kind == SASS_UPREDICATE ? t->h->warp.up[o->reg]
                                     : (int)(t->h->warp.p[o->reg] >> l & 1);
    if (got != want)
        complain(t, in, role == 'u' ? "the predicate" : "the second predicate",
                 (uint64_t)got, (uint64_t)want);
}

/* Lanes that are off keep what they had. */
static void check_lane_off(const struct trial *t, unsigned l)
{
    for (unsigned r = 0; r < ROWS_USED; r++) {
        if (t->h->warp.r[r][l] != t->before[r][l])
            ck_abort_msg("sm_%u %s: R%u of lane %u that is off", t->cc, t->text,
                         r, l);
    }
    for (unsigned i = 0; i < 7; i++) {
        if ((t->h->warp.p[i] ^ t->p[i]) >> l & 1)
            ck_abort_msg("sm_%u %s: P%u of lane %u that is off", t->cc, t->text,
                         i, l);
    }
}

/* Returns the values compared; 0: there is no reference for the form. */
static unsigned check_lanes(struct trial *t, uint32_t mask)
{
    unsigned compared = 0;
    int is_uniform = t->h->op.sass.name[0] == 'U';

    for (unsigned l = 0; l < EMU_LANES; l++) {
        struct reference_in in = inputs(t, l);
        struct reference_out want;

        if (!(mask >> l & 1)) {
            if (!is_uniform)
                check_lane_off(t, l);
            continue;
        }
        if (!reference_result(&in, &want) || (target(t, 'u') && !want.has_u) ||
            (target(t, 'v') && !want.has_v))
            continue;
        check_result(t, &in, &want, l);
        if (want.has_u)
            check_predicate(t, &in, 'u', want.u, l);
        if (want.has_v)
            check_predicate(t, &in, 'v', want.v, l);
        compared++;
        if (is_uniform)
            break;
    }
    return compared;
}

/* ---- trials -------------------------------------------------------------------------- */

/* Two results in one place: which stays is not said. */
static int is_ambiguous(const struct trial *t)
{
    const struct teg_sass_operand *u = target(t, 'u'), *v = target(t, 'v');

    return u != NULL && v != NULL && u->reg == v->reg;
}

static void try_word(struct trial *t, unsigned g)
{
    static const uint32_t masks[] = {EMU_ALL, 0x5a0ff0c1};
    struct tally *tally;
    unsigned compared = 0;

    for (int plain = 0; plain < 2; plain++) {
        if (!help_single_prepare(t->h, t->word, t->cc, plain))
            return;
        if (is_ambiguous(t))
            return;
        tally = tally_of(t->h->op.sass.name);
        teg_sass_text(&t->h->op.sass, t->text);
        restore(t);
        if (help_single_run(t->h, masks[plain]) != TEG_OK) {
            tally->of[g].refused++;
            return;
        }
        compared += check_lanes(t, masks[plain]);
        tally->of[g].checked += compared;
    }
    tally = tally_of(t->h->op.sass.name);
    tally->of[g].forms++;
    tally->of[g].without += compared == 0;
    if (compared == 0 && getenv("TEG_REFERENCE_LIST") != NULL)
        printf("no reference: sm_%u %s\n", t->cc, t->text);
}

/* Whether lanes alone tell what comes out. */
static int has_reference(const char *name)
{
    static const struct reference_row *const rooms[] = {
        reference_integers, reference_floats, reference_conversions};

    name += name[0] == 'U';
    for (unsigned i = 0; i < 3; i++) {
        for (const struct reference_row *row = rooms[i]; row->name != NULL;
             row++) {
            if (strcmp(row->name, name) == 0)
                return 1;
        }
    }
    return 0;
}

static unsigned trials(void)
{
    const char *given = getenv("TEG_REFERENCE_TRIALS");

    return given != NULL ? (unsigned)atoi(given) : TRIALS;
}

/* A word of the form with any value in every field. */
static void draw_word(struct trial *t, const struct sass_row *row,
                      unsigned form)
{
    uint64_t random[2] = {help_random(&t->random), help_random(&t->random)};
    struct help_field field[HELP_FIELDS];
    unsigned fields = help_fields(row, field);

    help_word(row, form, t->cc, random, t->word);
    for (unsigned i = 0; i < fields; i++)
        help_set(t->word, &field[i],
                 (uint32_t)help_random(&t->random) &
                     (help_field_values(&field[i]) - 1));
}

static void try_row(struct trial *t, const struct sass_row *row, unsigned form,
                    unsigned g)
{
    for (unsigned n = 0; n < trials(); n++) {
        draw_word(t, row, form);
        if (!sass_row_fits(row, t->word, t->cc))
            continue;
        if (n % 4 == 0)
            fill(t);
        try_word(t, g);
    }
}

/* Operations that are not checked lane by lane: whether there is a function. */
static void list_others(const struct trial *t)
{
    size_t count;
    const struct sass_row *row = sass_rows(&count);
    const char *last = "";

    for (size_t r = 0; r < count; r++) {
        if (has_reference(row[r].name) || strcmp(row[r].name, last) == 0 ||
            t->cc < row[r].first || t->cc > row[r].last)
            continue;
        last = row[r].name;
        printf("sm_%u %s %s\n", t->cc, last,
               emu_control_of(last) != CONTROL_NONE || emu_has_function(last)
                   ? "runs"
                   : "refused");
    }
}

static void report(uint32_t cc, unsigned g)
{
    for (unsigned i = 0; i < names; i++)
        printf("sm_%u %s %lu values, %u forms, %u without, %u refused\n", cc,
               tallies[i].name, tallies[i].of[g].checked,
               tallies[i].of[g].forms, tallies[i].of[g].without,
               tallies[i].of[g].refused);
}

START_TEST(an_instruction_gives_what_the_reference_does)
{
    static struct trial t;
    size_t count;
    const struct sass_row *row = sass_rows(&count);

    t.cc = help_generations[_i];
    t.random = 0x9e3779b97f4a7c15u + t.cc;
    t.h = help_single_new();
    ck_assert_ptr_nonnull(t.h);
    for (size_t r = 0; r < count; r++) {
        for (unsigned form = 0; form < 16; form++) {
            if ((row[r].forms >> form & 1) && t.cc >= row[r].first &&
                t.cc <= row[r].last && has_reference(row[r].name))
                try_row(&t, &row[r], form, (unsigned)_i);
        }
    }
    help_single_free(t.h);
    list_others(&t);
    report(t.cc, (unsigned)_i);
    ck_assert_uint_eq(t.wrong, 0);
}
END_TEST

/* ---- between lanes ------------------------------------------------------------------ */

/* What a warp's lanes give together, by the PTX ISA. */
struct together {
    uint32_t d[EMU_LANES], matters; /* lanes of which `d` is said */
    uint32_t p;                     /* lanes whose predicate holds */
};

static uint32_t lane_word(const struct trial *t, char role, unsigned word,
                          unsigned l)
{
    return operand_word(t, teg_sass_operand(&t->h->op.sass, role), word, l);
}

static int has_text(const struct trial *t, const char *table, const char *text)
{
    struct reference_in in = {.s = &t->h->op.sass};

    return reference_is(&in, table, text);
}

/* The lane and the bound are registers B and C or numbers, by the form. */
static void shfl(const struct trial *t, uint32_t mask, struct together *out)
{
    struct reference_in in = {.s = &t->h->op.sass};
    int b_given = teg_sass_operand(in.s, 'b') == NULL;
    int c_given = teg_sass_operand(in.s, 'c') == NULL;

    out->matters = 0;
    for (unsigned l = 0; l < EMU_LANES; l++) {
        uint32_t b = b_given ? (uint32_t)reference_number(&in, 0)
                             : lane_word(t, 'b', 0, l);
        uint32_t c = c_given ? (uint32_t)reference_number(&in, b_given)
                             : lane_word(t, 'c', 0, l);
        uint32_t segment = c >> 8 & 31, bound = c & 31;
        int least = (int)(l & segment);
        int most = least | (int)(bound & ~segment), lane = (int)l, j, ok;

        b &= 31;
        if (has_text(t, "shfl", "UP"))
            j = lane - (int)b, ok = j >= most;
        else if (has_text(t, "shfl", "DOWN"))
            j = lane + (int)b, ok = j <= most;
        else if (has_text(t, "shfl", "BFLY"))
            j = lane ^ (int)b, ok = j <= most;
        else
            j = least | (int)(b & ~segment), ok = j <= most;
        j = ok ? j : lane;
        out->d[l] = lane_word(t, 'a', 0, (unsigned)j & 31);
        out->matters |= (mask >> j & 1) << l; /* else it is undefined */
        out->p |= (uint32_t)ok << l;
    }
}

static void vote(const struct trial *t, uint32_t mask, struct together *out)
{
    uint32_t ballot = 0;
    int yes;

    for (unsigned l = 0; l < EMU_LANES; l++)
        ballot |= (mask >> l & 1 && predicate(t, 'p', l) ? 1u : 0) << l;
    yes = has_text(t, "vote", "ALL")   ? ballot == mask
          : has_text(t, "vote", "ANY") ? ballot != 0
                                       : ballot == mask || ballot == 0;
    for (unsigned l = 0; l < EMU_LANES; l++)
        out->d[l] = ballot;
    out->p = yes ? EMU_ALL : 0;
}

static void match(const struct trial *t, uint32_t mask, struct together *out)
{
    const struct teg_sass *s = &t->h->op.sass;
    unsigned words = teg_sass_operand(s, 'a')->count;
    struct reference_in in = {.s = s};
    int all = reference_says(&in, ".ALL");
    uint32_t first = (uint32_t)__builtin_ctz(mask), same[EMU_LANES] = {0};

    for (unsigned l = 0; l < EMU_LANES; l++) {
        for (unsigned m = 0; m < EMU_LANES; m++) {
            int equal = 1;

            for (unsigned w = 0; w < words; w++)
                equal &= lane_word(t, 'a', w, l) == lane_word(t, 'a', w, m);
            same[l] |= (mask >> m & 1 && equal ? 1u : 0) << m;
        }
    }
    out->p = same[first] == mask ? EMU_ALL : 0;
    for (unsigned l = 0; l < EMU_LANES; l++)
        out->d[l] = all ? out->p & mask : same[l];
}

static void redux(const struct trial *t, uint32_t mask, struct together *out)
{
    int has_sign = has_text(t, "s32", "S32"), first = 1;
    int64_t total = 0;

    for (unsigned l = 0; l < EMU_LANES; l++) {
        uint32_t word = lane_word(t, 'a', 0, l);
        int64_t v = has_sign ? (int64_t)(int32_t)word : (int64_t)word;

        if (!(mask >> l & 1))
            continue;
        if (first)
            total = v;
        else if (has_text(t, "redux", "OR"))
            total |= v;
        else if (has_text(t, "redux", "XOR"))
            total ^= v;
        else if (has_text(t, "redux", "SUM"))
            total += v;
        else if (has_text(t, "redux", "MIN"))
            total = v < total ? v : total;
        else if (has_text(t, "redux", "MAX"))
            total = v > total ? v : total;
        else
            total &= v;
        first = 0;
    }
    for (unsigned l = 0; l < EMU_LANES; l++)
        out->d[l] = (uint32_t)total;
}

static const struct {
    const char *name;
    void (*of)(const struct trial *t, uint32_t mask, struct together *out);
} together[] = {
    {"SHFL", shfl},   {"VOTE", vote},   {"VOTEU", vote},
    {"MATCH", match}, {"REDUX", redux},
};

static void check_together(struct trial *t, uint32_t mask,
                           const struct together *want)
{
    const struct teg_sass_operand *d = target(t, 'd');
    unsigned row = d == NULL                 ? 0
                   : d->kind == SASS_UNIFORM ? EMU_UNIFORM_ROW + d->reg
                                             : d->reg;

    for (unsigned l = 0; l < EMU_LANES; l++) {
        struct reference_in in = inputs(t, l);

        if (!(mask >> l & 1))
            continue;
        if (d != NULL && want->matters >> l & 1 &&
            t->h->warp.r[row][l] != want->d[l])
            complain(t, &in, "D", t->h->warp.r[row][l], want->d[l]);
        if (target(t, 'u') != NULL)
            check_predicate(t, &in, 'u', (int)(want->p >> l & 1), l);
    }
}

static void try_together(struct trial *t, unsigned which, unsigned g)
{
    static const uint32_t masks[] = {EMU_ALL, 0x5a0ff0c1, 0x00010000};

    for (unsigned i = 0; i < 2 * 3; i++) {
        struct together want = {.matters = EMU_ALL};
        struct tally *tally;

        if (!help_single_prepare(t->h, t->word, t->cc, i % 2 != 0))
            return;
        tally = tally_of(t->h->op.sass.name);
        teg_sass_text(&t->h->op.sass, t->text);
        restore(t);
        if (help_single_run(t->h, masks[i / 2]) != TEG_OK)
            ck_abort_msg("sm_%u %s is refused", t->cc, t->text);
        together[which].of(t, masks[i / 2], &want);
        check_together(t, masks[i / 2], &want);
        tally->of[g].checked += (unsigned long)__builtin_popcount(masks[i / 2]);
        tally->of[g].forms++;
    }
}

/* A few lanes have the same word, so that some match. */
static void repeat_words(struct trial *t)
{
    for (unsigned w = 0; w < 2; w++) {
        for (unsigned l = 1; l < EMU_LANES; l++) {
            uint32_t *row = t->before[HELP_A + w];

            if (help_random(&t->random) % 3 != 0)
                row[l] = row[help_below(&t->random, l)];
        }
    }
}

static void try_warp_row(struct trial *t, const struct sass_row *row,
                         unsigned form, unsigned which, unsigned g)
{
    for (unsigned n = 0; n < trials(); n++) {
        draw_word(t, row, form);
        fill(t);
        repeat_words(t);
        try_together(t, which, g);
    }
}

START_TEST(lanes_together_give_what_the_reference_does)
{
    static struct trial t;
    size_t count;
    const struct sass_row *row = sass_rows(&count);

    t.cc = help_generations[_i];
    t.random = 0x9e3779b97f4a7c15u ^ t.cc;
    t.h = help_single_new();
    ck_assert_ptr_nonnull(t.h);
    for (size_t r = 0; r < count; r++) {
        for (unsigned w = 0; w < sizeof together / sizeof together[0]; w++) {
            for (unsigned form = 0; form < 16; form++) {
                if ((row[r].forms >> form & 1) && t.cc >= row[r].first &&
                    t.cc <= row[r].last &&
                    strcmp(row[r].name, together[w].name) == 0)
                    try_warp_row(&t, &row[r], form, w, (unsigned)_i);
            }
        }
    }
    help_single_free(t.h);
    report(t.cc, (unsigned)_i);
    ck_assert_uint_eq(t.wrong, 0);
}
END_TEST

HELP_MAIN("emulate reference", 1800,
          {an_instruction_gives_what_the_reference_does, HELP_DECODED},
          {lanes_together_give_what_the_reference_does, HELP_DECODED})
