/*
 * Host threads that share out the SMs of a chip, again and again: who is done
 * with one SM takes the next.
 */
#ifndef TEG_SIM_ENGINE_HOST_THREADS_H
#define TEG_SIM_ENGINE_HOST_THREADS_H

#include "isa/base/status.h"

struct sim_crew;

/* A crew of `hands` threads, the caller's one of them, for so many items.
 * Fewer if the system gives no more.  Only memory can be missing. */
teg_status sim_crew_new(uint32_t hands, uint32_t items, struct sim_crew **crew,
                        struct teg_diag *d);
void sim_crew_free(struct sim_crew *crew);
uint32_t sim_crew_hands(const struct sim_crew *crew);

/* Calls work(self, item, hand) once for each item, `hand` in [0, hands) being
 * who does it; returns when all are done. */
void sim_crew_share(struct sim_crew *crew,
                    void (*work)(void *self, uint32_t item, uint32_t hand),
                    void *self);

#endif
