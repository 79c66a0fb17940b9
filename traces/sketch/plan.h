/*
 * A parsed kernel sketch: the kernel with its static instructions, and the
 * steps a warp takes through them.
 */
#ifndef TEG_TRACES_SKETCH_PLAN_H
#define TEG_TRACES_SKETCH_PLAN_H

#include "traces/base/kernel.h"
#include "traces/sketch/expr.h"
#include "traces/sketch/sketch.h"

enum {
    SKETCH_STATEMENTS_MAX = 1 << 18, /* with all copies `repeat` makes */
    SKETCH_NESTING_MAX = 64,         /* loops, ifs, repeats inside another */
    SKETCH_THREADS_MAX = 1024,       /* of a block */
};

/* Stands for an expression that is not there. */
static const uint32_t SKETCH_NONE = UINT32_MAX;

enum sketch_step_kind {
    STEP_INST,
    STEP_LOOP, /* its body: the steps behind it up to `end` */
    STEP_IF,   /* then: up to `middle`, else: from there to `end` */
};

struct sketch_step {
    uint8_t kind;  /* enum sketch_step_kind */
    uint8_t loops; /* LOOP: how many loops are around it */
    uint32_t line;
    uint32_t inst;    /* INST: index into the program */
    uint32_t guard;   /* INST: lanes, IF: condition; a node or SKETCH_NONE */
    uint32_t address; /* INST: a node or SKETCH_NONE */
    uint32_t first, bound; /* LOOP: nodes */
    int64_t stride;        /* LOOP: not 0 */
    uint32_t middle, end;
};

struct sketch_plan {
    struct teg_kernel kernel;
    struct sketch_exprs exprs;
    struct sketch_step *step; /* owned, [steps] */
    uint32_t steps, capacity;
    struct teg_sketch_param *param; /* owned, [params] */
    uint32_t params;
};

/* Parses (body.c); `options` may be NULL.  `plan` need not be initialized, and is
 * released on failure. */
teg_status sketch_plan_init(struct sketch_plan *plan, const char *name,
                            const char *text, size_t size,
                            const struct teg_sketch_options *options,
                            struct teg_diag *d);
void sketch_plan_release(struct sketch_plan *plan);
/* Appends a step; `*index` is where it is. */
teg_status sketch_plan_add(struct sketch_plan *plan,
                           const struct sketch_step *step, uint32_t *index,
                           struct teg_diag *d);

#endif
