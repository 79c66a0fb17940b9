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
/* Adds one for every cycle of [from, to), which must lie in the bins. */
void bins_add(uint64_t bin[TEG_TIMELINE_BINS], unsigned log2, uint64_t from,
              uint64_t to);

#endif
