/*
 * What an SM has issued in the cycles it ran ahead of the memory that SMs
 * share: the instructions whose results are still to be worked out there
 * (open), and those after the first of them, so that whoever listens hears
 * an SM's instructions in order.
 *
 * Until an open instruction's end is known, its entry stands for it in the
 * warp's counters, named by its offset in the list (counter.h).
 */
#ifndef TEG_SIM_ENGINE_PENDING_H
#define TEG_SIM_ENGINE_PENDING_H

#include "sim/engine/mbarrier.h"
#include "sim/engine/op.h"
#include "sim/memory/memory.h"

struct sim_pending {
    struct sim_issue issue; /* `done` unknown while open */
    uint32_t bytes;         /* of this entry */
    uint8_t open, has_request;
    uint8_t is_part; /* of the copy whose last piece comes behind it */
    struct sim_request request; /* there, as the rest, only if it has one or is
                                   open */
    /* The rest only if it is open.  Its end is the later of floor and of what
     * the memory says, plus extra. */
    uint64_t floor, extra;
    uint64_t result;    /* what the memory said */
    uint32_t next_open; /* offset of the next open entry, or SIM_NO_PENDING */
    uint32_t joined;    /* of one that commits a group: the open entry that
                           stood for what has joined it, or SIM_NO_PENDING */
    /* The counters it holds count others too: until when they hold them, those
     * known, as a counter, and the offset of the open entry before it, or
     * SIM_NO_PENDING. */
    struct sim_held {
        uint64_t until;
        uint32_t holder;
    } held[SIM_HOLDS_MAX];
    struct sim_mbarrier_note note; /* who hears of it */
    struct sim_misses misses;      /* those it has */
};

#define SIM_NO_PENDING UINT32_MAX

struct sim_pending_list {
    unsigned char *data; /* owned, [capacity]: entries, one behind the other */
    uint32_t used, capacity;
    uint32_t first_open, last_open; /* offsets, or SIM_NO_PENDING */
    uint32_t opened;                /* entries */
    int failed;                     /* out of memory: entries are missing */
};

/* Zeroed is empty and unused. */
void sim_pending_clear(struct sim_pending_list *o);
void sim_pending_release(struct sim_pending_list *o);

static inline struct sim_pending *sim_pending_at(
    const struct sim_pending_list *o, uint32_t offset)
{
    return (struct sim_pending *)(void *)(o->data + offset);
}

/* Appends a copy of `issue`, open with a copy of `misses` unless that is NULL.
 * Returns NULL out of memory. */
struct sim_pending *sim_pending_add(struct sim_pending_list *o,
                                    const struct sim_issue *issue,
                                    const struct sim_misses *misses);

#endif
