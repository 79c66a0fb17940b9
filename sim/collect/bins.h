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
/* bins_add of cycles in several bins. */
void bins_add_several(uint64_t bin[TEG_TIMELINE_BINS], unsigned log2,
                      uint64_t from, uint64_t to);

/* Adds one for every cycle of [from, to) if that is all of one bin's, or
 * nothing; returns whether it was. */
static inline int bins_add_to_one(uint64_t bin[TEG_TIMELINE_BINS],
                                  unsigned log2, uint64_t from, uint64_t to)
{
    if (from >= to)
        return 1;
    if (from >> log2 != (to - 1) >> log2)
        return 0;
    bin[from >> log2] += to - from;
    return 1;
}

/* Adds one for every cycle of [from, to), which must lie in the bins. */
static inline void bins_add(uint64_t bin[TEG_TIMELINE_BINS], unsigned log2,
                            uint64_t from, uint64_t to)
{
    if (!bins_add_to_one(bin, log2, from, to))
        bins_add_several(bin, log2, from, to);
}

/*
 * For series that most of what is added spans many bins of: bins that are
 * covered as a whole are noted where they begin and end in `whole`, and are
 * only in `bin` once it is settled.
 */
struct bins_whole {
    int64_t change[TEG_TIMELINE_BINS + 1]; /* of how many cover this bin */
    int used;
};

/* bins_add of cycles in several bins. */
void bins_span(uint64_t bin[TEG_TIMELINE_BINS], struct bins_whole *whole,
               unsigned log2, uint64_t from, uint64_t to);
/* Before the bins are read or become wider. */
void bins_settle(uint64_t bin[TEG_TIMELINE_BINS], struct bins_whole *whole,
                 unsigned log2);

static inline void bins_note(uint64_t bin[TEG_TIMELINE_BINS],
                             struct bins_whole *whole, unsigned log2,
                             uint64_t from, uint64_t to)
{
    if (!bins_add_to_one(bin, log2, from, to))
        bins_span(bin, whole, log2, from, to);
}

#endif
