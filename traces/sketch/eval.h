/*
 * Values of a kernel sketch's expressions for the 32 lanes of a warp.
 *
 * A value is kept as base + stride * lane where it can be, else lane by lane,
 * and is computed again only when something it depends on has changed: each
 * node has a level (traces/sketch/expr.h), and each level a version.
 */
#ifndef TEG_TRACES_SKETCH_EVAL_H
#define TEG_TRACES_SKETCH_EVAL_H

#include "traces/base/kernel.h"
#include "traces/sketch/expr.h"

struct sketch_value {
    uint64_t version;
    int64_t base, stride; /* of lane 0, from lane to lane; if `lane` is NULL */
    const int64_t *lane;  /* [TEG_LANES]; borrowed from the evaluation */
    uint32_t mask;        /* lanes it was computed for */
};

/* Values of all nodes for one warp at one place in its loops. */
struct sketch_eval {
    const struct sketch_exprs *exprs; /* borrowed; complete */
    struct sketch_value *value;       /* owned, [exprs->count] */
    int64_t (*room)[TEG_LANES];       /* owned: of the nodes that vary */
    uint32_t *room_of;                /* owned, [exprs->count] */
    uint64_t version[SKETCH_LEVELS];
    uint64_t clock;
    struct sketch_value variable[VARIABLE_COUNT];
    int64_t variable_lane[VARIABLE_COUNT][TEG_LANES];
    struct sketch_value counter[SKETCH_LOOPS_MAX];
    int64_t counter_lane[SKETCH_LOOPS_MAX][TEG_LANES];
    /* The first node without a value, for the lanes asked for. */
    int failed;
    uint32_t failed_node, failed_lane;
};

teg_status sketch_eval_init(struct sketch_eval *e,
                            const struct sketch_exprs *exprs,
                            struct teg_diag *d);
void sketch_eval_release(struct sketch_eval *e);

/* Begins warp `warp` of the block at `ctaid`. */
void sketch_eval_warp(struct sketch_eval *e, const struct teg_kernel *kernel,
                      const uint32_t ctaid[3], uint32_t warp);
/* Begins loop `loop` (0: the outermost) with its counter at `first`. */
void sketch_eval_enter(struct sketch_eval *e, uint32_t loop,
                       const struct sketch_value *first);
/* Moves the counter of loop `loop` on. */
void sketch_eval_step(struct sketch_eval *e, uint32_t loop, int64_t step);

/* The value of node `n` for the lanes of `mask`, valid until the next warp or
 * step.  After a fault (`failed`) the values mean nothing. */
const struct sketch_value *sketch_eval_node(struct sketch_eval *e, uint32_t n,
                                            uint32_t mask);
/* The lanes of `mask` for which node `n` is not 0. */
uint32_t sketch_eval_mask(struct sketch_eval *e, uint32_t n, uint32_t mask);
/* Says what is wrong with the node that failed; `who` ends the sentence. */
teg_status sketch_eval_fault(struct sketch_eval *e, const char *name,
                             const char *who, struct teg_diag *d);
static inline int64_t sketch_value_lane(const struct sketch_value *v,
                                        uint32_t lane)
{
    return v->lane != NULL
               ? v->lane[lane]
               : (int64_t)((uint64_t)v->base + (uint64_t)v->stride * lane);
}

static inline int sketch_value_uniform(const struct sketch_value *v)
{
    return v->lane == NULL && v->stride == 0;
}

#endif
