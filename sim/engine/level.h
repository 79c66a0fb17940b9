/*
 * One level of the caches that an SM has for instructions and for constants:
 * lines that are only read, one sector each, found under their number.
 */
#ifndef TEG_SIM_ENGINE_LEVEL_H
#define TEG_SIM_ENGINE_LEVEL_H

#include "sim/memory/cache.h"

struct sim_level {
    struct sim_cache *cache; /* owned; NULL: there is none */
    uint32_t sets;
};

/* Of 0 `bytes` there is none.  Returns 0 out of memory. */
int sim_level_init(struct sim_level *level, uint32_t bytes, uint32_t line_bytes,
                   uint32_t ways);
void sim_level_release(struct sim_level *level);

static inline struct sim_cache_result sim_level_look_up(
    const struct sim_level *level, uint64_t line)
{
    return sim_cache_access(level->cache, (uint32_t)(line % level->sets), line,
                            1, 1, 0);
}

/* Returns the cycle, not before `now`, in which the line is there; one that is
 * missed, as `*missed` says, comes `beyond` cycles after `now`. */
uint64_t sim_level_bring(struct sim_level *level, uint64_t line, uint64_t now,
                         uint64_t beyond, int *missed);

#endif
