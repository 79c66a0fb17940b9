#include "sim/engine/warpgroup.h"

#include "sim/engine/sm.h"

enum {
    GROUP_WARPS = 4 /* PTX ISA: wgmma, "warpgroup" */
};

static const struct sim_warp *warp_of(const struct sim_sm *sm, uint64_t slots)
{
    return &sm->warp[__builtin_ctzll(slots)];
}

/* The warp's slot, as a bit. */
static uint64_t slot_of(const struct sim_sm *sm, const struct sim_warp *w)
{
    return 1ull << (w - sm->warp);
}

/* The slots of the warps of its group that have not ended, a bit each. */
static uint64_t group_of(const struct sim_sm *sm, const struct sim_warp *w)
{
    uint64_t group = 0;

    for (uint64_t rest = sm->resident[w->resident].slots; rest != 0;
         rest &= rest - 1) {
        const struct sim_warp *v = warp_of(sm, rest);

        if (v->warp_id / GROUP_WARPS == w->warp_id / GROUP_WARPS &&
            sm->scheduler[v->scheduler].choice.alive >> v->index & 1)
            group |= rest & -rest;
    }
    return group;
}

/* ---- multiplying --------------------------------------------------------- */

/* Nobody waits for the warp's product any longer.  Behind the last the next may
 * be, from the next slot on. */
static void pay(struct sim_sm *sm, const struct sim_warp *w, uint64_t now)
{
    if ((sm->owed & slot_of(sm, w)) == 0)
        return;
    sm->owed &= ~slot_of(sm, w);
    if (sm->owed != 0)
        return;
    sm->products_from = now + sm->chip->period;
    for (uint32_t s = 0; s < sm->chip->gpu->sm.schedulers; s++)
        sm->scheduler[s].wake =
            teg_min(sm->scheduler[s].wake, sm->products_from);
}

uint64_t sim_warpgroup_product_at(const struct sim_sm *sm,
                                  const struct sim_warp *w)
{
    return (sm->owed & slot_of(sm, w)) != 0 ? 0 : sm->products_from;
}

void sim_warpgroup_multiply(struct sim_sm *sm, const struct sim_warp *w,
                            uint64_t now)
{
    if (sm->owed == 0) {
        sm->owed = group_of(sm, w);
        sm->products_from = SIM_NEVER;
    }
    pay(sm, w, now);
}

/* ---- meeting ------------------------------------------------------------- */

/* Those of `group` go on, if all of them wait. */
static void may_go_on(struct sim_sm *sm, uint64_t group, uint64_t now)
{
    for (uint64_t rest = group; rest != 0; rest &= rest - 1) {
        if (warp_of(sm, rest)->parked != SIM_PARKED_GROUP)
            return;
    }
    for (; group != 0; group &= group - 1) {
        struct sim_warp *w = &sm->warp[__builtin_ctzll(group)];

        w->parked = SIM_NOT_PARKED;
        sim_warp_hold(w, STALL_GMMA, now + 1);
        sim_sm_await(sm, w);
    }
}

void sim_warpgroup_arrive(struct sim_sm *sm, struct sim_warp *w, uint64_t now)
{
    w->parked = SIM_PARKED_GROUP;
    may_go_on(sm, group_of(sm, w), now);
}

void sim_warpgroup_leave(struct sim_sm *sm, const struct sim_warp *w,
                         uint64_t now)
{
    pay(sm, w, now);
    may_go_on(sm, group_of(sm, w), now);
}
