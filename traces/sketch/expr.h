/*
 * Expressions of a kernel sketch.  Their values are traces/sketch/eval.h's.
 *
 * Equal expressions are one node, so nodes form a graph.  Constants are folded
 * when a node is made.  A node's level says what its value depends on:
 *
 *   level 0      nothing
 *   level 1      the warp (tid, ctaid, ...)
 *   level 2 + i  the counter of the i-th of the loops around it
 */
#ifndef TEG_TRACES_SKETCH_EXPR_H
#define TEG_TRACES_SKETCH_EXPR_H

#include "isa/inst/inst.h"

enum {
    SKETCH_LOOPS_MAX = 32,      /* loops inside one another */
    SKETCH_DEPTH_MAX = 200,     /* operators above one another */
    SKETCH_NODES_MAX = 1 << 18, /* of one sketch */
    SKETCH_LEVELS = 2 + SKETCH_LOOPS_MAX,
};

/*
 *   name   enumerator OP_<name>
 *   value  result from the 64-bit operands a and b; unsigned arithmetic where
 *          the signed one could overflow
 *   bad    true for operands that have no result; the value is 0 then
 */
#define SKETCH_BINARY_OPERATORS(X)                               \
    X(ADD, (int64_t)((uint64_t)a + (uint64_t)b), 0)              \
    X(SUB, (int64_t)((uint64_t)a - (uint64_t)b), 0)              \
    X(MUL, (int64_t)((uint64_t)a * (uint64_t)b), 0)              \
    X(DIV, b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b, b == 0) \
    X(REM, b == -1 ? 0 : a % b, b == 0)                          \
    X(SHL, (int64_t)((uint64_t)a << b), b<0 || b> 63)            \
    X(SHR, a >> b, b < 0 || b > 63)                              \
    X(AND, a &b, 0)                                              \
    X(OR, a | b, 0)                                              \
    X(XOR, a ^ b, 0)                                             \
    X(EQ, a == b, 0)                                             \
    X(NE, a != b, 0)                                             \
    X(LT, a < b, 0)                                              \
    X(LE, a <= b, 0)                                             \
    X(MIN, a < b ? a : b, 0)                                     \
    X(MAX, a > b ? a : b, 0)                                     \
    X(RAND, sketch_random(a, b), 0)                              \
    X(LOG2, sketch_log2(a), a <= 0)

enum sketch_op {
#define SKETCH_OP(name, value, bad) OP_##name,
    SKETCH_BINARY_OPERATORS(SKETCH_OP)
#undef SKETCH_OP
    OP_BINARY_COUNT,
    OP_CONST = OP_BINARY_COUNT,
    OP_VARIABLE, /* value: enum sketch_variable */
    OP_COUNTER,  /* value: how many loops are around its loop */
    OP_SELECT,   /* a ? b : c */
};

/*   name, as written, differs between lanes */
#define SKETCH_VARIABLES(X)  \
    X(TID, "tid", 1)         \
    X(TID_X, "tid.x", 1)     \
    X(TID_Y, "tid.y", 1)     \
    X(TID_Z, "tid.z", 1)     \
    X(CTAID, "ctaid", 0)     \
    X(CTAID_X, "ctaid.x", 0) \
    X(CTAID_Y, "ctaid.y", 0) \
    X(CTAID_Z, "ctaid.z", 0) \
    X(LANE, "lane", 1)       \
    X(WARP, "warp", 0)       \
    X(GTID, "gtid", 1)

enum sketch_variable {
#define SKETCH_VARIABLE(name, text, varies) VARIABLE_##name,
    SKETCH_VARIABLES(SKETCH_VARIABLE)
#undef SKETCH_VARIABLE
    VARIABLE_COUNT,
};

struct sketch_node {
    uint8_t op; /* enum sketch_op */
    uint8_t level;
    uint8_t varies; /* may differ between lanes */
    uint8_t fails;  /* may have no value for some lane */
    uint8_t depth;
    uint32_t line; /* where it was first written */
    uint32_t a, b, c;
    int64_t value;
};

struct sketch_exprs {
    struct sketch_node *node; /* owned, [count] */
    uint32_t count, capacity;
    uint32_t *bucket; /* owned, [buckets]: 1 + index of a node, 0 = free */
    uint32_t buckets; /* a power of two */
};

void sketch_exprs_release(struct sketch_exprs *e);

/*
 * Each makes a node, or finds the equal one; `line` is where it is written and
 * `name` the file.  They fail beyond SKETCH_NODES_MAX or SKETCH_DEPTH_MAX.
 */
struct sketch_origin {
    const char *name;
    uint32_t line;
};

teg_status sketch_exprs_const(struct sketch_exprs *e, int64_t value,
                              uint32_t *n, struct teg_diag *d);
teg_status sketch_exprs_variable(struct sketch_exprs *e, enum sketch_variable v,
                                 uint32_t *n, struct teg_diag *d);
/* The counter of a loop inside `loops` others; `varies`: not the same for all
 * lanes. */
teg_status sketch_exprs_counter(struct sketch_exprs *e, uint32_t loops,
                                int varies, uint32_t *n, struct teg_diag *d);
teg_status sketch_exprs_binary(struct sketch_exprs *e, struct sketch_origin at,
                               enum sketch_op op, uint32_t a, uint32_t b,
                               uint32_t *n, struct teg_diag *d);
teg_status sketch_exprs_select(struct sketch_exprs *e, struct sketch_origin at,
                               uint32_t a, uint32_t b, uint32_t c, uint32_t *n,
                               struct teg_diag *d);
/* True if node `n` was folded; `*value` is its value then. */
int sketch_exprs_folded(const struct sketch_exprs *e, uint32_t n,
                        int64_t *value);

/* Hash of `a` and `seed`, never negative (splitmix64, Steele et al. 2014). */
int64_t sketch_random(int64_t a, int64_t seed);
/* Floor of the binary logarithm of `a`, which is positive. */
int64_t sketch_log2(int64_t a);

/* What an operator does, for one pair of operands and for a warp's lanes. */
struct sketch_operator {
    int64_t (*value)(int64_t a, int64_t b);
    int (*bad)(int64_t a, int64_t b); /* has no value; `value` gives 0 then */
    void (*lanes)(const int64_t a[TEG_LANES], const int64_t b[TEG_LANES],
                  int64_t out[TEG_LANES]);
};

/* `op` is below OP_BINARY_COUNT. */
const struct sketch_operator *sketch_operator(enum sketch_op op);
/* What `op` needs of its operand ("a divisor other than 0"); NULL: nothing. */
const char *sketch_operator_needs(enum sketch_op op);

#endif
