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

void bins_add_several(uint64_t bin[TEG_TIMELINE_BINS], unsigned log2,
                      uint64_t from, uint64_t to)
{
    uint64_t first = from >> log2, last = (to - 1) >> log2;

    bin[first] += ((first + 1) << log2) - from;
    for (uint64_t i = first + 1; i < last; i++)
        bin[i] += 1ull << log2;
    bin[last] += to - (last << log2);
}

void bins_span(uint64_t bin[TEG_TIMELINE_BINS], struct bins_whole *whole,
               unsigned log2, uint64_t from, uint64_t to)
{
    uint64_t first = from >> log2, last = (to - 1) >> log2;

    bin[first] += ((first + 1) << log2) - from;
    bin[last] += to - (last << log2);
    if (first + 1 == last)
        return;
    whole->change[first + 1]++;
    whole->change[last]--;
    whole->used = 1;
}

void bins_settle(uint64_t bin[TEG_TIMELINE_BINS], struct bins_whole *whole,
                 unsigned log2)
{
    int64_t covering = 0;

    if (!whole->used)
        return;
    for (uint32_t i = 0; i < TEG_TIMELINE_BINS; i++) {
        covering += whole->change[i];
        bin[i] += (uint64_t)covering << log2;
    }
    memset(whole, 0, sizeof *whole);
}
