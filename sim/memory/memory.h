/*
 * The memory system beyond the SM's load/store unit: L1 caches, the memory
 * pipelines of clusters, L2 slices and DRAM channels.
 *
 * Models: every resource is a queue that a transaction reserves for the time
 * its bytes take, in the order in which requests are issued, so contention
 * and channel skew show as waiting.  A load takes the unloaded latency of the
 * level that serves it plus all waiting on the way.  A cluster may have only
 * so many bytes outstanding (Lai 2013, Eq. 3.2: C_mem transactions).
 * Stores write through L1 and are written back from L2 when evicted, which
 * whoever needs the place waits for.  An L2 of two halves keeps near an SM
 * what its half has read.
 * Requests may come with those of other SMs that are not stepped.
 * An L1 holds lines for the launch that asked for them: the driver invalidates it
 * between grids that depend on each other (PTX ISA, cache operator .ca).
 * Leaves out: DRAM pages, the levels of translation between an SM's and the
 * page table, the network.
 */
#ifndef TEG_SIM_MEMORY_MEMORY_H
#define TEG_SIM_MEMORY_MEMORY_H

#include <stddef.h>

#include "sim/memory/passed.h"
#include "sim/memory/plan.h"

struct sim_memory;

/* The memory of `gpu` (borrowed) with `sms` SMs.  `l1_bytes` is what shared
 * memory leaves to L1; 0: gpu->l1.bytes. */
teg_status sim_memory_new(const struct teg_gpu *gpu, uint32_t sms,
                          uint32_t l1_bytes, struct sim_memory **memory,
                          struct teg_diag *d);
void sim_memory_free(struct sim_memory *memory);

/*
 * From kernel to kernel of one program.  `m`, new and not yet asked, begins
 * with what `before`, of the same description but for what-ifs, was left with:
 * what L2 holds and what of it is dirty, the translations of SMs and chip, the
 * writes that channels have gathered.  Time begins anew, everything is there,
 * and L1 is empty, for the driver invalidates it between dependent grids (PTX
 * ISA, cache operator .ca).  An SM's translations go to the SM of the same
 * number.  Fails, and `m` is then only to be freed.
 */
teg_status sim_memory_carry(struct sim_memory *m,
                            const struct sim_memory *before,
                            struct teg_diag *d);
/* A memory of all SMs, as `before` (NULL: all is cold) was left. */
teg_status sim_memory_new_behind(const struct sim_memory *before,
                                 const struct teg_gpu *gpu,
                                 struct sim_memory **memory,
                                 struct teg_diag *d);
/* A copy or a set of memory between kernels has written `bytes` from `address`
 * on: they lie in L2, dirty. */
void sim_memory_write(struct sim_memory *m, uint64_t address, uint64_t bytes);
/* The chip has had nothing to do for a while: what L2 held dirty has been
 * written, as far as it is then (l2.writes_resting). */
void sim_memory_rest(struct sim_memory *m);

/* The planned request is about to pass: has the host fetch what of L2 that needs. */
void sim_memory_expect(const struct sim_memory *m, const struct sim_plan *plan);
/* SM `sm`'s planned request passes without a clock, and past L1: L2 has afterwards
 * what it asks for, and of a store that is dirty.  Adds to `*p`, which is the
 * same for the same requests in the same order. */
void sim_memory_pass(struct sim_memory *m, uint32_t sm,
                     const struct sim_plan *plan, struct sim_passed *p);

/* Copies take `share` (0 to 0.95) of the DRAM's bandwidth from now on, of each
 * channel alike. */
void sim_memory_leave(struct sim_memory *m, double share);

/* The first cycle, as far as can be told, at or after `now` at which SM `sm`
 * may issue a global request of `bytes`: `now`, or when the next outstanding
 * request of its cluster is done. */
uint64_t sim_memory_ready_at(struct sim_memory *m, uint32_t sm, uint64_t now,
                             uint32_t bytes);

/* Issues the planned global or local request in cycle `now`; returns the
 * cycle its data is there (a load, an atomic) or it was accepted (a store).
 * Fills the plan's hits and DRAM bytes. */
uint64_t sim_memory_issue(struct sim_memory *m, uint32_t sm, uint64_t now,
                          struct sim_plan *plan, uint32_t inst_flags);

/*
 * The same in two parts: what the SM's own L1 settles, and what goes on to
 * what SMs share.  Different SMs may begin at the same time, on several host
 * threads; each has to be ended, one after the other, in the order of
 * issue (cycle, SM, order in the SM), which is the order of reservations.
 */

/* A transaction, or its sectors that L1 does not have. */
struct sim_miss {
    uint64_t address;
    uint64_t ready; /* cycle when what L1 had is there */
    uint32_t bytes;
    uint32_t frame;      /* in L1 */
    uint8_t sectors;     /* to be fetched or written */
    uint8_t partial;     /* of them, those that a store writes in part, joining
                            none before */
    uint8_t torn;        /* those whose rest the thread does not store */
    uint8_t transaction; /* index in the plan */
    uint8_t turn;        /* of the load/store unit */
    uint16_t flags;      /* SIM_MISS_... of l1.h, private to the room */
    uint8_t updates, steps, packets; /* of an atomic */
    /* Of shared memory of another block of the cluster (SIM_MISS_REMOTE): the
     * address is its SM; an atomic's passes there. */
    uint16_t passes, groups;
};

struct sim_misses {
    uint64_t now; /* cycle of issue */
    /* Ticks, of the transactions settled so far. */
    struct sim_request_ends {
        uint64_t done, accepted;
    } settled;
    uint32_t sm;
    /* Whose request: filled by whoever begins it. */
    struct sim_request_of {
        uint32_t
            launch;     /* of those on the chip: L1s hold lines of each apart */
        uint64_t block; /* running number in the launch */
        uint32_t stream; /* of the warp in its block */
        uint32_t place;  /* of the block in its SM */
    } of;
    uint32_t number;       /* of the request in its stream, likewise */
    uint32_t transactions; /* of the plan */
    uint32_t queued;       /* among the SM's loads (sim/memory/returns.h), and
                              when it comes back is not known yet */
    uint32_t count;
    struct sim_miss miss[SIM_TRANSACTIONS_MAX]; /* [count] */
};

/* The bytes of it that count: those before miss[count]. */
static inline size_t sim_misses_bytes(const struct sim_misses *e)
{
    return offsetof(struct sim_misses, miss) + e->count * sizeof e->miss[0];
}

/* Does its end depend on what SMs share?  Else it is its SM's own affair. */
static inline int sim_misses_open(const struct sim_misses *e)
{
    return e->count != 0 || e->queued;
}

/* Begins the planned request; fills the plan's L1 hits and `e`. */
void sim_memory_begin(struct sim_memory *m, uint32_t sm, uint64_t now,
                      struct sim_plan *plan, uint32_t inst_flags,
                      struct sim_misses *e);
/* Ends it; returns what sim_memory_issue does and fills the rest of `r`, the
 * plan's request or a copy.  One that is not open may be ended by whoever began
 * it at once; the open ones of an SM are, in their order. */
uint64_t sim_memory_end(struct sim_memory *m, const struct sim_misses *e,
                        struct sim_request *r);

/*
 * SMs that are not stepped, but whose requests reach what SMs share.  They
 * follow those that are, their leaders: when a leader's warp makes a request,
 * so do the same warps of the blocks that its followers run, a little later,
 * and find in their L1 what the leader found in its own.  Nobody waits for
 * them.
 */
struct sim_follower_request {
    const struct sim_misses *leader;
    uint64_t cycle;
    uint32_t sm; /* beyond those that are stepped */
    struct sim_plan plan;
};

struct sim_followers {
    void *self;
    /* A leader's request begins; returns its number in the stream.  Called on
     * the host thread that steps the SM. */
    uint32_t (*begin)(void *self, const struct sim_request_of *of);
    /* It is about to go on to what SMs share, after all of `next`. */
    void (*lead)(void *self, const struct sim_misses *leader);
    /* The next request of a follower up to cycle `now`; returns 0 if there is
     * none. */
    int (*next)(void *self, uint64_t now, struct sim_follower_request *r);
    /* What became of it, and of a leader's. */
    void (*served)(void *self, const struct sim_request *r);
    void (*led)(void *self, const struct sim_request *r);
};

/* Before the first request.  `followers` is borrowed; NULL: none. */
void sim_memory_lead(struct sim_memory *m,
                     const struct sim_followers *followers);

/* The fewest cycles that pass between the issue of a load or atomic whose
 * misses go beyond its SM and the cycle its data is there. */
uint32_t sim_memory_lookahead(const struct teg_gpu *gpu);
/* Cycles from an SM to the first level that SMs share, and back. */
uint32_t sim_memory_first_way(const struct teg_gpu *gpu);

/* Bytes that went through DRAM: of the busiest channel, each time that
 * SIM_SKEW_BYTES a channel have been moved, and of all together. */
void sim_memory_channel_bytes(const struct sim_memory *m, uint64_t *most,
                              uint64_t *sum);

/* Whether memory of the host ran out: the cycles since are no result. */
int sim_memory_failed(const struct sim_memory *m);

/* Cycles for which atomics held the slice of L2 that they held longest. */
uint64_t sim_memory_atomic_cycles(const struct sim_memory *m);

#endif
