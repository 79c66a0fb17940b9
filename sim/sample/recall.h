/*
 * Launches that need not be simulated: each differs from one that was in nothing but
 * where its buffers are (traces/block/likeness.h), and finds as much of them in L2.
 *
 * How much: the launch's requests pass L2 and translations as they are, without a
 * clock, which is a tenth of a simulation's work.  What moves between L2 and DRAM
 * meanwhile, and what has to be translated, is compared with that of the one that was
 * simulated, when it passed what it found.  It takes as long if the difference is
 * worth at most 1 % of the time: what DRAM takes to move it, each SM to look up
 * pages, and all to walk to regions; and if what moves, between the halves of L2
 * too, differs by no more than 1 % of what is asked of L2, or a tenth of what moves:
 * else latencies are others.  L2 then is left as the passing left it.
 *
 *     struct teg_recalled found;
 *
 *     status = teg_recall_ask(r, kind, open, self, gpu, before, &found, d);
 *     if (found.number != TEG_RECALL_NONE)
 *         ... as number found.number was; found.after is what it leaves ...
 *     else
 *         ... simulate ..., teg_recall_add(r, kind, &found, cycles, number, d);
 */
#ifndef TEG_SIM_SAMPLE_RECALL_H
#define TEG_SIM_SAMPLE_RECALL_H

#include "sim/memory/memory.h"
#include "sim/sample/sample.h"

#define TEG_RECALL_NONE UINT32_MAX
/* The difference, at most: of the cycles, what it is worth; of the sectors asked of
 * L2; of those that move. */
#define TEG_RECALL_TIME  0.01
#define TEG_RECALL_ASKED 0.01
#define TEG_RECALL_MOVED 0.1

struct teg_recall;

struct teg_recalled {
    uint32_t number; /* as teg_recall_add was told; or TEG_RECALL_NONE */
    struct sim_memory *after; /* owned by whoever asked; NULL: there is none */
    struct sim_passed passed;
};

/* NULL: no memory. */
struct teg_recall *teg_recall_new(void);
void teg_recall_free(struct teg_recall *r);
/* Launches of the same `kind` differ in nothing but where their buffers are.
 * `before`: what it finds, NULL: nothing. */
teg_status teg_recall_ask(const struct teg_recall *r, uint64_t kind,
                          teg_sample_open *open, void *self,
                          const struct teg_gpu *gpu,
                          const struct sim_memory *before,
                          struct teg_recalled *found, struct teg_diag *d);
/* The launch that was asked for has been simulated. */
teg_status teg_recall_add(struct teg_recall *r, uint64_t kind,
                          const struct teg_recalled *asked, uint64_t cycles,
                          uint32_t number, struct teg_diag *d);

#endif
