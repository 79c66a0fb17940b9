#include "sim/memory/l1_banks.h"

#include "config/gpu.h"
#include "sim/memory/banks.h"
#include "sim/memory/lanes.h"

enum {
    TAG_BANKS_MAX = 32,
    TAG_BITS = 8, /* of the line number that choose */
};

/* All lanes, a whole number of elements apart: i * stride falls on every
 * gcd(stride, banks)-th bank, that often. */
static uint32_t passes_of_stride(uint32_t words, uint32_t banks)
{
    while (banks != 0) {
        uint32_t rest = words % banks;

        words = banks;
        banks = rest;
    }
    return words;
}

static int plain_stride(const struct teg_access *a, uint32_t width,
                        const struct teg_gpu *gpu)
{
    return a->shape == SHAPE_LINE && a->mask == UINT32_MAX && a->stride > 0 &&
           width >= SIM_L1_BANK_BYTES && (uint32_t)a->stride % width == 0 &&
           a->base % width == 0 && gpu->l1.banks == TEG_LANES;
}

static uint32_t work_out(const struct teg_gpu *gpu, const struct teg_access *a,
                         uint32_t width)
{
    uint64_t word[SIM_BANK_WORDS_MAX];
    uint32_t n = 0;

    for (uint32_t rest = a->mask; rest != 0; rest &= rest - 1) {
        uint64_t from = teg_access_lane(a, sim_first_lane(rest));
        uint64_t last = (from + width - 1) / SIM_L1_BANK_BYTES;

        for (uint64_t w = from / SIM_L1_BANK_BYTES; w <= last; w++) {
            if (n == 0 || word[n - 1] != w)
                word[n++] = w;
        }
    }
    return sim_busiest_bank(word, n, gpu->l1.banks);
}

/* Far from either end of all addresses, so that no lane's words wrap around. */
static int can_be_known(const struct teg_access *a)
{
    return a->shape != SHAPE_LIST && a->base >> 40 != 0 && a->base >> 63 == 0;
}

static uint32_t data_passes(const struct teg_gpu *gpu,
                            const struct teg_inst *inst,
                            const struct teg_access *a, struct sim_known *known)
{
    /* Of 32 bytes the second half meets in its banks whom the first does. */
    uint32_t width = inst->width < 16 ? inst->width : 16;
    struct sim_known_pattern *p;
    int is_known;

    if (width == 0)
        width = SIM_L1_BANK_BYTES;
    if (plain_stride(a, width, gpu))
        return passes_of_stride((uint32_t)a->stride / SIM_L1_BANK_BYTES,
                                gpu->l1.banks);
    if (known == NULL || !can_be_known(a))
        return work_out(gpu, a, width);
    p = sim_known_passes(
        known, sim_known_key_of(SIM_KNOWN_L1, a, width, SIM_L1_BANK_BYTES, 0),
        &is_known);
    if (!is_known)
        p->passes = work_out(gpu, a, width);
    return p->passes;
}

/* The bank of tags is the exclusive or of the line number's digits to the base
 * of the banks' count.  (l1tex's counter of tag wavefronts in gpu-benches'
 * strides on an A40: over 64 strides and four banks this is off by 2.2 % on
 * average, by the line number's last digit alone by 11 %, lines by four by
 * 15 %) */
static uint32_t tag_lookups(const struct sim_plan *plan,
                            const struct teg_gpu *gpu)
{
    uint32_t banks = gpu->l1.tag_banks, most = 0;
    uint32_t bits = (uint32_t)__builtin_ctz(banks);
    uint8_t lines[TAG_BANKS_MAX] = {0};

    for (uint32_t i = 0; i < plan->count; i++) {
        uint64_t line = plan->transaction[i].address / TEG_LINE_BYTES;
        uint64_t bank = line;

        for (uint32_t b = bits; bits != 0 && b < TAG_BITS; b += bits)
            bank ^= line >> b;
        if (++lines[bank & (banks - 1)] > most)
            most = lines[bank & (banks - 1)];
    }
    return most;
}

void sim_l1_banks(struct sim_plan *plan, const struct teg_gpu *gpu,
                  const struct teg_inst *inst, const struct teg_access *a,
                  struct sim_known *known)
{
    if (gpu->l1.banks != 0)
        plan->request.l1_passes = data_passes(gpu, inst, a, known);
    if (gpu->l1.tag_banks != 0)
        plan->request.l1_lines = tag_lookups(plan, gpu);
}
