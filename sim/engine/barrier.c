#include "sim/engine/barrier.h"

static void open_barrier(struct sim_sm *sm, struct sim_resident *b,
                         uint64_t now)
{
    uint64_t latency = teg_max(sm->chip->gpu->sm.barrier_latency, 1);

    b->arrived = 0;
    for (uint64_t rest = b->slots; rest != 0; rest &= rest - 1) {
        struct sim_warp *w = &sm->warp[__builtin_ctzll(rest)];

        if (w->parked != SIM_PARKED_BARRIER)
            continue;
        w->parked = SIM_NOT_PARKED;
        w->until[STALL_BARRIER] = now + latency;
        sim_sm_await(sm, w);
    }
}

/* Releases the block's barrier if all who will come have come. */
static void may_open(struct sim_sm *sm, struct sim_resident *b, uint64_t now)
{
    if (b->arrived != 0 && b->arrived == b->live + b->missing)
        open_barrier(sm, b, now);
}

void sim_barrier_arrive(struct sim_sm *sm, struct sim_warp *w, uint64_t now)
{
    struct sim_resident *b = &sm->resident[w->resident];

    w->parked = SIM_PARKED_BARRIER;
    b->arrived++;
    may_open(sm, b, now);
}

void sim_barrier_leave(struct sim_sm *sm, struct sim_resident *b, uint64_t now)
{
    may_open(sm, b, now);
}
