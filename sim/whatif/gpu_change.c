#include "sim/whatif/gpu_change.h"

enum {
    LOADS_AHEAD = 4 /* loads that a warp sends where it sent one: what a float4
                       asks for, or a loop unrolled by four */
};

void gpu_change_no_bank_conflicts(struct teg_gpu *gpu)
{
    gpu->shared.broadcast = BROADCAST_IDEAL;
}

void gpu_change_no_atomic_conflicts(struct teg_gpu *gpu)
{
    gpu->memory.atomic_conflicts = 0;
}

void gpu_change_free_atomics(struct teg_gpu *gpu)
{
    gpu_change_no_atomic_conflicts(gpu);
    gpu->l2.atomic_interval = gpu->l2.atomic_float_interval = 0;
    gpu->l2.atomic_float_word_interval = gpu->l2.atomic_sector_interval = 0;
    gpu->shared.atomic_interval = 0;
}

void gpu_change_no_constant_conflicts(struct teg_gpu *gpu)
{
    gpu->constant.distinct_interval = 0;
}

void gpu_change_no_register_conflicts(struct teg_gpu *gpu)
{
    gpu->sm.register_banks = REGISTER_BANKS_NONE;
}

void gpu_change_coalesced(struct teg_gpu *gpu)
{
    gpu->memory.coalescing = COALESCING_IDEAL;
}

void gpu_change_no_channel_skew(struct teg_gpu *gpu)
{
    gpu->dram.spread = 1;
}

static void limit_latency(struct teg_timing *t, uint32_t latency)
{
    if (t->latency > latency)
        t->latency = latency;
}

void gpu_change_no_memory_latency(struct teg_gpu *gpu)
{
    uint32_t latency = gpu->timing[CLASS_IADD].latency;

    gpu->l1.latency = gpu->l2.latency = gpu->dram.latency = latency;
    if (gpu->l2.far_latency != 0)
        gpu->l2.far_latency = latency;
    gpu->dram.delay_ns = 0;
    gpu->memory.transaction_latency = 0;
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        if (teg_op_class_facts(c)->kind == RESULT_LONG)
            limit_latency(&gpu->timing[c], latency);
    }
}

/* A warp that sends four loads before it waits for the first waits once where
 * it waited four times: by Little's law as if each took a quarter of its time. */
static void quarter(uint32_t *latency, uint32_t least)
{
    uint32_t less = (*latency + LOADS_AHEAD - 1) / LOADS_AHEAD;

    if (*latency > least)
        *latency = less > least ? less : least;
}

void gpu_change_more_loads(struct teg_gpu *gpu)
{
    uint32_t least = gpu->timing[CLASS_IADD].latency;

    quarter(&gpu->l1.latency, least);
    quarter(&gpu->l2.latency, least);
    quarter(&gpu->l2.far_latency, least);
    quarter(&gpu->dram.latency, least);
    gpu->dram.delay_ns /= LOADS_AHEAD;
    gpu->memory.transaction_latency /= LOADS_AHEAD;
    gpu->memory.copy_latency /= LOADS_AHEAD;
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        if (teg_op_class_facts(c)->kind == RESULT_LONG)
            quarter(&gpu->timing[c].latency, least);
    }
}

void gpu_change_unlimited_bandwidth(struct teg_gpu *gpu)
{
    gpu->memory.cluster_bytes_per_cycle = 0;
    gpu->memory.warp_bytes_per_cycle = 0;
    gpu->memory.copy_out_bytes_per_cycle = 0;
    gpu->memory.copy_line_interval = 0;
    gpu->memory.store_interval = 0;
    gpu->memory.request_interval = 0;
    gpu->memory.in_flight_bytes = 0;
    gpu->l2.bytes_per_cycle = 0;
    gpu->l2.sector_interval = 0;
    gpu->l2.fill_interval = 0;
    gpu->l2.repeat_interval = 0;
    gpu->l2.atomic_interval = gpu->l2.atomic_float_interval = 0;
    gpu->l2.atomic_float_word_interval = gpu->l2.atomic_sector_interval = 0;
    gpu->l2.far_bytes_per_cycle = 0;
    gpu->dram.bandwidth_gbs = gpu->dram.reached_gbs = 0;
    gpu->dram.store_bytes_per_cycle = 0;
    gpu->dram.turnaround = 0;
    gpu->dram.row_ns = 0;
}

void gpu_change_perfect_cache(struct teg_gpu *gpu)
{
    gpu->l1.always_hits = 1;
    gpu->memory.in_flight_bytes = 0;
    if (gpu->l1.latency == 0)
        gpu->l1.latency = gpu->timing[CLASS_LDS].latency;
    /* A class's own latency is the least an access takes.  Texture fetches,
     * which carry no addresses, have no other. */
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        if (teg_op_class_facts(c)->kind == RESULT_LONG && c != CLASS_TEX)
            limit_latency(&gpu->timing[c], gpu->l1.latency);
    }
}

void gpu_change_no_instruction_misses(struct teg_gpu *gpu)
{
    gpu->fetch.l0_bytes = 0;
}

void gpu_change_no_constant_misses(struct teg_gpu *gpu)
{
    gpu->constant.l1_bytes = 0;
}

void gpu_change_full_occupancy(struct teg_gpu *gpu)
{
    enum {
        LANES = 32, /* of a warp */
        ENOUGH = 64 /* blocks an SM has at most */
    };

    gpu->sm.registers =
        gpu->sm.warps_max * LANES * (gpu->sm.registers_per_thread_max + 1);
    gpu->sm.shared_bytes *= ENOUGH;
    gpu->sm.blocks_max = gpu->sm.warps_max;
    /* Set aside by the user, it would still limit. */
    gpu->l1.carveout_bytes = 0;
    gpu->l1.carveout_preferred = 0;
}

void gpu_change_no_fences(struct teg_gpu *gpu)
{
    gpu->fence.block_latency = 0;
    gpu->fence.gpu_latency = 0;
    gpu->fence.system_latency = 0;
}

void gpu_change_no_tail(struct teg_gpu *gpu)
{
    gpu->chip.whole_waves = 1;
}

void gpu_change_no_dispatch(struct teg_gpu *gpu)
{
    gpu->chip.dispatch_interval = 0;
    gpu->chip.dispatch_latency = 0;
    gpu->chip.dispatch_warp_interval = 0;
}

void gpu_change_register_tracking(struct teg_gpu *gpu)
{
    gpu->sm.dependences = DEPENDENCES_SCOREBOARD;
}

void gpu_change_no_same_warp_gap(struct teg_gpu *gpu)
{
    gpu_change_register_tracking(gpu);
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++)
        gpu->timing[c].same_warp = 1;
}

void gpu_change_double_unit(struct teg_gpu *gpu, uint32_t unit)
{
    gpu->unit[unit].count *= 2;
}
