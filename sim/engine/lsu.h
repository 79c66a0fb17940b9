/*
 * The load/store unit: a warp's request to memory, and the times it takes.
 *
 * Models: a request is worked out once, when the memory pipeline is first asked
 * whether it takes it.  One to shared memory needs a pass per conflict group,
 * and every further one lengthens the latency and keeps the unit; one to global
 * memory keeps it for what it moves and looks up.  (Lai 2013, 3.2.3)  An
 * asynchronous copy does both: what it writes to shared memory conflicts as a
 * store would.
 */
#ifndef TEG_SIM_ENGINE_LSU_H
#define TEG_SIM_ENGINE_LSU_H

#include "sim/engine/chip.h"

struct sim_op;
struct sim_sm;
struct sim_values;
struct sim_warp;

/* Of one instruction that issues. */
struct sim_times {
    uint64_t start;     /* cycle the unit begins with it, after its queue */
    uint64_t busy;      /* cycles the unit is then taken */
    uint64_t lines;     /* cycles the unit of lines is taken, from issue on */
    uint64_t done;      /* cycle the result is usable */
    uint64_t same_warp; /* cycles until the warp may issue again */
    /* Of a request to memory: done is the later of floor and of what memory
     * says, plus extra. */
    uint64_t floor, extra;
    /* Until when the block of a store has to stay; 0: until done. */
    uint64_t kept;
    /* Of a product of tensor memory: when the cores begin with it, for how long,
     * and what they do; works 0: the unit does. */
    uint64_t works_from, works, operations;
    uint8_t others; /* SMs that work on it, too */
    int open;       /* memory has not said yet: done names the pending entry */
    /* Until when what counts it is held: done, or of one that commits a group
     * what has joined that; named likewise. */
    uint64_t held;
    uint32_t joined; /* its pending entry, or SIM_NO_PENDING */
};

static inline uint64_t sim_times_end(uint64_t result, uint64_t floor,
                                     uint64_t extra)
{
    return teg_max(result + extra, floor);
}

/* Works out the request of the next instruction of the warp in `slot`, once.
 * Returns NULL if it makes none. */
struct sim_plan *sim_lsu_plan(struct sim_sm *sm, uint32_t slot);

/* The cycle at which the memory pipeline takes the warp's next instruction, as
 * far as can be told now. */
uint64_t sim_lsu_ready_at(struct sim_sm *sm, uint32_t slot, uint64_t now);

/* Begins the planned request, which leaves in cycle `at`; returns whether it
 * has to wait for its turn in the memory that SMs share. */
int sim_lsu_begin(struct sim_sm *sm, struct sim_warp *w, struct sim_plan *plan,
                  uint32_t flags, uint64_t at);

/* Ends what was begun, unless it waits for its turn; fills t->done. */
void sim_lsu_end(struct sim_sm *sm, struct sim_plan *plan, struct sim_times *t);

/* Cycles by which the constant that a load `op` (SIM_CONSTANT_LOAD) of warp `w`
 * names makes it later than if its cache had it; its unit begins with it in cycle `start`. */
uint64_t sim_lsu_constant_later(struct sim_sm *sm, struct sim_warp *w,
                                const struct sim_op *op, uint64_t start);

/* Enters the SMs of the blocks of its cluster that the request goes to. */
void sim_lsu_find_remotes(const struct sim_sm *sm, const struct sim_warp *w,
                          struct sim_plan *plan);

/* Issues an asynchronous store of the warp in `slot` to shared memory of its
 * cluster, with these values, as sim_lsu_issue would. */
struct sim_plan *sim_lsu_send(struct sim_sm *sm, uint32_t slot,
                              const struct sim_values *v, uint64_t now,
                              uint64_t start, struct sim_times *t);

/* Issues the planned request of the warp in cycle `now`; its unit begins with
 * it in cycle `start`.  `v` are the values of an execution that has some, or
 * NULL. */
void sim_lsu_issue(struct sim_sm *sm, struct sim_warp *w, struct sim_plan *plan,
                   const struct sim_values *v, uint64_t now, uint64_t start,
                   struct sim_times *t);

#endif
