#include "sim/whatif/idle.h"

#include "config/occupancy.h"
#include "sim/sample/whole_waves.h"
#include "sim/whatif/gpu_change.h"
#include "sim/whatif/spread.h"

typedef int is_kind(const struct teg_inst *inst);

static int has(const struct idle_run *run, is_kind *is)
{
    const struct teg_program *p = &run->kernel->program;

    for (uint32_t i = 0; i < p->count; i++) {
        if (is(&p->inst[i]))
            return 1;
    }
    return 0;
}

static int is_atomic(const struct teg_inst *inst)
{
    return (inst->flags & INST_ATOMIC) != 0 || inst->values == VALUES_REDUCED;
}

static int is_fence(const struct teg_inst *inst)
{
    return inst->fence != FENCE_NONE;
}

int idle_no_bank_conflicts(const struct idle_run *run)
{
    const struct teg_memory_statistics *m = &run->s->memory;

    return m->shared_passes == m->shared_groups && !has(run, is_atomic);
}

int idle_no_atomics(const struct idle_run *run)
{
    return !has(run, is_atomic);
}

int idle_no_constant_conflicts(const struct idle_run *run)
{
    return run->s->memory.constant_requests == 0;
}

int idle_no_register_conflicts(const struct idle_run *run)
{
    return run->s->reading_cycles == 0;
}

int idle_no_fences(const struct idle_run *run)
{
    return !has(run, is_fence);
}

int idle_no_same_warp_gap(const struct idle_run *run)
{
    const struct teg_program *p = &run->kernel->program;

    for (uint32_t i = 0; i < p->count; i++) {
        if (p->inst[i].control.known ||
            run->gpu->timing[p->inst[i].op_class].same_warp > 1)
            return 0;
    }
    return 1;
}

int idle_full_occupancy(const struct idle_run *run)
{
    const struct teg_statistics *s = run->s;
    const struct teg_block_asks asks = teg_statistics_asks(s);
    struct teg_gpu changed = *run->gpu;
    struct teg_occupancy as_is, full;
    struct teg_diag d;

    gpu_change_full_occupancy(&changed);
    if (s->block[0] == 0 ||
        teg_occupancy(run->gpu, &asks, &as_is, &d) != TEG_OK ||
        teg_occupancy(&changed, &asks, &full, &d) != TEG_OK)
        return 0;
    return full.l1_bytes == as_is.l1_bytes &&
           (full.places == as_is.places ||
            (s->occupancy.limit == OCCUPANCY_GRID &&
             teg_kernel_cluster(run->kernel) <= 1));
}

int idle_no_tail(const struct idle_run *run)
{
    uint64_t blocks = teg_kernel_blocks(run->kernel);

    return run->s->blocks == blocks &&
           whole_waves_blocks(
               blocks, run->s->sms, run->s->occupancy.blocks_per_sm,
               (uint32_t)teg_kernel_cluster(run->kernel)) == blocks;
}

int idle_no_instruction_misses(const struct idle_run *run)
{
    return run->s->stall[STALL_NO_INSTRUCTION] == 0;
}

int idle_no_constant_misses(const struct idle_run *run)
{
    return run->s->memory.constant_lookups == 0;
}

int idle_no_divergence(const struct idle_run *run)
{
    return run->s->thread_instructions == TEG_LANES * run->s->warp_instructions;
}

/* Of those an end, if the warp has one, is not dealt: with all lanes active it is
 * one, and one of so many makes no warp uneven (deal.c). */
int idle_even_warps(const struct idle_run *run)
{
    enum {
        ENOUGH = 16
    };
    uint64_t most = run->s->warp_instructions_most;

    return most >= ENOUGH &&
           most * run->s->warps == run->s->warp_instructions &&
           idle_no_divergence(run) && !has(run, teg_inst_meets_others);
}

int idle_more_blocks(const struct idle_run *run)
{
    return spread_pieces(run->gpu, run->kernel) == 1;
}

int idle_double_unit(const struct idle_run *run, uint32_t unit)
{
    return (run->s->units_felt >> unit & 1) == 0 ||
           (run->s->unit[unit].issued == 0 && unit != run->gpu->tag_unit &&
            unit != run->gpu->operand_unit);
}
