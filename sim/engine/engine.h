/*
 * The clock: hands blocks to SMs and issues their warps' instructions.
 *
 * Models, cycle by cycle in meaning (Lai 2013, 3.2):
 *   - a scheduler picks, every issue_period cycles, one of its warps whose
 *     next instruction is ready and whose unit takes it; in order in a warp;
 *   - an instruction is ready when its source registers are (scoreboard);
 *     nothing waits for a destination;
 *   - issuing takes the unit for the class's interval, lengthened by bank
 *     conflicts and transactions, and the warp for the same-warp interval;
 *   - a block is placed where it fits, its warps wait for each other at
 *     barriers, it leaves when the last of its instructions is done.
 * In practice time jumps to the next cycle in which anything can happen, and
 * each SM runs ahead of the others as far as they cannot matter to it, on as
 * many host threads as asked; that changes no number
 * (tests/sim/engine/test_engine_naive.c).
 * Instructions come from caches where the description has them (fetch.h); what
 * stalls there are and what holds a warp are tables (sim/stalls.def,
 * sim/engine/waits.def).
 * Leaves out: write-back ports.
 */
#ifndef TEG_SIM_ENGINE_ENGINE_H
#define TEG_SIM_ENGINE_ENGINE_H

#include "config/occupancy.h"
#include "sim/events.h"
#include "sim/memory/memory.h"
#include "traces/block/cursor.h"

/* SMs that lead others, which are not stepped. */
struct sim_lead {
    const struct sim_followers *followers;
    void *self;
    /* The block that was read last is about to get a place on SM `sm` in
     * `cycle`, or a little later: leaves it or exchanges it for another of as
     * many warps.  `*passed` blocks got theirs on other SMs since the one
     * before. */
    teg_status (*choose)(void *self, uint32_t sm, uint64_t cycle,
                         struct teg_block **block, uint64_t *passed,
                         struct teg_diag *d);
};

struct sim_engine_setup {
    const struct teg_gpu *gpu;
    uint32_t sms;      /* to simulate, at least 1 */
    uint32_t l1_bytes; /* of L1, shared memory taken off; 0: gpu->l1.bytes */
    /* Of a launch by itself: */
    uint32_t blocks_per_sm;              /* at most, at least 1 */
    const struct sim_listener *listener; /* [listeners] */
    uint32_t listeners;
    uint32_t threads;            /* of the host, at most; 0 is 1 */
    const struct sim_lead *lead; /* NULL: every SM stands for itself */
    /* As the kernel before left it, NULL: all caches are cold; and where to
     * leave it in turn, in place of what is there, for the caller to free,
     * NULL: nowhere. */
    const struct sim_memory *before;
    struct sim_memory **after;
    /* Called now and then; not 0 stops.  May be NULL. */
    int (*progress)(void *self, uint64_t blocks_done, uint64_t cycle);
    void *progress_self;
};

struct sim_engine_outcome {
    uint64_t cycles;      /* until the last instruction is done */
    uint64_t blocks;      /* executed */
    uint64_t windows;     /* of cycles in which SMs ran ahead of each other */
    uint64_t unmet_waits; /* of loads, for what no block of the launch writes */
    /* By unit, a bit each: those of which it may have mattered when they take an
     * instruction.  The others were there whenever they were wanted. */
    uint32_t units_felt;
    uint64_t reading_cycles; /* in which schedulers read operands and could not
                                issue for it */
    uint64_t channel_bytes_max, channel_bytes_sum;
    /* Words that global atomics updated, at least; lanes that updated one. */
    uint64_t atomic_words, atomic_word_most;
    uint64_t atomic_slice_cycles; /* of the slice they held longest */
};

/* Runs `launch` from its next block to its last.  `*outcome` is filled as far
 * as the run came even when it fails. */
teg_status sim_engine_run(struct teg_launch *launch,
                          const struct sim_engine_setup *setup,
                          struct sim_engine_outcome *outcome,
                          struct teg_diag *d);

/*
 * Several launches beside each other, which may come while others run.  Each
 * has instructions, listeners and blocks of its own; SMs, units, caches and
 * what is behind them they share.  Leaves out: barriers as something that SMs
 * run short of, and what it takes to divide L1 and shared memory anew.
 */
#define SIM_NO_LAUNCH UINT32_MAX

struct sim_engine_launch {
    struct teg_launch *launch;           /* borrowed, until it has ended */
    const struct sim_listener *listener; /* [listeners]: hear of it alone, in
                                            cycles of the chip */
    uint32_t listeners;
    uint32_t blocks_per_sm;       /* at most, at least 1 */
    struct teg_block_needs needs; /* of a block, besides warp slots */
    uint32_t code;    /* launches of one program have the same number */
    int32_t priority; /* the higher goes first */
    uint64_t from;    /* cycle, not before now */
    /* Number of a launch that it depends on programmatically, so that it comes
     * `gap` cycles after that lets it (dependent.h), from `from` on at the
     * earliest; SIM_NO_LAUNCH: none, as one that has ended already. */
    uint32_t primary;
    uint64_t gap;
};

struct sim_engine_news {
    void *self;
    /* Its first block has a place, or it has none; its last block has left.
     * Launches are numbered as they came.  May be NULL. */
    void (*begun)(void *self, uint32_t launch, uint64_t cycle);
    void (*ended)(void *self, uint32_t launch, uint64_t cycle);
};

struct sim_engine;

/* `setup` and `news` are borrowed.  The caller frees `*engine` even if this
 * fails. */
teg_status sim_engine_new(const struct sim_engine_setup *setup,
                          const struct sim_engine_news *news,
                          struct sim_engine **engine, struct teg_diag *d);
void sim_engine_free(struct sim_engine *engine); /* NULL: nothing */
teg_status sim_engine_add(struct sim_engine *engine,
                          const struct sim_engine_launch *launch,
                          struct teg_diag *d);
/* Lets time go on to cycle `until` (UINT64_MAX: as long as anything happens), or
 * to the first in which a launch begins or ends: `*now`.  Until the next call
 * launches may be added from then on. */
teg_status sim_engine_advance(struct sim_engine *engine, uint64_t until,
                              uint64_t *now, struct teg_diag *d);
/* Borrowed: for what changes it from outside between two calls. */
struct sim_memory *sim_engine_memory(struct sim_engine *engine);
/* What has become of it all so far; nothing goes on afterwards. */
void sim_engine_finish(struct sim_engine *engine,
                       struct sim_engine_outcome *outcome);

/* Announces every instruction of the launch without a clock: cycle 0, no
 * stalls, the request as the address rules see it. */
teg_status sim_engine_walk(struct teg_launch *launch, const struct teg_gpu *gpu,
                           const struct sim_listener *listener,
                           uint32_t listeners, uint64_t *blocks,
                           struct teg_diag *d);

/* The launch's requests pass `memory`, which has all SMs, without a clock, block
 * after block, each on the next SM, warp after warp (sim_memory_pass). */
teg_status sim_engine_pass(struct teg_launch *launch, const struct teg_gpu *gpu,
                           struct sim_memory *memory, struct sim_passed *passed,
                           struct teg_diag *d);

#endif
