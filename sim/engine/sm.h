/*
 * One SM: its resident blocks and their warps, placed, run and retired.
 *
 * Models: a block takes free warp slots of the SM and leaves when the last of
 * its instructions is done; in between the schedulers issue (scheduler.h).
 */
#ifndef TEG_SIM_ENGINE_SM_H
#define TEG_SIM_ENGINE_SM_H

#include "sim/engine/barrier.h"
#include "sim/engine/board.h"
#include "sim/engine/constants.h"
#include "sim/engine/fetch.h"
#include "sim/engine/mbarrier.h"
#include "sim/engine/outbox.h"
#include "sim/engine/pending.h"
#include "sim/engine/scheduler.h"
#include "sim/engine/stage.h"
#include "sim/engine/units.h"
#include "sim/engine/warp.h"

/* A block of the SM, or, without one, free. */
struct sim_resident {
    struct teg_block *block; /* owned; NULL: free */
    struct sim_grid *grid;   /* borrowed */
    uint64_t number;         /* running, in the launch */
    uint64_t place;          /* in its grid, along x first */
    uint64_t slots;          /* warp slots, a bit each */
    uint32_t live;           /* warps with instructions left */
    uint32_t missing;        /* ended without EXIT: barriers wait for them */
    struct sim_barrier barrier[SIM_NAMED_BARRIERS];
    struct sim_mbarriers mbarriers;
    uint64_t done;      /* when its last instruction so far is done, but for
                           stores on their way */
    uint64_t left;      /* when these are, too */
    int empty;          /* without any instruction */
    uint32_t open;      /* instructions of which that is not known yet */
    int lets;           /* launches come that depend on its own: dependent.h */
    uint64_t lets_from; /* cycle */
    /* Of its cluster's barrier: cga.h. */
    struct sim_resident_cga {
        uint32_t number;   /* of the cluster */
        uint32_t rank;     /* in it */
        uint32_t phase;    /* phases that have ended */
        uint32_t expected; /* its warps that are waited for in this one */
        uint32_t arrived;  /* of them have */
        uint32_t gone;     /* of those have ended since */
        uint64_t last;     /* cycle in which any of these changed */
        uint64_t open;     /* from when warps may go on after the last phase */
    } cga;
};

/* A chip has many without work: what takes tens of kilobytes is made when the first
 * block comes. */
struct sim_sm {
    struct sim_chip *chip; /* borrowed */
    uint32_t number;
    uint32_t hand; /* who runs it, for now: those ears hear it (ears.h) */
    uint64_t wake; /* next cycle a scheduler can do anything */
    uint64_t next_block_end; /* earliest end of a block without live warps */
    uint64_t cycles;         /* latest completion so far */
    uint64_t free_slots;
    uint64_t tensor_free_from;   /* cycle: its cores, of products of tensor
                                  memory */
    /* Slots of warps that have still to issue the product that one of their group
     * has begun, and from when on the next may be; 0: none has been.
     * (warpgroup.h) */
    uint64_t owed, products_from;
    uint64_t barriers_free_from; /* cycle: those who count arrivals */
    uint32_t blocks;             /* resident */
    /* That blocks have, as their grids' needs are. */
    uint32_t registers, shared_bytes;
    /* Since a block has left there was no room for one of so many warps of that
     * grid; its number + 1, 0: not asked. */
    uint32_t full_of, full_warps;
    /* Looks first: the one after the last to take a unit that all share. */
    uint32_t first_scheduler;
    struct sim_pending_list pending;
    struct sim_outbox outbox;
    struct sim_tellings tellings;
    uint32_t awaiting;     /* warps, SIM_PARKED_WORD */
    int has_begun;         /* a block has come: what follows is there */
    struct sim_warp *warp; /* owned, [warps_max] */
    struct sim_plan *plan; /* owned; one per warp slot if a request may be
                              refused after it was planned, else one */
    struct sim_resident *resident; /* owned, [blocks_max] */
    struct sim_units units;
    struct sim_stage stage;
    struct sim_fetch *fetch;         /* owned; NULL: nobody waits for one */
    struct sim_constants *constants; /* owned; NULL: they are always there */
    struct sim_misses *misses; /* owned: of the instruction being issued */
    /* News of copies that are still to be settled (sim_results_follow). */
    struct sim_follows {
        struct sim_follow {
            uint64_t joined; /* counter of what has joined, open */
            uint64_t done;   /* cycle when who tells is done itself */
            uint16_t counter;
            uint32_t resident;
            struct sim_mbarrier_note note;
        } * at; /* owned, [count] */
        uint32_t count, capacity;
    } follows;
    struct sim_scheduler *scheduler; /* owned, [schedulers] */
};

/* `*sm` is zeroed; releasing it, which may be done twice, does not leave it so. */
void sim_sm_init(struct sim_sm *sm, struct sim_chip *chip, uint32_t number);
void sim_sm_release(struct sim_sm *sm);

/* Whether `blocks` more of `grid`, of `warps` each, find room. */
int sim_sm_has_room(const struct sim_sm *sm, const struct sim_grid *grid,
                    uint32_t warps, uint32_t blocks);
/* Places `block` of `grid`, which becomes the SM's, in cycle `at`, as one of
 * its resident ones.  It must have room. */
teg_status sim_sm_place(struct sim_sm *sm, struct sim_grid *grid,
                        struct teg_block *block, uint64_t number, uint64_t at,
                        uint32_t *resident, struct teg_diag *d);
/* Removes the blocks that have ended by `now`; returns how many. */
uint32_t sim_sm_retire(struct sim_sm *sm, uint64_t now);
/* Runs the cycles up to, not including, `until`.  If the chip runs ahead,
 * what goes to memory that SMs share is left pending; no result of it
 * may be there before `until`.  It then has to be ended in the order of issue
 * over all SMs, and settled (results.h). */
void sim_sm_run(struct sim_sm *sm, uint64_t until);

/* How many blocks and warps it has places for, and schedulers: none before it has
 * begun. */
static inline uint32_t sim_sm_places(const struct sim_sm *sm)
{
    return sm->has_begun ? sm->chip->gpu->sm.blocks_max : 0;
}

static inline uint32_t sim_sm_schedulers(const struct sim_sm *sm)
{
    return sm->has_begun ? sm->chip->gpu->sm.schedulers : 0;
}

static inline uint32_t sim_sm_slots(const struct sim_sm *sm)
{
    return sm->has_begun ? sm->chip->gpu->sm.warps_max : 0;
}

/* Requests worked out before, by whoever runs the SM. */
static inline struct sim_known *sim_sm_known(const struct sim_sm *sm)
{
    return &sm->chip->known[sm->hand];
}

/* ---- for the modules of an SM -------------------------------------------- */

/* Lets the scheduler know from when on the warp can be considered. */
static inline void sim_sm_await(struct sim_sm *sm, struct sim_warp *w)
{
    struct sim_scheduler *s = &sm->scheduler[w->scheduler];
    uint64_t at = sim_warp_ready_at(w, sm->chip);

    sim_scheduler_expect(s, w->index, sim_warp_op(w));
    sim_scheduler_await(s, w->index, at);
    s->wake = teg_min(s->wake, at);
}

/* Takes note that the block's last instruction so far is done in cycle `done`;
 * without live warps and open instructions that is its end. */
static inline void sim_sm_block_done(struct sim_sm *sm, struct sim_resident *b,
                                     uint64_t done)
{
    b->done = teg_max(b->done, done);
    if (b->live == 0 && b->open == 0)
        sm->next_block_end = teg_min(sm->next_block_end, b->done);
}

#endif
