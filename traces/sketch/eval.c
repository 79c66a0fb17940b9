#include "traces/sketch/eval.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t ALL_LANES = 0xffffffff;

teg_status sketch_eval_init(struct sketch_eval *e,
                            const struct sketch_exprs *exprs,
                            struct teg_diag *d)
{
    uint32_t rooms = 0;

    *e = (struct sketch_eval){.exprs = exprs, .clock = 1};
    for (uint32_t i = 0; i < SKETCH_LEVELS; i++)
        e->version[i] = 1;
    e->value = calloc((size_t)exprs->count + 1, sizeof *e->value);
    e->room_of = calloc((size_t)exprs->count + 1, sizeof *e->room_of);
    if (e->value == NULL || e->room_of == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < exprs->count; i++)
        e->room_of[i] = exprs->node[i].varies ? rooms++ : 0;
    e->room = calloc((size_t)rooms + 1, sizeof *e->room);
    return e->room != NULL ? TEG_OK : teg_fail_memory(d);
}

void sketch_eval_release(struct sketch_eval *e)
{
    free(e->value);
    free(e->room);
    free(e->room_of);
    e->value = NULL;
    e->room = NULL;
    e->room_of = NULL;
}

/* Sets `v` to the lanes' values, as base and stride if they are so spaced. */
static void set_lanes(struct sketch_value *v, const int64_t lane[TEG_LANES])
{
    uint64_t stride = (uint64_t)lane[1] - (uint64_t)lane[0];
    uint32_t i = 2;

    while (i < TEG_LANES && (uint64_t)lane[i] - (uint64_t)lane[i - 1] == stride)
        i++;
    v->lane = i < TEG_LANES ? lane : NULL;
    v->base = lane[0];
    v->stride = (int64_t)stride;
}

static void set_line(struct sketch_value *v, int64_t base, int64_t stride)
{
    v->lane = NULL;
    v->base = base;
    v->stride = stride;
}

/* Sets the variables that follow from each thread's number in its block. */
static void set_thread(struct sketch_eval *e, const struct teg_kernel *kernel,
                       uint32_t first)
{
    int64_t(*lane)[TEG_LANES] = e->variable_lane;

    for (uint32_t i = 0; i < TEG_LANES; i++) {
        uint32_t t = first + i;

        lane[VARIABLE_TID_X][i] = t % kernel->block[0];
        lane[VARIABLE_TID_Y][i] = t / kernel->block[0] % kernel->block[1];
        lane[VARIABLE_TID_Z][i] = t / kernel->block[0] / kernel->block[1];
    }
    for (uint32_t v = VARIABLE_TID_X; v <= VARIABLE_TID_Z; v++)
        set_lanes(&e->variable[v], lane[v]);
}

void sketch_eval_warp(struct sketch_eval *e, const struct teg_kernel *kernel,
                      const uint32_t ctaid[3], uint32_t warp)
{
    uint64_t block = teg_grid_number(kernel->grid, ctaid);
    uint32_t first = warp * TEG_LANES;

    set_thread(e, kernel, first);
    set_line(&e->variable[VARIABLE_TID], first, 1);
    set_line(&e->variable[VARIABLE_LANE], 0, 1);
    set_line(&e->variable[VARIABLE_WARP], warp, 0);
    set_line(&e->variable[VARIABLE_CTAID], (int64_t)block, 0);
    set_line(&e->variable[VARIABLE_CTAID_X], ctaid[0], 0);
    set_line(&e->variable[VARIABLE_CTAID_Y], ctaid[1], 0);
    set_line(&e->variable[VARIABLE_CTAID_Z], ctaid[2], 0);
    set_line(&e->variable[VARIABLE_GTID],
             (int64_t)(block * teg_kernel_threads_per_block(kernel) + first),
             1);
    e->version[1] = ++e->clock;
}

void sketch_eval_enter(struct sketch_eval *e, uint32_t loop,
                       const struct sketch_value *first)
{
    struct sketch_value *counter = &e->counter[loop];

    *counter = *first;
    if (first->lane != NULL) {
        memcpy(e->counter_lane[loop], first->lane,
               sizeof e->counter_lane[loop]);
        counter->lane = e->counter_lane[loop];
    }
    e->version[2 + loop] = ++e->clock;
}

void sketch_eval_step(struct sketch_eval *e, uint32_t loop, int64_t step)
{
    struct sketch_value *counter = &e->counter[loop];

    counter->base = (int64_t)((uint64_t)counter->base + (uint64_t)step);
    if (counter->lane != NULL)
        for (uint32_t i = 0; i < TEG_LANES; i++)
            e->counter_lane[loop][i] =
                (int64_t)((uint64_t)e->counter_lane[loop][i] + (uint64_t)step);
    e->version[2 + loop] = ++e->clock;
}

/* The lanes of `v`; `room` is used where it is kept as base and stride. */
static const int64_t *lanes_of(const struct sketch_value *v,
                               int64_t room[TEG_LANES])
{
    if (v->lane != NULL)
        return v->lane;
    for (uint32_t i = 0; i < TEG_LANES; i++)
        room[i] = sketch_value_lane(v, i);
    return room;
}

static void fault(struct sketch_eval *e, uint32_t n, uint32_t lane)
{
    if (e->failed)
        return;
    e->failed = 1;
    e->failed_node = n;
    e->failed_lane = lane;
}

/* Computes `op` without looking at single lanes; returns 0 if that cannot be. */
static int combine_lines(enum sketch_op op, const struct sketch_value *a,
                         const struct sketch_value *b, struct sketch_value *v)
{
    const struct sketch_operator *o = sketch_operator(op);
    int64_t stride = 0;

    if (a->lane != NULL || b->lane != NULL)
        return 0;
    if (op == OP_ADD || op == OP_SUB)
        stride = o->value(a->stride, b->stride);
    else if (op == OP_MUL && b->stride == 0)
        stride = o->value(a->stride, b->base);
    else if (op == OP_MUL && a->stride == 0)
        stride = o->value(a->base, b->stride);
    else if (op == OP_SHL && b->stride == 0)
        stride = o->value(a->stride, b->base);
    else if (a->stride != 0 || b->stride != 0)
        return 0;
    set_line(v, o->value(a->base, b->base), stride);
    return 1;
}

/* Notes the first lane of `mask` for which node `n` has no value. */
static void find_fault(struct sketch_eval *e, uint32_t n, uint32_t mask,
                       const struct sketch_value *a,
                       const struct sketch_value *b)
{
    const struct sketch_operator *o = sketch_operator(e->exprs->node[n].op);

    for (uint32_t i = 0; i < TEG_LANES; i++)
        if ((mask >> i & 1) != 0 &&
            o->bad(sketch_value_lane(a, i), sketch_value_lane(b, i))) {
            fault(e, n, i);
            return;
        }
}

static void eval_binary(struct sketch_eval *e, uint32_t n, uint32_t mask,
                        struct sketch_value *v)
{
    const struct sketch_node *node = &e->exprs->node[n];
    const struct sketch_value *a = sketch_eval_node(e, node->a, mask);
    const struct sketch_value *b = sketch_eval_node(e, node->b, mask);
    int64_t room_a[TEG_LANES], room_b[TEG_LANES];
    int64_t *out = e->room[e->room_of[n]];

    if (node->fails)
        find_fault(e, n, mask, a, b);
    if (combine_lines(node->op, a, b, v))
        return;
    sketch_operator(node->op)->lanes(lanes_of(a, room_a), lanes_of(b, room_b),
                                     out);
    set_lanes(v, out);
}

static void eval_select(struct sketch_eval *e, uint32_t n, uint32_t mask,
                        struct sketch_value *v)
{
    const struct sketch_node *node = &e->exprs->node[n];
    const struct sketch_value *a = sketch_eval_node(e, node->a, mask);
    const struct sketch_value *yes, *no;
    uint32_t chosen;
    int64_t *out;

    if (sketch_value_uniform(a)) {
        yes = sketch_eval_node(e, a->base != 0 ? node->b : node->c, mask);
        v->lane = yes->lane;
        v->base = yes->base;
        v->stride = yes->stride;
        return;
    }
    chosen = sketch_eval_mask(e, node->a, mask);
    yes = sketch_eval_node(e, node->b, mask & chosen);
    no = sketch_eval_node(e, node->c, mask & ~chosen);
    out = e->room[e->room_of[n]];
    for (uint32_t i = 0; i < TEG_LANES; i++)
        out[i] = sketch_value_lane(sketch_value_lane(a, i) != 0 ? yes : no, i);
    set_lanes(v, out);
}

const struct sketch_value *sketch_eval_node(struct sketch_eval *e, uint32_t n,
                                            uint32_t mask)
{
    const struct sketch_node *node = &e->exprs->node[n];
    struct sketch_value *v = &e->value[n];

    if (node->op == OP_VARIABLE)
        return &e->variable[node->value];
    if (node->op == OP_COUNTER)
        return &e->counter[node->value];
    if (v->version == e->version[node->level]) {
        if ((mask & ~v->mask) == 0)
            return v;
        mask |= v->mask;
    }
    if (node->op == OP_CONST)
        set_line(v, node->value, 0);
    else if (node->op == OP_SELECT)
        eval_select(e, n, mask, v);
    else
        eval_binary(e, n, mask, v);
    v->version = e->version[node->level];
    v->mask = node->fails ? mask : ALL_LANES;
    return v;
}

uint32_t sketch_eval_mask(struct sketch_eval *e, uint32_t n, uint32_t mask)
{
    const struct sketch_value *v = sketch_eval_node(e, n, mask);
    uint32_t result = 0;

    if (sketch_value_uniform(v))
        return v->base != 0 ? mask : 0;
    for (uint32_t i = 0; i < TEG_LANES; i++)
        result |= (uint32_t)(sketch_value_lane(v, i) != 0) << i;
    return result & mask;
}

teg_status sketch_eval_fault(struct sketch_eval *e, const char *name,
                             const char *who, struct teg_diag *d)
{
    const struct sketch_node *node = &e->exprs->node[e->failed_node];
    const struct sketch_value *b = sketch_eval_node(
        e, node->op == OP_LOG2 ? node->a : node->b, 1u << e->failed_lane);

    return teg_fail_line(d, TEG_FORMAT, name, node->line,
                         "expected %s, found %" PRId64 " in lane %u%s",
                         sketch_operator_needs(node->op),
                         sketch_value_lane(b, e->failed_lane), e->failed_lane,
                         who);
}
