/*
 * Sectors that an SM writes in part, one after the other.
 *
 * Models: a store to a sector that is among the last that its SM has written in
 * part is joined with that one, and its slice of L2 has no further work with it
 * than with a whole one.
 * Leaves out: that what is joined might not be sent at all.
 */
#ifndef TEG_SIM_MEMORY_PARTS_H
#define TEG_SIM_MEMORY_PARTS_H

#include "config/gpu.h"

struct sim_parts {
    uint32_t room;    /* l2.partial_joined */
    uint64_t *count;  /* owned, [sms]: that have come */
    uint64_t *sector; /* owned, [sms][room]: rows of recent.h */
};

/* Returns 0 out of memory; release it then, too. */
int sim_parts_init(struct sim_parts *parts, const struct teg_gpu *gpu,
                   uint32_t sms);
void sim_parts_release(struct sim_parts *parts);

/* Of the sectors `partial` of the line at `address`, which the SM writes in
 * part, those that join none. */
uint32_t sim_parts_alone(struct sim_parts *parts, uint32_t sm, uint64_t address,
                         uint32_t partial);

#endif
