/*
 * Series over time in a bounded number of bins: 2^log2 cycles wide each, from
 * cycle 0 on.  When a cycle lies beyond the last, neighbours are added
 * together and the width doubles, so memory never depends on the kernel's
 * length.
 */
#ifndef TEG_SIM_COLLECT_BINS_H
#define TEG_SIM_COLLECT_BINS_H

#include <stdint.h>

enum {
    TEG_TIMELINE_BINS = 512
};

/* Adds neighbours together: what a doubled width makes of `bin`. */
void bins_halve(uint64_t bin[TEG_TIMELINE_BINS]);
/* Adds another series of bins as wide. */
void bins_join(uint64_t bin[TEG_TIMELINE_BINS],
               const uint64_t other[TEG_TIMELINE_BINS]);
/*
 * What is added to a series span by span is noted where a span begins and where it
 * ends, two bins however long it is, and only in `bin` once that is settled.
 */
struct bins_ends {
    struct bins_end {
        int64_t here;   /* cycles of this bin, from a beginning to its last */
        int64_t behind; /* spans that cover the bins behind it */
    } at[TEG_TIMELINE_BINS + 1];
    int used;
};

/* Where a cycle lies: in a bin, of which so many are left from it on. */
struct bins_edge {
    uint64_t bin;
    int64_t left;
};

static inline struct bins_edge bins_edge_of(unsigned log2, uint64_t cycle)
{
    return (struct bins_edge){
        .bin = cycle >> log2,
        .left = (1ll << log2) - (int64_t)(cycle & ((1ull << log2) - 1)),
    };
}

/* Adds one for every cycle of [from, to), which must lie in the bins. */
static inline void bins_cover(struct bins_ends *ends,
                              const struct bins_edge *from,
                              const struct bins_edge *to)
{
    struct bins_end *begin = &ends->at[from->bin], *end = &ends->at[to->bin];

    ends->used = 1;
    begin->here += from->left;
    begin->behind++;
    end->here -= to->left;
    end->behind--;
}

/* Before the bins are read or become wider. */
void bins_settle(uint64_t bin[TEG_TIMELINE_BINS], struct bins_ends *ends,
                 unsigned log2);

#endif
