#include "sim/sample/scale.h"

#include "sim/collect/counters.h"

static void scale_counter(const struct teg_counter *c, struct teg_statistics *s,
                          double factor)
{
    for (uint32_t item = 0; item < teg_counter_items(c, s); item++) {
        for (uint32_t i = 0; i < c->count; i++) {
            double v = (double)teg_counter_get(c, s, item, i) * factor;

            teg_counter_set(c, s, item, i, (uint64_t)(v + 0.5));
        }
    }
}

void sample_scale(struct teg_statistics *s, double factor,
                  uint64_t warp_instructions)
{
    uint32_t count;
    const struct teg_counter *c = teg_counters(&count);

    for (uint32_t i = 0; i < count; i++) {
        if (c[i].sampled == COUNTER_SAMPLED_SCALED)
            scale_counter(&c[i], s, factor);
    }
    /* Every cycle of a resident warp has a reason, rounded or not. */
    s->warp_instructions = warp_instructions;
    s->resident_warp_cycles = warp_instructions;
    for (uint32_t i = 0; i < TEG_STALLS; i++)
        s->resident_warp_cycles += s->stall[i];
}
