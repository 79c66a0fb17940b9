/*
 * Words of instructions made from the decoder's rows: the fields a row has, and
 * words whose operands are chosen registers and whose other bits are free.
 */
#ifndef TEG_TESTS_TRACES_EMULATE_HELP_WORDS_H
#define TEG_TESTS_TRACES_EMULATE_HELP_WORDS_H

#include "isa/sass/row.h"

enum {
    HELP_FIELDS = 24,
    /* the registers that operands are made to name, uniform ones too */
    HELP_A = 4,
    HELP_B = 8,
    HELP_C = 12,
    HELP_D = 16,
    HELP_E = 20,
    HELP_DECODED = 10
};

extern const uint32_t help_generations[HELP_DECODED];

/* A field whose values a table names: a modifier, a named operand, a suffix. */
struct help_field {
    uint8_t table; /* of kinds.def */
    const char *bits;
    int is_modifier;
};

/* Fills `field`; returns how many the row has. */
unsigned help_fields(const struct sass_row *row,
                     struct help_field field[HELP_FIELDS]);
/* Puts `value` into the field. */
void help_set(uint64_t word[2], const struct help_field *f, uint32_t value);
unsigned help_field_values(const struct help_field *f);

/* A word of the row: its conditions hold, fields are 0, registers those above,
 * other bits of its operands (marks, predicates, numbers) from `fill`. */
void help_word(const struct sass_row *row, unsigned form, uint32_t cc,
               const uint64_t fill[2], uint64_t word[2]);

void help_word_bytes(const uint64_t word[2], uint8_t out[TEG_SASS_BYTES]);

#endif
