/*
 * Inside the SASS decoder: the rows of sass_rows.def and sass_kinds.def, and
 * walks over their little languages.  sass_rows.def explains both.
 */
#ifndef TEG_ISA_SASS_ROW_H
#define TEG_ISA_SASS_ROW_H

#include "isa/sass.h"

/* Operand forms: bits 11:9 of the word, bit 91 on top. */
enum {
    FORM_RRR = 1 << 1,
    FORM_RRI = 1 << 2,
    FORM_RRC = 1 << 3,
    FORM_RIR = 1 << 4,
    FORM_RCR = 1 << 5,
    FORM_UUU = 1 << 9,
    FORM_UUI = 1 << 10,
    FORM_UIU = 1 << 12,
    FORM_RUR = 1 << 14,
    FORM_RRU = 1 << 15,
};

struct sass_row {
    uint16_t base;  /* bits 8:0 of the word */
    uint16_t forms; /* FORM_* that exist */
    uint8_t first, last;
    const char *name, *modifiers, *operands;
};

struct sass_kind {
    const char *name;
    const char *values; /* "RN|RM|RP": text of value 0, 1, ... */
};

const struct sass_row *sass_rows(size_t *count);
const struct sass_kind *sass_kinds(size_t *count);
/* Index of the table of that name; there must be one. */
uint8_t sass_kind_find(const char *name, size_t length);
/* Text of value `v` of a table, its length in `*length`; NULL: none. */
const char *sass_kind_text(uint8_t table, uint32_t v, size_t *length);

/* The bits named at `*at` ("78:75", "86:85,75"; high ones first) of the word;
 * moves `*at` behind them. */
uint64_t sass_bits(const uint64_t word[2], const char **at);
/* How many bits the list at `at` names. */
unsigned sass_bits_count(const char *at);

/* True if `row` has the word's form and conditions and holds for `cc`. */
int sass_row_fits(const struct sass_row *row, const uint64_t word[2],
                  uint32_t cc);

/* Steps through a row's modifier list: conditions ("80=1") are passed over.
 * Returns 0 at its end. */
struct sass_token {
    const char *text; /* ".HI", or the table's name */
    size_t length;
    const char *bits; /* NULL for a literal */
};
int sass_token_next(const char **at, struct sass_token *token);

#endif
