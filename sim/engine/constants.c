#include "sim/engine/constants.h"

#include "isa/base/minmax.h"
#include "isa/inst/constant.h"
#include "sim/memory/cache.h"

#include <stdlib.h>

enum {
    SCHEDULERS_MAX = 4
};

struct level {
    struct sim_cache *cache; /* owned */
    uint32_t sets;
    /* Its line used last, and when that is there: it is asked for again and
     * again, which changes nothing. */
    uint64_t last, last_ready;
};

struct sim_constants {
    const struct teg_gpu *gpu; /* borrowed */
    unsigned line_log2, l15_line_log2;
    struct level operands[SCHEDULERS_MAX], loads, l15;
};

static int make(struct level *level, uint32_t bytes, uint32_t line_bytes,
                uint32_t ways)
{
    level->sets = bytes / line_bytes / ways;
    level->last = UINT64_MAX;
    level->cache = sim_cache_new(level->sets, ways);
    return level->cache != NULL;
}

static int make_l1(const struct teg_gpu *gpu, struct level *level)
{
    return make(level, gpu->constant.l1_bytes, gpu->constant.line_bytes,
                gpu->constant.ways);
}

teg_status sim_constants_new(const struct teg_gpu *gpu,
                             struct sim_constants **constants,
                             struct teg_diag *d)
{
    struct sim_constants *c;
    int made;

    *constants = NULL;
    if (gpu->constant.l1_bytes == 0)
        return TEG_OK;
    c = calloc(1, sizeof *c);
    if (c == NULL)
        return teg_fail_memory(d);
    c->gpu = gpu;
    c->line_log2 = (unsigned)__builtin_ctz(gpu->constant.line_bytes);
    c->l15_line_log2 = (unsigned)__builtin_ctz(gpu->constant.l15_line_bytes);
    made = make_l1(gpu, &c->loads) &&
           make(&c->l15, gpu->constant.l15_bytes, gpu->constant.l15_line_bytes,
                gpu->constant.l15_ways);
    for (uint32_t s = 0; s < gpu->sm.schedulers; s++)
        made = made && make_l1(gpu, &c->operands[s]);
    if (!made) {
        sim_constants_free(c);
        return teg_fail_memory(d);
    }
    *constants = c;
    return TEG_OK;
}

void sim_constants_free(struct sim_constants *c)
{
    if (c == NULL)
        return;
    for (uint32_t s = 0; s < SCHEDULERS_MAX; s++)
        sim_cache_free(c->operands[s].cache);
    sim_cache_free(c->loads.cache);
    sim_cache_free(c->l15.cache);
    free(c);
}

static struct sim_cache_result look_up(struct level *level, uint64_t line)
{
    return sim_cache_access(level->cache, (uint32_t)(line % level->sets), line,
                            1, 1, 0);
}

/* The cycle a line that a first cache misses in cycle `now` arrives there,
 * which takes `near` cycles from the L1.5. */
static uint64_t arrival(struct sim_constants *c, uint64_t address, uint64_t now,
                        uint64_t near, struct sim_constant_finds *f)
{
    uint64_t beyond =
        c->gpu->constant.miss_latency - c->gpu->constant.l15_latency;
    struct sim_cache_result found;

    if (c->gpu->constant.brings_bank0 && teg_constant_bank(address) == 0) {
        f->l15_hits++;
        return now + near;
    }
    found = look_up(&c->l15, address >> c->l15_line_log2);
    if (found.hits != 0) {
        f->l15_hits++;
        return teg_max(found.ready, now) + near;
    }
    sim_cache_fill(c->l15.cache, found.frame, now + beyond);
    return now + beyond + near;
}

static uint64_t bring(struct sim_constants *c, struct level *level,
                      uint64_t address, uint64_t now, uint64_t near,
                      struct sim_constant_finds *f)
{
    uint64_t line = address >> c->line_log2;
    struct sim_cache_result found;

    f->lookups++;
    if (line != level->last) {
        found = look_up(level, line);
        level->last = line;
        if (found.hits == 0) {
            level->last_ready = arrival(c, address, now, near, f);
            sim_cache_fill(level->cache, found.frame, level->last_ready);
            return level->last_ready;
        }
        level->last_ready = found.ready;
    }
    f->hits++;
    return teg_max(level->last_ready, now);
}

uint64_t sim_constants_operand(struct sim_constants *c, uint32_t scheduler,
                               uint64_t address, uint64_t now,
                               struct sim_constant_finds *f)
{
    return bring(c, &c->operands[scheduler], address, now,
                 c->gpu->constant.l15_latency, f);
}

uint64_t sim_constants_load(struct sim_constants *c, const uint64_t *address,
                            uint32_t count, uint64_t start,
                            struct sim_constant_finds *f)
{
    uint64_t near =
        c->gpu->constant.l15_latency - c->gpu->timing[CLASS_LDC].latency;
    uint64_t last = start;

    for (uint32_t i = 0; i < count; i++)
        last = teg_max(last, bring(c, &c->loads, address[i], start, near, f));
    return last - start;
}
