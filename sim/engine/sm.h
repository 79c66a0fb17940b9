/*
 * One SM: its resident blocks and warps, its schedulers, its units.
 *
 * The three ends of a wait are known when an instruction issues, because
 * completion times are reserved then; only barriers and units are not.  So a
 * warp is in one of these states:
 *   waiting   its next instruction is ready from `ready_at` on
 *   ready     it is; units may still refuse it
 *   parked    at a barrier
 *   finished
 * and a scheduler need not look before the earliest `ready_at`, the cycle a
 * refusing unit is free, or a barrier's release.
 */
#ifndef TEG_SIM_ENGINE_SM_H
#define TEG_SIM_ENGINE_SM_H

#include "sim/engine/fetch.h"
#include "sim/engine/op.h"
#include "sim/engine/pending.h"
#include "sim/engine/policy.h"
#include "sim/memory/memory.h"

#define SIM_NEVER UINT64_MAX

enum {
    SIM_SCHEDULERS_MAX = 4
};

struct sim_warp {
    struct teg_cursor cursor; /* stands on the next instruction to issue */
    /* Until when each reason holds it back; rounded up to issue slots. */
    uint64_t start_end, barrier_end, same_warp_end, fetch_end;
    uint64_t stall_end;     /* the compiler's stall count */
    uint64_t result_end[3]; /* by enum teg_result_kind of the producer */
    uint64_t arrived;       /* its stalls count from here */
    uint64_t blocked;       /* cycles refused by a unit since ready */
    /* When each register's value is there (SIM_OPEN and more: its entry), times
     * 4, plus the kind of its producer; by dense number. */
    uint64_t *register_ready; /* owned, [register_capacity] */
    uint32_t register_capacity;
    uint32_t block;           /* index into sim_sm.block */
    uint32_t stream, warp_id; /* in the block; as the trace names it */
    uint64_t line;            /* of the program, of the last issued */
    uint32_t after;           /* the instruction that follows the last issued */
    uint8_t planned;          /* sim_sm.plan holds its next request */
    uint8_t parked;
    uint8_t exited; /* has executed an EXIT */
};

struct sim_resident {
    struct teg_block *block; /* owned; NULL: place is free */
    uint64_t number;         /* running, in the launch */
    uint64_t slots;          /* warp slots, a bit each */
    uint32_t live;           /* warps with instructions left */
    uint32_t arrived;        /* of them at the barrier */
    uint32_t missing; /* ended without EXIT: the barrier waits for them */
    uint64_t done;    /* when its last instruction so far is done */
    uint32_t open;    /* instructions of which that is not known yet */
};

struct sim_scheduler {
    uint64_t ready, waiting, alive;   /* warps by index, a bit each */
    uint64_t refused;                 /* ready, but a unit takes nothing */
    uint64_t by_ports[SIM_PORTS_MAX]; /* ready, by what they need */
    uint64_t refused_since[SIM_WARPS_MAX];
    uint64_t next_ready;  /* earliest ready_at of the waiting */
    uint64_t reads_until; /* operands are being read: issues nothing before */
    uint64_t wake;
    int last; /* index issued last, SIM_NO_WARP before the first */
    uint64_t ready_at[SIM_WARPS_MAX];
    uint64_t age[SIM_WARPS_MAX];
};

/* What all SMs of a run share. */
struct sim_chip {
    const struct teg_gpu *gpu;
    struct sim_ops ops;
    struct sim_windows windows;
    struct sim_memory *memory;
    const struct sim_listener *listener; /* of blocks */
    uint32_t listeners;
    sim_policy policy;
    int takes_turns;        /* sim_policy_takes_turns */
    int runs_ahead;         /* results of shared memory levels come later */
    uint64_t warps_started; /* gives ages */
    /* Of gpu->shared, memory and l1, in 1/256 cycle. */
    uint64_t pass_interval, conflict_latency, transaction_interval;
    uint64_t l1_bank_interval;
    uint64_t lane_byte_interval; /* 2^16 of a cycle, 0: no limit */
    /* First instance of each unit in sim_sm.unit_free. */
    uint32_t unit_first[TEG_MAX_UNITS];
    uint32_t unit_instances;
    /* First completion entry of each instance, for units with a capacity. */
    uint32_t unit_entry[TEG_MAX_UNITS];
    uint32_t unit_entries;
};

void sim_chip_init(struct sim_chip *chip, const struct teg_gpu *gpu,
                   const struct teg_kernel *kernel);

struct sim_sm {
    struct sim_chip *chip; /* borrowed */
    uint32_t number;
    const struct sim_listener *listener; /* of its instructions, for now */
    uint64_t wake;           /* next cycle a scheduler can do anything */
    uint64_t next_block_end; /* earliest end of a block without live warps */
    uint64_t cycles;         /* latest completion so far */
    uint64_t free_slots;
    uint32_t blocks; /* resident */
    struct sim_scheduler scheduler[SIM_SCHEDULERS_MAX];
    struct sim_warp *warp;      /* owned, [warps_max] */
    struct sim_plan *plan;      /* owned; one per warp slot if a request may
                                   be refused after it was planned, else one */
    struct sim_resident *block; /* owned, [blocks_max] */
    uint64_t *unit_free;        /* owned, [unit_instances] */
    uint64_t *unit_done;        /* owned, [unit_entries] */
    struct sim_fetch *fetch;    /* owned; NULL: without instruction caches */
    struct sim_misses *misses;  /* owned: of the instruction being issued */
    struct sim_pending_list pending;
};

teg_status sim_sm_init(struct sim_sm *sm, struct sim_chip *chip,
                       uint32_t number, struct teg_diag *d);
void sim_sm_release(struct sim_sm *sm);

/* Whether a block of `warps` finds warp slots and a place among at most
 * `blocks_max`. */
int sim_sm_has_room(const struct sim_sm *sm, uint32_t warps,
                    uint32_t blocks_max);
/* Places `block`, which becomes the SM's, in cycle `at`.  It must have room. */
teg_status sim_sm_place(struct sim_sm *sm, struct teg_block *block,
                        uint64_t number, uint64_t at, struct teg_diag *d);
/* Removes the blocks that have ended by `now`; returns how many. */
uint32_t sim_sm_retire(struct sim_sm *sm, uint64_t now);
/* Runs the cycles up to, not including, `until`.  If the chip runs ahead,
 * what goes to memory that SMs share is left pending; no result of it
 * may be there before `until`.  It then has to be ended in the order of issue
 * over all SMs, and settled. */
void sim_sm_run(struct sim_sm *sm, uint64_t until);
/* Takes note of the results that were pending, announces what was and empties
 * the list. */
void sim_sm_settle(struct sim_sm *sm);
/* Names a block that can go on no more, why, and where. */
teg_status sim_sm_deadlock(const struct sim_sm *sm, struct teg_diag *d);

#endif
