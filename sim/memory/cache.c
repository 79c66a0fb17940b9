#include "sim/memory/cache.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * What every access to a set looks at lies side by side, in one or two lines of
 * the host's caches: a byte of each way's tag (0: the way is empty), eight of
 * which are compared at once, and a ring of the ways in the order of use, kept
 * as links: the newest was used last, the one before it longest ago.  Empty ways
 * begin at that end.  Then the way that it found is looked at.
 * A set's ring is made when it is first used, so that a new cache is memory
 * that nobody has touched.
 */
struct set {
    uint16_t newest; /* way used last */
    uint16_t dirty;  /* lines with dirty sectors */
    uint16_t made;
    uint16_t unused;
    /* uint8_t mark[ways, rounded up to MARKS]; struct link link[ways]; */
};

struct link {
    uint16_t older, newer; /* ways */
};

struct line {
    uint64_t tag; /* line number + 1; 0 = empty */
    uint64_t ready;
    uint8_t valid, dirty; /* sectors */
    uint8_t awaited;      /* `ready` is not up to date */
};

enum {
    MARKS = 8, /* in a word */
    HOST_LINE_BYTES = 64,
};

struct sim_cache {
    uint32_t sets, ways;
    size_t marks, set_bytes;
    void *memory;       /* owned: of the sets; likewise `line` */
    unsigned char *set; /* [sets], set_bytes each, aligned */
    struct line *line;  /* [sets][ways] */
};

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static uint8_t *marks_of(struct set *s)
{
    return (uint8_t *)(s + 1);
}

static struct link *links_of(const struct sim_cache *c, struct set *s)
{
    return (struct link *)(void *)(marks_of(s) + c->marks);
}

static void make_ring(const struct sim_cache *c, struct set *s)
{
    struct link *link = links_of(c, s);

    for (uint32_t w = 0; w < c->ways; w++) {
        link[w].older = (uint16_t)(w + 1 < c->ways ? w + 1 : 0);
        link[w].newer = (uint16_t)(w != 0 ? w - 1 : c->ways - 1);
    }
    s->made = 1;
}

static struct set *set_at(const struct sim_cache *c, uint32_t set)
{
    struct set *s = (struct set *)(void *)(c->set + set * c->set_bytes);

    if (!s->made)
        make_ring(c, s);
    return s;
}

/* No set lies in more of the host's lines than it has to. */
static size_t set_bytes(const struct sim_cache *c)
{
    size_t bytes =
        sizeof(struct set) + c->marks + c->ways * sizeof(struct link);
    size_t fits = sizeof(struct set);

    while (fits < bytes && fits < HOST_LINE_BYTES)
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
        .sets = sets, .ways = ways, .marks = round_up(ways, MARKS)};

    if (c == NULL)
        return NULL;
    shape.set_bytes = set_bytes(&shape);
    c->memory = calloc(count * sets * shape.set_bytes + HOST_LINE_BYTES, 1);
    c->line = calloc(count * lines, sizeof *c->line);
    if (c->memory == NULL || c->line == NULL) {
        sim_cache_free(c);
        return NULL;
    }
    beyond = (uintptr_t)c->memory % HOST_LINE_BYTES;
    shape.memory = c->memory;
    shape.set = (unsigned char *)c->memory + (HOST_LINE_BYTES - beyond);
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
        c->line[i] = (struct line){.tag = before->line[i].tag,
                                   .valid = before->line[i].valid,
                                   .dirty = before->line[i].dirty};
}

void sim_cache_expect(const struct sim_cache *c, uint32_t set)
{
    const unsigned char *at = c->set + set * c->set_bytes;

    __builtin_prefetch(at, 1);
    if (c->set_bytes > HOST_LINE_BYTES)
        __builtin_prefetch(at + HOST_LINE_BYTES, 1);
}

/* A byte of the line's number, never 0. */
static uint8_t mark_of(uint64_t line)
{
    return (uint8_t)(line * 0x9e3779b97f4a7c15u >> 57 | 0x80);
}

/* Bit 7 of each byte of eight marks that is `mark`; the first is lowest. */
static uint64_t alike(const uint8_t *marks, uint8_t mark)
{
    const uint64_t ones = 0x0101010101010101u, low = 0x7f * ones;
    uint64_t x;

    memcpy(&x, marks, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    x ^= mark * ones;
    return ~(((x & low) + low) | x | low);
}

/* Returns the way of `line`, or `ways`. */
static uint32_t find(const struct sim_cache *c, struct set *s, size_t first,
                     uint64_t line)
{
    const uint8_t *marks = marks_of(s);
    uint8_t mark = mark_of(line);

    for (uint32_t w = 0; w < c->ways; w += MARKS) {
        for (uint64_t rest = alike(marks + w, mark); rest != 0;
             rest &= rest - 1) {
            uint32_t way = w + (uint32_t)__builtin_ctzll(rest) / 8;

            if (c->line[first + way].tag == line + 1)
                return way;
        }
    }
    return c->ways;
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
    struct set *s = set_at(c, set);
    struct link *link = links_of(c, s);
    uint32_t way = find(c, s, first, line);
    struct sim_cache_result r = {0};
    struct line *l;

    if (way < c->ways) {
        l = &c->line[first + way];
        r.hits = l->valid & sectors;
        r.ready = l->ready;
        r.awaited = l->awaited;
    } else if (allocate) {
        way = link[s->newest].newer; /* used longest ago */
        l = &c->line[first + way];
        r.evicted = l->dirty;
        r.evicted_line = l->tag - 1;
        if (l->dirty != 0)
            s->dirty--;
        *l = (struct line){.tag = line + 1, .awaited = l->awaited};
        marks_of(s)[way] = mark_of(line);
        r.entered = 1;
    } else {
        return r;
    }
    use(link, &s->newest, (uint16_t)way);
    if (allocate)
        l->valid |= (uint8_t)sectors;
    if (dirty && (sectors & l->valid) != 0) {
        if (l->dirty == 0)
            s->dirty++;
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
    struct set *s = set_at(c, set);
    const struct link *link = links_of(c, s);
    struct line *lines = c->line + (size_t)set * c->ways, *l;
    uint32_t way, sectors;

    if (s->dirty <= most)
        return 0;
    way = link[s->newest].newer; /* used longest ago */
    while (lines[way].dirty == 0)
        way = link[way].newer;
    l = &lines[way];
    sectors = l->dirty;
    l->dirty = 0;
    s->dirty--;
    *line = l->tag - 1;
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
