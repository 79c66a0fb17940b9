#include "traces/sketch/expand.h"

#include "traces/sketch/eval.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct sketch_expander {
    const char *name; /* borrowed */
    struct sketch_plan plan;
    struct sketch_eval eval;
    struct teg_block_builder *builder; /* owned */
    uint64_t steps_max;
    uint64_t next_block;
    uint8_t *outside_noted; /* owned, [plan.steps]: shared memory left */

    /* the warp being expanded */
    uint32_t position[3];
    uint32_t warp;
    uint32_t alive;      /* lanes that have not reached EXIT */
    uint64_t steps_left; /* of steps_max */
    struct teg_diag *d;
};

/* --- diagnostics --- */

static const char *whereabouts(const struct sketch_expander *x, char out[80])
{
    snprintf(out, 80, " in block (%u,%u,%u) warp %u", x->position[0],
             x->position[1], x->position[2], x->warp);
    return out;
}

/* TEG_OK unless an expression just had no value. */
static teg_status check_values(struct sketch_expander *x)
{
    char who[80];

    if (!x->eval.failed)
        return TEG_OK;
    return sketch_eval_fault(&x->eval, x->name, whereabouts(x, who), x->d);
}

static teg_status too_long(const struct sketch_expander *x,
                           const struct sketch_step *s)
{
    char who[80];

    return teg_fail_line(x->d, TEG_LIMIT, x->name, s->line,
                         "expected at most %" PRIu64
                         " steps in a warp, found more%s",
                         x->steps_max, whereabouts(x, who));
}

/* The same before a loop that cannot end within the limit. */
static teg_status too_many_rounds(const struct sketch_expander *x,
                                  const struct sketch_step *s, uint64_t rounds)
{
    char who[80];

    return teg_fail_line(x->d, TEG_LIMIT, x->name, s->line,
                         "expected at most %" PRIu64
                         " steps in a warp, found a loop of %" PRIu64
                         " rounds%s",
                         x->steps_max, rounds, whereabouts(x, who));
}

/* --- instructions --- */

/* Remarks once that an address lies outside the block's shared memory. */
static void check_shared(struct sketch_expander *x, uint32_t index,
                         const struct sketch_step *s,
                         const struct sketch_value *v, uint32_t mask)
{
    struct teg_kernel *kernel = &x->plan.kernel;
    int64_t end = (int64_t)kernel->shared_bytes;
    char where[300];

    if (x->outside_noted[index])
        return;
    for (uint32_t i = 0; i < TEG_LANES; i++) {
        int64_t address = sketch_value_lane(v, i);

        if ((mask >> i & 1) == 0 || (address >= 0 && address < end))
            continue;
        x->outside_noted[index] = 1;
        snprintf(where, sizeof where, "%s:%u", x->name, s->line);
        teg_notes_add(&kernel->notes, "sketch-shared-range", where,
                      "expected a shared-memory address below %u, found "
                      "0x%" PRIx64,
                      kernel->shared_bytes, (uint64_t)address);
        return;
    }
}

static teg_status add_access(struct sketch_expander *x,
                             const struct sketch_step *s, uint32_t mask)
{
    const struct sketch_value *v = sketch_eval_node(&x->eval, s->address, mask);
    struct teg_access access = {.shape = SHAPE_LINE, .mask = mask};
    uint64_t lane[TEG_LANES];

    TRY(check_values(x));
    if (x->plan.kernel.program.inst[s->inst].space == SPACE_SHARED)
        check_shared(x, (uint32_t)(s - x->plan.step), s, v, mask);
    if (v->lane == NULL && v->stride == (int32_t)v->stride) {
        access.base = (uint64_t)v->base;
        access.stride = (int32_t)v->stride;
        teg_block_builder_access(x->builder, s->inst, &access);
        return TEG_OK;
    }
    for (uint32_t i = 0; i < TEG_LANES; i++)
        lane[i] = (uint64_t)sketch_value_lane(v, i);
    teg_block_builder_inst(x->builder, s->inst, mask, lane);
    return TEG_OK;
}

static teg_status run_inst(struct sketch_expander *x,
                           const struct sketch_step *s, uint32_t mask)
{
    if (s->guard != SKETCH_NONE) {
        mask = sketch_eval_mask(&x->eval, s->guard, mask);
        TRY(check_values(x));
    }
    if (s->address != SKETCH_NONE && mask != 0)
        TRY(add_access(x, s, mask));
    else
        teg_block_builder_inst(x->builder, s->inst, mask, NULL);
    if ((x->plan.kernel.program.inst[s->inst].flags & INST_EXIT) != 0)
        x->alive &= ~mask;
    return TEG_OK;
}

/* --- control --- */

static teg_status run(struct sketch_expander *x, uint32_t from, uint32_t to,
                      uint32_t mask);

/* Rounds of a loop from `first` to before `bound`. */
static uint64_t rounds_of(int64_t first, int64_t bound, int64_t stride)
{
    uint64_t distance, step;

    if (stride > 0 ? first >= bound : first <= bound)
        return 0;
    distance = stride > 0 ? (uint64_t)bound - (uint64_t)first
                          : (uint64_t)first - (uint64_t)bound;
    step = stride > 0 ? (uint64_t)stride : 0 - (uint64_t)stride;
    return (distance - 1) / step + 1;
}

/* The rounds of each lane of `mask`; returns the most. */
static uint64_t find_rounds(struct sketch_expander *x,
                            const struct sketch_step *s, uint32_t mask,
                            uint64_t rounds[TEG_LANES])
{
    const struct sketch_value *first =
        sketch_eval_node(&x->eval, s->first, mask);
    const struct sketch_value *bound =
        sketch_eval_node(&x->eval, s->bound, mask);
    uint64_t most = 0;

    for (uint32_t i = 0; i < TEG_LANES; i++) {
        rounds[i] = (mask >> i & 1) == 0
                        ? 0
                        : rounds_of(sketch_value_lane(first, i),
                                    sketch_value_lane(bound, i), s->stride);
        most = rounds[i] > most ? rounds[i] : most;
    }
    return most;
}

/* The lanes that go through more than `done` rounds. */
static uint32_t lanes_left(const uint64_t rounds[TEG_LANES], uint64_t done)
{
    uint32_t mask = 0;

    for (uint32_t i = 0; i < TEG_LANES; i++)
        mask |= (uint32_t)(rounds[i] > done) << i;
    return mask;
}

/* As on the hardware, the loop runs while it has any lane; lanes that are
 * done wait. */
static teg_status run_loop(struct sketch_expander *x, uint32_t index,
                           uint32_t mask)
{
    const struct sketch_step *s = &x->plan.step[index];
    uint64_t rounds[TEG_LANES];
    uint64_t most = find_rounds(x, s, mask, rounds);
    int together = 1;

    TRY(check_values(x));
    if (most > x->steps_max)
        return too_many_rounds(x, s, most);
    if (most > x->steps_left)
        return too_long(x, s);
    for (uint32_t i = 0; i < TEG_LANES; i++)
        together &= (mask >> i & 1) == 0 || rounds[i] == most;
    if (most != 0)
        sketch_eval_enter(&x->eval, s->loops,
                          sketch_eval_node(&x->eval, s->first, mask));
    for (uint64_t done = 0; done < most && (mask & x->alive) != 0; done++) {
        if (x->steps_left-- == 0)
            return too_long(x, s);
        TRY(run(x, index + 1, s->end,
                together ? mask : mask & lanes_left(rounds, done)));
        sketch_eval_step(&x->eval, s->loops, s->stride);
    }
    return TEG_OK;
}

/* Both sides one after the other, each with its lanes; a side without any is
 * skipped. */
static teg_status run_if(struct sketch_expander *x, uint32_t index,
                         uint32_t mask)
{
    const struct sketch_step *s = &x->plan.step[index];
    uint32_t yes = sketch_eval_mask(&x->eval, s->guard, mask);

    TRY(check_values(x));
    TRY(run(x, index + 1, s->middle, yes));
    return run(x, s->middle, s->end, mask & ~yes);
}

/* Takes the steps [from, to) with the lanes of `mask` that are alive.  The
 * recursion is as deep as blocks are nested in the text. */
static teg_status run(struct sketch_expander *x, uint32_t from, uint32_t to,
                      uint32_t mask)
{
    for (uint32_t i = from; i < to;) {
        const struct sketch_step *s = &x->plan.step[i];

        mask &= x->alive;
        if (mask == 0)
            return TEG_OK;
        if (x->steps_left == 0)
            return too_long(x, s);
        x->steps_left--;
        if (s->kind == STEP_INST) {
            TRY(run_inst(x, s, mask));
            i++;
            continue;
        }
        TRY(s->kind == STEP_LOOP ? run_loop(x, i, mask) : run_if(x, i, mask));
        i = s->end;
    }
    return TEG_OK;
}

/* --- blocks --- */

static teg_status expand_warp(struct sketch_expander *x, uint32_t warp)
{
    const struct teg_kernel *kernel = &x->plan.kernel;
    uint32_t threads = teg_kernel_threads_per_block(kernel) - warp * TEG_LANES;

    x->warp = warp;
    x->alive = threads < TEG_LANES ? (1u << threads) - 1 : 0xffffffff;
    x->steps_left = x->steps_max;
    sketch_eval_warp(&x->eval, kernel, x->position, warp);
    teg_block_builder_warp(x->builder, warp);
    return run(x, 0, x->plan.steps, x->alive);
}

teg_status sketch_expander_next(struct sketch_expander *x,
                                struct teg_block **block, struct teg_diag *d)
{
    const struct teg_kernel *kernel = &x->plan.kernel;
    uint64_t number = x->next_block;

    *block = NULL;
    if (number >= teg_kernel_blocks(kernel))
        return TEG_OK;
    x->d = d;
    x->position[0] = (uint32_t)(number % kernel->grid[0]);
    x->position[1] = (uint32_t)(number / kernel->grid[0] % kernel->grid[1]);
    x->position[2] = (uint32_t)(number / kernel->grid[0] / kernel->grid[1]);
    teg_block_builder_begin(x->builder, x->position);
    for (uint32_t w = 0; w < teg_kernel_warps_per_block(kernel); w++)
        TRY(expand_warp(x, w));
    TRY(teg_block_builder_open(x->builder, x->name, block, d));
    x->next_block++;
    return TEG_OK;
}

static teg_status init(struct sketch_expander *x, const char *text, size_t size,
                       const struct teg_sketch_options *options,
                       struct teg_diag *d)
{
    TRY(sketch_plan_init(&x->plan, x->name, text, size, options, d));
    TRY(sketch_eval_init(&x->eval, &x->plan.exprs, d));
    TRY(teg_block_builder_new(&x->plan.kernel.program, &x->builder, d));
    x->outside_noted = calloc(x->plan.steps, 1);
    return x->outside_noted != NULL ? TEG_OK : teg_fail_memory(d);
}

teg_status sketch_expander_new(const char *name, const char *text, size_t size,
                               const struct teg_sketch_options *options,
                               struct sketch_expander **x, struct teg_diag *d)
{
    teg_status status;

    *x = calloc(1, sizeof **x);
    if (*x == NULL)
        return teg_fail_memory(d);
    (*x)->name = name;
    (*x)->steps_max = options != NULL && options->steps_max != 0
                          ? options->steps_max
                          : TEG_SKETCH_STEPS_MAX;
    status = init(*x, text, size, options, d);
    if (status != TEG_OK) {
        sketch_expander_free(*x);
        *x = NULL;
    }
    return status;
}

void sketch_expander_free(struct sketch_expander *x)
{
    if (x == NULL)
        return;
    teg_block_builder_free(x->builder);
    sketch_eval_release(&x->eval);
    sketch_plan_release(&x->plan);
    free(x->outside_noted);
    free(x);
}

struct teg_kernel *sketch_expander_kernel(struct sketch_expander *x)
{
    return &x->plan.kernel;
}
