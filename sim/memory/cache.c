#include "sim/memory/cache.h"

#include <stdlib.h>
#include <string.h>

/*
 * A set is a row of tags, searched one by one, and a ring of its ways in the
 * order of use, kept as links: the head was used last, the one before the head
 * longest ago.  Empty ways begin at that end.
 */
struct line {
    uint64_t ready;
    uint8_t valid, dirty; /* sectors */
    uint8_t awaited;      /* `ready` is not up to date */
};

struct link {
    uint16_t older, newer; /* ways */
};

struct sim_cache {
    uint32_t sets, ways;
    uint64_t *tag;     /* owned, [sets][ways]: line number + 1; 0 = empty */
    struct link *link; /* owned, [sets][ways] */
    uint16_t *newest;  /* owned, [sets]: way used last */
    uint32_t *dirty;   /* owned, [sets]: lines with dirty sectors */
    struct line *line; /* owned, [sets][ways] */
};

static void order_ways(struct sim_cache *c)
{
    for (size_t set = 0; set < c->sets; set++) {
        struct link *link = c->link + set * c->ways;

        for (uint32_t w = 0; w < c->ways; w++) {
            link[w].older = (uint16_t)((w + 1) % c->ways);
            link[w].newer = (uint16_t)((w + c->ways - 1) % c->ways);
        }
    }
}

struct sim_cache *sim_cache_new(uint32_t sets, uint32_t ways)
{
    struct sim_cache *c = calloc(1, sizeof *c);
    size_t lines = (size_t)sets * ways;

    if (c == NULL)
        return NULL;
    c->sets = sets;
    c->ways = ways;
    c->tag = calloc(lines, sizeof *c->tag);
    c->link = calloc(lines, sizeof *c->link);
    c->newest = calloc(sets, sizeof *c->newest);
    c->dirty = calloc(sets, sizeof *c->dirty);
    c->line = calloc(lines, sizeof *c->line);
    if (c->tag == NULL || c->link == NULL || c->newest == NULL ||
        c->dirty == NULL || c->line == NULL) {
        sim_cache_free(c);
        return NULL;
    }
    order_ways(c);
    return c;
}

void sim_cache_free(struct sim_cache *c)
{
    if (c == NULL)
        return;
    free(c->tag);
    free(c->link);
    free(c->newest);
    free(c->dirty);
    free(c->line);
    free(c);
}

void sim_caches_free(struct sim_cache **c, uint32_t count)
{
    for (uint32_t i = 0; c != NULL && i < count; i++)
        sim_cache_free(c[i]);
    free(c);
}

struct sim_cache **sim_caches_new(uint32_t count, uint32_t sets, uint32_t ways)
{
    struct sim_cache **c = calloc(count, sizeof *c);

    for (uint32_t i = 0; c != NULL && i < count; i++) {
        c[i] = sim_cache_new(sets, ways);
        if (c[i] != NULL)
            continue;
        sim_caches_free(c, count);
        return NULL;
    }
    return c;
}

int sim_cache_alike(const struct sim_cache *a, const struct sim_cache *b)
{
    return a->sets == b->sets && a->ways == b->ways;
}

void sim_cache_carry(struct sim_cache *c, const struct sim_cache *before)
{
    size_t lines = (size_t)c->sets * c->ways;

    memcpy(c->tag, before->tag, lines * sizeof *c->tag);
    memcpy(c->link, before->link, lines * sizeof *c->link);
    memcpy(c->newest, before->newest, c->sets * sizeof *c->newest);
    memcpy(c->dirty, before->dirty, c->sets * sizeof *c->dirty);
    for (size_t i = 0; i < lines; i++)
        c->line[i] = (struct line){.valid = before->line[i].valid,
                                   .dirty = before->line[i].dirty};
}

/* Returns the way of that tag, or `ways`. */
static uint32_t find(const uint64_t *tag, uint32_t ways, uint64_t wanted)
{
    uint32_t w = 0;

    while (w < ways && tag[w] != wanted)
        w++;
    return w;
}

/* Makes `way` the one used last. */
static void use(struct link *link, uint16_t *newest, uint16_t way)
{
    uint16_t first = *newest, last = link[first].newer;

    if (way == first)
        return;
    *newest = way;
    /* The oldest only needs the ring turned. */
    if (way == last)
        return;
    link[link[way].older].newer = link[way].newer;
    link[link[way].newer].older = link[way].older;
    link[way] = (struct link){.older = first, .newer = last};
    link[first].newer = way;
    link[last].older = way;
}

struct sim_cache_result sim_cache_access(struct sim_cache *c, uint32_t set,
                                         uint64_t line, uint32_t sectors,
                                         int allocate, int dirty)
{
    size_t first = (size_t)set * c->ways;
    struct link *link = c->link + first;
    uint32_t way = find(c->tag + first, c->ways, line + 1);
    struct sim_cache_result r = {0};
    struct line *l;

    if (way < c->ways) {
        l = &c->line[first + way];
        r.hits = l->valid & sectors;
        r.ready = l->ready;
        r.awaited = l->awaited;
    } else if (allocate) {
        way = link[c->newest[set]].newer; /* used longest ago */
        l = &c->line[first + way];
        r.evicted = l->dirty;
        r.evicted_line = c->tag[first + way] - 1;
        if (l->dirty != 0)
            c->dirty[set]--;
        c->tag[first + way] = line + 1;
        *l = (struct line){.awaited = l->awaited};
        r.entered = 1;
    } else {
        return r;
    }
    use(link, &c->newest[set], (uint16_t)way);
    if (allocate)
        l->valid |= (uint8_t)sectors;
    if (dirty && (sectors & l->valid) != 0) {
        if (l->dirty == 0)
            c->dirty[set]++;
        l->dirty |= (uint8_t)(sectors & l->valid);
    }
    r.frame = (uint32_t)(first + way);
    return r;
}

uint32_t sim_cache_add(struct sim_cache *c, uint32_t frame, uint32_t sectors)
{
    uint32_t lacks = sectors & ~(uint32_t)c->line[frame].valid;

    c->line[frame].valid |= (uint8_t)lacks;
    return lacks;
}

uint32_t sim_cache_clean(struct sim_cache *c, uint32_t set, uint32_t most,
                         uint64_t *line)
{
    size_t first = (size_t)set * c->ways;
    const struct link *link = c->link + first;
    uint32_t way, sectors;

    if (c->dirty[set] <= most)
        return 0;
    way = link[c->newest[set]].newer; /* used longest ago */
    while (c->line[first + way].dirty == 0)
        way = link[way].newer;
    sectors = c->line[first + way].dirty;
    c->line[first + way].dirty = 0;
    c->dirty[set]--;
    *line = c->tag[first + way] - 1;
    return sectors;
}

void sim_cache_fill(struct sim_cache *c, uint32_t frame, uint64_t cycle)
{
    if (c->line[frame].ready < cycle)
        c->line[frame].ready = cycle;
    c->line[frame].awaited = 0;
}

void sim_cache_await(struct sim_cache *c, uint32_t frame)
{
    c->line[frame].awaited = 1;
}

uint64_t sim_cache_ready(const struct sim_cache *c, uint32_t frame)
{
    return c->line[frame].ready;
}

void sim_cache_forget(struct sim_cache *c, uint32_t frame)
{
    c->line[frame].ready = 0;
}
