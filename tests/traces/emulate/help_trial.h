/*
 * One instruction tried on a warp: its word drawn from a row of the decoder, its
 * registers filled, what it left compared, and what was tried counted by
 * operation and generation.
 */
#ifndef TEG_TESTS_TRACES_EMULATE_HELP_TRIAL_H
#define TEG_TESTS_TRACES_EMULATE_HELP_TRIAL_H

#include "tests/traces/emulate/help_reference.h"
#include "tests/traces/emulate/help_single.h"
#include "tests/traces/emulate/help_words.h"

enum {
    TRIAL_ROWS = 32, /* registers that may be read or written */
    TRIAL_WORDS = 2, /* of an operand or result */
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

/* Of a generation, with numbers of its own. */
void trial_open(struct trial *t, uint32_t cc, uint64_t random);
void trial_close(struct trial *t);

struct tally *trial_tally(const char *name);
/* Lines of help_generations[g], one an operation that was tried. */
void trial_report(uint32_t cc, unsigned g);

/* How often each form is tried: TEG_REFERENCE_TRIALS, or a few times. */
unsigned trial_count(void);
/* A word of the form with any value in every field. */
void trial_draw(struct trial *t, const struct sass_row *row, unsigned form);

/* Any bits, often those of a special number. */
uint32_t trial_some_word(uint64_t *random);
/* Registers, predicates and constants anew; what they are is kept. */
void trial_fill(struct trial *t);
/* The warp as it was kept. */
void trial_restore(struct trial *t);

/* What lane `l` finds before. */
uint32_t trial_word(const struct trial *t, const struct teg_sass_operand *o,
                    unsigned word, unsigned l);
int trial_predicate(const struct trial *t, char role, unsigned l);
struct reference_in trial_inputs(const struct trial *t, unsigned l);

/* A destination that is there: not RZ, not PT. */
const struct teg_sass_operand *trial_target(const struct trial *t, char role);

/* Says what is wrong, of each operation the first few times. */
void trial_complain(struct trial *t, const struct reference_in *in,
                    const char *what, uint64_t got, uint64_t want);
void trial_check_predicate(struct trial *t, const struct reference_in *in,
                           char role, int want, unsigned l);
/* Lanes that are off keep what they had. */
void trial_check_lane_off(const struct trial *t, unsigned l);

#endif
