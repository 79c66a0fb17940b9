/*
 * Barriers in shared memory (mbarriers) of the blocks of an SM.
 *
 * Models: an mbarrier ends a phase when all arrivals it counts have come and
 * all bytes it was told to expect; then the next phase begins.  An arrival has
 * come when its instruction is done, a bulk copy's bytes when the copy is.  A
 * warp that has asked for a phase goes on when that has ended.
 * (PTX ISA, "mbarrier"; how long it takes is inferred: an arrival is a
 * shared-memory atomic)
 * Leaves out: who waits is told at once; the time limit of a try.
 *
 * All that ends a phase is counted when it issues, with the cycle in which it
 * comes: a phase is over in the latest of them.  What SMs that run ahead have
 * to leave open (pending.h) keeps the phase's end open.
 */
#ifndef TEG_SIM_ENGINE_MBARRIER_H
#define TEG_SIM_ENGINE_MBARRIER_H

#include <stdint.h>

struct sim_letter;
struct sim_news;
struct sim_op;
struct sim_sm;
struct sim_resident;
struct sim_times;
struct sim_values;
struct sim_warp;

#define SIM_NO_MBARRIER UINT32_MAX

/* When a phase is over, as far as is known. */
struct sim_phase {
    uint64_t at;   /* cycle */
    uint32_t open; /* contributions whose cycle is still to come */
};

struct sim_mbarrier {
    uint64_t address;
    int64_t count;              /* arrivals of a phase */
    int64_t left;               /* of this one's */
    int64_t bytes;              /* to come */
    uint32_t ended;             /* phases */
    struct sim_phase now, last; /* this phase, and the one before it */
};

/* Those of one resident block. */
struct sim_mbarriers {
    struct sim_mbarrier *at; /* owned, [count]; stays for the next block */
    uint32_t count, capacity;
};

/* What a bulk copy in flight has to tell: which mbarrier, in which phase. */
struct sim_mbarrier_note {
    uint32_t mbarrier; /* index, or SIM_NO_MBARRIER */
    uint32_t phase;
};

/* The warp's instruction, with these values, makes an mbarrier. */
void sim_mbarrier_init(struct sim_sm *sm, const struct sim_warp *w,
                       const struct sim_values *v);
/* It arrives at one, or its lanes at several, also of other blocks of its
 * cluster; one that follows copies, when these are done, its lanes together. */
void sim_mbarrier_arrive(struct sim_sm *sm, const struct sim_warp *w,
                         const struct sim_op *op, const struct sim_values *v,
                         const struct sim_times *t);
/* The warp's asynchronous store, with these values, comes with its bytes. */
void sim_mbarrier_sent(struct sim_sm *sm, const struct sim_warp *w,
                       const struct sim_values *v, const struct sim_times *t);
/* Another block of the cluster, or an instruction that was open, tells `b`. */
void sim_mbarrier_hear(struct sim_sm *sm, struct sim_resident *b,
                       const struct sim_letter *letter);

/* News come for an mbarrier of block `b` itself, in cycle `done`; if that is
 * open, in the cycle that sim_mbarrier_settle tells. */
struct sim_mbarrier_note sim_mbarrier_come(struct sim_sm *sm,
                                           struct sim_resident *b,
                                           const struct sim_news *news,
                                           uint64_t done, int open);
void sim_mbarrier_settle(struct sim_sm *sm, struct sim_resident *b,
                         struct sim_mbarrier_note note, uint64_t done);

/* The warp has asked for a phase by `op` in cycle `now` and stands in front of its
 * next instruction: returns 0 if that phase has not ended, and parks the warp
 * until it has; else enters until when it waits. */
int sim_mbarrier_ask(struct sim_sm *sm, struct sim_warp *w,
                     const struct sim_op *op, const struct sim_values *v,
                     uint64_t now);

#endif
