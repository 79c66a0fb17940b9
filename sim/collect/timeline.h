/*
 * What warps and units did over time, for the chip, one SM or one scheduler
 * of it: the stacks and curves that reports draw.
 *
 * A series holds warp-cycles (issued, stall) or instance-cycles and
 * instruction-cycles (busy, load) per bin.  Summed over the bins of a whole
 * kernel they are the sums of sim/collect/statistics.h.
 */
#ifndef TEG_SIM_COLLECT_TIMELINE_H
#define TEG_SIM_COLLECT_TIMELINE_H

#include "sim/collect/bins.h"
#include "sim/events.h"

#define TIMELINE_ALL UINT32_MAX

struct timeline_choice {
    uint32_t sm, scheduler; /* TIMELINE_ALL: any */
    uint64_t from, to;      /* only cycles of [from, to) */
};

struct timeline {
    struct timeline_choice choice;
    /* Borrowed: one that hears everybody, of the same launch and cycles, whose bins
     * this one's are to be as wide as; NULL: it finds out itself. */
    const struct timeline *like;
    /* Borrowed: those that hear what this one chooses; likewise the next of them of
     * whom this one is one. */
    struct timeline *parts, *next_part;
    uint32_t unit_count;
    uint8_t tag_unit;
    uint32_t instances[TEG_MAX_UNITS]; /* of each unit, among those chosen */
    uint64_t bin_cycles;               /* width; bin 0 begins at choice.from */
    uint64_t end; /* of the launch, or of the window if that is first */
    uint64_t issued[TEG_TIMELINE_BINS];
    uint64_t stall[TEG_STALLS][TEG_TIMELINE_BINS];
    uint64_t busy[TEG_MAX_UNITS][TEG_TIMELINE_BINS];
    uint64_t load[TEG_MAX_UNITS][TEG_TIMELINE_BINS];
    /* Private: */
    struct bins_ends stalled[TEG_STALLS], taken[TEG_MAX_UNITS],
        loaded[TEG_MAX_UNITS]; /* of stall, busy, load */
    unsigned bin_log2;
    uint64_t seen; /* no cycle announced so far lies behind it */
};

/* Everything of SM `sm` (or TIMELINE_ALL) from the first cycle to the last. */
void timeline_init(struct timeline *t, uint32_t sm);
/* `part`, whose choice is a part of this one's, hears what this one hears, and must not
 * listen by itself.  This one, or the one it is like, hears everybody. */
void timeline_add_part(struct timeline *t, struct timeline *part);
struct sim_listener timeline_listener(struct timeline *t);

/* Bins up to t->end. */
uint32_t timeline_bins(const struct timeline *t);
/* Cycles of bin `bin`: bin_cycles, but for the last that ends at t->end. */
uint64_t timeline_width(const struct timeline *t, uint32_t bin);

#endif
