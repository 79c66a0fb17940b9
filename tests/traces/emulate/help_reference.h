/*
 * What an instruction gives for one lane, written from the PTX ISA's
 * descriptions of add, mad, lop3, shf, prmt, min, cvt, fma, set ... and, where
 * SASS has more than PTX, from the sum or comparison of 64 bits whose part it
 * is.  It goes by the names of the decoder's tables, not by bits, and has
 * nothing of the emulator's: no table, no arithmetic of the host.
 */
#ifndef TEG_TESTS_TRACES_EMULATE_HELP_REFERENCE_H
#define TEG_TESTS_TRACES_EMULATE_HELP_REFERENCE_H

#include "isa/sass/sass.h"

/* One lane's operands: words without marks, predicates with theirs. */
struct reference_in {
    const struct teg_sass *s;
    const struct teg_sass_operand *a, *b, *c; /* NULL: it has none */
    uint32_t word[3][2];                      /* of a, b, c */
    int p, q, r;                              /* 1 where it has none */
};

struct reference_out {
    uint64_t d;
    uint64_t matters; /* bits of `d` that are defined */
    int has_u, u, has_v, v;
    int is_nan; /* 1: any NaN of single, 2: of double precision */
};

/* Returns 0 if there is no reference for the instruction. */
int reference_result(const struct reference_in *in, struct reference_out *out);

/* ---- for the rooms of references ------------------------------------------ */

typedef int (*reference)(const struct reference_in *in,
                         struct reference_out *out);

struct reference_row {
    const char *name;
    reference of;
};

extern const struct reference_row reference_integers[], reference_floats[],
    reference_conversions[];

/* Whether the modifier of that table has that text ("" for none). */
int reference_is(const struct reference_in *in, const char *table,
                 const char *text);
/* The same for whichever table; `count` its place among those of one name. */
int reference_nth(const struct reference_in *in, const char *table,
                  unsigned count, const char *text);
/* Whether the name goes on with that text (".X"). */
int reference_says(const struct reference_in *in, const char *text);
/* The number operand that no role names (a shift, a table); `n` counts them. */
int64_t reference_number(const struct reference_in *in, unsigned n);

static inline int reference_marked(const struct teg_sass_operand *o,
                                   unsigned flag)
{
    return o != NULL && (o->flags & flag) != 0;
}

#endif
