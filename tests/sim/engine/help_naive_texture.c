#include "tests/sim/engine/help_naive_texture.h"

#include <string.h>

enum {
    FORMATS = 0, /* record: bytes of a texel, and 256 if it is filtered */
    PLACES = 1,  /* records: where each is */
    TEXELS = 8,
    QUADS = 8, /* of a warp */
};

static uint64_t ceil_div(double x)
{
    uint64_t whole = (uint64_t)x;

    return whole + (x > (double)whole);
}

static uint32_t bytes_of(uint64_t format)
{
    uint32_t bytes = (uint32_t)(format % 256);

    if (bytes == 0)
        return 1;
    return bytes < 16 ? bytes : 16;
}

static void want_byte(struct sim_plan *plan, int words[][32], uint64_t byte)
{
    uint32_t i = 0;

    while (i < plan->count && plan->transaction[i].address != byte / 128 * 128)
        i++;
    if (i == plan->count) {
        plan->count++;
        plan->transaction[i].address = byte / 128 * 128;
        memset(words[i], 0, sizeof words[i]);
    }
    words[i][byte % 128 / 4] = 1;
}

static void sum_up(struct sim_plan *plan, int words[][32])
{
    for (uint32_t i = 0; i < plan->count; i++) {
        struct sim_transaction *t = &plan->transaction[i];

        for (uint32_t s = 0; s < 4; s++) {
            int wanted = 0;

            for (uint32_t w = 0; w < 8; w++)
                wanted += words[i][8 * s + w];
            t->sectors |= (uint8_t)((wanted != 0) << s);
            t->partial |= (uint8_t)((wanted != 0 && wanted != 8) << s);
            t->bytes = (uint16_t)(t->bytes + (wanted != 0 ? 32 : 0));
        }
    }
}

/* Of a lane with so many texels. */
static uint32_t rounds_of(const struct teg_gpu *gpu, uint64_t format,
                          uint32_t texels)
{
    uint32_t bytes = bytes_of(format), rounds = 1;

    while (rounds * gpu->texture.texel_bytes < bytes)
        rounds++;
    if (rounds > 1 && format / 256 % 2 == 1 &&
        gpu->texture.wide_filter > rounds)
        rounds = gpu->texture.wide_filter;
    return texels > 4 ? 2 * rounds : rounds;
}

uint64_t naive_texture_plan(struct sim_plan *plan, const struct teg_gpu *gpu,
                            const struct teg_inst *inst, uint32_t mask,
                            const struct teg_access *value)
{
    static int words[TEG_LANES * TEXELS][32];
    uint32_t rounds[QUADS] = {0};
    double quads = 0, interval = naive_256ths(gpu->texture.quad_interval);
    uint64_t busy, turns;

    memset(plan, 0, sizeof *plan);
    plan->groups = 1;
    plan->request.space = SPACE_TEXTURE;
    plan->request.is_store = (inst->flags & INST_STORE) != 0;
    for (uint32_t l = 0; l < TEG_LANES; l++) {
        uint64_t format;
        uint32_t texels = 0, r;

        if ((mask >> l & 1) == 0)
            continue;
        format = teg_access_lane(&value[FORMATS], l);
        for (uint32_t i = 0; i < TEXELS; i++) {
            uint64_t at = teg_access_lane(&value[PLACES + i], l);

            if (at == UINT64_MAX)
                continue;
            texels++;
            for (uint32_t b = 0; b < bytes_of(format); b++) {
                if ((at + b) / 128 == at / 128)
                    want_byte(plan, words, at + b);
            }
        }
        r = rounds_of(gpu, format, texels);
        if (r > rounds[l / 4])
            rounds[l / 4] = r;
    }
    sum_up(plan, words);
    for (uint32_t q = 0; q < QUADS; q++)
        quads += rounds[q];
    busy = interval > 0 ? ceil_div(quads * interval)
                        : gpu->timing[inst->op_class].interval;
    turns =
        ceil_div(plan->count * naive_256ths(gpu->memory.transaction_interval));
    return naive_max(naive_max(busy, turns), 1);
}

uint64_t naive_texture_done(struct naive *n, uint32_t sm, struct sim_plan *plan,
                            const struct teg_inst *inst, uint64_t begin,
                            uint64_t latency)
{
    const struct teg_gpu *gpu = n->gpu;
    uint64_t memory =
        naive_memory_issue(n->memory, sm, begin, plan, inst->flags);

    if (inst->flags & INST_STORE)
        return memory + latency;
    if (gpu->texture.l1_bytes == 0 && gpu->l1.bytes != 0 &&
        latency > gpu->l1.latency)
        memory += latency - gpu->l1.latency;
    return naive_max(memory, begin + latency);
}
