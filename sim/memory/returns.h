/*
 * The order in which an SM's loads come back.
 *
 * Models: what a load asks for passes the tags of L1 in the order of issue and
 * waits behind what was asked for before it in one queue, whether L1 has it or
 * not (l1.in_order).
 * Leaves out: how long that queue is.  Atomics have no place in it, nor have
 * copies into shared memory, asynchronous or bulk (inferred: the attention
 * kernels of docs/accuracy-modern.md, 5.0 % off, would be 8.1).
 */
#ifndef TEG_SIM_MEMORY_RETURNS_H
#define TEG_SIM_MEMORY_RETURNS_H

#include "config/gpu.h"
#include "sim/events.h"

struct sim_returns {
    uint64_t *last; /* owned, [sms]: tick of the last load's data; NULL: loads
                       come back as they can */
    uint32_t *open; /* owned, [sms]: loads in it whose end is not known yet */
};

/* Returns 0 out of memory; release it then, too. */
int sim_returns_init(struct sim_returns *returns, const struct teg_gpu *gpu,
                     uint32_t sms);
void sim_returns_release(struct sim_returns *returns);

/* Does request `r` have a place in the queue? */
static inline int sim_returns_hold(const struct sim_returns *returns,
                                   const struct teg_gpu *gpu,
                                   const struct sim_request *r)
{
    return returns->last != NULL && sim_request_goes_out(r) && !r->is_store &&
           !r->is_atomic && !r->is_copy &&
           (r->space != SPACE_TEXTURE || gpu->texture.l1_bytes == 0);
}

/* A load with that place whose data would be there at `tick` has it when that
 * of all before it is: returns the tick. */
static inline uint64_t sim_returns_pass(struct sim_returns *returns,
                                        uint32_t sm, uint64_t tick)
{
    if (returns->last[sm] < tick)
        returns->last[sm] = tick;
    return returns->last[sm];
}

#endif
