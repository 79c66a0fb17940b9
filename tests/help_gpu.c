#include "tests/help_gpu.h"

#include <string.h>

#include "tests/help_launch.h"

void help_gpu_plain(struct teg_gpu *gpu)
{
    memset(gpu, 0, sizeof *gpu);
    strcpy(gpu->name, "test");
    gpu->chip.compute_capability = 70;
    gpu->chip.sm_clock_mhz = 1000;
    gpu->sm.register_window = 1;
    gpu->chip.sms = 1;
    gpu->chip.sms_per_cluster = 1;
    gpu->sm.schedulers = 1;
    gpu->sm.issue_period = 1;
    gpu->sm.warps_max = 64;
    gpu->sm.threads_max = 2048;
    gpu->sm.blocks_max = 32;
    gpu->sm.threads_per_block_max = 1024;
    gpu->sm.registers = 65536;
    gpu->sm.registers_per_thread_max = 255;
    gpu->sm.register_unit = 256;
    gpu->sm.warp_unit = 1;
    gpu->sm.shared_bytes = 65536;
    gpu->sm.shared_unit = 256;
    gpu->shared.banks = 32;
    gpu->shared.bank_bytes = 4;
    gpu->shared.group = 32;
    gpu->shared.broadcast = BROADCAST_ANY;
    gpu->shared.pass_interval = 1;
    gpu->shared.conflict_latency = 1;
    gpu->shared.passes_128 = 1;
    gpu->memory.coalescing = COALESCING_SECTORS;
    gpu->memory.transaction_interval = 1;
    gpu->memory.atomic_conflicts = 1;
    gpu->texture.l1_ways = 4;
    gpu->texture.texel_bytes = 16;
    gpu->texture.wide_filter = 1;
    gpu->l1.ways = 4;
    gpu->l2.ways = 4;
    gpu->l2.slices = 1;
    gpu->l2.atomic_bytes = TEG_LINE_BYTES;
    gpu->l2.half_sms = 8;
    gpu->l2.fetch_bytes = 32;
    gpu->l2.dirty_share = 1;
    gpu->dram.channels = 1;
    gpu->dram.interleave_bytes = 256;
    gpu->dram.latency = 100;
    gpu->operand_unit = gpu->tag_unit = TEG_NO_UNIT;
    gpu->unit_count = 1;
    gpu->unit[0] = (struct teg_unit){"alu", UNIT_SCOPE_SM, 1, 0, 0};
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        gpu->timing[c] = (struct teg_timing){1, {0, 0}, 10, 1, 1};
        gpu->m_factor[c] = 1;
    }
}

static uint32_t between(uint64_t *state, uint32_t low, uint32_t high)
{
    return low + help_below(state, high - low + 1);
}

static int one_in(uint64_t *state, uint32_t n)
{
    return help_below(state, n) == 0;
}

static void random_units(struct teg_gpu *gpu, uint64_t *state)
{
    gpu->unit_count = between(state, 1, 5);
    for (uint32_t u = 0; u < gpu->unit_count; u++) {
        gpu->unit[u] = (struct teg_unit){
            .name = "unit",
            .scope = one_in(state, 2) ? UNIT_SCOPE_SM : UNIT_SCOPE_SCHEDULER,
            .count = between(state, 1, 2),
            .capacity = one_in(state, 3) ? between(state, 1, 4) : 0,
        };
    }
    if (one_in(state, 2))
        gpu->operand_unit = (uint8_t)help_below(state, gpu->unit_count);
    for (uint32_t u = 0; u < gpu->unit_count; u++) {
        if (gpu->unit[u].capacity == 0 && u != gpu->operand_unit &&
            one_in(state, 2))
            gpu->unit[u].queue = between(state, 1, 3);
    }
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        gpu->timing[c] = (struct teg_timing){
            .unit_count = (uint8_t)between(state, 1, 2),
            .unit = {(uint8_t)help_below(state, gpu->unit_count),
                     (uint8_t)help_below(state, gpu->unit_count)},
            .latency = between(state, 0, 30),
            .interval = between(state, 1, 8),
            .same_warp = between(state, 1, 12),
        };
    }
    if (one_in(state, 2)) {
        gpu->tag_unit = (uint8_t)gpu->unit_count;
        gpu->unit[gpu->unit_count++] = (struct teg_unit){
            .name = "tags", .scope = UNIT_SCOPE_SM, .count = 1};
    }
}

static void random_memory(struct teg_gpu *gpu, uint64_t *state)
{
    gpu->shared.group = one_in(state, 2) ? 16 : 32;
    gpu->shared.banks = one_in(state, 2) ? 16 : 32;
    gpu->shared.broadcast = help_below(state, 3);
    gpu->shared.pass_interval = between(state, 0, 8) / 4.0;
    gpu->shared.passes_128 = between(state, 1, 2);
    gpu->shared.packs_pairs = help_below(state, 2);
    gpu->shared.conflict_latency = between(state, 0, 20) / 3.0;
    gpu->shared.operand_latency = between(state, 0, 20);
    gpu->constant.distinct_interval = between(state, 0, 10) / 4.0;
    gpu->memory.coalescing = help_below(state, 5);
    gpu->shared.conflict_holds_warp = one_in(state, 3);
    gpu->memory.transactions_hold_warp = one_in(state, 3);
    gpu->memory.transaction_interval = between(state, 0, 6) / 4.0;
    gpu->memory.lane_bytes_per_cycle =
        one_in(state, 2) ? between(state, 8, 200) : 0;
    gpu->memory.transaction_latency = between(state, 0, 4) / 2.0;
    gpu->memory.in_flight_bytes =
        one_in(state, 2) ? between(state, 64, 1500) : 0;
    gpu->memory.cluster_bytes_per_cycle =
        one_in(state, 2) ? between(state, 8, 64) : 0;
    gpu->memory.warp_bytes_per_cycle =
        one_in(state, 3) ? between(state, 8, 64) : 0;
    gpu->memory.copy_out_bytes_per_cycle =
        one_in(state, 3) ? between(state, 8, 64) : 0;
    gpu->memory.store_interval = between(state, 0, 8) / 2.0;
    gpu->memory.store_lines = one_in(state, 2) ? between(state, 1, 40) : 0;
    gpu->memory.copy_line_interval = between(state, 0, 8) / 2.0;
    if (one_in(state, 2)) {
        gpu->l1.bytes = 128 * 4 * between(state, 1, 8);
        gpu->l1.latency = between(state, 5, 20);
        gpu->l1.in_order = help_below(state, 2);
        gpu->l1.always_hits = one_in(state, 16);
        gpu->l1.tag_banks = one_in(state, 2) ? 1u << help_below(state, 4) : 0;
        if (one_in(state, 2)) {
            gpu->l1.banks = one_in(state, 2) ? 16 : 32;
            gpu->l1.bank_interval = between(state, 0, 8) / 4.0;
            gpu->l1.lane_interval = between(state, 0, 3) / 2.0;
        }
    }
    if (one_in(state, 2)) {
        gpu->texture.quad_interval = between(state, 0, 8) / 3.0;
        gpu->texture.texel_bytes = between(state, 1, 16);
        gpu->texture.wide_filter = between(state, 1, 5);
        gpu->texture.l1_ways = between(state, 1, 3);
        if (one_in(state, 2))
            gpu->texture.l1_bytes =
                128 * gpu->texture.l1_ways * between(state, 1, 5);
    }
    if (one_in(state, 2)) {
        gpu->l2.slices = between(state, 1, 3);
        gpu->l2.bytes = 128 * 4 * gpu->l2.slices * between(state, 1, 8);
        gpu->l2.latency = between(state, 20, 40);
        gpu->l2.bytes_per_cycle = between(state, 0, 64);
        gpu->l2.atomic_interval = between(state, 0, 9);
        gpu->l2.partial_interval = between(state, 0, 8) / 3.0;
        gpu->l2.partial_joined = between(state, 0, 40);
        gpu->l2.repeat_interval = between(state, 0, 8) / 3.0;
        gpu->l2.fill_interval = between(state, 0, 4) / 4.0;
        gpu->l2.far_passes_near = between(state, 0, 1) != 0;
        gpu->l2.completes_sectors = between(state, 0, 1) != 0;
        gpu->l2.join_lines = one_in(state, 2) ? between(state, 1, 16) : 0;
        gpu->l1.merged_sectors = between(state, 0, 32);
        gpu->l2.sector_interval = between(state, 0, 16) / 3.0;
        gpu->l2.fetch_bytes = 32u << help_below(state, 3);
        gpu->l2.dirty_share = between(state, 0, 4) / 4.0;
        if (one_in(state, 2)) {
            gpu->l2.slices *= 2;
            gpu->l2.bytes *= 2;
            gpu->l2.far_latency = between(state, 40, 60);
            gpu->l2.far_bytes_per_cycle = between(state, 0, 32);
        }
    }
    if (one_in(state, 3)) {
        gpu->tlb.entries = between(state, 1, 4);
        gpu->tlb.page_bytes = 4096 << help_below(state, 2);
        gpu->tlb.walk_bytes = 4096 << help_below(state, 4);
        gpu->tlb.miss_latency = between(state, 1, 40) / 2.0;
        gpu->tlb.walk_latency = one_in(state, 2) ? between(state, 1, 90) : 0;
    }
    gpu->dram.channels = between(state, 1, 4);
    gpu->dram.bandwidth_gbs = one_in(state, 3) ? 0 : between(state, 5, 60);
    gpu->dram.reached_gbs = gpu->dram.bandwidth_gbs / between(state, 1, 2);
    gpu->dram.turnaround = between(state, 0, 20) / 2.0;
    gpu->dram.write_batch_bytes = one_in(state, 2) ? 512 : 0;
    gpu->dram.row_bytes = one_in(state, 2) ? 256u << help_below(state, 4) : 0;
    gpu->dram.banks = between(state, 1, 8);
    gpu->dram.row_ns = between(state, 0, 20);
    gpu->dram.queue = one_in(state, 2) ? between(state, 1, 64) : 0;
    gpu->dram.latency = between(state, 30, 90);
    gpu->dram.hash = help_below(state, 2);
    gpu->dram.spread = one_in(state, 5);
    /* Of no draw. */
    gpu->dram.of_slices =
        gpu->l2.slices % gpu->dram.channels == 0 && gpu->dram.latency % 2 == 0;
    if (gpu->l2.slices % gpu->dram.channels == 0 && gpu->l2.far_latency == 0 &&
        gpu->dram.latency % 3 != 0)
        gpu->l2.piece_bytes = gpu->l2.slices / gpu->dram.channels * 128 *
                              (1 + gpu->dram.latency % 9);
    if (gpu->dram.latency % 4 != 0)
        gpu->l2.half_bytes = 128 * (1 + gpu->dram.latency % 7);
    if (gpu->dram.latency % 6 < 4)
        gpu->dram.delay_ns = gpu->dram.latency % 11 * 2.5;
    gpu->l2.atomic_bytes = 128u << gpu->dram.latency % 3;
    if (gpu->dram.latency % 5 < 2)
        gpu->l2.atomic_sector_interval = gpu->dram.latency % 7 / 2.0;
    gpu->l2.atomic_doubles = gpu->dram.latency % 4;
    gpu->l2.atomic_vector_sectors = 1 + gpu->dram.latency % 4;
}

/* Of draws of its own: what else a seed gives stays. */
static void random_atomics(struct teg_gpu *gpu, uint64_t seed)
{
    uint64_t *state = &seed;

    gpu->shared.atomic_interval =
        one_in(state, 3) ? 0 : between(state, 0, 20) / 3.0;
    gpu->memory.atomic_conflicts = !one_in(state, 6);
    gpu->l2.atomic_float_word_interval =
        one_in(state, 2) ? between(state, 1, 16) / 2.0 : 0;
    gpu->l2.atomic_float_interval =
        one_in(state, 2) ? between(state, 0, 20) / 4.0 : 0;
    gpu->dram.store_bytes_per_cycle =
        one_in(state, 2) ? between(state, 1, 40) / 3.0 : 0;
    gpu->l2.atomic_units = one_in(state, 2) ? between(state, 1, 8) : 0;
}

static void random_network(struct teg_gpu *gpu, uint64_t seed)
{
    uint64_t *state = &seed;

    gpu->shared.remote_latency = one_in(state, 4) ? 0 : between(state, 1, 60);
    gpu->shared.remote_bytes_per_cycle =
        one_in(state, 4) ? 0 : between(state, 4, 120) / 4.0;
}

static void random_fetch(struct teg_gpu *gpu, uint64_t *state)
{
    if (one_in(state, 2))
        return;
    gpu->fetch.line_bytes = 16u << help_below(state, 2);
    gpu->fetch.ways = between(state, 1, 2);
    gpu->fetch.l0_bytes =
        gpu->fetch.line_bytes * gpu->fetch.ways * between(state, 1, 3);
    gpu->fetch.l1_bytes = one_in(state, 2) ? 2 * gpu->fetch.l0_bytes : 0;
    gpu->fetch.l1_latency = between(state, 0, 20);
    gpu->fetch.miss_latency = gpu->fetch.l1_latency + between(state, 0, 60);
    gpu->fetch.lines_ahead = help_below(state, 3);
    gpu->fetch.cold = (uint32_t)one_in(state, 2);
}

/* Of draws of its own, too. */
static void random_constants(struct teg_gpu *gpu, uint64_t seed)
{
    uint64_t *state = &seed;

    if (one_in(state, 3))
        return;
    gpu->constant.line_bytes = 16u << help_below(state, 3);
    gpu->constant.ways = between(state, 1, 3);
    gpu->constant.l1_bytes =
        gpu->constant.line_bytes * gpu->constant.ways * between(state, 1, 4);
    gpu->constant.l15_line_bytes = 16u << help_below(state, 5);
    gpu->constant.l15_ways = between(state, 1, 3);
    gpu->constant.l15_bytes = gpu->constant.l15_line_bytes *
                              gpu->constant.l15_ways * between(state, 1, 6);
    gpu->constant.l15_latency =
        gpu->timing[CLASS_LDC].latency + between(state, 0, 20);
    gpu->constant.miss_latency =
        gpu->constant.l15_latency + between(state, 0, 80);
    gpu->constant.brings_bank0 = one_in(state, 3);
    gpu->constant.cold_from_dram = one_in(state, 2);
}

static void random_yields(struct teg_gpu *gpu, uint64_t state)
{
    gpu->sm.yield_interval = between(&state, 0, 3);
    gpu->sm.pause_interval = between(&state, 0, 20);
}

void help_gpu_random(struct teg_gpu *gpu, uint64_t *state)
{
    static const uint32_t schedulers[] = {1, 2, 4};

    help_gpu_plain(gpu);
    gpu->chip.sms = between(state, 1, 3);
    gpu->chip.sms_per_cluster = between(state, 1, 2);
    gpu->chip.dispatch_interval =
        one_in(state, 2) ? between(state, 1, 36) / 4.0 : 0;
    gpu->chip.dispatch_latency = one_in(state, 2) ? between(state, 1, 20) : 0;
    gpu->sm.schedulers = schedulers[help_below(state, 3)];
    gpu->sm.issue_period = between(state, 1, 3);
    gpu->sm.policy = help_below(state, POLICY_GBLRI + 1);
    gpu->sm.dependences = help_below(state, DEPENDENCES_CONTROL + 1);
    gpu->sm.warps_max = gpu->sm.schedulers * between(state, 4, 8);
    gpu->sm.barrier_latency = between(state, 0, 9);
    gpu->sm.barrier_interval = one_in(state, 2) ? between(state, 1, 5) : 0;
    gpu->sm.cluster_barrier_latency = between(state, 0, 30);
    gpu->chip.gpcs = between(state, 1, gpu->chip.sms < 2 ? 1 : 2);
    gpu->chip.sms_per_tpc = between(state, 1, 3);
    gpu->memory.copy_latency = between(state, 0, 20);
    gpu->sm.register_banks = help_below(state, REGISTER_BANKS_KEPLER + 1);
    gpu->sm.register_reuse = help_below(state, 2);
    gpu->sm.register_window = 1 + help_below(state, 4);
    gpu->sm.register_stall = help_below(state, 2);
    gpu->sm.converge_interval = one_in(state, 2) ? between(state, 1, 20) : 0;
    gpu->sm.taken_interval = one_in(state, 2) ? between(state, 1, 20) : 0;
    random_units(gpu, state);
    random_memory(gpu, state);
    random_fetch(gpu, state);
    gpu->fence.block_latency = between(state, 0, 3) * 10;
    gpu->fence.gpu_latency = between(state, 0, 50);
    gpu->fence.system_latency = between(state, 0, 100);
    random_atomics(gpu, *state);
    random_network(gpu, *state);
    random_constants(gpu, *state);
    random_yields(gpu, *state);
    gpu->chip.cluster_numbering = (*state >> 32) % 2;
    gpu->chip.dispatch_warp_interval =
        (uint32_t)((*state >> 33) % 2 * ((*state >> 34) % 9));
    gpu->sm.register_products = (*state >> 35) % 2;
    gpu->fence.async_latency = (uint32_t)((*state >> 36) % 4 * 10);
}
