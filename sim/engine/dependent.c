#include "sim/engine/dependent.h"

void sim_dependent_let(struct sim_sm *sm, const struct sim_warp *w,
                       uint64_t now)
{
    struct sim_resident *b = &sm->resident[w->resident];

    if (b->lets)
        return;
    b->lets = 1;
    b->lets_from = now;
}

int sim_dependent_wait(struct sim_warp *w)
{
    if (w->grid->primary != NULL) {
        w->parked = SIM_PARKED_GRID;
        return 1;
    }
    sim_warp_hold(w, STALL_MEMBAR, w->grid->primary_seen);
    return 0;
}

uint64_t sim_dependent_latency(const struct teg_gpu *gpu)
{
    return teg_max(gpu->fence.gpu_latency, 1);
}

uint64_t sim_dependent_release(const struct sim_grid *primary,
                               const struct sim_sm *sm, uint32_t sms)
{
    uint64_t at = primary->released;

    if (!sim_grid_is_over(primary))
        return SIM_NEVER;
    for (uint32_t s = 0; s < sms; s++) {
        for (uint32_t i = 0; i < sim_sm_places(&sm[s]); i++) {
            const struct sim_resident *b = &sm[s].resident[i];

            if (b->block == NULL || b->grid != primary)
                continue;
            if (!b->lets)
                return SIM_NEVER;
            at = teg_max(at, b->lets_from);
        }
    }
    return at;
}

void sim_dependent_settle(struct sim_grid *grid, struct sim_sm *sm,
                          uint32_t sms, uint64_t now)
{
    grid->primary = NULL;
    grid->primary_seen = now + sim_dependent_latency(grid->ops.gpu);
    for (uint32_t s = 0; s < sms; s++) {
        for (uint32_t i = 0; i < sim_sm_slots(&sm[s]); i++) {
            struct sim_warp *w = &sm[s].warp[i];

            if (w->parked != SIM_PARKED_GRID || w->grid != grid)
                continue;
            w->parked = SIM_NOT_PARKED;
            sim_warp_hold(w, STALL_MEMBAR, grid->primary_seen);
            sim_sm_await(&sm[s], w);
            sm[s].wake =
                teg_min(sm[s].wake, sm[s].scheduler[w->scheduler].wake);
        }
    }
}
