/*
 * Statements of a kernel sketch.  Those of the head (launch shape, resources)
 * stand before the first instruction; the rest may stand anywhere.  Blocks end
 * with `end`.  What `repeat` repeats is parsed once for each copy; what an
 * `if` of a constant leaves out is parsed and dropped ("dry").
 */
#include "traces/sketch/parse.h"

#include "isa/base/nearest.h"

#include <stdlib.h>

enum end_word {
    END_NONE = 0,
    END_END = 1,
    END_ELSE = 2,
};

static teg_status parse_block(struct sketch_parser *p, uint32_t opened,
                              const char *what, unsigned enders,
                              enum end_word *ended);

/* Counts a statement, or a copy of one. */
static teg_status count_statement(struct sketch_parser *p)
{
    if (++p->statements > SKETCH_STATEMENTS_MAX)
        return teg_fail_line(p->d, TEG_LIMIT, p->name, sketch_peek(p)->line,
                             "expected at most %d statements with all copies "
                             "that repeat makes",
                             SKETCH_STATEMENTS_MAX);
    return TEG_OK;
}

/* True if a counter's name stands before the count of a loop or repeat. */
static int has_counter(const struct sketch_parser *p)
{
    const struct sketch_token *t = sketch_peek(p), *next = sketch_peek_next(p);

    return t->kind == TOKEN_WORD &&
           (next->kind == TOKEN_WORD || next->kind == TOKEN_NUMBER ||
            (sketch_is_sign(next, '(') && !sketch_is_function(p, t)));
}

/* [NAME] COUNT or [NAME] in FIRST..BOUND [step STRIDE]; `*name` is the token
 * of the counter's name, 0 if there is none. */
static teg_status parse_range(struct sketch_parser *p, struct sketch_step *s,
                              uint32_t *name)
{
    *name = 0;
    s->stride = 1;
    if (has_counter(p)) {
        *name = p->at;
        sketch_advance(p);
    }
    if (!sketch_take_word(p, "in")) {
        TRY(sketch_exprs_const(&p->plan->exprs, 0, &s->first, p->d));
        return sketch_parse_expr(p, &s->bound);
    }
    TRY(sketch_parse_expr(p, &s->first));
    TRY(sketch_expect_sign(p, SKETCH_SIGN('.', '.'), ".. of the range"));
    TRY(sketch_parse_expr(p, &s->bound));
    if (!sketch_take_word(p, "step"))
        return TEG_OK;
    TRY(sketch_parse_const(p, "a step", INT64_MIN, INT64_MAX, &s->stride));
    if (s->stride == 0)
        return sketch_fail(p, s->line, "expected a step other than 0, found 0");
    return TEG_OK;
}

/* Declares the counter whose name is token `name`, if that is not 0. */
static teg_status declare_counter(struct sketch_parser *p, uint32_t name,
                                  uint32_t node)
{
    uint32_t at = p->at;

    if (name == 0)
        return TEG_OK;
    p->at = name;
    TRY(sketch_declare(p, node));
    p->at = at;
    return TEG_OK;
}

static teg_status parse_loop(struct sketch_parser *p)
{
    struct sketch_exprs *exprs = &p->plan->exprs;
    struct sketch_step step = {.kind = STEP_LOOP,
                               .loops = (uint8_t)p->loops,
                               .line = sketch_peek(p)->line};
    uint32_t name, index, counter, names = p->name_count;
    enum end_word ended;

    if (p->loops == SKETCH_LOOPS_MAX)
        return sketch_fail(p, step.line,
                           "expected at most %d loops inside one another",
                           SKETCH_LOOPS_MAX);
    TRY(parse_range(p, &step, &name));
    TRY(sketch_expect_line(p));
    TRY(sketch_exprs_counter(exprs, p->loops, exprs->node[step.first].varies,
                             &counter, p->d));
    TRY(declare_counter(p, name, counter));
    TRY(sketch_plan_add(p->plan, &step, &index, p->d));
    p->loops++;
    TRY(parse_block(p, step.line, "loop", END_END, &ended));
    p->loops--;
    p->name_count = names;
    p->plan->step[index].end = p->plan->steps;
    return TEG_OK;
}

/* Parses one copy of what is repeated, from token `body` on. */
static teg_status parse_copy(struct sketch_parser *p, uint32_t opened,
                             uint32_t body, uint32_t name, int64_t i)
{
    uint32_t node, names = p->name_count;
    enum end_word ended;

    p->at = body;
    TRY(sketch_exprs_const(&p->plan->exprs, i, &node, p->d));
    TRY(declare_counter(p, name, node));
    TRY(count_statement(p));
    TRY(parse_block(p, opened, "repeat", END_END, &ended));
    p->name_count = names;
    return TEG_OK;
}

static teg_status parse_repeat(struct sketch_parser *p)
{
    uint32_t opened = sketch_peek(p)->line, name = 0, body;
    int64_t copies;

    if (has_counter(p)) {
        name = p->at;
        sketch_advance(p);
    }
    TRY(sketch_parse_const(p, "repeat", 0, SKETCH_STATEMENTS_MAX, &copies));
    TRY(sketch_expect_line(p));
    body = p->at;
    for (int64_t i = 0; i < copies; i++)
        TRY(parse_copy(p, opened, body, name, i));
    if (copies == 0) {
        uint32_t steps = p->plan->steps;

        p->dry++;
        TRY(parse_copy(p, opened, body, name, 0));
        p->dry--;
        p->plan->steps = steps;
    }
    return TEG_OK;
}

/* Parses one side of an if; drops it unless `taken`. */
static teg_status parse_side(struct sketch_parser *p, uint32_t opened,
                             int taken, unsigned enders, enum end_word *ended)
{
    uint32_t steps = p->plan->steps, names = p->name_count;

    p->dry += !taken;
    TRY(parse_block(p, opened, "if", enders, ended));
    p->dry -= !taken;
    p->name_count = names;
    if (!taken)
        p->plan->steps = steps;
    return TEG_OK;
}

static teg_status parse_if(struct sketch_parser *p);

/* Behind `else`: a block, or another if that shares the `end`. */
static teg_status parse_else(struct sketch_parser *p, uint32_t opened,
                             int taken)
{
    uint32_t steps = p->plan->steps;
    enum end_word ended;

    if (!sketch_take_word(p, "if")) {
        TRY(sketch_expect_line(p));
        return parse_side(p, opened, taken, END_END, &ended);
    }
    p->dry += !taken;
    TRY(parse_if(p));
    p->dry -= !taken;
    if (!taken)
        p->plan->steps = steps;
    return TEG_OK;
}

static teg_status parse_if(struct sketch_parser *p)
{
    struct sketch_step step = {.kind = STEP_IF, .line = sketch_peek(p)->line};
    uint32_t index = 0;
    int constant;
    int64_t value;
    enum end_word ended;

    if (++p->nesting > SKETCH_NESTING_MAX)
        return sketch_expected(p, "fewer ifs inside one another");
    TRY(sketch_parse_expr(p, &step.guard));
    TRY(sketch_expect_line(p));
    constant = sketch_exprs_folded(&p->plan->exprs, step.guard, &value);
    if (!constant)
        TRY(sketch_plan_add(p->plan, &step, &index, p->d));
    TRY(parse_side(p, step.line, !constant || value != 0, END_END | END_ELSE,
                   &ended));
    step.middle = p->plan->steps;
    if (ended == END_ELSE)
        TRY(parse_else(p, step.line, !constant || value == 0));
    if (!constant) {
        p->plan->step[index].middle = step.middle;
        p->plan->step[index].end = p->plan->steps;
    }
    p->nesting--;
    return TEG_OK;
}

/* --- statements --- */

static const struct statement {
    const char *word;
    teg_status (*parse)(struct sketch_parser *p);
    uint8_t head;  /* stands once, before the first instruction */
    uint8_t block; /* ends with its own `end`, not with its line */
} STATEMENTS[] = {
    {"kernel", sketch_parse_kernel, 1, 0},
    {"isa", sketch_parse_isa, 1, 0},
    {"grid", sketch_parse_grid, 1, 0},
    {"block", sketch_parse_threads, 1, 0},
    {"cluster", sketch_parse_cluster, 1, 0},
    {"registers", sketch_parse_registers, 1, 0},
    {"shared", sketch_parse_shared, 1, 0},
    {"shared_base", sketch_parse_shared_base, 1, 0},
    {"local_base", sketch_parse_local_base, 1, 0},
    {"let", sketch_parse_let, 0, 0},
    {"param", sketch_parse_param, 0, 0},
    {"require", sketch_parse_require, 0, 0},
    {"loop", parse_loop, 0, 1},
    {"repeat", parse_repeat, 0, 1},
    {"if", parse_if, 0, 1},
};

enum {
    STATEMENT_COUNT = sizeof STATEMENTS / sizeof *STATEMENTS
};

static teg_status unknown_statement(const struct sketch_parser *p)
{
    const struct sketch_token *t = sketch_peek(p);
    char typed[SKETCH_WORD_MAX + 1];
    struct teg_nearest nearest;

    if (t->kind != TOKEN_WORD)
        return sketch_expected(p, "a statement or an instruction");
    if (sketch_is_word(p, t, "end") || sketch_is_word(p, t, "else"))
        return sketch_expected(p,
                               "a statement (no loop, if or repeat is open)");
    teg_nearest_init(&nearest, sketch_word(p, t, typed));
    for (size_t i = 0; i < STATEMENT_COUNT; i++)
        teg_nearest_offer(&nearest, STATEMENTS[i].word);
    teg_nearest_offer(&nearest, "end");
    teg_nearest_offer(&nearest, "else");
    return sketch_fail(p, t->line,
                       "expected a statement or an opcode in capitals, found "
                       "'%s' (nearest: %s)",
                       typed, nearest.best);
}

static teg_status check_head(struct sketch_parser *p, size_t statement)
{
    uint32_t bit = 1u << statement;
    const char *word = STATEMENTS[statement].word;

    if (!STATEMENTS[statement].head)
        return TEG_OK;
    if (p->plan->kernel.program.count != 0 || p->nesting != 0)
        return sketch_fail(p, sketch_peek(p)->line,
                           "expected %s before the first instruction", word);
    if ((p->seen & bit) != 0)
        return sketch_fail(p, sketch_peek(p)->line,
                           "expected %s once, found it again", word);
    p->seen |= bit;
    return TEG_OK;
}

static teg_status parse_known(struct sketch_parser *p, size_t statement)
{
    const struct statement *s = &STATEMENTS[statement];

    TRY(check_head(p, statement));
    sketch_advance(p);
    if (!s->block) {
        TRY(s->parse(p));
        return sketch_expect_line(p);
    }
    return s->parse(p);
}

/* Settles the head when the first instruction comes. */
static teg_status finish_head(struct sketch_parser *p)
{
    struct teg_kernel *kernel = &p->plan->kernel;

    if (kernel->isa == 0)
        return sketch_expected(p, "isa before the first instruction");
    if (kernel->block[0] == 0)
        return sketch_expected(p, "block before the first instruction");
    for (uint32_t i = 0; i < 3; i++)
        if (kernel->grid[i] == 0)
            kernel->grid[i] = 1;
    if (kernel->cluster[0] > 1 && kernel->grid[0] % kernel->cluster[0] != 0)
        return sketch_expected(p, "a grid that clusters divide along x");
    return TEG_OK;
}

/* True for an opcode or a guard. */
static int starts_inst(const struct sketch_parser *p)
{
    const struct sketch_token *t = sketch_peek(p);

    return sketch_is_sign(t, '@') ||
           (t->kind == TOKEN_WORD && p->text[t->at] >= 'A' &&
            p->text[t->at] <= 'Z');
}

/* Skips ".L_1:" as listings have it; returns 0 if there is none. */
static int take_label(struct sketch_parser *p)
{
    if (sketch_peek(p)->kind != TOKEN_WORD ||
        !sketch_is_sign(sketch_peek_next(p), ':'))
        return 0;
    sketch_advance(p);
    sketch_advance(p);
    if (sketch_peek(p)->kind == TOKEN_LINE)
        sketch_advance(p);
    return 1;
}

static teg_status parse_statement(struct sketch_parser *p)
{
    TRY(count_statement(p));
    if (take_label(p))
        return TEG_OK;
    if (starts_inst(p)) {
        TRY(finish_head(p));
        return sketch_parse_inst(p);
    }
    for (size_t i = 0; i < STATEMENT_COUNT; i++)
        if (sketch_is_word(p, sketch_peek(p), STATEMENTS[i].word))
            return parse_known(p, i);
    return unknown_statement(p);
}

/* Parses statements up to one of `enders`, which is consumed (an `else`
 * without what follows it). */
static teg_status parse_block(struct sketch_parser *p, uint32_t opened,
                              const char *what, unsigned enders,
                              enum end_word *ended)
{
    if (++p->nesting > SKETCH_NESTING_MAX)
        return sketch_fail(p, opened,
                           "expected at most %d loops, ifs and repeats inside "
                           "one another",
                           SKETCH_NESTING_MAX);
    for (;;) {
        if (sketch_peek(p)->kind == TOKEN_END)
            return sketch_fail(p, opened,
                               "expected end for this %s, found the end of the "
                               "file",
                               what);
        *ended = END_NONE;
        if ((enders & END_ELSE) != 0 && sketch_take_word(p, "else"))
            *ended = END_ELSE;
        else if (sketch_take_word(p, "end"))
            *ended = END_END;
        if (*ended != END_NONE)
            break;
        TRY(parse_statement(p));
    }
    p->nesting--;
    return *ended == END_END ? sketch_expect_line(p) : TEG_OK;
}

/* --- the whole --- */

static teg_status parse_magic(struct sketch_parser *p)
{
    if (!sketch_take_word(p, "sketch"))
        return sketch_expected(p, "sketch 1 as the first statement");
    if (sketch_peek(p)->kind != TOKEN_NUMBER || sketch_peek(p)->number != 1)
        return sketch_expected(p, "version 1 of the language");
    sketch_advance(p);
    return sketch_expect_line(p);
}

/* The registers the instructions use, if the sketch does not say. */
static void count_registers(struct teg_kernel *kernel)
{
    uint32_t top = 0;

    for (uint32_t i = 0; i < kernel->program.count; i++) {
        const struct teg_inst *inst = &kernel->program.inst[i];

        for (uint32_t n = 0; n < inst->dst_count; n++)
            if (inst->dst[n].first < TEG_REG_P &&
                inst->dst[n].first + inst->dst[n].count > (int)top)
                top = inst->dst[n].first + inst->dst[n].count;
        for (uint32_t n = 0; n < inst->src_count; n++)
            if (inst->src[n].first < TEG_REG_P &&
                inst->src[n].first + inst->src[n].count > (int)top)
                top = inst->src[n].first + inst->src[n].count;
    }
    kernel->registers = top < SKETCH_REGISTERS_MAX ? top : SKETCH_REGISTERS_MAX;
}

static teg_status parse_all(struct sketch_parser *p)
{
    struct teg_kernel *kernel = &p->plan->kernel;

    TRY(parse_magic(p));
    while (sketch_peek(p)->kind != TOKEN_END)
        TRY(parse_statement(p));
    if (kernel->program.count == 0)
        return sketch_expected(p, "at least one instruction");
    TRY(sketch_check_overrides(p));
    if (kernel->registers == 0)
        count_registers(kernel);
    if (kernel->name == NULL)
        kernel->name = calloc(1, 1);
    return kernel->name != NULL ? TEG_OK : teg_fail_memory(p->d);
}

teg_status sketch_plan_init(struct sketch_plan *plan, const char *name,
                            const char *text, size_t size,
                            const struct teg_sketch_options *options,
                            struct teg_diag *d)
{
    struct sketch_parser p = {
        .name = name, .text = text, .plan = plan, .options = options, .d = d};
    teg_status status;

    *plan = (struct sketch_plan){0};
    TRY(sketch_tokens_init(&p.tokens, name, text, size, d));
    status = parse_all(&p);
    sketch_tokens_release(&p.tokens);
    free(p.names);
    if (status != TEG_OK)
        sketch_plan_release(plan);
    return status;
}
