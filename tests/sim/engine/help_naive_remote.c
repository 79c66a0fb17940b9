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
    uint64_t at = teg_access_lane(a, lane) - n->asked_from;
    uint32_t blocks = n->of->windows.blocks > 1 ? n->of->windows.blocks : 1;

    return (uint32_t)(at / MB16) % blocks;
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
    return inst->space == SPACE_GENERIC && n->of->windows.blocks > 1 &&
           n->of->windows.shared_base != 0 &&
           teg_access_lane(a, lane) >= n->of->windows.shared_base &&
           teg_access_lane(a, lane) <
               n->of->windows.shared_base +
                   (uint64_t)MB16 * n->of->windows.blocks;
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
        naive_plan_make(plan, n->gpu, &shared, &part, &n->of->windows);
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
    n->asked_from = n->of->windows.shared_base;
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
                      const struct sim_plan *plan, uint64_t bytes, int sent,
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
    if (sent) { /* its last line is there behind the first */
        if (plan->request.is_atomic) {
            passes = plan->request.passes * pass;
            further = (plan->request.passes - plan->request.groups) * pass;
        }
        at = take(&n->port_out[from], at, ticks);
        at = take(&n->port_in[to], at, naive_max(ticks, passes));
        at += (uint64_t)gpu->shared.remote_latency * TICKS + further;
        if (bytes > 128 && rate > 0)
            at += (bytes - 128) * nearest(TICKS * 65536.0 / rate) / 65536;
        return (at + TICKS - 1) / TICKS;
    }
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

static uint32_t sm_of(const struct naive *n, const struct block *b,
                      uint32_t rank_behind)
{
    const struct cluster *c = &n->cluster[b->cluster];

    return c->sm[(b->rank + rank_behind) % c->blocks];
}

struct block *naive_block_behind(struct naive *n, struct block *b,
                                 uint32_t rank_behind)
{
    const struct cluster *c = &n->cluster[b->cluster];
    uint32_t rank = (b->rank + rank_behind) % c->blocks;
    struct block *found = &n->sm[c->sm[rank]].block[c->place[rank]];

    return found->block != NULL && found->cluster == b->cluster &&
                   found->rank == rank
               ? found
               : NULL;
}

uint64_t naive_send_done(struct naive *n, uint32_t sm, struct warp *w,
                         uint64_t begin, uint64_t own)
{
    const struct block *b = &n->sm[sm].block[w->block];
    struct teg_inst store = *naive_head(n, w);
    uint64_t done = own;

    store.width = (uint16_t)n->sent_bytes;
    store.flags &= INST_ATOMIC;
    if (store.flags == 0)
        store.flags = INST_STORE;
    for (uint32_t r = 1; r < n->of->windows.blocks; r++) {
        struct sim_plan part;

        if (plan_part(n, &store, &w->asked, r, &part))
            done = naive_max(done, reach(n, sm, sm_of(n, b, r), &part,
                                         bytes_of(n, &store, &w->asked, r), 1,
                                         begin));
    }
    return done;
}

void naive_send_plan(struct naive *n, struct warp *w, uint64_t bytes,
                     const struct teg_access *to)
{
    struct teg_inst store = *naive_head(n, w);

    n->asked_from = 0;
    n->sent_bytes = bytes;
    w->asked = *to;
    store.width = (uint16_t)bytes;
    store.flags &= INST_ATOMIC;
    if (store.flags == 0)
        store.flags = INST_STORE;
    plan_part(n, &store, to, 0, &w->plan);
    w->plan.request.is_store = 0;
}

uint64_t naive_copy_across(struct naive *n, uint32_t sm, struct warp *w,
                           const uint64_t *value, uint64_t begin, uint64_t own)
{
    const struct block *b = &n->sm[sm].block[w->block];
    const struct sim_plan none = {.count = 0};
    uint32_t rank = n->of->windows.blocks > 1
                        ? (uint32_t)(value[0] / MB16) % n->of->windows.blocks
                        : 0;

    if (rank == 0 || value[2] == 0)
        return own;
    return naive_max(
        own, reach(n, sm, sm_of(n, b, rank), &none, value[2], 1, begin));
}

uint64_t naive_remote_done(struct naive *n, uint32_t sm, struct warp *w,
                           uint64_t begin, uint64_t own, uint64_t latency)
{
    const struct teg_inst *inst = naive_head(n, w);
    const struct block *b = &n->sm[sm].block[w->block];
    uint64_t done = begin;
    int any = 0, is_store = 0;

    n->asked_from = n->of->windows.shared_base;
    for (uint32_t r = 1; w->remote && r < n->of->windows.blocks; r++) {
        struct sim_plan part;

        if (!plan_part(n, inst, &w->asked, r, &part))
            continue;
        any = 1;
        is_store = part.request.is_store && !part.request.is_atomic;
        done =
            naive_max(done, reach(n, sm, sm_of(n, b, r), &part,
                                  bytes_of(n, inst, &w->asked, r), 0, begin));
    }
    if (!any)
        return own;
    return naive_max(is_store ? done + latency : done, own);
}
