/*
 * What the parts of the naive memory share: its caches, channels and SMs, a
 * transaction on its way, and time.  help_naive_memory.c is the whole.
 */
#ifndef TEG_TESTS_SIM_MEMORY_HELP_NAIVE_PARTS_H
#define TEG_TESTS_SIM_MEMORY_HELP_NAIVE_PARTS_H

#include "sim/memory/dram.h"
#include "tests/sim/memory/help_naive_memory.h"

#include <stddef.h>

/*
 * Where sim/memory does otherwise than the documents say, or than a memory
 * can.  1: so does this one, for results are to stay as they are; whoever
 * corrects one there sets it to 0 here.
 */
enum {
    /* What L2 has of a line that is under way is not waited for by a load that
     * also misses some of it.  Beyond a cycle's rounding it shows only where
     * the two go to different channels (dram.spread). */
    PART_OF_A_LINE_IS_NOT_AWAITED = 1,
    /* A region is only looked up when its SM changes the page, so one that is
     * smaller than a page is walked to by its page's first touch alone. */
    WALKS_WITH_THE_PAGE = 1,
    /* What finds in L1 a line that its own request has sent for has no bytes
     * outstanding. */
    OWN_LINES_ARE_NOT_OUTSTANDING = 1,
};

enum {
    TICKS = 1024,       /* of a cycle */
    BYTE_PARTS = 65536, /* of a tick, in which a byte's time is counted */
    LINE_BYTES = 128,
    SECTORS = 4, /* of a line */
    HALVES = 2,
};

struct line {
    uint64_t number, set;
    uint64_t used;    /* stamp */
    uint64_t arrives; /* cycle */
    uint64_t sender;  /* number of the last request that sent for some of it */
    int held[SECTORS], written[SECTORS];
    int torn[SECTORS]; /* written, but not all of it */
};

/* The lines of a cache, in the order in which their places were taken. */
struct cache {
    struct line *line; /* owned, [lines] */
    size_t lines;
    uint64_t sets, ways;
};

struct page {
    uint64_t number, used;
};

struct sm {
    struct cache l1, texels; /* the second only where textures have their own */
    struct page *page;       /* owned, [pages]: whose translation it keeps */
    size_t pages;
    uint64_t last_page; /* number + 1; 0: none yet */
    uint64_t
        last_walk; /* tick at which that page's region had been walked to */
    uint64_t
        part[256];  /* sectors it has written in part, joining none: the... */
    uint64_t parts; /* ...n-th, counted from 0, in place n mod 256 */
    uint64_t returned; /* tick at which all loads so far have come back */
};

/* What an SM of a group has been sent, or is. */
struct read {
    uint64_t number, arrives; /* of the line; cycle */
    uint32_t group;
    int wanted[SECTORS];
};

struct region {
    uint64_t number, ready; /* tick */
};

struct outstanding {
    uint64_t done; /* cycle */
    uint32_t bytes;
};

struct cluster {
    uint64_t free_from, out_from;    /* tick */
    struct outstanding *outstanding; /* owned, [count] */
    size_t count;
    uint64_t *left; /* owned, [lefts]: ticks at which L2 took lines stored */
    size_t lefts;
};

struct slice {
    uint64_t free_from; /* tick */
    uint64_t atomics;   /* ticks they took */
    uint64_t loaded;    /* number of the line of the last request... */
    int again[SECTORS]; /* ...and what of it was loaded */
    struct cache cache;
};

struct channel {
    uint64_t free_from;        /* tick */
    uint64_t taken_until;      /* tick: stores, where there is no L2 */
    uint64_t moved, unwritten; /* bytes */
    uint64_t counted;          /* of moved, for skew */
    int read_last;
    uint64_t opens_from; /* tick: the next row */
    uint64_t unopened;   /* rows of what is unwritten */
    uint64_t open[SIM_BANKS_MAX], batched[SIM_BATCH_ROWS]; /* row + 1 */
    uint64_t asked[SIM_DRAM_QUEUE_MAX], asks; /* of reads, by number */
};

struct naive_memory {
    const struct teg_gpu *gpu; /* borrowed */
    uint32_t sms;
    uint32_t launch;         /* of several, whose turn it is */
    uint64_t stamp;          /* counts uses */
    uint64_t request;        /* counts requests */
    uint64_t spread;         /* counts what went to a channel */
    struct sm *sm;           /* owned, [sms] */
    struct cluster *cluster; /* owned, [sms]: more than there are */
    struct slice *slice;     /* owned, [l2.slices] */
    uint64_t link_free_from; /* tick: between the halves of L2 */
    struct channel *channel; /* owned, [dram.channels] */
    uint64_t busiest;        /* bytes: of the busiest channel, each time */
    uint64_t uncounted;      /* bytes of all, since the last time */
    struct region *region;   /* owned, [regions]: walked to */
    size_t regions;
    struct read *read; /* owned, [reads]: of L2, that joined none */
    size_t reads;
};

/* A transaction on its way. */
struct trip {
    struct naive_memory *m;
    uint32_t sm;
    struct sim_request *request; /* whose */
    uint64_t address;
    int wanted[SECTORS];  /* still */
    int partial[SECTORS]; /* written in part, joining none */
    int parts[SECTORS];   /* written in part */
    int torn[SECTORS];    /* the rest of which the thread does not store */
    uint32_t bytes;       /* beyond L1 */
    uint32_t updates, steps; /* of an atomic in its slice */
    uint32_t packets;        /* on its way there */
    int goes_out;         /* of its SM */
    uint64_t at;          /* tick it has come to, without latencies */
    uint64_t latency;     /* cycles, of the furthest place it was at */
    uint64_t arrival;     /* cycle before which it is not done */
};

/* ---- time and lists (help_naive_caches.c) ---- */

uint64_t naive_later(uint64_t a, uint64_t b);
/* `list` of `count` elements with room for one more. */
void *naive_one_more(void *list, size_t count, size_t size);
void *naive_zeroed(size_t count, size_t size);
uint64_t naive_nearest(double x);
uint64_t naive_whole_cycles(uint64_t tick);
/* Parts of a tick that a byte takes; 0 where there is no limit. */
uint64_t naive_byte_time(double bytes_per_cycle);
/* Ticks. */
uint64_t naive_time_of(uint64_t bytes, uint64_t byte_time);
/* Waits at `at` until the place is free, and takes it; returns when. */
uint64_t naive_take(uint64_t *free_from, uint64_t at, uint64_t ticks);
/* Slice, channel or set of a near half: the number modulo the places, turned
 * by what the number of the row of places gives. */
uint64_t naive_place_of(uint32_t hash, uint64_t number, uint64_t places);
/* The slice that has line `number`, and its number among that slice's lines. */
struct home {
    uint64_t slice, line;
};
struct home naive_home_of(const struct teg_gpu *gpu, uint64_t number);
/* Set of an L1, turned by one from row to row and by upper bits. */
uint64_t naive_set_of(uint32_t hash, uint64_t number, uint64_t sets);

/* ---- caches ---- */

/* NULL: it is not there. */
struct line *naive_find(struct cache *c, uint64_t number);
/* The line, entered if it is not there; `gone` made room, or is all zeros. */
struct line *naive_find_or_enter(struct naive_memory *m, struct cache *c,
                                 uint64_t set, uint64_t number,
                                 struct line *gone);
/* Whether more lines of the set are dirty than may be; then the one used longest
 * ago, as it was, is in `line`, and is dirty no longer. */
int naive_cleaned(struct naive_memory *m, struct cache *c, uint64_t set,
                  struct line *line);
/* Of the sectors those that are set. */
uint32_t naive_count(const int sectors[SECTORS]);
/* Leaves of what is wanted what the line does not hold, and has it hold that
 * from now on; returns the hits. */
uint32_t naive_look(struct line *line, int wanted[SECTORS]);
/* What the trip fetched for the line arrives; the line with the last of it. */
void naive_fill(struct line *line, const struct trip *t);

/* ---- L2 and DRAM (help_naive_l2.c) ---- */

/* The group of neighbors (GPC) that the SM is in. */
uint32_t naive_group(const struct naive_memory *m, uint32_t sm);
/* Bytes of the channel that has moved most since they were last counted. */
uint64_t naive_busiest(const struct naive_memory *m);
/* Fetches `bytes` of the trip's line; it comes to `at` and `latency`. */
void naive_go_to_dram(struct trip *t, uint32_t bytes);
/* Stores what the trip carries, where there is no L2. */
void naive_store_to_dram(struct trip *t);
/* As naive_go_to_dram() by way of its slice, and from DRAM what that has not. */
void naive_go_to_l2(struct trip *t);

#endif
