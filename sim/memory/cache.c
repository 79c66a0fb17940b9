#include "sim/memory/cache.h"

#include <stdlib.h>

struct line {
    uint64_t tag; /* line number + 1; 0 = empty */
    uint64_t ready;
    uint64_t used;        /* stamp of the last access */
    uint8_t valid, dirty; /* sectors */
};

struct sim_cache {
    uint32_t sets, ways;
    uint64_t stamp;
    struct line *line; /* owned, [sets][ways] */
};

struct sim_cache *sim_cache_new(uint32_t sets, uint32_t ways)
{
    struct sim_cache *c = calloc(1, sizeof *c);

    if (c == NULL)
        return NULL;
    c->sets = sets;
    c->ways = ways;
    c->line = calloc((size_t)sets * ways, sizeof *c->line);
    if (c->line == NULL) {
        free(c);
        return NULL;
    }
    return c;
}

void sim_cache_free(struct sim_cache *c)
{
    if (c == NULL)
        return;
    free(c->line);
    free(c);
}

/* Returns the line of that tag, or the one to replace: an empty one, else the
 * one used longest ago. */
static struct line *find(struct line *set, uint32_t ways, uint64_t tag)
{
    struct line *oldest = &set[0];

    for (uint32_t w = 0; w < ways; w++) {
        if (set[w].tag == tag)
            return &set[w];
        if (set[w].used < oldest->used)
            oldest = &set[w];
    }
    return oldest;
}

struct sim_cache_result sim_cache_access(struct sim_cache *c, uint32_t set,
                                         uint64_t line, uint32_t sectors,
                                         int allocate, int dirty)
{
    struct line *l = find(&c->line[(size_t)set * c->ways], c->ways, line + 1);
    struct sim_cache_result r = {0};

    if (l->tag == line + 1) {
        r.hits = l->valid & sectors;
        r.ready = l->ready;
    } else if (allocate) {
        r.evicted = l->dirty;
        r.evicted_line = l->tag - 1;
        *l = (struct line){.tag = line + 1};
    } else {
        return r;
    }
    l->used = ++c->stamp;
    if (allocate)
        l->valid |= (uint8_t)sectors;
    if (dirty)
        l->dirty |= (uint8_t)(sectors & l->valid);
    r.place = (uint32_t)(l - c->line);
    return r;
}

void sim_cache_fill(struct sim_cache *c, uint32_t place, uint64_t cycle)
{
    if (c->line[place].ready < cycle)
        c->line[place].ready = cycle;
}
