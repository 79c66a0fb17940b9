/*
 * What an SM has issued in the cycles it ran ahead of the memory that SMs
 * share: the instructions whose results are still to be worked out there
 * (open), and those after the first of them, so that whoever listens hears
 * an SM's instructions in order.
 *
 * Until an open instruction's end is known, its entry stands for it: a cycle
 * of SIM_OPEN and more, later than all others, that names the entry.
 */
#ifndef TEG_SIM_ENGINE_PENDING_H
#define TEG_SIM_ENGINE_PENDING_H

#include "sim/events.h"
#include "sim/memory/memory.h"

#define SIM_OPEN (1ull << 60)

struct sim_pending {
    struct sim_issue issue; /* `done` unknown while open */
    struct sim_request request;
    uint32_t bytes; /* of this entry */
    uint8_t open, has_request;
    /* The rest only if it is open.  Its end is the later of floor and of what
     * the memory says, plus extra. */
    uint64_t floor, extra;
    uint64_t result;    /* what the memory said */
    uint32_t next_open; /* place of the next open entry, or SIM_NO_PENDING */
    /* The dependence barrier it sets counts others too: until when they hold
     * it, those known, and the open entry before it, or SIM_NO_PENDING. */
    uint64_t held;
    uint32_t holder;
    struct sim_misses misses; /* those it has */
};

#define SIM_NO_PENDING UINT32_MAX

struct sim_pending_list {
    unsigned char *room; /* owned, [capacity] */
    uint32_t used, capacity;
    uint32_t first_open, last_open; /* places, or SIM_NO_PENDING */
    uint32_t opened;                /* entries */
    int failed;                     /* out of memory: entries are missing */
};

/* Zeroed is empty and unused. */
void sim_pending_clear(struct sim_pending_list *o);
void sim_pending_release(struct sim_pending_list *o);

static inline struct sim_pending *sim_pending_at(
    const struct sim_pending_list *o, uint32_t place)
{
    return (struct sim_pending *)(void *)(o->room + place);
}

/* Appends a copy of `issue`, open with a copy of `misses` unless that is NULL.
 * Returns NULL out of memory. */
struct sim_pending *sim_pending_add(struct sim_pending_list *o,
                                    const struct sim_issue *issue,
                                    const struct sim_misses *misses);

#endif
