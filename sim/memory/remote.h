/*
 * Shared memory of other blocks of a cluster, and the network between their
 * SMs.
 *
 * Models: of what lanes want in another block's shared memory, the segments of
 * 32 bytes that they touch cross the network.  (NVIDIA, Hopper Tuning Guide:
 * such accesses are to be coalesced as those to global memory, in segments of
 * 32 bytes)  An SM has a port each way, which both ends of a transfer take for
 * its bytes: a store's go to the other block, those of all else come from
 * there; so many a cycle, and only waiting for a port is added to the latency.
 * What is sent, a copy or an asynchronous store, is there when its last line
 * is, each taking the latency behind the one before.
 * Lanes of an atomic that want one word take passes there as in the SM's own
 * shared memory.
 * Leaves out: what it does to the warps of the SM it goes to, whose banks and
 * load/store unit it meets; conflicts of loads and stores in those banks; the
 * message that asks for a load; any topology.
 */
#ifndef TEG_SIM_MEMORY_REMOTE_H
#define TEG_SIM_MEMORY_REMOTE_H

#include "sim/memory/plan.h"
#include "sim/memory/way.h"

struct sim_miss;

/* Bytes of generic addresses that are shared memory. */
static inline uint64_t sim_shared_window(const struct sim_windows *windows)
{
    return (uint64_t)TEG_WINDOW_BYTES *
           (windows->blocks > 1 ? windows->blocks : 1);
}

/* Works out a generic request to the cluster's shared memory: passes of what is
 * the block's own, and what goes to each other one. */
void sim_remote_split(struct sim_plan *plan, const struct teg_gpu *gpu,
                      const struct teg_inst *inst, const struct teg_access *a,
                      const struct sim_windows *windows);

/* Works out an asynchronous store to addresses of the cluster (SIM_BEHIND_BIT of
 * sim/engine/outbox.h), which is told when it is there. */
void sim_remote_plan(struct sim_plan *plan, const struct teg_gpu *gpu,
                     const struct teg_inst *inst, const struct teg_access *a,
                     const struct sim_windows *windows);

struct sim_network {
    const struct teg_gpu *gpu; /* borrowed; outlives it */
    struct sim_port {
        struct sim_queue in, out;
    } * port;      /* owned, [SMs]; NULL: the chip has no such network */
    uint64_t rate; /* of a port */
    uint64_t pass_ticks;
};

/* That of `sms` SMs.  Returns 0 out of memory. */
int sim_network_init(struct sim_network *n, const struct teg_gpu *gpu,
                     uint32_t sms);
void sim_network_release(struct sim_network *n);

/* Takes what SM `sm` wants of another, or has for it, through both ports, where
 * `w` notes its waiting; returns the tick it is there.  A plain store is
 * accepted when the second takes it. */
uint64_t sim_network_pass(struct sim_network *n, uint32_t sm, struct sim_way *w,
                          const struct sim_miss *miss,
                          const struct sim_request *r);

#endif
