/* Contradictions between the values of a description, each of which alone is
 * in its range. */
#include "config/gpu.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    WARP = 32
};

/* Fails at the line that gave `key`, if it is known. */
static teg_status contradiction(const struct teg_gpu *gpu, const char *key,
                                struct teg_diag *d, const char *format, ...)
    TEG_PRINTF(4, 5);

static teg_status contradiction(const struct teg_gpu *gpu, const char *key,
                                struct teg_diag *d, const char *format, ...)
{
    const char *where = gpu->name;
    va_list arguments;
    char text[320];

    for (uint32_t i = 0; i < gpu->fact_count; i++) {
        if (strcmp(gpu->fact[i].key, key) == 0 && gpu->fact[i].where[0] != '\0')
            where = gpu->fact[i].where;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return teg_fail(d, TEG_CONFIG, where, "%s: %s", key, text);
}

static int is_power_of_two(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

static teg_status check_sm(const struct teg_gpu *gpu, struct teg_diag *d)
{
    if (gpu->sm.threads_max > gpu->sm.warps_max * WARP)
        return contradiction(gpu, "sm.threads_max", d,
                             "expected at most %u threads (%u warps), found %u",
                             gpu->sm.warps_max * WARP, gpu->sm.warps_max,
                             gpu->sm.threads_max);
    if (gpu->sm.threads_per_block_max > gpu->sm.threads_max)
        return contradiction(
            gpu, "sm.threads_per_block_max", d,
            "expected at most the %u threads of an SM, found %u",
            gpu->sm.threads_max, gpu->sm.threads_per_block_max);
    if (gpu->sm.warps_max % gpu->sm.schedulers != 0)
        return contradiction(gpu, "sm.warps_max", d,
                             "expected a multiple of the %u schedulers, found "
                             "%u",
                             gpu->sm.schedulers, gpu->sm.warps_max);
    if (gpu->sm.registers % gpu->sm.schedulers != 0)
        return contradiction(gpu, "sm.registers", d,
                             "expected a multiple of the %u schedulers, found "
                             "%u",
                             gpu->sm.schedulers, gpu->sm.registers);
    if (gpu->sm.shared_reserved > gpu->sm.shared_bytes)
        return contradiction(gpu, "sm.shared_reserved", d,
                             "expected at most the %u bytes of an SM, found %u",
                             gpu->sm.shared_bytes, gpu->sm.shared_reserved);
    return TEG_OK;
}

static teg_status check_shared(const struct teg_gpu *gpu, struct teg_diag *d)
{
    if (!is_power_of_two(gpu->shared.banks))
        return contradiction(gpu, "shared.banks", d,
                             "expected a power of two, found %u",
                             gpu->shared.banks);
    if (!is_power_of_two(gpu->shared.bank_bytes))
        return contradiction(gpu, "shared.bank_bytes", d,
                             "expected a power of two, found %u",
                             gpu->shared.bank_bytes);
    if (gpu->shared.group != 16 && gpu->shared.group != 32)
        return contradiction(gpu, "shared.group", d,
                             "expected 16 or 32 lanes, found %u",
                             gpu->shared.group);
    if (gpu->shared.operand_latency != 0 && gpu->operand_unit == TEG_NO_UNIT)
        return contradiction(gpu, "shared.operand_latency", d,
                             "expected operand_unit to name a unit as well");
    return TEG_OK;
}

static teg_status check_tensor(const struct teg_gpu *gpu, struct teg_diag *d)
{
    uint32_t half = gpu->tensor.latency_128, whole = gpu->tensor.latency_256;

    if ((half == 0) != (whole == 0) || half > whole)
        return contradiction(gpu, "tensor.latency_128", d,
                             "expected 0 if tensor.latency_256 is, and no more "
                             "than its %u cycles, found %u",
                             whole, half);
    return TEG_OK;
}

static teg_status check_cluster(const struct teg_gpu *gpu, struct teg_diag *d)
{
    if (gpu->chip.sms_per_cluster > gpu->chip.sms)
        return contradiction(gpu, "chip.sms_per_cluster", d,
                             "expected at most the %u SMs of the chip, found "
                             "%u",
                             gpu->chip.sms, gpu->chip.sms_per_cluster);
    return TEG_OK;
}

/* What both caches have. */
struct cache {
    const char *bytes_key;
    uint32_t bytes, ways, slices;
};

static teg_status check_cache(const struct teg_gpu *gpu, const struct cache *c,
                              struct teg_diag *d)
{
    uint64_t unit = (uint64_t)TEG_LINE_BYTES * c->ways * c->slices;

    if (c->bytes % unit != 0)
        return contradiction(gpu, c->bytes_key, d,
                             "expected a multiple of %llu bytes (%u slices of "
                             "%u ways of %u bytes), found %u",
                             (unsigned long long)unit, c->slices, c->ways,
                             (unsigned)TEG_LINE_BYTES, c->bytes);
    return TEG_OK;
}

static teg_status check_caches(const struct teg_gpu *gpu, struct teg_diag *d)
{
    const struct cache caches[] = {
        {"l1.bytes", gpu->l1.bytes, gpu->l1.ways, 1},
        {"texture.l1_bytes", gpu->texture.l1_bytes, gpu->texture.l1_ways, 1},
        {"l2.bytes", gpu->l2.bytes, gpu->l2.ways, gpu->l2.slices},
    };

    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++)
        TRY(check_cache(gpu, &caches[i], d));
    return TEG_OK;
}

/* What is set aside for shared memory must leave L1 something. */
static teg_status check_carveouts(const struct teg_gpu *gpu, struct teg_diag *d)
{
    uint32_t n = gpu->carveout_count, most = n != 0 ? gpu->carveout[n - 1] : 0;

    if (gpu->l1.unified_bytes == 0)
        return TEG_OK;
    if (n == 0)
        return contradiction(gpu, "l1.unified_bytes", d,
                             "expected carveouts to say what shared memory "
                             "may have of it");
    if (most < gpu->sm.shared_bytes)
        return contradiction(gpu, "carveouts", d,
                             "expected one that holds the %u bytes of shared "
                             "memory, found at most %u",
                             gpu->sm.shared_bytes, most);
    if (most >= gpu->l1.unified_bytes)
        return contradiction(gpu, "l1.unified_bytes", d,
                             "expected more than the largest of carveouts, %u "
                             "bytes, found %u",
                             most, gpu->l1.unified_bytes);
    if (gpu->l1.carveout_bytes >= gpu->l1.unified_bytes)
        return contradiction(gpu, "l1.carveout_bytes", d,
                             "expected less than the %u of l1.unified_bytes, "
                             "found %u",
                             gpu->l1.unified_bytes, gpu->l1.carveout_bytes);
    return TEG_OK;
}

static teg_status check_l2_atomics(const struct teg_gpu *gpu,
                                   struct teg_diag *d)
{
    if (!is_power_of_two(gpu->l2.atomic_bytes))
        return contradiction(gpu, "l2.atomic_bytes", d,
                             "expected a power of two, found %u",
                             gpu->l2.atomic_bytes);
    return TEG_OK;
}

/* Pieces of L2's lines go round channels that have slices of their own. */
static teg_status check_pieces(const struct teg_gpu *gpu, struct teg_diag *d)
{
    uint32_t channels = gpu->dram.channels, slices = gpu->l2.slices;

    if (gpu->l2.piece_bytes == 0 || channels == 0)
        return TEG_OK;
    if (slices % channels != 0)
        return contradiction(gpu, "l2.piece_bytes", d,
                             "expected l2.slices that %u channels share "
                             "evenly, found %u",
                             channels, slices);
    if (gpu->l2.piece_bytes % (slices / channels * TEG_LINE_BYTES) != 0)
        return contradiction(gpu, "l2.piece_bytes", d,
                             "expected a multiple of a line in each of the %u "
                             "slices of a channel, found %u",
                             slices / channels, gpu->l2.piece_bytes);
    if (gpu->l2.far_latency != 0)
        return contradiction(gpu, "l2.piece_bytes", d,
                             "expected 0, for l2.far_latency says that even "
                             "slices are one half of L2, found %u",
                             gpu->l2.piece_bytes);
    return TEG_OK;
}

static teg_status check_latencies(const struct teg_gpu *gpu, struct teg_diag *d)
{
    if (gpu->l1.bytes != 0 && gpu->l2.bytes != 0 &&
        gpu->l1.latency > gpu->l2.latency)
        return contradiction(gpu, "l1.latency", d,
                             "expected at most the %u cycles of L2, found %u",
                             gpu->l2.latency, gpu->l1.latency);
    if (gpu->l2.bytes != 0 && gpu->l2.latency > gpu->dram.latency)
        return contradiction(gpu, "l2.latency", d,
                             "expected at most the %u cycles of DRAM, found %u",
                             gpu->dram.latency, gpu->l2.latency);
    if (gpu->l2.far_latency != 0 && (gpu->l2.far_latency < gpu->l2.latency ||
                                     gpu->l2.far_latency > gpu->dram.latency))
        return contradiction(gpu, "l2.far_latency", d,
                             "expected %u to %u cycles, between the near half "
                             "and DRAM, found %u",
                             gpu->l2.latency, gpu->dram.latency,
                             gpu->l2.far_latency);
    if (gpu->l2.far_latency != 0 && gpu->l2.slices % 2 != 0)
        return contradiction(gpu, "l2.slices", d,
                             "expected an even number, for l2.far_latency "
                             "says that L2 is two halves, found %u",
                             gpu->l2.slices);
    if (gpu->l2.half_bytes % TEG_LINE_BYTES != 0)
        return contradiction(gpu, "l2.half_bytes", d,
                             "expected a multiple of the %d bytes of a line, "
                             "found %u",
                             TEG_LINE_BYTES, gpu->l2.half_bytes);
    return check_pieces(gpu, d);
}

static teg_status check_l1_banks(const struct teg_gpu *gpu, struct teg_diag *d)
{
    if (gpu->l1.banks != 0 && !is_power_of_two(gpu->l1.banks))
        return contradiction(gpu, "l1.banks", d,
                             "expected a power of two, found %u",
                             gpu->l1.banks);
    if (gpu->l1.tag_banks != 0 && !is_power_of_two(gpu->l1.tag_banks))
        return contradiction(gpu, "l1.tag_banks", d,
                             "expected a power of two, found %u",
                             gpu->l1.tag_banks);
    return TEG_OK;
}

static teg_status check_l2_fetch(const struct teg_gpu *gpu, struct teg_diag *d)
{
    if (!is_power_of_two(gpu->l2.fetch_bytes))
        return contradiction(gpu, "l2.fetch_bytes", d,
                             "expected a power of two, found %u",
                             gpu->l2.fetch_bytes);
    return TEG_OK;
}

static teg_status check_tlb(const struct teg_gpu *gpu, struct teg_diag *d)
{
    if (gpu->tlb.entries != 0 && !is_power_of_two(gpu->tlb.walk_bytes))
        return contradiction(gpu, "tlb.walk_bytes", d,
                             "expected a power of two, found %u",
                             gpu->tlb.walk_bytes);
    if (gpu->tlb.entries != 0 && !is_power_of_two(gpu->tlb.page_bytes))
        return contradiction(gpu, "tlb.page_bytes", d,
                             "expected a power of two, found %u",
                             gpu->tlb.page_bytes);
    return TEG_OK;
}

static teg_status check_fetch(const struct teg_gpu *gpu, struct teg_diag *d)
{
    uint32_t set = gpu->fetch.line_bytes * gpu->fetch.ways;

    if (gpu->fetch.l0_bytes == 0)
        return TEG_OK;
    if (!is_power_of_two(gpu->fetch.line_bytes))
        return contradiction(gpu, "fetch.line_bytes", d,
                             "expected a power of two, found %u",
                             gpu->fetch.line_bytes);
    if (gpu->fetch.l0_bytes % set != 0 || gpu->fetch.l1_bytes % set != 0)
        return contradiction(gpu, "fetch.l0_bytes", d,
                             "expected it and fetch.l1_bytes to be "
                             "multiples of a set's %u bytes, found %u and %u",
                             set, gpu->fetch.l0_bytes, gpu->fetch.l1_bytes);
    if (gpu->fetch.miss_latency < gpu->fetch.l1_latency)
        return contradiction(gpu, "fetch.l1_latency", d,
                             "expected at most the %u cycles of "
                             "fetch.miss_latency, found %u",
                             gpu->fetch.miss_latency, gpu->fetch.l1_latency);
    return TEG_OK;
}

static teg_status check_constant_cache(const struct teg_gpu *gpu,
                                       const char *key, uint32_t bytes,
                                       uint32_t line_bytes, uint32_t ways,
                                       struct teg_diag *d)
{
    if (!is_power_of_two(line_bytes))
        return contradiction(gpu, key, d,
                             "expected lines of a power of two of bytes, "
                             "found %u",
                             line_bytes);
    if (bytes % (line_bytes * ways) != 0)
        return contradiction(gpu, key, d,
                             "expected a multiple of a set's %u bytes, found "
                             "%u",
                             line_bytes * ways, bytes);
    return TEG_OK;
}

static teg_status check_constants(const struct teg_gpu *gpu, struct teg_diag *d)
{
    uint32_t nearest = gpu->timing[CLASS_LDC].latency;

    if (gpu->constant.l1_bytes == 0)
        return TEG_OK;
    TRY(check_constant_cache(gpu, "constant.l1_bytes", gpu->constant.l1_bytes,
                             gpu->constant.line_bytes, gpu->constant.ways, d));
    TRY(check_constant_cache(gpu, "constant.l15_bytes", gpu->constant.l15_bytes,
                             gpu->constant.l15_line_bytes,
                             gpu->constant.l15_ways, d));
    if (gpu->constant.l15_bytes == 0)
        return contradiction(gpu, "constant.l1_bytes", d,
                             "expected constant.l15_bytes behind it");
    if (gpu->constant.l15_latency < nearest)
        return contradiction(gpu, "constant.l15_latency", d,
                             "expected at least the %u cycles of timing.ldc, "
                             "found %u",
                             nearest, gpu->constant.l15_latency);
    if (gpu->constant.miss_latency < gpu->constant.l15_latency)
        return contradiction(gpu, "constant.l15_latency", d,
                             "expected at most the %u cycles of "
                             "constant.miss_latency, found %u",
                             gpu->constant.miss_latency,
                             gpu->constant.l15_latency);
    return TEG_OK;
}

static teg_status check_dram(const struct teg_gpu *gpu, struct teg_diag *d)
{
    if (gpu->dram.channels == 0)
        return contradiction(gpu, "dram.channels", d,
                             "expected at least one channel");
    if (gpu->dram.of_slices && gpu->l2.bytes != 0 &&
        gpu->l2.slices % gpu->dram.channels != 0)
        return contradiction(
            gpu, "dram.of_slices", d,
            "expected l2.slices that %u channels share evenly, "
            "found %u",
            gpu->dram.channels, gpu->l2.slices);
    if (!is_power_of_two(gpu->dram.interleave_bytes))
        return contradiction(gpu, "dram.interleave_bytes", d,
                             "expected a power of two, found %u",
                             gpu->dram.interleave_bytes);
    if (gpu->dram.reached_gbs > gpu->dram.bandwidth_gbs)
        return contradiction(gpu, "dram.reached_gbs", d,
                             "expected at most the %g GB/s of "
                             "dram.bandwidth_gbs, found %g",
                             gpu->dram.bandwidth_gbs, gpu->dram.reached_gbs);
    return TEG_OK;
}

/* What an instruction takes besides its own unit is taken at once. */
static teg_status check_second_unit(const struct teg_gpu *gpu, const char *key,
                                    uint8_t unit, struct teg_diag *d)
{
    char where[32];

    if (unit == TEG_NO_UNIT)
        return TEG_OK;
    if (unit >= gpu->unit_count)
        return contradiction(gpu, key, d, "names no unit");
    snprintf(where, sizeof where, "unit.%s", gpu->unit[unit].name);
    if (gpu->unit[unit].queue != 0)
        return contradiction(gpu, where, d,
                             "expected no queue in front of the %s", key);
    return TEG_OK;
}

static teg_status check_unit(const struct teg_gpu *gpu,
                             const struct teg_unit *unit, struct teg_diag *d)
{
    char key[32];

    snprintf(key, sizeof key, "unit.%s", unit->name);
    if (unit->count == 0)
        return contradiction(gpu, "units", d, "expected at least one unit '%s'",
                             unit->name);
    if (unit->queue != 0 && unit->capacity != 0)
        return contradiction(gpu, key, d,
                             "expected a queue or a capacity, found both");
    return TEG_OK;
}

static teg_status check_units(const struct teg_gpu *gpu, struct teg_diag *d)
{
    if (gpu->unit_count == 0 || gpu->unit_count > TEG_MAX_UNITS)
        return contradiction(gpu, "units", d,
                             "expected 1 to %d units, found %u", TEG_MAX_UNITS,
                             gpu->unit_count);
    for (uint32_t i = 0; i < gpu->unit_count; i++)
        TRY(check_unit(gpu, &gpu->unit[i], d));
    TRY(check_second_unit(gpu, "operand_unit", gpu->operand_unit, d));
    return check_second_unit(gpu, "tag_unit", gpu->tag_unit, d);
}

static teg_status check_timing(const struct teg_gpu *gpu, struct teg_diag *d)
{
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        const struct teg_timing *t = &gpu->timing[c];
        char key[48];

        snprintf(key, sizeof key, "timing.%s", teg_op_class_facts(c)->key);
        if (t->unit[0] == gpu->tag_unit ||
            (t->unit_count > 1 && t->unit[1] == gpu->tag_unit))
            return contradiction(gpu, key, d,
                                 "expected another unit than tag_unit");
        if (t->unit_count < 1 || t->unit_count > 2)
            return contradiction(gpu, key, d,
                                 "expected one or two units, found %u",
                                 t->unit_count);
        for (uint8_t i = 0; i < t->unit_count; i++) {
            if (t->unit[i] >= gpu->unit_count)
                return contradiction(gpu, key, d, "names no unit");
        }
        if (t->unit_count == 2 && t->unit[0] == t->unit[1])
            return contradiction(gpu, key, d, "names one unit twice");
        if (t->same_warp == 0)
            return contradiction(gpu, key, d,
                                 "expected a same-warp interval of at least 1");
    }
    return TEG_OK;
}

teg_status teg_gpu_check(const struct teg_gpu *gpu, struct teg_diag *d)
{
    static teg_status (*const checks[])(const struct teg_gpu *,
                                        struct teg_diag *) = {
        check_sm,         check_shared,    check_tensor,   check_cluster,
        check_caches,     check_carveouts, check_l1_banks, check_l2_fetch,
        check_l2_atomics, check_latencies, check_tlb,      check_fetch,
        check_constants,  check_dram,      check_units,    check_timing,
    };

    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        TRY(checks[i](gpu, d));
    return TEG_OK;
}
