/*
 * What an SM has issued in the cycles it ran ahead of the memory that SMs
 * share: the instructions whose results are still to be worked out there
 * (open), and those after the first of them, so that whoever listens hears
 * an SM's instructions in order.
 *
 * Until an open instruction's end is known, its post stands for it: a cycle
 * of SIM_OPEN and more, later than all others, that names the post.
 */
#ifndef TEG_SIM_ENGINE_OUTBOX_H
#define TEG_SIM_ENGINE_OUTBOX_H

#include "sim/events.h"
#include "sim/memory/memory.h"

#define SIM_OPEN (1ull << 60)

struct sim_post {
    struct sim_issue issue; /* `done` unknown while open */
    struct sim_request request;
    uint32_t bytes; /* of this post */
    uint8_t open, has_request;
    /* The rest only if it is open.  Its end is the later of floor and of what
     * the memory says, plus extra. */
    uint64_t floor, extra;
    uint64_t result;    /* what the memory said */
    uint32_t next_open; /* place of the next open post, or SIM_NO_POST */
    /* The dependence barrier it sets counts others too: until when they hold
     * it, those known, and the open post before it, or SIM_NO_POST. */
    uint64_t held;
    uint32_t holder;
    struct sim_errand errand; /* with its steps */
};

#define SIM_NO_POST UINT32_MAX

struct sim_outbox {
    unsigned char *room; /* owned, [capacity] */
    uint32_t used, capacity;
    uint32_t first_open, last_open; /* places, or SIM_NO_POST */
    uint32_t opened;                /* posts */
    int failed;                     /* out of memory: posts are missing */
};

/* Zeroed is empty and unused. */
void sim_outbox_clear(struct sim_outbox *o);
void sim_outbox_release(struct sim_outbox *o);

static inline struct sim_post *sim_outbox_at(const struct sim_outbox *o,
                                             uint32_t place)
{
    return (struct sim_post *)(void *)(o->room + place);
}

/* Appends a copy of `issue`, open with a copy of `errand` unless that is NULL.
 * Returns NULL out of memory. */
struct sim_post *sim_outbox_add(struct sim_outbox *o,
                                const struct sim_issue *issue,
                                const struct sim_errand *errand);

#endif
