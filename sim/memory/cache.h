/*
 * A sectored, set-associative cache with least-recently-used replacement.
 *
 * Models: which sectors of which lines are held, which are dirty, and when a
 * line's last fill arrives, so that a second access to a line under way waits
 * for it instead of asking again.  Tags are exact; there is no data.
 * Leaves out: a limit on outstanding misses; the time of anything.
 *
 * A frame is where a line is held: a way of a set, numbered through the cache.
 */
#ifndef TEG_SIM_MEMORY_CACHE_H
#define TEG_SIM_MEMORY_CACHE_H

#include "isa/base/status.h"
#include "sim/memory/cache_set.h"

enum {
    SIM_HOST_LINE_BYTES = 64,
};

/* Private, but to the small functions below. */
struct sim_cache {
    uint32_t sets, ways;
    size_t marks, set_bytes;
    void *memory;                /* owned: of the sets; likewise `line` */
    unsigned char *set;          /* [sets], set_bytes each, aligned */
    struct sim_cache_line *line; /* [sets][ways] */
};

/* `lines` = `sets` x `ways`; a line has four sectors.  Returns NULL out of
 * memory. */
struct sim_cache *sim_cache_new(uint32_t sets, uint32_t ways);
void sim_cache_free(struct sim_cache *c);
/* `count` alike, one for each SM, to be freed together.  Returns NULL out of
 * memory. */
struct sim_cache **sim_caches_new(uint32_t count, uint32_t sets, uint32_t ways);
void sim_caches_free(struct sim_cache **c);

/* Whether both have as many sets of as many ways. */
int sim_cache_alike(const struct sim_cache *a, const struct sim_cache *b);
/* `c` holds from now on what `before`, which is alike, does, all of it there:
 * time begins anew. */
void sim_cache_carry(struct sim_cache *c, const struct sim_cache *before);
/* What is dirty has been written and stays. */
void sim_cache_clean_all(struct sim_cache *c);

/* What an access found; sector masks. */
struct sim_cache_result {
    uint32_t hits;         /* of the sectors asked for */
    uint32_t evicted;      /* dirty sectors of the line that had to go */
    uint32_t evicted_torn; /* of them, those that were not whole */
    uint64_t evicted_line;
    uint64_t ready;  /* cycle when the last fill under way arrives */
    uint32_t frame;  /* of the line, for sim_cache_fill */
    uint8_t entered; /* the line was not there before */
    uint8_t awaited; /* `ready` is not known: sim_cache_await */
};

void sim_cache_make_ring(struct sim_cache_set *s, size_t marks, uint32_t ways);

static inline struct sim_cache_set *sim_cache_set_at(const struct sim_cache *c,
                                                     uint32_t set)
{
    struct sim_cache_set *s = (void *)(c->set + set * c->set_bytes);

    if (!s->made)
        sim_cache_make_ring(s, c->marks, c->ways);
    return s;
}

/* Looks up `sectors` of line number `line` in `set`.  With `allocate` the
 * missing ones are entered as held (their data arrives when sim_cache_fill
 * says); without it a miss changes nothing.  `dirty` marks them written.
 * Inline, because each level knows the latter two beforehand. */
static inline struct sim_cache_result sim_cache_access(struct sim_cache *c,
                                                       uint32_t set,
                                                       uint64_t line,
                                                       uint32_t sectors,
                                                       int allocate, int dirty)
{
    size_t first = (size_t)set * c->ways;
    struct sim_cache_set *s = sim_cache_set_at(c, set);
    uint8_t *marks = sim_cache_marks(s);
    struct sim_cache_link *link = sim_cache_links(s, c->marks);
    uint32_t way = sim_cache_find(marks, c->line + first, c->ways, line);
    struct sim_cache_result r = {0};
    struct sim_cache_line *l;

    if (way < c->ways) {
        l = &c->line[first + way];
        r.hits = l->valid & sectors;
        r.ready = l->ready;
        r.awaited = l->awaited;
    } else if (allocate) {
        way = link[s->newest].newer; /* used longest ago */
        l = &c->line[first + way];
        r.evicted = l->dirty;
        r.evicted_torn = l->torn;
        r.evicted_line = l->tag - 1;
        if (l->dirty != 0)
            s->dirty--;
        *l = (struct sim_cache_line){.tag = line + 1, .awaited = l->awaited};
        marks[way] = sim_cache_mark(line);
        r.entered = 1;
    } else {
        return r;
    }
    sim_cache_use(link, &s->newest, (uint16_t)way);
    if (allocate)
        l->valid |= sectors & SIM_CACHE_SECTORS;
    if (dirty && (sectors & l->valid) != 0) {
        if (l->dirty == 0)
            s->dirty++;
        l->dirty |= sectors & l->valid & SIM_CACHE_SECTORS;
    }
    r.frame = (uint32_t)(first + way);
    return r;
}

/* `set` is about to be looked up: has the host fetch it meanwhile. */
static inline void sim_cache_expect(const struct sim_cache *c, uint32_t set)
{
    const unsigned char *at = c->set + set * c->set_bytes;

    __builtin_prefetch(at, 1);
    if (c->set_bytes > SIM_HOST_LINE_BYTES)
        __builtin_prefetch(at + SIM_HOST_LINE_BYTES, 1);
}

/* Enters those of `sectors` that the line in `frame` lacks; returns them. */
static inline uint32_t sim_cache_add(struct sim_cache *c, uint32_t frame,
                                     uint32_t sectors)
{
    uint32_t lacks = sectors & ~(uint32_t)c->line[frame].valid;

    c->line[frame].valid |= lacks & SIM_CACHE_SECTORS;
    return lacks;
}

/* `stored` sectors of the line in `frame`, which had `held` of them, have been
 * written, of `torn` a part: what comes second is taken to be the rest. */
static inline void sim_cache_tear(struct sim_cache *c, uint32_t frame,
                                  uint32_t stored, uint32_t torn, uint32_t held)
{
    struct sim_cache_line *l = &c->line[frame];

    l->torn = ((l->torn & ~stored) | (torn & ~held)) & SIM_CACHE_SECTORS;
}

/* The sectors entered in `frame` arrive at `cycle`. */
static inline void sim_cache_fill(struct sim_cache *c, uint32_t frame,
                                  uint64_t cycle)
{
    if (c->line[frame].ready < cycle)
        c->line[frame].ready = cycle & SIM_CACHE_CYCLES;
    c->line[frame].awaited = 0;
}

/* Of the dirty lines of `set`, of which there are some, that which was used
 * longest ago is so no longer, and stays: returns which of its sectors were,
 * `*line`, its number, and `*torn`, those that were not whole. */
uint32_t sim_cache_clean_oldest(struct sim_cache *c, uint32_t set,
                                uint64_t *line, uint32_t *torn);
/* The same, if more than `most` lines of `set` are dirty; else returns 0. */
static inline uint32_t sim_cache_clean(struct sim_cache *c, uint32_t set,
                                       uint32_t most, uint64_t *line,
                                       uint32_t *torn)
{
    return sim_cache_set_at(c, set)->dirty > most
               ? sim_cache_clean_oldest(c, set, line, torn)
               : 0;
}

/*
 * When fills become known later than the accesses that follow them: an access
 * says that a fill of `frame` is to come; then, in the order of the accesses,
 * each looks up when what it found is there, forgets what the line it drove
 * out waited for, and fills.
 */
static inline void sim_cache_await(struct sim_cache *c, uint32_t frame)
{
    c->line[frame].awaited = 1;
}

static inline uint64_t sim_cache_ready(const struct sim_cache *c,
                                       uint32_t frame)
{
    return c->line[frame].ready;
}

static inline void sim_cache_forget(struct sim_cache *c, uint32_t frame)
{
    c->line[frame].ready = 0;
}

#endif
