/*
 * What all SMs of a run share: the description worked out once, the memory
 * behind the SMs.  Nothing here changes with time but what that holds, and the
 * kinds of ports that have been seen.
 */
#ifndef TEG_SIM_ENGINE_CHIP_H
#define TEG_SIM_ENGINE_CHIP_H

#include "isa/base/minmax.h"
#include "sim/engine/hot_words.h"
#include "sim/engine/op.h"
#include "sim/engine/policy.h"
#include "sim/memory/memory.h"
#include "traces/block/cursor.h"

#define SIM_NEVER UINT64_MAX

struct sim_cgas;

struct sim_chip {
    const struct teg_gpu *gpu;
    struct sim_port_kinds ports;
    struct sim_memory *memory;
    const struct sim_cgas *cgas; /* borrowed */
    struct sim_hot_words
        *hot; /* owned by the run, [SMs]; NULL: no global atomic so far */
    uint64_t period, window; /* of issue slots; in which operands are read, less
                                one: cycles */
    sim_policy policy;
    struct sim_known *known; /* owned by the run, [hands]: requests worked out
                                before */
    int takes_turns;         /* sim_policy_takes_turns */
    int finds_cold;          /* caches, that outlive launches */
    int heard; /* somebody may listen: else no cycles of stalls are counted */
    int runs_ahead; /* results of shared memory levels come later */
    int may_refuse; /* memory can, a request that is worked out */
    int each_slot;  /* whom memory may refuse, or whose turn it may be, is asked
                      in each slot */
    uint64_t warps_started; /* gives ages */
    /* Of gpu->shared, memory and l1, in 1/SIM_FRACTION cycle. */
    struct sim_pass_times {
        uint64_t interval, conflict_latency;
    } shared[2]; /* of loads and stores; of atomics */
    uint64_t transaction_interval, l1_bank_interval, l1_lane_interval;
    uint64_t atomic_step[ATOMIC_STEPS]; /* of L2; 0: no steps */
    uint64_t atomic_update[2];          /* of integers, floats; likewise */
    uint64_t distinct_interval;         /* of gpu->constant, likewise */
    uint64_t quad_interval;             /* of gpu->texture, likewise */
    /* 1/SIM_FRACTION cycle of the data stage for lines of copies: in a cycle
     * that nobody else takes it, beside a cycle of others. */
    uint64_t copies_alone, copies_beside;
    uint64_t lane_byte_interval; /* 2^16 of a cycle, 0: no limit */
    /* Where each unit's instances are in sim_units.free_from: `count` for a
     * scheduler, `step` after those for the one before (0: all share them);
     * of one with a capacity, the first entry in sim_units.done; of one with
     * a queue, each instance's `queues` in sim_units. */
    struct sim_unit {
        uint32_t first, step, count, capacity, first_entry;
        uint32_t queue, queues, first_queue, first_place;
    } unit[TEG_MAX_UNITS];
    uint32_t unit_instances, unit_entries, queues, queue_places;
    /* Of kinds of ports that are a single instance without a capacity: where in
     * sim_units.free_from it says when it, or its queue, takes an instruction, and
     * the instance, each `step` after those of the scheduler before.  Others:
     * SIM_NO_DOOR. */
    struct sim_door {
        uint32_t first, step;
        uint32_t instance, instance_step;
    } door[SIM_PORTS_MAX];
    uint32_t doors; /* known so far */
};

#define SIM_NO_DOOR UINT32_MAX

/* `gpu` is borrowed. */
void sim_chip_init(struct sim_chip *chip, const struct teg_gpu *gpu);

/* A program with these instructions runs, on `sms` SMs. */
teg_status sim_chip_expect(struct sim_chip *chip, const struct sim_ops *ops,
                           uint32_t sms, struct teg_diag *d);

static inline uint64_t sim_whole_up(uint64_t fraction)
{
    return (fraction + SIM_FRACTION - 1) / SIM_FRACTION;
}

/* The first issue slot at or after `cycle`. */
static inline uint64_t sim_slot_from(const struct sim_chip *chip,
                                     uint64_t cycle)
{
    uint64_t period = chip->period;

    if (period == 1 || cycle == SIM_NEVER)
        return cycle;
    return (cycle + period - 1) / period * period;
}

#endif
