#include "sim/engine/level.h"

#include "isa/base/minmax.h"

int sim_level_init(struct sim_level *level, uint32_t bytes, uint32_t line_bytes,
                   uint32_t ways)
{
    *level = (struct sim_level){.sets = bytes / line_bytes / ways};
    if (bytes == 0)
        return 1;
    level->cache = sim_cache_new(level->sets, ways);
    return level->cache != NULL;
}

void sim_level_release(struct sim_level *level)
{
    sim_cache_free(level->cache);
    *level = (struct sim_level){0};
}

uint64_t sim_level_bring(struct sim_level *level, uint64_t line, uint64_t now,
                         uint64_t beyond, int *missed)
{
    struct sim_cache_result found = sim_level_look_up(level, line);

    *missed = found.hits == 0;
    if (!*missed)
        return teg_max(found.ready, now);
    sim_cache_fill(level->cache, found.frame, now + beyond);
    return now + beyond;
}
