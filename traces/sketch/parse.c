#include "traces/sketch/parse.h"

#include "isa/base/nearest.h"
#include "isa/inst/opcode.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAMES_MAX = 4096,
    EXPRESSION_NESTING_MAX = 128, /* brackets and signs inside one another */
};

/* --- tokens --- */

const struct sketch_token *sketch_peek(const struct sketch_parser *p)
{
    return &p->tokens.token[p->at];
}

const struct sketch_token *sketch_peek_next(const struct sketch_parser *p)
{
    return &p->tokens.token[p->at + (p->at + 1 < p->tokens.count)];
}

void sketch_keep(struct sketch_parser *p, const char *text, size_t size)
{
    size_t room = SKETCH_TEXT_KEPT - p->kept_size;

    if (size > room)
        size = room;
    memcpy(p->kept + p->kept_size, text, size);
    p->kept_size += (uint32_t)size;
    p->kept[p->kept_size] = '\0';
}

void sketch_advance(struct sketch_parser *p)
{
    const struct sketch_token *t = sketch_peek(p);

    if (p->keeping && t->kind != TOKEN_LINE) {
        if (!t->glued && p->kept_size != 0)
            sketch_keep(p, " ", 1);
        sketch_keep(p, p->text + t->at, t->length);
    }
    if (t->kind != TOKEN_END)
        p->at++;
}

int sketch_is_sign(const struct sketch_token *t, uint32_t sign)
{
    return t->kind == TOKEN_SIGN && t->sign == sign;
}

int sketch_is_word(const struct sketch_parser *p, const struct sketch_token *t,
                   const char *word)
{
    return t->kind == TOKEN_WORD && strlen(word) == t->length &&
           memcmp(p->text + t->at, word, t->length) == 0;
}

int sketch_take_sign(struct sketch_parser *p, uint32_t sign)
{
    if (!sketch_is_sign(sketch_peek(p), sign))
        return 0;
    sketch_advance(p);
    return 1;
}

int sketch_take_word(struct sketch_parser *p, const char *word)
{
    if (!sketch_is_word(p, sketch_peek(p), word))
        return 0;
    sketch_advance(p);
    return 1;
}

const char *sketch_word(const struct sketch_parser *p,
                        const struct sketch_token *t,
                        char out[SKETCH_WORD_MAX + 1])
{
    snprintf(out, SKETCH_WORD_MAX + 1, "%.*s", (int)t->length, p->text + t->at);
    return out;
}

teg_status sketch_fail(const struct sketch_parser *p, uint32_t line,
                       const char *format, ...)
{
    char what[400];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return teg_fail_line(p->d, TEG_FORMAT, p->name, line, "%s", what);
}

teg_status sketch_expected(const struct sketch_parser *p, const char *what)
{
    const struct sketch_token *t = sketch_peek(p);

    if (t->kind == TOKEN_LINE)
        return sketch_fail(p, t->line, "expected %s, found the end of the line",
                           what);
    if (t->kind == TOKEN_END)
        return sketch_fail(p, t->line, "expected %s, found the end of the file",
                           what);
    return sketch_fail(p, t->line, "expected %s, found '%.*s'", what,
                       (int)(t->length < 40 ? t->length : 40), p->text + t->at);
}

teg_status sketch_expect_sign(struct sketch_parser *p, uint32_t sign,
                              const char *what)
{
    return sketch_take_sign(p, sign) ? TEG_OK : sketch_expected(p, what);
}

teg_status sketch_expect_line(struct sketch_parser *p)
{
    if (sketch_peek(p)->kind != TOKEN_LINE)
        return sketch_expected(p, "the end of the line");
    sketch_advance(p);
    return TEG_OK;
}

/* --- names --- */

static const char *const VARIABLES[VARIABLE_COUNT] = {
#define TEXT(name, text, varies) [VARIABLE_##name] = text,
    SKETCH_VARIABLES(TEXT)
#undef TEXT
};

/* Constants that the launch shape gives. */
static const struct shape_name {
    const char *text;
    size_t shape; /* offset of uint32_t[3] in struct teg_kernel */
    int axis;     /* 3: the product of all */
} SHAPE_NAMES[] = {
    {"ntid", offsetof(struct teg_kernel, block), 3},
    {"ntid.x", offsetof(struct teg_kernel, block), 0},
    {"ntid.y", offsetof(struct teg_kernel, block), 1},
    {"ntid.z", offsetof(struct teg_kernel, block), 2},
    {"nctaid", offsetof(struct teg_kernel, grid), 3},
    {"nctaid.x", offsetof(struct teg_kernel, grid), 0},
    {"nctaid.y", offsetof(struct teg_kernel, grid), 1},
    {"nctaid.z", offsetof(struct teg_kernel, grid), 2},
};

/* Functions; `abs` and `log2` take one argument, `rand` one or two. */
static const struct function {
    const char *text;
    uint8_t op; /* enum sketch_op */
    uint8_t least, most;
} FUNCTIONS[] = {
    {"min", OP_MIN, 2, 2},   {"max", OP_MAX, 2, 2}, {"rand", OP_RAND, 1, 2},
    {"log2", OP_LOG2, 1, 1}, {"abs", OP_MAX, 1, 1},
};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static const struct sketch_name *find_name(const struct sketch_parser *p,
                                           const struct sketch_token *t)
{
    for (uint32_t i = p->name_count; i > 0; i--)
        if (sketch_is_word(p, t, p->names[i - 1].text))
            return &p->names[i - 1];
    return NULL;
}

static const struct shape_name *find_shape(const struct sketch_parser *p,
                                           const struct sketch_token *t)
{
    for (size_t i = 0; i < COUNT(SHAPE_NAMES); i++)
        if (sketch_is_word(p, t, SHAPE_NAMES[i].text))
            return &SHAPE_NAMES[i];
    return NULL;
}

static const struct function *find_function(const struct sketch_parser *p,
                                            const struct sketch_token *t)
{
    for (size_t i = 0; i < COUNT(FUNCTIONS); i++)
        if (sketch_is_word(p, t, FUNCTIONS[i].text))
            return &FUNCTIONS[i];
    return NULL;
}

/* Returns VARIABLE_COUNT if it is none. */
static enum sketch_variable find_variable(const struct sketch_parser *p,
                                          const struct sketch_token *t)
{
    uint32_t v = 0;

    while (v < VARIABLE_COUNT && !sketch_is_word(p, t, VARIABLES[v]))
        v++;
    return (enum sketch_variable)v;
}

int sketch_is_function(const struct sketch_parser *p,
                       const struct sketch_token *t)
{
    return find_function(p, t) != NULL;
}

int sketch_is_known(const struct sketch_parser *p, const struct sketch_token *t)
{
    return find_name(p, t) != NULL || find_shape(p, t) != NULL ||
           find_variable(p, t) != VARIABLE_COUNT;
}

static teg_status unknown_name(const struct sketch_parser *p)
{
    const struct sketch_token *t = sketch_peek(p);
    char typed[SKETCH_WORD_MAX + 1];
    struct teg_nearest nearest;

    teg_nearest_init(&nearest, sketch_word(p, t, typed));
    for (uint32_t i = 0; i < p->name_count; i++)
        teg_nearest_offer(&nearest, p->names[i].text);
    for (size_t i = 0; i < VARIABLE_COUNT; i++)
        teg_nearest_offer(&nearest, VARIABLES[i]);
    for (size_t i = 0; i < COUNT(SHAPE_NAMES); i++)
        teg_nearest_offer(&nearest, SHAPE_NAMES[i].text);
    for (size_t i = 0; i < COUNT(FUNCTIONS); i++)
        teg_nearest_offer(&nearest, FUNCTIONS[i].text);
    return sketch_fail(p, t->line,
                       "expected a variable or constant, found the unknown "
                       "name '%s' (nearest: %s)",
                       typed, nearest.best);
}

static teg_status reserve_name(struct sketch_parser *p)
{
    uint32_t capacity = p->name_capacity != 0 ? 2 * p->name_capacity : 32;
    struct sketch_name *names;

    if (p->name_count == NAMES_MAX)
        return sketch_fail(p, sketch_peek(p)->line,
                           "expected at most %d names at a time", NAMES_MAX);
    if (p->name_count < p->name_capacity)
        return TEG_OK;
    names = realloc(p->names, capacity * sizeof *names);
    if (names == NULL)
        return teg_fail_memory(p->d);
    p->names = names;
    p->name_capacity = capacity;
    return TEG_OK;
}

teg_status sketch_declare(struct sketch_parser *p, uint32_t node)
{
    const struct sketch_token *t = sketch_peek(p);
    const struct sketch_name *known = find_name(p, t);
    struct sketch_name *name;

    if (t->kind != TOKEN_WORD)
        return sketch_expected(p, "a name");
    if (known != NULL)
        return sketch_fail(p, t->line,
                           "expected a new name, found '%s', which line %u "
                           "defines",
                           known->text, known->line);
    if (sketch_is_known(p, t) || sketch_is_function(p, t) ||
        memchr(p->text + t->at, '.', t->length) != NULL ||
        teg_register_parse(p->text + t->at, t->length) != -2)
        return sketch_expected(p, "a name that is not taken, without dots");
    TRY(reserve_name(p));
    name = &p->names[p->name_count++];
    sketch_word(p, t, name->text);
    name->node = node;
    name->line = t->line;
    sketch_advance(p);
    return TEG_OK;
}

/* --- expressions --- */

static const struct infix {
    uint16_t sign;
    uint8_t precedence; /* higher binds tighter, as in C */
    uint8_t op;         /* enum sketch_op */
    uint8_t swapped;    /* a > b is b < a */
} INFIX[] = {
    {SKETCH_SIGN('|', '|'), 1, 0, 0}, /* becomes a select, as && does */
    {SKETCH_SIGN('&', '&'), 2, 0, 0},
    {'|', 3, OP_OR, 0},
    {'^', 4, OP_XOR, 0},
    {'&', 5, OP_AND, 0},
    {SKETCH_SIGN('=', '='), 6, OP_EQ, 0},
    {SKETCH_SIGN('!', '='), 6, OP_NE, 0},
    {'<', 7, OP_LT, 0},
    {'>', 7, OP_LT, 1},
    {SKETCH_SIGN('<', '='), 7, OP_LE, 0},
    {SKETCH_SIGN('>', '='), 7, OP_LE, 1},
    {SKETCH_SIGN('<', '<'), 8, OP_SHL, 0},
    {SKETCH_SIGN('>', '>'), 8, OP_SHR, 0},
    {'+', 9, OP_ADD, 0},
    {'-', 9, OP_SUB, 0},
    {'*', 10, OP_MUL, 0},
    {'/', 10, OP_DIV, 0},
    {'%', 10, OP_REM, 0},
};

/* Prefix operators: CONSTANT op operand, or operand op CONSTANT. */
static const struct prefix {
    uint16_t sign;
    uint8_t op;
    int8_t constant;
} PREFIX[] = {
    {'-', OP_SUB, 0},
    {'~', OP_SUB, -1}, /* ~a == -1 - a */
    {'!', OP_EQ, 0},
    {'+', OP_ADD, 0},
};

static const struct infix *find_infix(const struct sketch_token *t)
{
    for (size_t i = 0; i < COUNT(INFIX); i++)
        if (sketch_is_sign(t, INFIX[i].sign))
            return &INFIX[i];
    return NULL;
}

static struct sketch_origin here(const struct sketch_parser *p)
{
    return (struct sketch_origin){.name = p->name,
                                  .line = sketch_peek(p)->line};
}

static teg_status constant(struct sketch_parser *p, int64_t value,
                           uint32_t *node)
{
    return sketch_exprs_const(&p->plan->exprs, value, node, p->d);
}

static teg_status binary(struct sketch_parser *p, struct sketch_origin at,
                         enum sketch_op op, uint32_t a, uint32_t b,
                         uint32_t *node)
{
    return sketch_exprs_binary(&p->plan->exprs, at, op, a, b, node, p->d);
}

static teg_status parse_shape(struct sketch_parser *p,
                              const struct shape_name *name, uint32_t *node)
{
    const uint32_t *shape =
        (const uint32_t *)((const char *)&p->plan->kernel + name->shape);
    int64_t value = name->axis < 3
                        ? shape[name->axis]
                        : (int64_t)((uint64_t)shape[0] * shape[1] * shape[2]);

    if (value == 0)
        return sketch_expected(p, "the launch shape to be given further up");
    sketch_advance(p);
    return constant(p, value, node);
}

static teg_status parse_call(struct sketch_parser *p, const struct function *f,
                             uint32_t *node)
{
    struct sketch_origin at = here(p);
    uint32_t argument[2], count = 0;

    sketch_advance(p);
    TRY(sketch_expect_sign(p, '(', "( behind the function's name"));
    do {
        if (count == f->most)
            return sketch_expected(p, ") behind the last argument");
        TRY(sketch_parse_expr(p, &argument[count++]));
    } while (sketch_take_sign(p, ','));
    if (count < f->least)
        return sketch_expected(p, "a second argument");
    TRY(sketch_expect_sign(p, ')', ") behind the arguments"));
    if (count < 2)
        TRY(constant(p, 0, &argument[1]));
    if (f->op == OP_MAX && count < 2) /* abs */
        TRY(binary(p, at, OP_SUB, argument[1], argument[0], &argument[1]));
    return binary(p, at, f->op, argument[0], argument[1], node);
}

static teg_status parse_name(struct sketch_parser *p, uint32_t *node)
{
    const struct sketch_token *t = sketch_peek(p);
    const struct sketch_name *name = find_name(p, t);
    const struct shape_name *shape = find_shape(p, t);
    const struct function *function = find_function(p, t);
    enum sketch_variable variable = find_variable(p, t);

    if (function != NULL)
        return parse_call(p, function, node);
    if (shape != NULL)
        return parse_shape(p, shape, node);
    if (name == NULL && variable == VARIABLE_COUNT)
        return unknown_name(p);
    sketch_advance(p);
    if (name != NULL) {
        *node = name->node;
        return TEG_OK;
    }
    return sketch_exprs_variable(&p->plan->exprs, variable, node, p->d);
}

static teg_status parse_primary(struct sketch_parser *p, uint32_t *node)
{
    const struct sketch_token *t = sketch_peek(p);

    if (t->kind == TOKEN_NUMBER) {
        sketch_advance(p);
        return constant(p, t->number, node);
    }
    if (t->kind == TOKEN_WORD)
        return parse_name(p, node);
    if (!sketch_take_sign(p, '('))
        return sketch_expected(p, "an expression");
    TRY(sketch_parse_expr(p, node));
    return sketch_expect_sign(p, ')', ") behind the expression");
}

static teg_status parse_unary(struct sketch_parser *p, uint32_t *node)
{
    struct sketch_origin at = here(p);
    uint32_t operand, other;

    for (size_t i = 0; i < COUNT(PREFIX); i++) {
        if (!sketch_take_sign(p, PREFIX[i].sign))
            continue;
        if (++p->depth > EXPRESSION_NESTING_MAX)
            return sketch_expected(p, "a less deeply nested expression");
        TRY(parse_unary(p, &operand));
        p->depth--;
        TRY(constant(p, PREFIX[i].constant, &other));
        return binary(p, at, PREFIX[i].op, other, operand, node);
    }
    return parse_primary(p, node);
}

/* a && b is a ? b != 0 : 0, and a || b is a ? 1 : b != 0: as in C, the second
 * need not have a value where the first decides. */
static teg_status logical(struct sketch_parser *p, struct sketch_origin at,
                          uint32_t sign, uint32_t a, uint32_t b, uint32_t *node)
{
    int is_and = sign == SKETCH_SIGN('&', '&');
    uint32_t zero, one;

    TRY(constant(p, 0, &zero));
    TRY(constant(p, 1, &one));
    TRY(binary(p, at, OP_NE, b, zero, &b));
    return sketch_exprs_select(&p->plan->exprs, at, a, is_and ? b : one,
                               is_and ? zero : b, node, p->d);
}

static teg_status parse_infix(struct sketch_parser *p, uint32_t precedence,
                              uint32_t *node)
{
    const struct infix *i;

    TRY(parse_unary(p, node));
    while ((i = find_infix(sketch_peek(p))) != NULL &&
           i->precedence >= precedence) {
        struct sketch_origin at = here(p);
        uint32_t right;

        sketch_advance(p);
        TRY(parse_infix(p, i->precedence + 1u, &right));
        if (i->precedence <= 2)
            TRY(logical(p, at, i->sign, *node, right, node));
        else if (i->swapped)
            TRY(binary(p, at, i->op, right, *node, node));
        else
            TRY(binary(p, at, i->op, *node, right, node));
    }
    return TEG_OK;
}

teg_status sketch_parse_expr(struct sketch_parser *p, uint32_t *node)
{
    struct sketch_origin at = here(p);
    uint32_t yes, no;

    if (++p->depth > EXPRESSION_NESTING_MAX)
        return sketch_expected(p, "a less deeply nested expression");
    TRY(parse_infix(p, 1, node));
    if (sketch_take_sign(p, '?')) {
        TRY(sketch_parse_expr(p, &yes));
        TRY(sketch_expect_sign(p, ':', ": of the ?"));
        TRY(sketch_parse_expr(p, &no));
        TRY(sketch_exprs_select(&p->plan->exprs, at, *node, yes, no, node,
                                p->d));
    }
    p->depth--;
    return TEG_OK;
}

teg_status sketch_parse_const(struct sketch_parser *p, const char *what,
                              int64_t min, int64_t max, int64_t *value)
{
    uint32_t line = sketch_peek(p)->line;
    uint32_t node;
    int folded;

    TRY(sketch_parse_expr(p, &node));
    folded = sketch_exprs_folded(&p->plan->exprs, node, value);
    if (p->dry && (!folded || *value < min || *value > max)) {
        *value = min;
        return TEG_OK;
    }
    if (!folded)
        return sketch_fail(p, line,
                           p->plan->exprs.node[node].level == 0
                               ? "expected a constant for %s, found a division "
                                 "by zero or a shift by less than 0 or more "
                                 "than 63"
                               : "expected a constant for %s, found an "
                                 "expression that depends on the thread, the "
                                 "block or a loop",
                           what);
    if (*value < min || *value > max)
        return sketch_fail(p, line,
                           "expected %" PRId64 " to %" PRId64
                           " for %s, found %" PRId64,
                           min, max, what, *value);
    return TEG_OK;
}
