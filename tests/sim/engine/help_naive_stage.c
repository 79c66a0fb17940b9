#include "tests/sim/engine/help_naive_state.h"
#include "tests/sim/engine/help_naive_tensor.h"

struct instance *naive_stage(struct naive *n, struct sm *sm, uint32_t scheduler)
{
    uint32_t unit = n->gpu->timing[CLASS_LDS].unit[0];

    return n->gpu->unit[unit].scope == UNIT_SCOPE_SM
               ? &sm->unit[unit][0]
               : &sm->unit[unit][scheduler * n->gpu->unit[unit].count];
}

/* Of a cycle in which lines come, 256ths that they take. */
static double share_of(const struct teg_gpu *gpu)
{
    double row_cycles = gpu->shared.pass_interval /
                        (gpu->shared.banks * gpu->shared.bank_bytes);
    double share = gpu->l2.bytes_per_cycle / gpu->chip.sms * row_cycles;

    return share <= 0 || share > 0.5 ? 0.5 : share;
}

uint64_t naive_through_stage(const struct naive *n, struct sm *sm,
                             struct instance *stage, uint64_t begin,
                             uint64_t parts)
{
    double share = share_of(n->gpu);
    uint64_t alone = (uint64_t)(share * 256 + 0.5);
    uint64_t beside = (uint64_t)(share / (1 - share) * 256 + 0.5);
    uint64_t lines = parts * beside / 256;

    /* Cycle by cycle while nobody else wants it. */
    while (stage->free_at < begin && sm->lines > 0) {
        sm->lines = sm->lines > alone ? sm->lines - alone : 0;
        stage->free_at++;
    }
    stage->free_at = naive_max(stage->free_at, begin);
    if (lines > sm->lines)
        lines = sm->lines;
    sm->lines -= lines;
    sm->parts += parts + lines;
    while (sm->parts >= 256) {
        sm->parts -= 256;
        stage->free_at++;
    }
    return stage->free_at;
}

void naive_copy_lines(const struct naive *n, struct sm *sm,
                      const uint64_t *value)
{
    uint64_t pass = (uint64_t)(n->gpu->shared.pass_interval * 256 + 0.5);
    uint64_t times = 0;

    if (value[0] == UINT64_MAX)
        return;
    for (int b = 32; b < 64 && value[3] != UINT64_MAX; b++)
        times += value[3] >> b & 1;
    if (times == 0)
        times = 1;
    sm->lines += value[2] * times * pass /
                 (n->gpu->shared.banks * n->gpu->shared.bank_bytes);
}

uint64_t naive_factor_parts(const struct teg_gpu *gpu,
                            const struct teg_inst *inst)
{
    const struct teg_tensor *t = &inst->tensor;
    double bytes = naive_shared_factor_bits(gpu, t) / 8;

    return (uint64_t)(bytes / gpu->shared.banks / gpu->shared.bank_bytes *
                          gpu->shared.pass_interval / 4 * 256 +
                      0.5);
}
