/* The launch without a clock. */
#include "sim/engine/engine.h"

#include <stdlib.h>

#include "config/tensor.h"
#include "isa/base/minmax.h"
#include "sim/engine/bulk.h"
#include "sim/engine/ears.h"
#include "sim/memory/texels.h"

/* What is done with each request of a launch; `memory`: NULL: nothing. */
struct walk {
    const struct teg_gpu *gpu;
    const struct teg_kernel *kernel;
    struct sim_windows windows;
    const struct sim_listener *listener; /* [listeners] */
    uint32_t listeners;
    struct sim_memory *memory; /* they pass it */
    struct sim_passed *passed;
    struct sim_known *known;
    uint32_t sm; /* of the block */
};

static void pass(const struct walk *w, const struct sim_plan *plan)
{
    if (w->memory != NULL)
        sim_memory_pass(w->memory, w->sm, plan, w->passed);
}

/* All of a bulk copy, or NULL if it moves nothing of global memory. */
static const struct sim_request *walk_copy(const struct walk *w,
                                           struct teg_cursor *c,
                                           const struct teg_inst *inst,
                                           struct sim_plan *plan)
{
    struct sim_request sum = {0};
    struct sim_values v;
    struct sim_box box;
    int more;

    sim_values_read(&v, c);
    if (!sim_bulk_box(&v, inst->values, &box))
        return NULL;
    do {
        more = sim_plan_bulk(plan, w->gpu, inst->flags, &box);
        pass(w, plan);
        if (more)
            sim_request_add(&sum, &plan->request);
    } while (more);
    sim_request_add(&plan->request, &sum);
    return &plan->request;
}

static const struct sim_request *walk_texels(const struct walk *w,
                                             struct teg_cursor *c,
                                             const struct teg_inst *inst,
                                             struct sim_plan *plan)
{
    struct sim_values v;

    sim_values_read(&v, c);
    sim_plan_texels(plan, w->gpu, inst->flags, v.mask, v.value);
    pass(w, plan);
    return &plan->request;
}

static void walk_inst(const struct walk *w, struct teg_cursor *c,
                      struct sim_issue *e)
{
    const struct teg_gpu *gpu = w->gpu;
    const struct teg_inst *inst = &w->kernel->program.inst[c->inst];
    struct teg_access access;
    struct sim_plan plan;

    e->inst = c->inst;
    e->mask = c->mask;
    e->op_class = inst->op_class;
    e->unit = gpu->timing[inst->op_class].unit[0];
    e->interval = inst->tensor.m != 0 ? tensor_timing(gpu, inst).interval
                                      : gpu->timing[inst->op_class].interval;
    if (teg_cursor_access(c, &access)) {
        sim_plan_make(&plan, gpu, inst, &access, &w->windows);
        e->request = &plan.request;
    }
    if (teg_values_are_copy(inst->values) && c->mask != 0)
        e->request = walk_copy(w, c, inst, &plan);
    if (inst->values == VALUES_TEXELS && c->mask != 0)
        e->request = walk_texels(w, c, inst, &plan);
    for (uint32_t i = 0; i < w->listeners; i++) {
        if (w->listener[i].on_issue != NULL)
            w->listener[i].on_issue(w->listener[i].self, e);
    }
    e->request = NULL;
}

static void walk_warp(const struct walk *w, struct teg_cursor *c,
                      struct sim_issue *e)
{
    while (teg_cursor_next(c))
        walk_inst(w, c, e);
}

static int moves_memory(const struct teg_inst *inst)
{
    return inst->space == SPACE_GLOBAL || inst->space == SPACE_GENERIC ||
           inst->space == SPACE_LOCAL;
}

/* Nobody hears of it: only what moves global memory counts.  A request passes when
 * the next one has been worked out, and L2's sets have come meanwhile. */
static void pass_warp(const struct walk *w, struct teg_cursor *c)
{
    struct teg_access access;
    struct sim_plan plan[2];
    uint32_t at = 0;
    int waits = 0;

    while (teg_cursor_next(c)) {
        const struct teg_inst *inst = &w->kernel->program.inst[c->inst];

        if (c->mask == 0)
            continue;
        if (teg_values_are_copy(inst->values)) {
            walk_copy(w, c, inst, &plan[at]);
        } else if (inst->values == VALUES_TEXELS) {
            walk_texels(w, c, inst, &plan[at]);
        } else if (moves_memory(inst) && teg_cursor_access(c, &access)) {
            sim_plan_make_as_known(&plan[at], w->gpu, inst, &access,
                                   &w->windows, w->known);
            sim_memory_expect(w->memory, &plan[at]);
            at ^= 1;
            if (waits)
                pass(w, &plan[at]);
            waits = 1;
        }
    }
    if (waits)
        pass(w, &plan[at ^ 1]);
}

static void walk_block(struct walk *w, struct teg_block *block, uint64_t number)
{
    uint32_t warps = teg_block_warps(block);

    w->sm = (uint32_t)(number % w->gpu->chip.sms);

    for (uint32_t i = 0; i < w->listeners; i++) {
        if (w->listener[i].on_block_start != NULL)
            w->listener[i].on_block_start(w->listener[i].self, 0, 0, number,
                                          warps);
    }
    for (uint32_t s = 0; s < warps; s++) {
        struct sim_issue e = {
            .slot = s % w->gpu->sm.warps_max,
            .block = number,
            .stream = s,
            .warp_id = teg_block_warp_id(block, s),
        };
        struct teg_cursor c;

        teg_cursor_init(&c, block, s);
        if (w->memory != NULL)
            pass_warp(w, &c);
        else
            walk_warp(w, &c, &e);
    }
}

static teg_status walk_blocks(struct walk *w, struct teg_launch *launch,
                              uint64_t *blocks, struct teg_diag *d)
{
    for (;;) {
        struct teg_block *block;

        TRY(launch->next(launch->self, &block, d));
        if (block == NULL)
            return TEG_OK;
        walk_block(w, block, (*blocks)++);
        teg_block_free(block);
    }
}

teg_status sim_engine_walk(struct teg_launch *launch, const struct teg_gpu *gpu,
                           const struct sim_listener *listener,
                           uint32_t listeners, uint64_t *blocks,
                           struct teg_diag *d)
{
    struct walk walk = {.gpu = gpu,
                        .kernel = launch->kernel,
                        .windows = sim_windows_of(launch->kernel, gpu),
                        .listener = listener,
                        .listeners = listeners};

    *blocks = 0;
    sim_announce_start(listener, listeners, gpu, &launch->kernel->program,
                       gpu->chip.sms);
    TRY(walk_blocks(&walk, launch, blocks, d));
    sim_announce_finish(listener, listeners, 0);
    return TEG_OK;
}

teg_status sim_engine_pass(struct teg_launch *launch, const struct teg_gpu *gpu,
                           struct sim_memory *memory, struct sim_passed *passed,
                           struct teg_diag *d)
{
    struct sim_known *known = calloc(1, sizeof *known);
    struct walk walk = {.gpu = gpu,
                        .kernel = launch->kernel,
                        .windows = sim_windows_of(launch->kernel, gpu),
                        .memory = memory,
                        .passed = passed,
                        .known = known};
    uint64_t blocks = 0;
    teg_status status;

    if (known == NULL)
        return teg_fail_memory(d);
    *passed = (struct sim_passed){0};
    status = walk_blocks(&walk, launch, &blocks, d);
    passed->sms = (uint32_t)teg_min(blocks, (uint64_t)gpu->chip.sms);
    free(known);
    return status;
}
