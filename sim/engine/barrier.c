#include "sim/engine/barrier.h"

#include "sim/engine/sm.h"
#include "sim/engine/values.h"

enum { /* values */
    NUMBER,
    THREADS,
};

static void open_barrier(struct sim_sm *sm, struct sim_resident *b,
                         uint32_t number, uint64_t now)
{
    uint64_t latency = teg_max(sm->chip->gpu->sm.barrier_latency, 1);
    uint64_t open = teg_max(now, sm->barriers_free_from) + latency;

    b->barrier[number] = (struct sim_barrier){0};
    for (uint64_t rest = b->slots; rest != 0; rest &= rest - 1) {
        struct sim_warp *w = &sm->warp[__builtin_ctzll(rest)];

        if (w->parked != SIM_PARKED_BARRIER || w->waits_at != number)
            continue;
        w->parked = SIM_NOT_PARKED;
        sim_warp_hold(w, STALL_BARRIER, open);
        sim_sm_await(sm, w);
    }
}

/* Releases a barrier if all who will come have come. */
static void may_open(struct sim_sm *sm, struct sim_resident *b, uint32_t number,
                     uint64_t now)
{
    const struct sim_barrier *barrier = &b->barrier[number];

    if (barrier->warps == 0)
        return;
    if (barrier->wanted != 0 ? barrier->threads >= barrier->wanted
                             : barrier->warps == b->live + b->missing)
        open_barrier(sm, b, number, now);
}

/* Counts the warp, behind those before it at any barrier of the SM; returns the
 * barrier's number. */
static uint32_t come(struct sim_sm *sm, struct sim_resident *b,
                     const struct sim_values *v, uint64_t now)
{
    uint32_t number =
        v != NULL ? (uint32_t)sim_value_first(v, NUMBER) % SIM_NAMED_BARRIERS
                  : 0;
    struct sim_barrier *barrier = &b->barrier[number];

    sm->barriers_free_from = teg_max(now, sm->barriers_free_from) +
                             sm->chip->gpu->sm.barrier_interval;
    barrier->warps++;
    if (v == NULL)
        return number;
    barrier->threads += (uint32_t)__builtin_popcount(v->mask);
    barrier->wanted = (uint32_t)sim_value_first(v, THREADS);
    return number;
}

void sim_barrier_arrive(struct sim_sm *sm, struct sim_warp *w,
                        const struct sim_values *v, uint64_t now)
{
    struct sim_resident *b = &sm->resident[w->resident];

    w->parked = SIM_PARKED_BARRIER;
    w->waits_at = come(sm, b, v, now);
    may_open(sm, b, w->waits_at, now);
}

void sim_barrier_pass(struct sim_sm *sm, const struct sim_warp *w,
                      const struct sim_values *v, uint64_t now)
{
    struct sim_resident *b = &sm->resident[w->resident];

    may_open(sm, b, come(sm, b, v, now), now);
}

void sim_barrier_leave(struct sim_sm *sm, struct sim_resident *b, uint64_t now)
{
    for (uint32_t i = 0; i < SIM_NAMED_BARRIERS; i++)
        may_open(sm, b, i, now);
}
