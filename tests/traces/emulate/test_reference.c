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

#include "tests/help_suite.h"
#include "tests/traces/emulate/help_trial.h"
#include "traces/emulate/core/control.h"

static int same_result(const struct reference_out *want, uint64_t got)
{
    uint64_t size = got & (UINT64_MAX >> 1);

    if (want->is_nan == 2)
        return size > UINT64_C(0x7ff0000000000000);
    return ((want->d ^ got) & want->matters) == 0;
}

static void check_result(struct trial *t, const struct reference_in *in,
                         const struct reference_out *want, unsigned l)
{
    const struct teg_sass_operand *d = trial_target(t, 'd');
    uint64_t got;
    unsigned row;

    if (d == NULL)
        return;
    row = d->reg + (d->kind == SASS_UNIFORM ? EMU_UNIFORM_ROW : 0);
    got = (uint64_t)t->h->warp.r[row + 1][l] << 32 | t->h->warp.r[row][l];
    if (!same_result(want, got))
        trial_complain(t, in, "D", got & want->matters, want->d);
}

/* Returns the values compared; 0: there is no reference for the form. */
static unsigned check_lanes(struct trial *t, uint32_t mask)
{
    unsigned compared = 0;
    int is_uniform = t->h->op.sass.name[0] == 'U';

    for (unsigned l = 0; l < EMU_LANES; l++) {
        struct reference_in in = trial_inputs(t, l);
        struct reference_out want;

        if (!(mask >> l & 1)) {
            if (!is_uniform)
                trial_check_lane_off(t, l);
            continue;
        }
        if (!reference_result(&in, &want) ||
            (trial_target(t, 'u') && !want.has_u) ||
            (trial_target(t, 'v') && !want.has_v))
            continue;
        check_result(t, &in, &want, l);
        if (want.has_u)
            trial_check_predicate(t, &in, 'u', want.u, l);
        if (want.has_v)
            trial_check_predicate(t, &in, 'v', want.v, l);
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
    const struct teg_sass_operand *u = trial_target(t, 'u'),
                                  *v = trial_target(t, 'v');

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
        tally = trial_tally(t->h->op.sass.name);
        teg_sass_text(&t->h->op.sass, t->text);
        trial_restore(t);
        if (help_single_run(t->h, masks[plain]) != TEG_OK) {
            tally->of[g].refused++;
            return;
        }
        compared += check_lanes(t, masks[plain]);
        tally->of[g].checked += compared;
    }
    tally = trial_tally(t->h->op.sass.name);
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

static void try_row(struct trial *t, const struct sass_row *row, unsigned form,
                    unsigned g)
{
    for (unsigned n = 0; n < HELP_ROUNDS(trial_count()); n++) {
        trial_draw(t, row, form);
        if (!sass_row_fits(row, t->word, t->cc))
            continue;
        if (n % 4 == 0)
            trial_fill(t);
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

START_TEST(an_instruction_gives_what_the_reference_does)
{
    static struct trial t;
    size_t count;
    const struct sass_row *row = sass_rows(&count);

    trial_open(&t, help_generations[_i],
               0x9e3779b97f4a7c15u + help_generations[_i]);
    for (size_t r = 0; r < count; r++) {
        for (unsigned form = 0; form < 16; form++) {
            if ((row[r].forms >> form & 1) && t.cc >= row[r].first &&
                t.cc <= row[r].last && has_reference(row[r].name))
                try_row(&t, &row[r], form, (unsigned)_i);
        }
    }
    trial_close(&t);
    list_others(&t);
    trial_report(t.cc, (unsigned)_i);
    ck_assert_uint_eq(t.wrong, 0);
}
END_TEST

HELP_MAIN("emulate reference", 1800,
          {an_instruction_gives_what_the_reference_does, HELP_DECODED})
