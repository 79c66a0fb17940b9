#include "traces/study/footprint.h"

#include <math.h>

#include "isa/base/minmax.h"
#include "isa/base/mix.h"

enum {
    SLOT_BITS = 16,
    WORD_BYTES = 4,
};

static uint64_t hash(uint64_t v)
{
    return teg_mix(v + TEG_MIX_STEP);
}

void teg_footprint_touch(struct teg_footprint *f, uint64_t address,
                         uint32_t width)
{
    uint64_t last = (address + width - 1) / TEG_FOOTPRINT_SECTOR;

    for (uint64_t s = address / TEG_FOOTPRINT_SECTOR; s <= last; s++) {
        uint64_t h = hash(s);
        uint8_t *rank = &f->rank[h >> (64 - SLOT_BITS)];
        /* Leading zeros of the rest, and one; a bit behind it ends the count. */
        uint8_t zeros =
            (uint8_t)(__builtin_clzll(h << SLOT_BITS | UINT64_C(1)
                                                           << (SLOT_BITS - 1)) +
                      1);

        *rank = zeros > *rank ? zeros : *rank;
    }
}

void teg_footprint_atomic(struct teg_footprint *f, uint64_t address)
{
    f->atomic[hash(address / WORD_BYTES) >> (64 - SLOT_BITS)]++;
}

double teg_footprint_bytes(const struct teg_footprint *f)
{
    const double slots = TEG_FOOTPRINT_SLOTS;
    const double alpha = 0.7213 / (1 + 1.079 / slots); /* its Figure 3 */
    double sum = 0, empty = 0, sectors;

    for (uint32_t i = 0; i < TEG_FOOTPRINT_SLOTS; i++) {
        sum += ldexp(1, -f->rank[i]);
        empty += f->rank[i] == 0;
    }
    sectors = alpha * slots * slots / sum;
    if (sectors <= 2.5 * slots && empty > 0)
        sectors = slots * log(slots / empty);
    return sectors * TEG_FOOTPRINT_SECTOR;
}

uint64_t teg_footprint_hottest(const struct teg_footprint *f)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < TEG_FOOTPRINT_SLOTS; i++)
        most = teg_max(most, f->atomic[i]);
    return most;
}
