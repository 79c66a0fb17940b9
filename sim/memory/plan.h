/*
 * What one warp's memory instruction asks of the memory system, from the
 * lanes' real addresses by the rule of the compute capability: transactions
 * of a global access, passes of a shared one.  No time here.
 */
#ifndef TEG_SIM_MEMORY_PLAN_H
#define TEG_SIM_MEMORY_PLAN_H

#include "sim/events.h"
#include "sim/memory/box.h"
#include "sim/memory/known.h"
#include "sim/memory/transaction.h"
#include "traces/block/cursor.h"

enum {
    /* 32 lanes that touch eight texels each */
    SIM_TRANSACTIONS_MAX = TEG_LANES * TEG_TEXELS_MAX,
    /* Of them by plain accesses, 32 lanes that straddle a line
     * each; and lines of a copy that are one request. */
    SIM_LINES_MAX = 64,
    SIM_CGA_MAX = 16, /* blocks of a cluster; CUDA programming guide,
                         non-portable size */
};

/* The different words that lanes of an atomic want, in the order in which
 * they come to want them, and by how many.  An element that is wider is at its
 * first word. */
struct sim_places {
    uint32_t count;
    uint8_t lanes[TEG_LANES];
    uint64_t address[TEG_LANES]; /* of the word */
};

/* Of a request to shared memory, what it asks of another block of the
 * cluster. */
struct sim_remote {
    uint32_t behind; /* ranks behind its own; then, once it is known, its SM */
    uint32_t bytes;  /* of the segments that cross the network */
    uint32_t passes, groups; /* of an atomic in the banks there */
    int sent; /* it is to be told when it is there: a copy, an asynchronous
                 store */
};

/* A request, worked out before it is issued. */
struct sim_plan {
    struct sim_request request; /* hits and DRAM bytes still 0 */
    uint32_t count;
    /* Groups of lanes that coalesce on their own and have an active lane:
     * half warps up to compute capability 1.3, else 1. */
    uint32_t groups;
    struct sim_transaction transaction[SIM_TRANSACTIONS_MAX];
    struct sim_places places; /* of an atomic; of a constant load, the
                                 different addresses of its lanes, in order */
    uint32_t remotes;
    struct sim_remote remote[SIM_CGA_MAX]; /* [remotes] */
};

/* Turns of the load/store unit the planned global request takes: one for
 * what coalesced completely (a transaction of each half warp where half warps
 * coalesce), one more for each further transaction. */
static inline uint32_t sim_plan_turns(const struct sim_plan *plan)
{
    if (plan->count <= plan->groups)
        return plan->count != 0;
    return plan->count - plan->groups + 1;
}

/* Windows of generic addresses that are not global memory; 0 = none.  That of
 * shared memory repeats for each block of a cluster (traces/base/kernel.h). */
struct sim_windows {
    uint64_t shared_base, local_base;
    uint32_t blocks; /* whose shared memory is not timed as global; 0: 1 */
};

/* Those of a launch. */
static inline struct sim_windows sim_windows_of(const struct teg_kernel *k,
                                                const struct teg_gpu *gpu)
{
    uint64_t blocks = teg_kernel_cluster(k);
    int knows = gpu->shared.remote_latency != 0 && blocks <= SIM_CGA_MAX;

    return (struct sim_windows){k->shared_base, k->local_base,
                                knows ? (uint32_t)blocks : 1};
}

/* The space a generic access goes to, judged by its first active lane. */
enum teg_space sim_resolve_space(const struct teg_inst *inst,
                                 const struct teg_access *a,
                                 const struct sim_windows *windows);

/* Works out `a` of `inst` on `gpu`.  `a` must have an active lane.  `known`, of
 * the same chip, is what was worked out before, or NULL. */
void sim_plan_make_as_known(struct sim_plan *plan, const struct teg_gpu *gpu,
                            const struct teg_inst *inst,
                            const struct teg_access *a,
                            const struct sim_windows *windows,
                            struct sim_known *known);
static inline void sim_plan_make(struct sim_plan *plan,
                                 const struct teg_gpu *gpu,
                                 const struct teg_inst *inst,
                                 const struct teg_access *a,
                                 const struct sim_windows *windows)
{
    sim_plan_make_as_known(plan, gpu, inst, a, windows, NULL);
}

/* Works out the next piece of a copy to global memory or from there: as many
 * lines as one request has; of one that is combined with what is there, what
 * that takes of L2.  Returns whether more are left in `box`. */
int sim_plan_bulk(struct sim_plan *plan, const struct teg_gpu *gpu,
                  uint32_t inst_flags, struct sim_box *box);

/* Takes such a piece from `box` without working it out. */
static inline void sim_plan_pass(struct sim_box *box)
{
    uint64_t to;

    for (uint32_t i = 0; i < SIM_LINES_MAX && sim_box_left(box); i++)
        sim_box_take(box, &to);
}

/*
 * Moves a planned request for local memory to that of the block resident at
 * `place` of SM `sm`; others stay.  A trace's local addresses are those of a
 * thread in its block, and every block has the same; but the memory behind
 * them is set aside for as many threads as the chip holds at once (Nvidia, CUDA
 * C++ Programming Guide, cudaDeviceSetLimit and cudaDeviceLmemResizeToMax), so
 * residents share no line and a block finds there what the one before it in
 * its place has left.
 */
void sim_plan_place(struct sim_plan *plan, uint32_t sm, uint32_t place);

#endif
