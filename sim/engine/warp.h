/*
 * A resident warp: where it stands in its stream, and until when what holds it.
 *
 * All ends of a wait are known when the instruction before it issues, because
 * completion times are reserved then; only barriers and units are not.  So a
 * warp is in one of these states:
 *   waiting   its next instruction is ready from `sim_warp_ready_at` on
 *   ready     it is; units may still refuse it
 *   parked    at a barrier, of its block, its cluster or its warp group, or
 *             until a phase of an mbarrier, or the launch that its own
 *             depends on, has ended, or another block has written what it
 *             has read
 *   finished
 */
#ifndef TEG_SIM_ENGINE_WARP_H
#define TEG_SIM_ENGINE_WARP_H

#include <string.h>

#include "sim/engine/chip.h"
#include "sim/engine/counter.h"
#include "sim/engine/grid.h"
#include "sim/memory/merge.h"

#define SIM_NO_LINE UINT64_MAX

/* What a warp waits at for other warps. */
enum sim_parked {
    SIM_NOT_PARKED,
    SIM_PARKED_BARRIER,
    SIM_PARKED_CGA,
    SIM_PARKED_PHASE,
    SIM_PARKED_GRID,
    SIM_PARKED_WORD,
    SIM_PARKED_GROUP,
};

struct sim_warp {
    struct teg_cursor cursor;    /* stands on the next instruction to issue */
    const struct sim_grid *grid; /* borrowed */
    /* Until when each reason that is in `held`, a bit each, holds it back.
     * Whoever learns of one calls sim_warp_hold; sim_warp_ready_at rounds all up
     * to issue slots. */
    uint64_t until[TEG_STALL_WAITS];
    uint32_t held;
    uint64_t arrived;  /* its stalls count from here */
    uint64_t *counter; /* owned, [counter_capacity]: counter.h */
    uint32_t counter_capacity;
    uint32_t resident;         /* its block, index into sim_sm.resident */
    uint32_t scheduler, index; /* its scheduler, and its number there */
    uint32_t stream, warp_id;  /* in the block; as the trace names it */
    uint64_t line;             /* of the program, of the last issued */
    uint32_t after; /* the instruction that follows the last issued */
    /* Where it is parked: the barrier's number; the mbarrier's and how many
     * phases end before the one it waits for. */
    uint32_t waits_at, waits_phase;
    /* Of its last question for a phase: in which cycle, and how many later the
     * answer is there. */
    uint64_t phase_asked_at;
    uint32_t phase_answer;
    uint64_t waits_name; /* of what another block writes: board.h */
    uint32_t tells;      /* stores and atomics it has told so */
    uint8_t planned;     /* sim_sm.plan holds its next request */
    uint8_t asked;       /* for the constant operand of its next */
    uint8_t parked;      /* enum sim_parked */
    uint64_t asked_at;   /* in which cycle */
    struct sim_constant_finds constants; /* of its next instruction */
    uint32_t cga_lanes;     /* that have arrived at its cluster's barrier */
    uint32_t cga_phase;     /* of its cluster's barrier it arrived in, from 1 */
    uint8_t exited;         /* has executed an EXIT */
    uint8_t waits_for_open; /* a counter it waits for has no cycle yet */
    struct sim_stored stored; /* since its last load; looked at by its stores
                                 alone, so behind all that is looked at more */
};

static inline const struct sim_op *sim_warp_op(const struct sim_warp *w)
{
    return &w->grid->ops.op[w->cursor.inst];
}

/* The reason holds the warp until cycle `until` at least. */
static inline void sim_warp_hold(struct sim_warp *w, enum teg_stall reason,
                                 uint64_t until)
{
    uint32_t bit = 1u << reason;

    if ((w->held & bit) == 0 || w->until[reason] < until)
        w->until[reason] = until;
    w->held |= bit;
}

/* Puts the warp in front of the next instruction of its stream, in the cycle
 * after `now`, with nothing that holds it.  Returns 0 if there is none. */
static inline int sim_warp_next(struct sim_warp *w, uint64_t now)
{
    w->held = 0;
    w->arrived = now + 1;
    w->planned = w->asked = 0;
    w->constants = (struct sim_constant_finds){0};
    return teg_cursor_next(&w->cursor);
}

/* What is over when its stalls begin to count holds nothing, whatever slots it
 * is rounded up to: the instruction before was issued in one. */
static inline void sim_warp_wait_until(struct sim_warp *w, uint64_t counter)
{
    if (sim_counter_is_open(counter))
        w->waits_for_open = 1;
    else if (sim_counter_cycle(counter) >= w->arrived)
        sim_warp_hold(w, sim_counter_stall(counter),
                      sim_counter_cycle(counter));
}

/* Whatever kind of wait it is. */
void sim_warp_wait_for(struct sim_warp *w, struct sim_wait wait);

/* Enters until when the warp's next instruction, `op`, waits for counters, as
 * far as that is known; once it is, it can be done again. */
static inline void sim_warp_find_waits(struct sim_warp *w,
                                       const struct sim_op *op)
{
    const struct sim_wait *wait = w->grid->ops.wait + op->waits;
    const struct sim_wait *end = wait + op->wait_count;

    w->waits_for_open = 0;
    for (; wait < end; wait++) {
        /* Most are. */
        if (wait->kind == SIM_WAIT_SCOREBOARD)
            sim_warp_wait_until(w, w->counter[wait->counter]);
        else
            sim_warp_wait_for(w, *wait);
    }
}

/* The slot from which on nothing that is known holds the warp; SIM_OPEN if not
 * all is known.  Rounds the ends up to slots. */
static inline uint64_t sim_warp_ready_at(struct sim_warp *w,
                                         const struct sim_chip *chip)
{
    int whole = chip->gpu->sm.issue_period == 1;
    uint64_t ready = 0;

    for (uint32_t rest = w->held; rest != 0; rest &= rest - 1) {
        uint64_t *until = &w->until[__builtin_ctz(rest)];

        if (!whole)
            *until = sim_slot_from(chip, *until);
        ready = teg_max(ready, *until);
    }
    return w->waits_for_open ? SIM_OPEN : ready;
}

/* A reason of stalls, and for how many cycles. */
struct sim_stalled {
    uint32_t reason, cycles;
};

/* Into `stall`, or, where that is NULL, behind those at `*next` unless there are
 * none. */
static inline void sim_stalled_charge(uint32_t *stall,
                                      struct sim_stalled **next, int reason,
                                      uint64_t cycles)
{
    if (stall != NULL)
        stall[reason] = (uint32_t)cycles;
    else if (cycles != 0)
        *(*next)++ = (struct sim_stalled){(uint32_t)reason, (uint32_t)cycles};
}

/* Splits the cycles since the warp's last issue, up to `now`, by reason; of
 * those it was ready it was refused in `blocked`, and `reading` went by while its
 * scheduler read operands.  In the order of sim/stalls.def: waits first, then
 * reading, the unit that refused it, and what is left.  Fills `stall`, which is
 * zeroed, or, if that is NULL, `*next`, as many as TEG_STALLS. */
static inline void sim_warp_split(const struct sim_warp *w,
                                  const struct sim_op *op, uint64_t blocked,
                                  uint64_t reading, uint64_t now,
                                  uint32_t *stall, struct sim_stalled **next)
{
    uint64_t at = w->arrived, unasked = 0;

    for (uint32_t rest = w->held; rest != 0; rest &= rest - 1) {
        int r = __builtin_ctz(rest);

        if (w->until[r] <= at)
            continue;
        /* Its scheduler was busy with another's operands. */
        if (r == STALL_IMC_MISS && w->asked_at > at) {
            unasked = w->asked_at - at;
            at = w->asked_at;
        }
        sim_stalled_charge(stall, next, r, w->until[r] - at);
        at = w->until[r];
    }
    sim_stalled_charge(stall, next, STALL_REGISTERS, reading + unasked);
    sim_stalled_charge(stall, next, op->throttle, blocked);
    sim_stalled_charge(stall, next, STALL_NOT_SELECTED,
                       now - at - blocked - reading);
}

static inline void sim_warp_account(const struct sim_warp *w,
                                    const struct sim_op *op, uint64_t blocked,
                                    uint64_t reading, uint64_t now,
                                    uint32_t stall[TEG_STALLS])
{
    memset(stall, 0, TEG_STALLS * sizeof *stall);
    sim_warp_split(w, op, blocked, reading, now, stall, NULL);
}

#endif
