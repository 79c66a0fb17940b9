/*
 * The L1 data caches of the SMs, and caches of their own for textures where
 * chips have some.
 *
 * Models: sectored lines, written through without allocation; what is missing
 * is entered at once and is there when its fill, known later, arrives, for
 * which a second access waits.
 * Leaves out: a limit on outstanding misses (that of the cluster's bytes
 * stands for it); stores by other SMs, whose old values nobody sees in a
 * trace.  Its banks' conflicts are of the plan (sim/memory/l1_banks.h).
 */
#ifndef TEG_SIM_MEMORY_L1_H
#define TEG_SIM_MEMORY_L1_H

#include "sim/memory/cache.h"
#include "sim/memory/divisor.h"
#include "sim/memory/interleave.h"
#include "sim/memory/line.h"
#include "sim/memory/memory.h"

/* struct sim_miss, `flags`. */
enum {
    SIM_MISS_L1 = 1,      /* L1 has been looked up and keeps what comes */
    SIM_MISS_HIT = 2,     /* it had some of the sectors */
    SIM_MISS_AWAITED = 4, /* which come with a fill not known yet */
    SIM_MISS_ENTERED = 8, /* it took another line's frame */
    SIM_MISS_REMOTE = 16, /* not of L1: it goes to another SM (remote.h) */
    SIM_MISS_SENT = 32,   /* done when it is there */
    SIM_MISS_TEXELS = 64, /* of a texture */
    SIM_MISS_JOINED =
        128, /* all that it writes in part joins what was before */
    SIM_MISS_MERGED = 256, /* some of it is not sent (merge.h) */
};

struct sim_l1 {
    const struct teg_gpu *gpu; /* borrowed; outlives it */
    uint32_t sms;
    struct sim_cache **cache;   /* owned, [sms]; NULL without */
    uint64_t sets;              /* of an SM's */
    struct sim_cache **texture; /* owned, [sms]; NULL: textures are looked up in
                                   L1, if there is one */
    uint64_t texture_sets;
    struct sim_divisor by_sets, by_texture_sets;
};

static inline struct sim_cache **sim_l1_caches(const struct sim_l1 *l1,
                                               int of_texels)
{
    return of_texels && l1->texture != NULL ? l1->texture : l1->cache;
}

/* The set of the line of that number in any of them. */
static inline uint32_t sim_l1_set(const struct sim_l1 *l1, int of_texels,
                                  uint64_t line)
{
    if (of_texels && l1->texture != NULL)
        return (uint32_t)sim_remainder(line, &l1->by_texture_sets);
    return (uint32_t)sim_interleave_sets(line, &l1->by_sets, l1->gpu->l1.hash);
}

/* Cycles from issue to use of what the request finds. */
static inline uint64_t sim_l1_latency(const struct sim_l1 *l1,
                                      const struct sim_request *r)
{
    return r->space == SPACE_TEXTURE && l1->texture != NULL
               ? l1->gpu->timing[CLASS_TEX].latency
               : l1->gpu->l1.latency;
}

/* Those of `sms` SMs, of `bytes` each; 0: l1.bytes.  Returns 0 out of
 * memory. */
int sim_l1_init(struct sim_l1 *l1, const struct teg_gpu *gpu, uint32_t sms,
                uint32_t bytes);
void sim_l1_release(struct sim_l1 *l1);

/* Looks up what `miss` says of a transaction of `launch` on SM `sm`, which has
 * an L1, in that set.
 * Returns whether that settles it, and its data is there in cycle miss->ready
 * at the earliest; else `miss` has what is left of it. */
int sim_l1_look_up(struct sim_l1 *l1, uint32_t sm, uint32_t launch,
                   uint32_t set, struct sim_request *r, struct sim_miss *miss);

/* The line at `address` is about to be looked up for request `r`: returns its
 * set, if there is a cache. */
static inline uint32_t sim_l1_expect(const struct sim_l1 *l1, uint32_t sm,
                                     const struct sim_request *r,
                                     uint64_t address)
{
    int texels = r->space == SPACE_TEXTURE;
    struct sim_cache **cache = sim_l1_caches(l1, texels);
    uint32_t set;

    if (cache == NULL)
        return 0;
    set = sim_l1_set(l1, texels, address / TEG_LINE_BYTES);
    sim_cache_expect(cache[sm], set);
    return set;
}

/* The same, for whatever SM and transaction; `bypass`: does not look. */
static inline int sim_l1_settles(struct sim_l1 *l1, uint32_t sm,
                                 uint32_t launch, int bypass, uint32_t set,
                                 struct sim_request *r, struct sim_miss *miss)
{
    if (l1->gpu->l1.always_hits) {
        r->l1_sectors += sim_count_sectors(miss->sectors);
        r->l1_hits += sim_count_sectors(miss->sectors);
        return 1;
    }
    if (bypass || sim_l1_caches(l1, r->space == SPACE_TEXTURE) == NULL)
        return 0;
    return sim_l1_look_up(l1, sm, launch, set, r, miss);
}

/* The cycle when what L1 had of the miss is there; 0 if it had nothing.  A fill
 * that was awaited is known by now; one before it may not be any more, where a
 * request begun since has put another line there. */
static inline uint64_t sim_l1_ready(const struct sim_l1 *l1, uint32_t sm,
                                    const struct sim_miss *miss)
{
    if (!(miss->flags & SIM_MISS_HIT))
        return 0;
    return miss->flags & SIM_MISS_AWAITED
               ? teg_max(
                     sim_cache_ready(
                         sim_l1_caches(l1, miss->flags & SIM_MISS_TEXELS)[sm],
                         miss->frame),
                     miss->ready)
               : miss->ready;
}

/* What was missing arrives at `cycle`. */
static inline void sim_l1_fill(struct sim_l1 *l1, uint32_t sm,
                               const struct sim_miss *miss, uint64_t cycle)
{
    struct sim_cache *cache;

    if (!(miss->flags & SIM_MISS_L1))
        return;
    cache = sim_l1_caches(l1, miss->flags & SIM_MISS_TEXELS)[sm];
    if (miss->flags & SIM_MISS_ENTERED)
        sim_cache_forget(cache, miss->frame);
    sim_cache_fill(cache, miss->frame, cycle);
}

#endif
