/*
 * The parser of kernel sketches, shared by its sources:
 *   parse.c   the walk over tokens, names, expressions
 *   inst.c    instruction lines
 *   head.c    statements of launch shape and resources
 *   values.c  statements that name values
 *   body.c    blocks, and the whole
 * Recursive descent; every recursion is counted and bounded.
 */
#ifndef TEG_TRACES_SKETCH_PARSE_H
#define TEG_TRACES_SKETCH_PARSE_H

#include "traces/sketch/lex.h"
#include "traces/sketch/plan.h"

enum {
    SKETCH_TEXT_KEPT = 200, /* characters kept of an instruction */
    SKETCH_REGISTERS_MAX = 255,
};

/* A constant, named expression or counter that is in scope. */
struct sketch_name {
    char text[SKETCH_WORD_MAX + 1];
    uint32_t node;
    uint32_t line; /* where it is defined */
};

struct sketch_parser {
    const char *name, *text; /* borrowed */
    struct sketch_tokens tokens;
    uint32_t at; /* token */
    struct sketch_plan *plan;
    const struct teg_sketch_options *options; /* may be NULL */
    struct teg_diag *d;

    struct sketch_name *names; /* owned, [name_count], a stack */
    uint32_t name_count, name_capacity;

    uint32_t seen;       /* bit per statement that may stand once */
    uint32_t statements; /* counted against SKETCH_STATEMENTS_MAX */
    uint32_t depth;      /* of the expression being parsed */
    uint32_t nesting;    /* blocks around the statement */
    uint32_t loops;      /* loops around it */
    uint32_t dry;        /* inside a part that is left out */

    /* Text of the instruction being parsed, gathered while `keeping`. */
    int keeping;
    char kept[SKETCH_TEXT_KEPT + 1];
    uint32_t kept_size;
};

/* --- tokens (parse.c) --- */

const struct sketch_token *sketch_peek(const struct sketch_parser *p);
const struct sketch_token *sketch_peek_next(const struct sketch_parser *p);
/* Consumes a token; the last, TOKEN_END, stays. */
void sketch_advance(struct sketch_parser *p);
/* Adds `text` to the instruction's. */
void sketch_keep(struct sketch_parser *p, const char *text, size_t size);
int sketch_is_sign(const struct sketch_token *t, uint32_t sign);
int sketch_is_word(const struct sketch_parser *p, const struct sketch_token *t,
                   const char *word);
/* Consumes the sign if it is next. */
int sketch_take_sign(struct sketch_parser *p, uint32_t sign);
int sketch_take_word(struct sketch_parser *p, const char *word);
/* Copies the characters of `t`; returns `out`. */
const char *sketch_word(const struct sketch_parser *p,
                        const struct sketch_token *t,
                        char out[SKETCH_WORD_MAX + 1]);

/* Fails with "expected WHAT, found " and the next token. */
teg_status sketch_expected(const struct sketch_parser *p, const char *what);
/* Fails at `line` with the given sentence. */
teg_status sketch_fail(const struct sketch_parser *p, uint32_t line,
                       const char *format, ...) TEG_PRINTF(3, 4);
teg_status sketch_expect_sign(struct sketch_parser *p, uint32_t sign,
                              const char *what);
teg_status sketch_expect_line(struct sketch_parser *p);

/* --- names and expressions (parse.c) --- */

/* Enters the word that is next into the scope, and consumes it. */
teg_status sketch_declare(struct sketch_parser *p, uint32_t node);
/* True if `t` is a word that an expression knows. */
int sketch_is_known(const struct sketch_parser *p,
                    const struct sketch_token *t);
int sketch_is_function(const struct sketch_parser *p,
                       const struct sketch_token *t);
teg_status sketch_parse_expr(struct sketch_parser *p, uint32_t *node);
/* An expression that has one value for all warps, within [min, max];
 * `what` names it. */
teg_status sketch_parse_const(struct sketch_parser *p, const char *what,
                              int64_t min, int64_t max, int64_t *value);

/* --- statements, each from behind its word on --- */

/* head.c; `threads` is that of `block`. */
teg_status sketch_parse_kernel(struct sketch_parser *p);
teg_status sketch_parse_isa(struct sketch_parser *p);
teg_status sketch_parse_grid(struct sketch_parser *p);
teg_status sketch_parse_cluster(struct sketch_parser *p);
teg_status sketch_parse_threads(struct sketch_parser *p);
teg_status sketch_parse_registers(struct sketch_parser *p);
teg_status sketch_parse_shared(struct sketch_parser *p);
teg_status sketch_parse_shared_base(struct sketch_parser *p);
teg_status sketch_parse_local_base(struct sketch_parser *p);
/* values.c */
teg_status sketch_parse_let(struct sketch_parser *p);
teg_status sketch_parse_param(struct sketch_parser *p);
teg_status sketch_parse_require(struct sketch_parser *p);
/* Refuses a value for a parameter that the sketch does not have. */
teg_status sketch_check_overrides(const struct sketch_parser *p);

/* --- lines --- */

/* Parses an instruction with its guard (inst.c). */
teg_status sketch_parse_inst(struct sketch_parser *p);

#endif
