/* The launch without a clock. */
#include "sim/engine/engine.h"

#include "sim/engine/ears.h"

static void walk_inst(struct teg_cursor *c, const struct teg_gpu *gpu,
                      const struct teg_kernel *kernel,
                      const struct sim_listener *listener, uint32_t listeners,
                      struct sim_issue *e)
{
    const struct teg_inst *inst = &kernel->program.inst[c->inst];
    struct sim_windows windows = {kernel->shared_base, kernel->local_base};
    struct teg_access access;
    struct sim_plan plan;

    e->inst = c->inst;
    e->mask = c->mask;
    e->op_class = inst->op_class;
    e->unit = gpu->timing[inst->op_class].unit[0];
    if (teg_cursor_access(c, &access)) {
        sim_plan_make(&plan, gpu, inst, &access, &windows);
        e->request = &plan.request;
    }
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
