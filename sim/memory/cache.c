#include "sim/memory/cache.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/* A set's ring is made when it is first used, so that a new cache is memory
 * that nobody has touched. */
void sim_cache_make_ring(struct sim_cache_set *s, size_t marks, uint32_t ways)
{
    struct sim_cache_link *link = sim_cache_links(s, marks);

    for (uint32_t w = 0; w < ways; w++) {
        link[w].older = (uint16_t)(w + 1 < ways ? w + 1 : 0);
        link[w].newer = (uint16_t)(w != 0 ? w - 1 : ways - 1);
    }
    s->made = 1;
}

/* No set lies in more of the host's lines than it has to. */
static size_t set_bytes(const struct sim_cache *c)
{
    size_t bytes = sizeof(struct sim_cache_set) + c->marks +
                   c->ways * sizeof(struct sim_cache_link);
    size_t fits = sizeof(struct sim_cache_set);

    while (fits < bytes && fits < SIM_HOST_LINE_BYTES)
        fits *= 2;
    return round_up(bytes, fits);
}

/* Caches of several SMs are one piece of memory, so that of an SM without work
 * is not touched; the first one owns it. */
static struct sim_cache *new_row(uint32_t count, uint32_t sets, uint32_t ways)
{
    struct sim_cache *c = calloc(count, sizeof *c);
    size_t lines = (size_t)sets * ways, beyond;
    struct sim_cache shape = {
        .sets = sets, .ways = ways, .marks = round_up(ways, SIM_MARKS)};

    if (c == NULL)
        return NULL;
    shape.set_bytes = set_bytes(&shape);
    c->memory = calloc(count * sets * shape.set_bytes + SIM_HOST_LINE_BYTES, 1);
    c->line = calloc(count * lines, sizeof *c->line);
    if (c->memory == NULL || c->line == NULL) {
        sim_cache_free(c);
        return NULL;
    }
    beyond = (uintptr_t)c->memory % SIM_HOST_LINE_BYTES;
    shape.memory = c->memory;
    shape.set = (unsigned char *)c->memory + (SIM_HOST_LINE_BYTES - beyond);
    shape.line = c->line;
    for (uint32_t i = 0; i < count; i++) {
        c[i] = shape;
        c[i].set += i * sets * shape.set_bytes;
        c[i].line += i * lines;
    }
    return c;
}

struct sim_cache *sim_cache_new(uint32_t sets, uint32_t ways)
{
    return new_row(1, sets, ways);
}

void sim_cache_free(struct sim_cache *c)
{
    if (c == NULL)
        return;
    free(c->memory);
    free(c->line);
    free(c);
}

struct sim_cache **sim_caches_new(uint32_t count, uint32_t sets, uint32_t ways)
{
    struct sim_cache **c = calloc(count + 1u, sizeof *c);
    struct sim_cache *row = c != NULL ? new_row(count, sets, ways) : NULL;

    if (row == NULL) {
        free(c);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        c[i] = &row[i];
    return c;
}

void sim_caches_free(struct sim_cache **c)
{
    if (c == NULL)
        return;
    sim_cache_free(c[0]);
    free(c);
}

int sim_cache_alike(const struct sim_cache *a, const struct sim_cache *b)
{
    return a->sets == b->sets && a->ways == b->ways;
}

void sim_cache_carry(struct sim_cache *c, const struct sim_cache *before)
{
    size_t lines = (size_t)c->sets * c->ways;

    memcpy(c->set, before->set, c->sets * c->set_bytes);
    for (size_t i = 0; i < lines; i++)
        c->line[i] = (struct sim_cache_line){.tag = before->line[i].tag,
                                             .valid = before->line[i].valid,
                                             .dirty = before->line[i].dirty,
                                             .torn = before->line[i].torn};
}

void sim_cache_clean_all(struct sim_cache *c)
{
    for (uint32_t set = 0; set < c->sets; set++) {
        struct sim_cache_line *line = c->line + (size_t)set * c->ways;

        if (sim_cache_set_at(c, set)->dirty == 0)
            continue;
        for (uint32_t way = 0; way < c->ways; way++)
            line[way].dirty = line[way].torn = 0;
        sim_cache_set_at(c, set)->dirty = 0;
    }
}

uint32_t sim_cache_clean_oldest(struct sim_cache *c, uint32_t set,
                                uint64_t *line, uint32_t *torn)
{
    struct sim_cache_set *s = sim_cache_set_at(c, set);
    const struct sim_cache_link *link = sim_cache_links(s, c->marks);
    struct sim_cache_line *lines = c->line + (size_t)set * c->ways, *l;
    uint32_t way, sectors;

    way = link[s->newest].newer; /* used longest ago */
    while (lines[way].dirty == 0)
        way = link[way].newer;
    l = &lines[way];
    sectors = l->dirty;
    *torn = l->torn;
    l->dirty = l->torn = 0;
    s->dirty--;
    *line = l->tag - 1;
    return sectors;
}
