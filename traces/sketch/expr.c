#include "traces/sketch/expr.h"

#include <stdlib.h>
#include <string.h>

#include "isa/base/mix.h"

enum {
    FIRST_BUCKETS = 256
};

int64_t sketch_random(int64_t a, int64_t seed)
{
    return (
        int64_t)(teg_mix((uint64_t)a + ((uint64_t)seed + 1) * TEG_MIX_STEP) >>
                 1);
}

int64_t sketch_log2(int64_t a)
{
    int64_t bits = 0;

    for (uint64_t x = (uint64_t)a >> 1; x != 0; x >>= 1)
        bits++;
    return bits;
}

#define FUNCTIONS(name, value, is_bad)                   \
    static int bad_##name(int64_t a, int64_t b)          \
    {                                                    \
        (void)a, (void)b;                                \
        return is_bad;                                   \
    }                                                    \
    static int64_t value_##name(int64_t a, int64_t b)    \
    {                                                    \
        (void)b;                                         \
        return bad_##name(a, b) ? 0 : (value);           \
    }                                                    \
    static void lanes_##name(const int64_t a[TEG_LANES], \
                             const int64_t b[TEG_LANES], \
                             int64_t out[TEG_LANES])     \
    {                                                    \
        for (uint32_t i = 0; i < TEG_LANES; i++)         \
            out[i] = value_##name(a[i], b[i]);           \
    }
SKETCH_BINARY_OPERATORS(FUNCTIONS)
#undef FUNCTIONS

static const struct sketch_operator OPERATORS[OP_BINARY_COUNT] = {
#define ROW(name, expression, is_bad) \
    [OP_##name] = {                   \
        .value = value_##name, .bad = bad_##name, .lanes = lanes_##name},
    SKETCH_BINARY_OPERATORS(ROW)
#undef ROW
};

static const char *const NEEDS[OP_BINARY_COUNT] = {
    [OP_DIV] = "a divisor other than 0",
    [OP_REM] = "a divisor other than 0",
    [OP_SHL] = "a shift by 0 to 63",
    [OP_SHR] = "a shift by 0 to 63",
    [OP_LOG2] = "a positive number under log2",
};

const struct sketch_operator *sketch_operator(enum sketch_op op)
{
    return &OPERATORS[op];
}

const char *sketch_operator_needs(enum sketch_op op)
{
    return NEEDS[op];
}

void sketch_exprs_release(struct sketch_exprs *e)
{
    free(e->node);
    free(e->bucket);
    *e = (struct sketch_exprs){0};
}

static int same_node(const struct sketch_node *x, const struct sketch_node *y)
{
    return x->op == y->op && x->varies == y->varies && x->a == y->a &&
           x->b == y->b && x->c == y->c && x->value == y->value &&
           (!x->fails || x->line == y->line);
}

static uint32_t hash_node(const struct sketch_node *n)
{
    uint64_t h = (uint64_t)n->value + n->op;

    h = h * 0x9e3779b97f4a7c15u + n->a;
    h = h * 0x9e3779b97f4a7c15u + n->b;
    h = h * 0x9e3779b97f4a7c15u + n->c;
    return (uint32_t)(h >> 32) ^ (uint32_t)h;
}

static void insert(struct sketch_exprs *e, uint32_t n)
{
    uint32_t at = hash_node(&e->node[n]);

    while (e->bucket[at & (e->buckets - 1)] != 0)
        at++;
    e->bucket[at & (e->buckets - 1)] = n + 1;
}

/* Makes room for one more node, in at most half of the buckets. */
static teg_status reserve(struct sketch_exprs *e, struct teg_diag *d)
{
    if (e->count == e->capacity) {
        uint32_t capacity = e->capacity != 0 ? 2 * e->capacity : 128;
        struct sketch_node *node = realloc(e->node, capacity * sizeof *node);

        if (node == NULL)
            return teg_fail_memory(d);
        e->node = node;
        e->capacity = capacity;
    }
    if (2 * (e->count + 1) > e->buckets) {
        uint32_t buckets = e->buckets != 0 ? 2 * e->buckets : FIRST_BUCKETS;
        uint32_t *bucket = calloc(buckets, sizeof *bucket);

        if (bucket == NULL)
            return teg_fail_memory(d);
        free(e->bucket);
        e->bucket = bucket;
        e->buckets = buckets;
        for (uint32_t i = 0; i < e->count; i++)
            insert(e, i);
    }
    return TEG_OK;
}

/* Finds the node equal to `node`, or adds it. */
static teg_status intern(struct sketch_exprs *e, const struct sketch_node *node,
                         const char *name, uint32_t *n, struct teg_diag *d)
{
    TRY(reserve(e, d));
    for (uint32_t at = hash_node(node);; at++) {
        uint32_t found = e->bucket[at & (e->buckets - 1)];

        if (found == 0)
            break;
        if (same_node(&e->node[found - 1], node)) {
            *n = found - 1;
            return TEG_OK;
        }
    }
    if (e->count == SKETCH_NODES_MAX)
        return teg_fail_line(d, TEG_LIMIT, name, node->line,
                             "expected at most %d different expressions",
                             SKETCH_NODES_MAX);
    if (node->depth > SKETCH_DEPTH_MAX)
        return teg_fail_line(d, TEG_LIMIT, name, node->line,
                             "expected at most %d operators above one another",
                             SKETCH_DEPTH_MAX);
    *n = e->count;
    e->node[e->count++] = *node;
    insert(e, *n);
    return TEG_OK;
}

teg_status sketch_exprs_const(struct sketch_exprs *e, int64_t value,
                              uint32_t *n, struct teg_diag *d)
{
    return intern(e, &(struct sketch_node){.op = OP_CONST, .value = value}, "",
                  n, d);
}

teg_status sketch_exprs_variable(struct sketch_exprs *e, enum sketch_variable v,
                                 uint32_t *n, struct teg_diag *d)
{
    static const uint8_t VARIES[VARIABLE_COUNT] = {
#define VARIES_ROW(name, text, varies) [VARIABLE_##name] = varies,
        SKETCH_VARIABLES(VARIES_ROW)
#undef VARIES_ROW
    };
    struct sketch_node node = {
        .op = OP_VARIABLE, .level = 1, .varies = VARIES[v], .value = v};

    return intern(e, &node, "", n, d);
}

teg_status sketch_exprs_counter(struct sketch_exprs *e, uint32_t loops,
                                int varies, uint32_t *n, struct teg_diag *d)
{
    struct sketch_node node = {.op = OP_COUNTER,
                               .level = (uint8_t)(2 + loops),
                               .varies = varies != 0,
                               .value = loops};

    return intern(e, &node, "", n, d);
}

/* Takes over what `node` inherits from the operand `n`. */
static void inherit(const struct sketch_exprs *e, struct sketch_node *node,
                    uint32_t n)
{
    const struct sketch_node *from = &e->node[n];

    node->level = from->level > node->level ? from->level : node->level;
    node->varies |= from->varies;
    node->fails |= from->fails;
    if (from->depth >= node->depth)
        node->depth = (uint8_t)(from->depth + 1);
}

int sketch_exprs_folded(const struct sketch_exprs *e, uint32_t n,
                        int64_t *value)
{
    *value = e->node[n].value;
    return e->node[n].op == OP_CONST;
}

/* True if `op` can have no value, its second operand being node `b`. */
static int can_fail(const struct sketch_exprs *e, enum sketch_op op, uint32_t b)
{
    int64_t value;

    if (NEEDS[op] == NULL)
        return 0;
    return op == OP_LOG2 || !sketch_exprs_folded(e, b, &value) ||
           OPERATORS[op].bad(0, value);
}

teg_status sketch_exprs_binary(struct sketch_exprs *e, struct sketch_origin at,
                               enum sketch_op op, uint32_t a, uint32_t b,
                               uint32_t *n, struct teg_diag *d)
{
    struct sketch_node node = {.op = (uint8_t)op, .line = at.line};
    int64_t x, y;

    if (sketch_exprs_folded(e, a, &x) && sketch_exprs_folded(e, b, &y) &&
        !OPERATORS[op].bad(x, y))
        return sketch_exprs_const(e, OPERATORS[op].value(x, y), n, d);
    node.a = a;
    node.b = b;
    node.fails = can_fail(e, op, b) != 0;
    inherit(e, &node, a);
    inherit(e, &node, b);
    return intern(e, &node, at.name, n, d);
}

teg_status sketch_exprs_select(struct sketch_exprs *e, struct sketch_origin at,
                               uint32_t a, uint32_t b, uint32_t c, uint32_t *n,
                               struct teg_diag *d)
{
    struct sketch_node node = {
        .op = OP_SELECT, .line = at.line, .a = a, .b = b, .c = c};
    int64_t condition;

    if (sketch_exprs_folded(e, a, &condition)) {
        *n = condition != 0 ? b : c;
        return TEG_OK;
    }
    inherit(e, &node, a);
    inherit(e, &node, b);
    inherit(e, &node, c);
    return intern(e, &node, at.name, n, d);
}
