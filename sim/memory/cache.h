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

struct sim_cache;

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

/* What an access found; sector masks. */
struct sim_cache_result {
    uint32_t hits;    /* of the sectors asked for */
    uint32_t evicted; /* dirty sectors of the line that had to go */
    uint64_t evicted_line;
    uint64_t ready;  /* cycle when the last fill under way arrives */
    uint32_t frame;  /* of the line, for sim_cache_fill */
    uint8_t entered; /* the line was not there before */
    uint8_t awaited; /* `ready` is not known: sim_cache_await */
};

/* Looks up `sectors` of line number `line` in `set`.  With `allocate` the
 * missing ones are entered as held (their data arrives when sim_cache_fill
 * says); without it a miss changes nothing.  `dirty` marks them written. */
struct sim_cache_result sim_cache_access(struct sim_cache *c, uint32_t set,
                                         uint64_t line, uint32_t sectors,
                                         int allocate, int dirty);
/* `set` is about to be looked up: has the host fetch it meanwhile. */
void sim_cache_expect(const struct sim_cache *c, uint32_t set);
/* Enters those of `sectors` that the line in `frame` lacks; returns them. */
uint32_t sim_cache_add(struct sim_cache *c, uint32_t frame, uint32_t sectors);
/* If more than `most` lines of `set` are dirty, that of them that was used
 * longest ago is so no longer, and stays: returns which of its sectors were, and
 * `*line`, its number.  Else returns 0. */
uint32_t sim_cache_clean(struct sim_cache *c, uint32_t set, uint32_t most,
                         uint64_t *line);
/* The sectors entered in `frame` arrive at `cycle`. */
void sim_cache_fill(struct sim_cache *c, uint32_t frame, uint64_t cycle);

/*
 * When fills become known later than the accesses that follow them: an access
 * says that a fill of `frame` is to come; then, in the order of the accesses,
 * each looks up when what it found is there, forgets what the line it drove
 * out waited for, and fills.
 */
void sim_cache_await(struct sim_cache *c, uint32_t frame);
uint64_t sim_cache_ready(const struct sim_cache *c, uint32_t frame);
void sim_cache_forget(struct sim_cache *c, uint32_t frame);

#endif
