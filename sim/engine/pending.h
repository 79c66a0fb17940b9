/*
 * What an SM has issued in the cycles it ran ahead of the memory that SMs
 * share: the instructions whose results are still to be worked out there
 * (open), and those after the first of them, so that whoever listens hears
 * an SM's instructions in order.
 *
 * Until an open instruction's end is known, its entry stands for it in the
 * warp's counters, named by its offset in the list (counter.h).  Those behind it are
 * most of the list; what a plain one (op.h) is announced with is mostly what its warp
 * and its program say, so its entry is brief.
 */
#ifndef TEG_SIM_ENGINE_PENDING_H
#define TEG_SIM_ENGINE_PENDING_H

#include "sim/engine/mbarrier.h"
#include "sim/engine/op.h"
#include "sim/engine/warp.h"
#include "sim/memory/memory.h"

/* How every entry begins. */
struct sim_pending_head {
    uint32_t bytes; /* of this entry */
    uint8_t open, has_request;
    uint8_t is_part;  /* of the copy whose last piece comes behind it */
    uint8_t is_brief; /* struct sim_brief, not struct sim_pending */
};

/* A plain instruction, which found what it named in constant memory. */
struct sim_brief {
    struct sim_pending_head head;
    uint64_t cycle;
    uint32_t inst, mask;
    uint32_t since, later; /* cycles from `arrived` on, and until `done` */
    uint32_t queued;
    uint8_t slot, unit;
    uint16_t stalls;                      /* reasons */
    struct sim_stalled stall[TEG_STALLS]; /* [stalls] of them are there */
};

struct sim_pending {
    struct sim_pending_head head;
    struct sim_issue issue;     /* `done` unknown while open */
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

/* Room for a brief entry behind the last, NULL out of memory; it is there once it has
 * been ended at `end`, behind its last stall. */
struct sim_brief *sim_pending_begin_brief(struct sim_pending_list *o);
void sim_pending_end_brief(struct sim_pending_list *o, struct sim_brief *b,
                           const struct sim_stalled *end);
/* Appends a copy of `issue`, open with a copy of `misses` unless that is NULL.
 * Returns NULL out of memory. */
struct sim_pending *sim_pending_add(struct sim_pending_list *o,
                                    const struct sim_issue *issue,
                                    const struct sim_misses *misses);

#endif
