#include "sim/engine/texture.h"

#include "sim/engine/sm.h"
#include "sim/memory/texels.h"

/* Cycles that the unit is taken: by quads, and by lines as they leave. */
static uint64_t busy_of(const struct sim_chip *chip, const struct sim_op *op,
                        const struct sim_plan *plan)
{
    uint64_t quads = sim_whole_up(plan->request.passes * chip->quad_interval);
    uint64_t lines =
        sim_whole_up(sim_plan_turns(plan) * chip->transaction_interval);

    return teg_max(chip->quad_interval != 0 ? quads : op->interval, lines);
}

/* The class's latency is that of a hit.  In a cache of textures that is the
 * cache's own; what comes from L1, or misses it, passes through the unit
 * besides. */
static uint64_t way_through(const struct teg_gpu *gpu, const struct sim_op *op)
{
    if (gpu->texture.l1_bytes != 0 || gpu->l1.bytes == 0 ||
        op->latency < gpu->l1.latency)
        return 0;
    return op->latency - gpu->l1.latency;
}

struct sim_plan *sim_texture_issue(struct sim_sm *sm, uint32_t slot,
                                   const struct sim_values *v, uint64_t start,
                                   struct sim_times *t)
{
    struct sim_warp *w = &sm->warp[slot];
    const struct sim_op *op = sim_warp_op(w);
    struct sim_plan *plan = &sm->plan[sm->chip->may_refuse ? slot : 0];
    int is_store = (op->flags & INST_STORE) != 0;

    sim_plan_texels(plan, sm->chip->gpu, op->flags, v->mask, v->value);
    *t = (struct sim_times){
        .start = start,
        .busy = teg_max(busy_of(sm->chip, op, plan), 1),
        .same_warp = op->same_warp,
        .floor = start + (is_store ? 1 : teg_max(op->latency, 1)),
        .extra = is_store ? op->latency : way_through(sm->chip->gpu, op),
    };
    t->open = sim_lsu_begin(sm, w, plan, op->flags, start);
    sim_lsu_end(sm, plan, t);
    return plan;
}
