/*
 * Listeners, for as many host threads as run: the caller's hear what one of
 * them does, parts split off hear what the others do.
 */
#ifndef TEG_SIM_ENGINE_EARS_H
#define TEG_SIM_ENGINE_EARS_H

#include "sim/events.h"

struct sim_ears {
    const struct sim_listener *listener; /* borrowed, [listeners] */
    uint32_t listeners, hands;
    struct sim_listener *ear; /* owned, [hands][listeners]; hand 0's are the
                                 caller's */
};

/* After sim_announce_start.  Who cannot be split is whole for each hand: SMs do
 * not run ahead of each other then.  What was split is there to be joined and
 * released even if memory ran out on the way. */
teg_status sim_ears_split(struct sim_ears *e,
                          const struct sim_listener *listener,
                          uint32_t listeners, uint32_t hands,
                          struct teg_diag *d);
/* Adds what the parts heard to the caller's. */
void sim_ears_join(struct sim_ears *e);
void sim_ears_release(struct sim_ears *e);

/* Whether anybody listens: what instructions are told with is not worked out
 * for nobody. */
static inline int sim_ears_hear(const struct sim_ears *e)
{
    return e->listeners != 0;
}

/* The listeners of `hand`, as many as there are. */
static inline const struct sim_listener *sim_ears_of(const struct sim_ears *e,
                                                     uint32_t hand)
{
    return e->ear + (size_t)hand * e->listeners;
}

void sim_announce_start(const struct sim_listener *listener, uint32_t listeners,
                        const struct teg_gpu *gpu,
                        const struct teg_program *program, uint32_t sms);
void sim_announce_finish(const struct sim_listener *listener,
                         uint32_t listeners, uint64_t cycles);

#endif
