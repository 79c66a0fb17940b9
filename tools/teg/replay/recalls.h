/*
 * Results of launches of a job that stand for later ones: those differ from them in
 * nothing but where their buffers are, and find as much in L2 (sim/sample/recall.h).
 */
#ifndef TEG_TOOLS_TEG_REPLAY_RECALLS_H
#define TEG_TOOLS_TEG_REPLAY_RECALLS_H

#include "sim/sample/recall.h"
#include "tools/teg/replay/simulate.h"

struct recalls;

/* Of the job, whose trace and GPU are borrowed and whose launches are taken in
 * order; NULL: no memory, which has been said. */
struct recalls *recalls_new(const struct job *job);
void recalls_free(struct recalls *r);
/* Whether others of the job are like the kernel, or it is launched again. */
bool recalls_may(const struct recalls *r, uint32_t kernel);
/* Which result is that of the kernel, which finds `before`; exit status. */
int recalls_ask(const struct recalls *r, uint32_t kernel,
                const struct sim_memory *before, struct teg_recalled *found);
/* Takes note of what was simulated after that; exit status. */
int recalls_add(struct recalls *r, uint32_t kernel,
                const struct teg_recalled *asked,
                const struct replay *simulated);
/* Fills the statistics, which are there, with the result of that number. */
void recalls_fill(const struct recalls *r, uint32_t number, struct replay *of);

#endif
