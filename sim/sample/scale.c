#include "sim/sample/scale.h"

static void scale_u64(uint64_t *v, double factor)
{
    *v = (uint64_t)((double)*v * factor + 0.5);
}

/* Every member of these structs is a sum. */
static void scale_sums(void *sums, size_t size, double factor)
{
    uint64_t *v = sums;

    for (size_t i = 0; i < size / sizeof *v; i++)
        scale_u64(&v[i], factor);
}

void sample_scale(struct teg_statistics *s, double factor,
                  uint64_t warp_instructions)
{
    s->warp_instructions = warp_instructions;
    s->resident_warp_cycles = warp_instructions;
    scale_u64(&s->thread_instructions, factor);
    scale_u64(&s->barriers, factor);
    scale_u64(&s->unknown_instructions, factor);
    scale_sums(s->class_, sizeof s->class_, factor);
    scale_sums(&s->memory, sizeof s->memory, factor);
    /* Every cycle of a resident warp has a reason, rounded or not. */
    for (uint32_t i = 0; i < TEG_STALLS; i++) {
        scale_u64(&s->stall[i], factor);
        s->resident_warp_cycles += s->stall[i];
    }
    scale_u64(&s->channel_bytes_max, factor);
    scale_u64(&s->channel_bytes_sum, factor);
    for (uint32_t i = 0; i < s->unit_count; i++) {
        struct teg_unit_statistics *u = &s->unit[i];

        scale_u64(&u->issued, factor);
        scale_u64(&u->busy_cycles, factor);
        scale_u64(&u->load_cycles, factor);
    }
}
