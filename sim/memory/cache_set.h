/*
 * A set of a cache, as it lies in the host's memory: which lines are there, and
 * in which order they were used.  For cache.h alone.
 *
 * What every access to a set looks at lies side by side, in one or two lines of
 * the host's caches: a byte of each way's tag (0: the way is empty), eight of
 * which are compared at once, and a ring of the ways in the order of use, kept
 * as links: the newest was used last, the one before it longest ago.  Empty ways
 * begin at that end.  Then the way that it found is looked at.
 */
#ifndef TEG_SIM_MEMORY_CACHE_SET_H
#define TEG_SIM_MEMORY_CACHE_SET_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct sim_cache_set {
    uint16_t newest; /* way used last */
    uint16_t dirty;  /* lines with dirty sectors */
    uint16_t made;   /* the ring is */
    uint16_t unused;
    /* uint8_t mark[ways, rounded up to SIM_MARKS];
     * struct sim_cache_link link[ways]; */
};

struct sim_cache_link {
    uint16_t older, newer; /* ways */
};

/* Of 16 bytes, so that none lies in two of the host's lines. */
struct sim_cache_line {
    uint64_t tag;         /* line number + 1; 0 = empty */
    uint64_t ready : 48;  /* cycle: days of a GPU's time */
    uint64_t valid : 4;   /* sectors */
    uint64_t dirty : 4;   /* likewise */
    uint64_t torn : 4;    /* written, but not all of it */
    uint64_t awaited : 4; /* 1: `ready` is not up to date */
};

enum {
    SIM_MARKS = 8,          /* in a word */
    SIM_CACHE_SECTORS = 15, /* of a line: all of them */
};

#define SIM_CACHE_CYCLES ((1ull << 48) - 1) /* that `ready` holds */

static inline uint8_t *sim_cache_marks(struct sim_cache_set *s)
{
    return (uint8_t *)(s + 1);
}

/* Behind so many marks. */
static inline struct sim_cache_link *sim_cache_links(struct sim_cache_set *s,
                                                     size_t marks)
{
    return (struct sim_cache_link *)(void *)(sim_cache_marks(s) + marks);
}

/* A byte of the line's number, never 0. */
static inline uint8_t sim_cache_mark(uint64_t line)
{
    return (uint8_t)(line * 0x9e3779b97f4a7c15u >> 57 | 0x80);
}

/* Bit 7 of each byte of eight marks that is `mark`; the first is lowest. */
static inline uint64_t sim_cache_alike_marks(const uint8_t *marks, uint8_t mark)
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

/* Returns the way of `line` among the `ways` whose marks and lines these are,
 * or `ways`. */
static inline uint32_t sim_cache_find(const uint8_t *marks,
                                      const struct sim_cache_line *lines,
                                      uint32_t ways, uint64_t line)
{
    uint8_t mark = sim_cache_mark(line);

    for (uint32_t w = 0; w < ways; w += SIM_MARKS) {
        for (uint64_t rest = sim_cache_alike_marks(marks + w, mark); rest != 0;
             rest &= rest - 1) {
            uint32_t way = w + (uint32_t)__builtin_ctzll(rest) / 8;

            if (lines[way].tag == line + 1)
                return way;
        }
    }
    return ways;
}

/* Makes `way` the one used last. */
static inline void sim_cache_use(struct sim_cache_link *link, uint16_t *newest,
                                 uint16_t way)
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
    link[way] = (struct sim_cache_link){.older = first, .newer = last};
    link[first].newer = way;
    link[last].older = way;
}

#endif
