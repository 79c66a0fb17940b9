#include "tests/traces/emulate/help_trial.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_launch.h"

enum {
    TRIALS = 24,
    NAMES = 256,
    COMPLAINTS = 3
};

static struct tally tallies[NAMES];
static unsigned names;

void trial_open(struct trial *t, uint32_t cc, uint64_t random)
{
    t->cc = cc;
    t->random = random;
    t->h = help_single_new();
    ck_assert_ptr_nonnull(t->h);
}

void trial_close(struct trial *t)
{
    help_single_free(t->h);
}

struct tally *trial_tally(const char *name)
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

void trial_report(uint32_t cc, unsigned g)
{
    for (unsigned i = 0; i < names; i++)
        printf("sm_%u %s %lu values, %u forms, %u without, %u refused\n", cc,
               tallies[i].name, tallies[i].of[g].checked,
               tallies[i].of[g].forms, tallies[i].of[g].without,
               tallies[i].of[g].refused);
    fflush(stdout); /* before a failure ends the process */
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

uint32_t trial_some_word(uint64_t *random)
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

void trial_fill(struct trial *t)
{
    struct emu_warp *w = &t->h->warp;

    for (unsigned r = 0; r < EMU_ROWS; r++) {
        int uniform = r >= EMU_UNIFORM_ROW;

        if (r % EMU_REGISTERS >= TRIAL_ROWS)
            continue;
        for (unsigned l = 0; l < EMU_LANES; l++)
            w->r[r][l] =
                uniform && l != 0 ? w->r[r][0] : trial_some_word(&t->random);
    }
    for (unsigned i = 0; i < 7; i++) {
        w->p[i] = (uint32_t)help_random(&t->random);
        w->up[i] = help_random(&t->random) & 1;
    }
    for (unsigned i = 0; i < HELP_BANK_BYTES / 4; i += 1 + i % 3) {
        uint32_t v = trial_some_word(&t->random);

        if (i < 512)
            memcpy(t->h->bank + 4 * (size_t)i, &v, 4);
    }
    memcpy(t->before, w->r, sizeof t->before);
    memcpy(t->p, w->p, sizeof t->p);
    memcpy(t->up, w->up, sizeof t->up);
}

void trial_restore(struct trial *t)
{
    memcpy(t->h->warp.r, t->before, sizeof t->before);
    memcpy(t->h->warp.p, t->p, sizeof t->p);
    memcpy(t->h->warp.up, t->up, sizeof t->up);
}

uint32_t trial_word(const struct trial *t, const struct teg_sass_operand *o,
                    unsigned word, unsigned l)
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
        /* a fault elsewhere: nothing is compared then */
        if (o->value + 4 * (int)word < 0 ||
            o->value + 4 * (int)word > HELP_BANK_BYTES - 4)
            return 0;
        memcpy(&v, t->h->bank + o->value + 4 * (int)word, 4);
        return v;
    }
}

int trial_predicate(const struct trial *t, char role, unsigned l)
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

struct reference_in trial_inputs(const struct trial *t, unsigned l)
{
    const struct teg_sass *s = &t->h->op.sass;
    struct reference_in in = {
        .s = s,
        .a = teg_sass_operand(s, 'a'),
        .b = teg_sass_operand(s, 'b'),
        .c = teg_sass_operand(s, 'c'),
        .p = trial_predicate(t, 'p', l),
        .q = trial_predicate(t, 'q', l),
        .r = trial_predicate(t, 'r', l),
    };
    const struct teg_sass_operand *o[] = {in.a, in.b, in.c};

    for (int i = 0; i < 3; i++) {
        for (unsigned k = 0; k < TRIAL_WORDS; k++)
            in.word[i][k] = trial_word(t, o[i], k, l);
    }
    return in;
}

/* ---- results ----------------------------------------------------------------------- */

const struct teg_sass_operand *trial_target(const struct trial *t, char role)
{
    const struct teg_sass_operand *o = teg_sass_operand(&t->h->op.sass, role);

    if (o == NULL)
        return NULL;
    return o->kind == SASS_PREDICATE || o->kind == SASS_UPREDICATE
               ? (o->reg == TEG_SASS_PT ? NULL : o)
           : o->kind == SASS_REGISTER ? (o->reg == TEG_SASS_RZ ? NULL : o)
                                      : (o->reg >= TEG_SASS_URZ ? NULL : o);
}

void trial_complain(struct trial *t, const struct reference_in *in,
                    const char *what, uint64_t got, uint64_t want)
{
    t->wrong++;
    if (trial_tally(t->h->op.sass.name)->wrong++ >= COMPLAINTS)
        return;
    printf("sm_%u %s of %08x:%08x %08x:%08x %08x:%08x p%d%d%d: %s is %llx, "
           "expected %llx\n",
           t->cc, t->text, in->word[0][1], in->word[0][0], in->word[1][1],
           in->word[1][0], in->word[2][1], in->word[2][0], in->p, in->q, in->r,
           what, (unsigned long long)got, (unsigned long long)want);
}

void trial_check_predicate(struct trial *t, const struct reference_in *in,
                           char role, int want, unsigned l)
{
    const struct teg_sass_operand *o = trial_target(t, role);
    int got;

    if (o == NULL)
        return;
    got = o->kind == SASS_UPREDICATE ? t->h->warp.up[o->reg]
                                     : (int)(t->h->warp.p[o->reg] >> l & 1);
    if (got != want)
        trial_complain(t, in,
                       role == 'u' ? "the predicate" : "the second predicate",
                       (uint64_t)got, (uint64_t)want);
}

void trial_check_lane_off(const struct trial *t, unsigned l)
{
    for (unsigned r = 0; r < TRIAL_ROWS; r++) {
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

/* ---- words ------------------------------------------------------------------------- */

unsigned trial_count(void)
{
    const char *given = getenv("TEG_REFERENCE_TRIALS");

    return given != NULL ? (unsigned)atoi(given) : TRIALS;
}

void trial_draw(struct trial *t, const struct sass_row *row, unsigned form)
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
