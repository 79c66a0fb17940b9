/*
 * Inside the assembler: what its parts share.  read.c tries the rows,
 * operand.c and address.c put one operand of a row where its text says.
 */
#ifndef TEG_ISA_SASS_READER_H
#define TEG_ISA_SASS_READER_H

#include "isa/sass/row.h"

struct sass_reader {
    const struct sass_row *row;
    unsigned form; /* FORM_* bit tried */
    uint64_t pc;
    uint32_t cc;
    uint64_t word[2];
    char want[TEG_SASS_TEXT];    /* the whole text, squeezed */
    char opcode[TEG_SASS_TEXT];  /* with its modifiers */
    char operand[TEG_SASS_TEXT]; /* all of them, squeezed */
    struct teg_sass *s;
};

static inline void sass_put(struct sass_reader *r, const char *list, uint64_t v)
{
    sass_put_bits(r->word, &list, v);
}

/* An item of a row's operand list, up to the comma or blank behind it. */
struct sass_item {
    const char *at, *end;
    unsigned marks;
    char format; /* behind a ':' that is not inside a list of bits */
    int is_optional, is_blank;
};
/* The item that `spec` begins with. */
struct sass_item sass_item_at(const char *spec);

/*
 * Each puts what the text says into the word and returns what stands behind
 * it, NULL if the item cannot be it.
 */
/* "R12", "RZ" */
const char *sass_read_register(const char *text, unsigned *reg);
/* "UR4", "URZ" */
const char *sass_read_uniform(const char *text, unsigned *reg);
const char *sass_read_address(struct sass_reader *r, const char *text,
                              const struct sass_item *i);
/* Any operand and the modifier behind it; `second`: the other reading of an
 * immediate of two formats. */
const char *sass_read_operand(struct sass_reader *r, const char *text,
                              const struct sass_item *i, int second);
/* An operand that is not printed says nothing. */
void sass_put_nothing(struct sass_reader *r, const struct sass_item *i);

#endif
