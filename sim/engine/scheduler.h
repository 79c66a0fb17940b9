/*
 * A scheduler of an SM: its warps by index, and its choice in a cycle.
 *
 * It need not look before the earliest cycle in which a waiting warp is ready,
 * a unit that refuses one is free, or a barrier opens.
 */
#ifndef TEG_SIM_ENGINE_SCHEDULER_H
#define TEG_SIM_ENGINE_SCHEDULER_H

#include "isa/base/minmax.h"
#include "sim/engine/op.h"
#include "sim/engine/policy.h"

struct sim_sm;

enum {
    /* Cycles ahead of which the waiting are kept by cycle: a power of two, as
     * many as a word has bits. */
    SIM_DUE_CYCLES = 64,
    SIM_PORT_WORDS = (SIM_PORTS_MAX + 63) / 64,
};

/*
 * What every visit looks at comes first: of the arrays it needs the beginnings
 * only, as many as there are warps and kinds of ports.
 *
 * The waiting are in due[], by the cycle in which they are ready, if that is
 * one of SIM_DUE_CYCLES from due_from on, before which nobody is left; else
 * they are far.
 */
struct sim_scheduler {
    uint64_t ready, waiting; /* warps by index, a bit each */
    uint64_t denied;         /* ready, but refused behind their units */
    uint64_t early; /* of the ready: joined before their time; some of which
                       has come */
    uint64_t next_ready; /* earliest ready_at of the waiting */
    uint64_t due_cycles; /* entries of due[] that have any */
    uint64_t due_from;
    uint64_t far, next_far;           /* of those the earliest, or earlier */
    uint64_t wanted[SIM_PORT_WORDS];  /* ports that any of the ready need */
    uint64_t refused[SIM_PORT_WORDS]; /* that ever refused one */
    uint64_t reads_until; /* operands are being read: issues nothing before */
    uint64_t reads_from;  /* the first slot that this took */
    uint64_t reading;     /* cycles of all the times before */
    uint64_t bank_free[SIM_BANKS_MAX]; /* all reads of a bank done */
    /* Until then a product reads its sums at the banks, where others' reads
     * take so many 1/SIM_FRACTION slots. */
    uint64_t sums_until;
    uint32_t sums_price;
    uint64_t wake;
    uint64_t asking; /* warps whose next instruction has an operand in constant
                        memory */
    int heard; /* sim_chip.heard: without, nobody is told who was refused how long */
    uint8_t ports[SIM_WARPS_MAX]; /* that the warp's next instruction needs */
    struct sim_choice choice; /* what its policy goes by: which warps are alive,
                                 which issued last */
    uint64_t due[SIM_DUE_CYCLES]; /* by ready_at % SIM_DUE_CYCLES */
    /* Of a warp and its next instruction, side by side: the host fetches it once. */
    struct sim_turn {
        uint64_t ready_at;
        uint64_t reading_before; /* cycles of reading by when it became ready */
        uint64_t closed_before;  /* cycles its ports had been closed then */
        uint64_t blocked; /* cycles denied before, since ready; at its issue,
                             those refused by its units too */
    } turn[SIM_WARPS_MAX];
    uint64_t denied_since[SIM_WARPS_MAX]; /* less the cycles of reading */
    uint64_t age[SIM_WARPS_MAX];
    uint64_t block_age[SIM_WARPS_MAX]; /* of its block's first warp */
    uint64_t free_from[SIM_WARPS_MAX]; /* first slot after the last issue */
    /* Of a kind of ports.  Those that take nothing refuse all who need them alike: so
     * many cycles so far, and since the one before `closed_from` (0: they are open).
     * Without anybody who needs them they count as open. */
    struct sim_kind {
        uint64_t ready; /* warps that need them */
        uint64_t closed, closed_from;
        uint64_t closed_since; /* less the cycles of reading */
    } kind[SIM_PORTS_MAX];
};

/* Cycles before `now` in which operands were read and nothing could issue; not
 * before the last time but one. */
static inline uint64_t sim_scheduler_reading(const struct sim_scheduler *s,
                                             uint64_t now)
{
    uint64_t end = teg_min(now, s->reads_until);

    return s->reading + (end > s->reads_from ? end - s->reads_from : 0);
}

/* `now` on a clock that stands still while operands are read: nobody is refused
 * meanwhile. */
static inline uint64_t sim_scheduler_clock(const struct sim_scheduler *s,
                                           uint64_t now)
{
    return now - sim_scheduler_reading(s, now);
}

/* What the warp's next instruction needs. */
static inline void sim_scheduler_expect(struct sim_scheduler *s, uint32_t warp,
                                        const struct sim_op *op)
{
    if (op->constant_use == SIM_CONSTANT_OPERAND)
        s->asking |= 1ull << warp;
    else
        s->asking &= ~(1ull << warp);
    s->ports[warp] = op->ports;
}

/* The warp is considered from cycle `at` on; it may be waiting already. */
static inline void sim_scheduler_await(struct sim_scheduler *s, uint32_t warp,
                                       uint64_t at)
{
    uint64_t bit = 1ull << warp, cycle;

    if ((s->waiting & bit) != 0) {
        /* As when it was entered: whoever is before due_from is in that. */
        cycle = teg_max(s->turn[warp].ready_at, s->due_from);
        if ((s->far & bit) == 0)
            s->due[cycle % SIM_DUE_CYCLES] &= ~bit;
        s->far &= ~bit;
    }
    s->turn[warp].ready_at = at;
    s->waiting |= bit;
    s->next_ready = teg_min(s->next_ready, at);
    cycle = teg_max(at, s->due_from);
    if (cycle - s->due_from < SIM_DUE_CYCLES) {
        s->due[cycle % SIM_DUE_CYCLES] |= bit;
        s->due_cycles |= 1ull << cycle % SIM_DUE_CYCLES;
    } else {
        s->far |= bit;
        s->next_far = teg_min(s->next_far, at);
    }
}

/* Lets scheduler `number` issue from at most one warp in cycle `now`, which is
 * not before its wake; sets when to come back. */
void sim_scheduler_visit(struct sim_sm *sm, uint32_t number, uint64_t now);

#endif
