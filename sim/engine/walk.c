/* The launch without a clock. */
#include "sim/engine/engine.h"

#include "config/tensor.h"
#include "sim/engine/bulk.h"
#include "sim/engine/ears.h"
#include "sim/memory/texels.h"

/* All of a bulk copy, or NULL if it moves nothing of global memory. */
static const struct sim_request *walk_copy(struct teg_cursor *c,
                                           const struct teg_gpu *gpu,
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
        more = sim_plan_bulk(plan, gpu, inst->flags, &box);
        if (more)
            sim_request_add(&sum, &plan->request);
    } while (more);
    sim_request_add(&plan->request, &sum);
    return &plan->request;
}

static const struct sim_request *walk_texels(struct teg_cursor *c,
                                             const struct teg_gpu *gpu,
                                             const struct teg_inst *inst,
                                             struct sim_plan *plan)
{
    struct sim_values v;

    sim_values_read(&v, c);
    sim_plan_texels(plan, gpu, inst->flags, v.mask, v.value);
    return &plan->request;
}

static void walk_inst(struct teg_cursor *c, const struct teg_gpu *gpu,
                      const struct teg_kernel *kernel,
                      const struct sim_listener *listener, uint32_t listeners,
                      struct sim_issue *e)
{
    const struct teg_inst *inst = &kernel->program.inst[c->inst];
    struct sim_windows windows = sim_windows_of(kernel, gpu);
    struct teg_access access;
    struct sim_plan plan;

    e->inst = c->inst;
    e->mask = c->mask;
    e->op_class = inst->op_class;
    e->unit = gpu->timing[inst->op_class].unit[0];
    e->interval = inst->tensor.m != 0 ? tensor_timing(gpu, inst).interval
                                      : gpu->timing[inst->op_class].interval;
    if (teg_cursor_access(c, &access)) {
        sim_plan_make(&plan, gpu, inst, &access, &windows);
        e->request = &plan.request;
    }
    if (teg_values_are_copy(inst->values) && c->mask != 0)
        e->request = walk_copy(c, gpu, inst, &plan);
    if (inst->values == VALUES_TEXELS && c->mask != 0)
        e->request = walk_texels(c, gpu, inst, &plan);
    for (uint32_t i = 0; i < listeners; i++) {
        if (listener[i].on_issue != NULL)
            listener[i].on_issue(listener[i].self, e);
    }
    e->request = NULL;
}

static void walk_block(struct teg_block *block, uint64_t number,
                       const struct teg_gpu *gpu,
                       const struct teg_kernel *kernel,
                       const struct sim_listener *listener, uint32_t listeners)
{
    uint32_t warps = teg_block_warps(block);

    for (uint32_t i = 0; i < listeners; i++) {
        if (listener[i].on_block_start != NULL)
            listener[i].on_block_start(listener[i].self, 0, 0, number, warps);
    }
    for (uint32_t s = 0; s < warps; s++) {
        struct sim_issue e = {
            .slot = s % gpu->sm.warps_max,
            .block = number,
            .stream = s,
            .warp_id = teg_block_warp_id(block, s),
        };
        struct teg_cursor c;

        teg_cursor_init(&c, block, s);
        while (teg_cursor_next(&c))
            walk_inst(&c, gpu, kernel, listener, listeners, &e);
    }
}

teg_status sim_engine_walk(struct teg_launch *launch, const struct teg_gpu *gpu,
                           const struct sim_listener *listener,
                           uint32_t listeners, uint64_t *blocks,
                           struct teg_diag *d)
{
    *blocks = 0;
    sim_announce_start(listener, listeners, gpu, &launch->kernel->program,
                       gpu->chip.sms);
    for (;;) {
        struct teg_block *block;

        TRY(launch->next(launch->self, &block, d));
        if (block == NULL)
            break;
        walk_block(block, (*blocks)++, gpu, launch->kernel, listener,
                   listeners);
        teg_block_free(block);
    }
    sim_announce_finish(listener, listeners, 0);
    return TEG_OK;
}
