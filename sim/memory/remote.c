#include "sim/memory/remote.h"

#include <stdlib.h>

#include "sim/memory/atomic.h"
#include "sim/memory/l1.h"
#include "sim/memory/lanes.h"
#include "sim/memory/line.h"
#include "sim/memory/memory.h"
#include "sim/memory/shared.h"

enum {
    /* Those of a lane: 16 bytes may straddle two. */
    SEGMENTS_MAX = 2 * TEG_LANES,
};

/* ---- the request --------------------------------------------------------- */

/* Bytes of the segments that the lanes touch. */
static uint32_t segment_bytes(const struct teg_access *a, uint32_t width)
{
    uint64_t seen[SEGMENTS_MAX];
    uint32_t n = 0;

    for (uint32_t rest = a->mask; rest != 0; rest &= rest - 1) {
        uint64_t at = teg_access_lane(a, sim_first_lane(rest));
        uint64_t last = (at + width - 1) / TEG_SECTOR_BYTES;

        for (at /= TEG_SECTOR_BYTES; at <= last; at++) {
            uint32_t i = n;

            while (i != 0 && seen[i - 1] != at)
                i--;
            if (i == 0)
                seen[n++] = at;
        }
    }
    return n * TEG_SECTOR_BYTES;
}

/* What the lanes of `a` want of one other block. */
static void add_remote(struct sim_plan *plan, const struct teg_gpu *gpu,
                       const struct teg_inst *inst, const struct teg_access *a,
                       uint32_t behind)
{
    struct sim_remote *remote = &plan->remote[plan->remotes++];
    struct sim_plan there;

    *remote = (struct sim_remote){
        .behind = behind,
        .bytes = segment_bytes(a, inst->width != 0 ? inst->width : 1),
    };
    plan->request.remote_bytes += remote->bytes;
    if (!plan->request.is_atomic)
        return;
    there.request = (struct sim_request){.is_atomic = 1};
    sim_shared_passes(&there, gpu, inst, a, NULL);
    remote->passes = there.request.passes;
    remote->groups = there.request.groups;
}

void sim_remote_split(struct sim_plan *plan, const struct teg_gpu *gpu,
                      const struct teg_inst *inst, const struct teg_access *a,
                      const struct sim_windows *windows)
{
    uint32_t mask[SIM_CGA_MAX] = {0};
    struct teg_access part = *a;

    for (uint32_t rest = a->mask; rest != 0; rest &= rest - 1) {
        uint32_t lane = sim_first_lane(rest);
        uint64_t at = teg_access_lane(a, lane) - windows->shared_base;

        /* A request goes where its first lane does. */
        mask[at / TEG_WINDOW_BYTES % windows->blocks] |= 1u << lane;
    }
    part.mask = mask[0];
    if (part.mask != 0)
        sim_shared_passes(plan, gpu, inst, &part, NULL);
    for (uint32_t b = 1; b < windows->blocks; b++) {
        part.mask = mask[b];
        if (part.mask != 0)
            add_remote(plan, gpu, inst, &part, b);
    }
}

void sim_remote_plan(struct sim_plan *plan, const struct teg_gpu *gpu,
                     const struct teg_inst *inst, const struct teg_access *a,
                     const struct sim_windows *windows)
{
    const struct sim_windows all = {
        .blocks = windows->blocks > 1 ? windows->blocks : 1};

    plan->count = plan->groups = plan->remotes = 0;
    plan->request =
        (struct sim_request){.space = SPACE_SHARED,
                             .is_atomic = (inst->flags & INST_ATOMIC) != 0,
                             .active = (uint16_t)sim_count_lanes(a->mask)};
    sim_remote_split(plan, gpu, inst, a, &all);
    for (uint32_t i = 0; i < plan->remotes; i++)
        plan->remote[i].sent = 1;
}

/* ---- the network --------------------------------------------------------- */

int sim_network_init(struct sim_network *n, const struct teg_gpu *gpu,
                     uint32_t sms)
{
    double pass = gpu->shared.atomic_interval > 0 ? gpu->shared.atomic_interval
                                                  : gpu->shared.pass_interval;

    *n = (struct sim_network){
        .gpu = gpu,
        .rate = sim_rate_of(gpu->shared.remote_bytes_per_cycle),
        .pass_ticks = sim_ticks_of(pass),
    };
    if (gpu->shared.remote_latency == 0)
        return 1;
    n->port = calloc(sms, sizeof *n->port);
    return n->port != NULL;
}

void sim_network_release(struct sim_network *n)
{
    free(n->port);
    *n = (struct sim_network){0};
}

/* Ticks by which what is sent is there after its first line. */
static uint64_t behind_first(const struct sim_network *n,
                             const struct sim_miss *miss)
{
    return miss->bytes > TEG_LINE_BYTES
               ? sim_bytes_ticks(n->rate, miss->bytes - TEG_LINE_BYTES)
               : 0;
}

uint64_t sim_network_pass(struct sim_network *n, uint32_t sm, struct sim_way *w,
                          const struct sim_miss *miss,
                          const struct sim_request *r)
{
    struct sim_port *own = &n->port[sm], *there = &n->port[miss->address];
    uint64_t ticks = sim_bytes_ticks(n->rate, miss->bytes);
    uint64_t passes = miss->passes * n->pass_ticks;
    uint64_t further = (miss->passes - miss->groups) * n->pass_ticks;
    uint64_t latency = n->gpu->shared.remote_latency * (uint64_t)SIM_TICKS;
    int sent = (miss->flags & SIM_MISS_SENT) != 0;

    if (sent || (r->is_store && !r->is_atomic)) {
        w->waited += sim_queue_wait(&own->out, sim_way_at(w), ticks);
        w->waited +=
            sim_queue_wait(&there->in, sim_way_at(w), teg_max(ticks, passes));
        return sim_way_at(w) +
               (sent ? latency + further + behind_first(n, miss) : 0);
    }
    w->waited +=
        sim_queue_wait(&there->out, sim_way_at(w), teg_max(ticks, passes));
    w->waited += sim_queue_wait(&own->in, sim_way_at(w), ticks);
    return sim_way_at(w) + latency + further;
}
