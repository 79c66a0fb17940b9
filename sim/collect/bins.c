#include "sim/collect/bins.h"

#include <string.h>

void bins_halve(uint64_t bin[TEG_TIMELINE_BINS])
{
    for (uint32_t i = 0; i < TEG_TIMELINE_BINS / 2; i++)
        bin[i] = bin[2 * i] + bin[2 * i + 1];
    memset(bin + TEG_TIMELINE_BINS / 2, 0, TEG_TIMELINE_BINS / 2 * sizeof *bin);
}

void bins_join(uint64_t bin[TEG_TIMELINE_BINS],
               const uint64_t other[TEG_TIMELINE_BINS])
{
    for (uint32_t i = 0; i < TEG_TIMELINE_BINS; i++)
        bin[i] += other[i];
}

void bins_settle(uint64_t bin[TEG_TIMELINE_BINS], struct bins_ends *ends,
                 unsigned log2)
{
    int64_t covering = 0;

    if (!ends->used)
        return;
    for (uint32_t i = 0; i < TEG_TIMELINE_BINS; i++) {
        bin[i] += (uint64_t)(ends->at[i].here + covering * (1ll << log2));
        covering += ends->at[i].behind;
    }
    memset(ends, 0, sizeof *ends);
}
