/*
 * Host threads that share out the SMs of a chip, again and again: who is done
 * with one SM takes the next.
 */
#ifndef TEG_SIM_ENGINE_THREADS_H
#define TEG_SIM_ENGINE_THREADS_H

#include "isa/base/status.h"

struct sim_threads;

/* `hands` threads, the caller's one of them, for so many items.
 * Fewer if the system gives no more.  Only memory can be missing. */
teg_status sim_threads_new(uint32_t hands, uint32_t items,
                           struct sim_threads **threads, struct teg_diag *d);
void sim_threads_free(struct sim_threads *threads);
uint32_t sim_threads_hands(const struct sim_threads *threads);

/* Calls work(self, item, hand) once for each item, `hand` in [0, hands) being
 * who does it; returns when all are done. */
void sim_threads_share(struct sim_threads *threads,
                       void (*work)(void *self, uint32_t item, uint32_t hand),
                       void *self);

#endif
