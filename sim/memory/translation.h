/*
 * Translation: behind L1 addresses are physical.
 *
 * Models: a page that an SM has not touched of late has to be looked up first
 * (gpu-benches' latency over footprint N rises beyond 32 MB as 1 - 32 / N on
 * V100, A40 and A100: 16 pages of 2 MB), and a region that nobody has touched
 * before has to be walked to, for which all who come meanwhile wait.
 * Stores are let go before they have their translation: kernels that end in
 * one take no longer for it (M sarchlab: FFMA loops on an H100 PCIe).
 * Leaves out: the levels between an SM's and the page table; what they keep.
 */
#ifndef TEG_SIM_MEMORY_TRANSLATION_H
#define TEG_SIM_MEMORY_TRANSLATION_H

#include <stddef.h>

#include "config/gpu.h"
#include "sim/memory/passed.h"
#include "sim/memory/way.h"

/* Regions touched since caches were cold, and when their translations came:
 * open addressing. */
struct sim_regions {
    uint64_t *region;       /* owned, [capacity]: number + 1; 0 = free */
    uint64_t *ready;        /* owned, [capacity]: tick */
    size_t count, capacity; /* a power of two, or 0 */
};

struct sim_translation {
    const struct teg_gpu *gpu; /* borrowed; outlives it */
    int failed; /* memory ran out, and what came since is no result */
    uint32_t sms;
    struct sim_cache **tlb; /* owned, [sms]; NULL: not modelled */
    struct {
        uint64_t page, ready; /* where it begins, + 1; tick */
    } * last;                 /* owned, [sms]: looked up last */
    struct sim_regions walked;
    uint64_t miss_ticks;
};

/* That of `sms` SMs.  Returns 0 out of memory; release it then, too. */
int sim_translation_init(struct sim_translation *t, const struct teg_gpu *gpu,
                         uint32_t sms);
void sim_translation_release(struct sim_translation *t);

/* It has from now on what `before` has translated.  Returns 0 out of
 * memory. */
int sim_translation_carry(struct sim_translation *t,
                          const struct sim_translation *before);

/* SM `sm` looks the page of `address` up at tick `at`, of which it has not been
 * asked last; returns the tick it has looked. */
uint64_t sim_translation_look_up(struct sim_translation *t, uint32_t sm,
                                 uint64_t address, uint64_t at);

/* SM `sm` needs the address's translation; `posted`: and does not wait. */
static inline void sim_translation_await(struct sim_translation *t, uint32_t sm,
                                         struct sim_way *w, uint64_t address,
                                         int posted)
{
    uint64_t page = t->last[sm].page, at = sim_way_at(w);

    if (page == 0 || address - (page - 1) >= t->gpu->tlb.page_bytes)
        at = sim_translation_look_up(t, sm, address, at);
    if (!posted)
        w->waited = teg_max(at, t->last[sm].ready) - w->start;
}
/* The same without a clock. */
void sim_translation_pass(struct sim_translation *t, uint32_t sm,
                          uint64_t address, struct sim_passed *p);
/* So does an SM with a TLB of its own elsewhere, which finds it there. */
void sim_translation_await_region(struct sim_translation *t, struct sim_way *w,
                                  uint64_t address, int posted);

#endif
