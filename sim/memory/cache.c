#include "sim/memory/cache.h"

#include <stdlib.h>

/* Tags and stamps lie apart from the rest: a look-up reads only them. */
struct line {
    uint64_t ready;
    uint8_t valid, dirty; /* sectors */
};

struct sim_cache {
    uint32_t sets, ways;
    uint32_t stamp;
    uint64_t *tag;     /* owned, [sets][ways]: line number + 1; 0 = empty */
    uint32_t *used;    /* owned, [sets][ways]: stamp of the last access */
    struct line *line; /* owned, [sets][ways] */
};

struct sim_cache *sim_cache_new(uint32_t sets, uint32_t ways)
{
    struct sim_cache *c = calloc(1, sizeof *c);
    size_t lines = (size_t)sets * ways;

    if (c == NULL)
        return NULL;
    c->sets = sets;
    c->ways = ways;
    c->tag = calloc(lines, sizeof *c->tag);
    c->used = calloc(lines, sizeof *c->used);
    c->line = calloc(lines, sizeof *c->line);
    if (c->tag == NULL || c->used == NULL || c->line == NULL) {
        sim_cache_free(c);
        return NULL;
    }
    return c;
}

void sim_cache_free(struct sim_cache *c)
{
    if (c == NULL)
        return;
    free(c->tag);
    free(c->used);
    free(c->line);
    free(c);
}

/* Returns the way of that tag, or `ways`. */
static uint32_t find(const uint64_t *tag, uint32_t ways, uint64_t wanted)
{
    uint32_t w = 0;

    while (w < ways && tag[w] != wanted)
        w++;
    return w;
}

/* The way used longest ago; an empty one counts as never used. */
static uint32_t oldest(const uint32_t *used, uint32_t ways)
{
    uint32_t best = 0;

    for (uint32_t w = 1; w < ways; w++) {
        if (used[w] < used[best])
            best = w;
    }
    return best;
}

/* Stamps have run out: brings them down, the order mostly kept. */
static void age_stamps(struct sim_cache *c)
{
    for (size_t i = 0; i < (size_t)c->sets * c->ways; i++)
        c->used[i] /= 2;
    c->stamp /= 2;
}

struct sim_cache_result sim_cache_access(struct sim_cache *c, uint32_t set,
                                         uint64_t line, uint32_t sectors,
                                         int allocate, int dirty)
{
    size_t first = (size_t)set * c->ways;
    uint32_t way = find(c->tag + first, c->ways, line + 1);
    struct sim_cache_result r = {0};
    struct line *l;

    if (way < c->ways) {
        l = &c->line[first + way];
        r.hits = l->valid & sectors;
        r.ready = l->ready;
    } else if (allocate) {
        way = oldest(c->used + first, c->ways);
        l = &c->line[first + way];
        r.evicted = l->dirty;
        r.evicted_line = c->tag[first + way] - 1;
        c->tag[first + way] = line + 1;
        *l = (struct line){0};
    } else {
        return r;
    }
    if (c->stamp == UINT32_MAX)
        age_stamps(c);
    c->used[first + way] = ++c->stamp;
    if (allocate)
        l->valid |= (uint8_t)sectors;
    if (dirty)
        l->dirty |= (uint8_t)(sectors & l->valid);
    r.place = (uint32_t)(first + way);
    return r;
}

void sim_cache_fill(struct sim_cache *c, uint32_t place, uint64_t cycle)
{
    if (c->line[place].ready < cycle)
        c->line[place].ready = cycle;
}
