/* Shared memory of other blocks of a cluster: docs/simulator.md, "Distributed
 * shared memory", read aloud, byte by byte. */
#include "tests/sim/engine/help_naive_state.h"

#include <math.h>
#include <string.h>

enum {
    MB16 = 1 << 24,
    TICKS = 1024, /* of a cycle */
    SEGMENT = 32,
};

/* Of how many ranks behind its own the block is that the lane reaches. */
static uint32_t behind(const struct naive *n, const struct teg_access *a,
                       uint32_t lane)
{
    uint64_t at = teg_access_lane(a, lane) - n->windows.shared_base;

    return (uint32_t)(at / MB16) % n->windows.blocks;
}

static int active(const struct teg_access *a, uint32_t lane)
{
    return a->mask >> lane & 1;
}

/* Whether the request is for shared memory of the cluster: its first lane
 * says so. */
static int in_cluster(const struct naive *n, const struct teg_inst *inst,
                      const struct teg_access *a)
{
    uint32_t lane = 0;

    while (!active(a, lane))
        lane++;
    return inst->space == SPACE_GENERIC && n->windows.blocks > 1 &&
           n->windows.shared_base != 0 &&
           teg_access_lane(a, lane) >= n->windows.shared_base &&
           teg_access_lane(a, lane) <
               n->windows.shared_base + (uint64_t)MB16 * n->windows.blocks;
}

/* The request of the lanes that reach the block so many ranks behind. */
static int plan_part(struct naive *n, const struct teg_inst *inst,
                     const struct teg_access *a, uint32_t rank,
                     struct sim_plan *plan)
{
    struct teg_inst shared = *inst;
    struct teg_access part = *a;

    shared.space = SPACE_SHARED;
    part.mask = 0;
    for (uint32_t l = 0; l < TEG_LANES; l++) {
        if (active(a, l) && behind(n, a, l) == rank)
            part.mask |= 1u << l;
    }
    memset(plan, 0, sizeof *plan);
    plan->request.space = SPACE_SHARED;
    plan->request.is_store = (inst->flags & INST_STORE) != 0;
    plan->request.is_atomic = (inst->flags & INST_ATOMIC) != 0;
    if (part.mask != 0)
        naive_plan_make(plan, n->gpu, &shared, &part, &n->windows);
    return part.mask != 0;
}

int naive_remote_plan(struct naive *n, struct warp *w,
                      const struct teg_access *a)
{
    const struct teg_inst *inst = naive_head(n, w);

    w->remote = 0;
    if (!in_cluster(n, inst, a))
        return 0;
    w->asked = *a;
    w->remote = 1;
    plan_part(n, inst, a, 0, &w->plan);
    return 1;
}

/* Segments that any byte of those lanes is in: of each, the first byte that
 * touches it counts. */
static uint64_t bytes_of(const struct naive *n, const struct teg_inst *inst,
                         const struct teg_access *a, uint32_t rank)
{
    static uint64_t segment[TEG_LANES * 16];
    uint32_t count = 0, width = inst->width != 0 ? inst->width : 1;

    for (uint32_t l = 0; l < TEG_LANES; l++) {
        for (uint32_t byte = 0; byte < width; byte++) {
            uint64_t at;
            uint32_t i = 0;

            if (!active(a, l) || behind(n, a, l) != rank)
                continue;
            at = (teg_access_lane(a, l) + byte) / SEGMENT;
            while (i < count && segment[i] != at)
                i++;
            segment[count] = at;
            count += i == count;
        }
    }
    return (uint64_t)SEGMENT * count;
}

/* Takes a port from `at` on; returns when it does. */
static uint64_t take(uint64_t *port, uint64_t at, uint64_t ticks)
{
    uint64_t from = naive_max(at, *port);

    *port = from + ticks;
    return from;
}

static uint64_t nearest(double x)
{
    return (uint64_t)(x + 0.5);
}

/* One other block's part; returns the cycle it is there, or its store has been
 * taken. */
static uint64_t reach(struct naive *n, uint32_t from, uint32_t to,
                      const struct sim_plan *plan, uint64_t bytes,
                      uint64_t begin)
{
    const struct teg_gpu *gpu = n->gpu;
    double rate = gpu->shared.remote_bytes_per_cycle;
    double each = gpu->shared.atomic_interval > 0 ? gpu->shared.atomic_interval
                                                  : gpu->shared.pass_interval;
    uint64_t pass = nearest(each * TICKS), at = begin * TICKS, ticks = 0;
    uint64_t passes = 0, further = 0;

    if (rate > 0)
        ticks = bytes * nearest(TICKS * 65536.0 / rate) / 65536;
    if (plan->request.is_store && !plan->request.is_atomic) {
        at = take(&n->port_out[from], at, ticks);
        at = take(&n->port_in[to], at, ticks);
        return (at + TICKS - 1) / TICKS;
    }
    if (plan->request.is_atomic) {
        passes = plan->request.passes * pass;
        further = (plan->request.passes - plan->request.groups) * pass;
    }
    at = take(&n->port_out[to], at, naive_max(ticks, passes));
    at = take(&n->port_in[from], at, ticks);
    at += (uint64_t)gpu->shared.remote_latency * TICKS + further;
    return (at + TICKS - 1) / TICKS;
}

uint64_t naive_remote_done(struct naive *n, uint32_t sm, struct warp *w,
                           uint64_t begin, uint64_t own, uint64_t latency)
{
    const struct teg_inst *inst = naive_head(n, w);
    const struct block *b = &n->sm[sm].block[w->block];
    const struct cluster *c = &n->cluster[b->cluster];
    uint64_t done = begin;
    int any = 0, is_store = 0;

    for (uint32_t r = 1; w->remote && r < n->windows.blocks; r++) {
        struct sim_plan part;

        if (!plan_part(n, inst, &w->asked, r, &part))
            continue;
        any = 1;
        is_store = part.request.is_store && !part.request.is_atomic;
        done = naive_max(done,
                         reach(n, sm, c->sm[(b->rank + r) % c->blocks], &part,
                               bytes_of(n, inst, &w->asked, r), begin));
    }
    if (!any)
        return own;
    return naive_max(is_store ? done + latency : done, own);
}
