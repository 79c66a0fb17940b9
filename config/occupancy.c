#include "config/occupancy.h"

#include <assert.h>

static const char *const names[TEG_OCCUPANCY_LIMITS] = {
    [OCCUPANCY_BLOCKS] = "blocks",       [OCCUPANCY_WARPS] = "warps",
    [OCCUPANCY_REGISTERS] = "registers", [OCCUPANCY_SHARED] = "shared memory",
    [OCCUPANCY_GRID] = "grid",
};

enum {
    WARP = 32
};

const char *teg_occupancy_limit_name(enum teg_occupancy_limit limit)
{
    assert(limit < TEG_OCCUPANCY_LIMITS);
    return names[limit];
}

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* Up to compute capability 1.3 registers are a block's, later a warp's, in the
 * part of the file that its scheduler has.  A launch is then checked as if the
 * block's warps lay in all parts alike, though they need not. */
static uint64_t blocks_by_registers(const struct teg_gpu *gpu, uint32_t warps,
                                    uint32_t registers)
{
    uint64_t rounded = round_up(warps, gpu->sm.warp_unit);
    uint64_t per_warp, warps_per_part;

    if (registers == 0)
        return UINT64_MAX;
    if (gpu->sm.register_scope == REGISTER_SCOPE_BLOCK)
        return gpu->sm.registers /
               round_up(rounded * WARP * registers, gpu->sm.register_unit);
    per_warp = round_up((uint64_t)WARP * registers, gpu->sm.register_unit);
    if (rounded * per_warp > gpu->sm.registers)
        return 0;
    warps_per_part = gpu->sm.registers / gpu->sm.schedulers / per_warp;
    return warps_per_part * gpu->sm.schedulers / warps;
}

/* Of one block, as it is set aside. */
static uint64_t shared_of_block(const struct teg_gpu *gpu,
                                uint32_t shared_bytes)
{
    return round_up((uint64_t)shared_bytes + gpu->sm.shared_reserved,
                    gpu->sm.shared_unit);
}

static uint32_t least_carveout(const struct teg_gpu *gpu, uint64_t wanted)
{
    uint32_t last = gpu->carveout_count - 1;

    for (uint32_t i = 0; i < last; i++) {
        if (gpu->carveout[i] >= wanted)
            return gpu->carveout[i];
    }
    return gpu->carveout[last];
}

static int divides(const struct teg_gpu *gpu)
{
    return gpu->l1.unified_bytes != 0 && gpu->carveout_count != 0;
}

/* What the user sets aside for shared memory, or the launch; 0: neither. */
static uint32_t set_carveout(const struct teg_gpu *gpu,
                             const struct teg_block_asks *a)
{
    uint64_t one = shared_of_block(gpu, a->shared_bytes), preferred;

    if (gpu->l1.unified_bytes != 0 && gpu->l1.carveout_bytes != 0)
        return gpu->l1.carveout_bytes;
    if (!divides(gpu) || !gpu->l1.carveout_preferred || a->carveout == 0)
        return 0;
    preferred = (uint64_t)gpu->sm.shared_bytes * (a->carveout - 1) / 100;
    return least_carveout(gpu, preferred > one ? preferred : one);
}

static uint64_t blocks_by_shared(const struct teg_gpu *gpu,
                                 const struct teg_block_asks *a)
{
    uint64_t wanted = shared_of_block(gpu, a->shared_bytes);
    uint32_t set = set_carveout(gpu, a), most = gpu->sm.shared_bytes;

    if (set != 0 && set < most)
        most = set;
    return wanted != 0 ? most / wanted : UINT64_MAX;
}

/* Divides the SM's memory between shared memory and L1. */
static void divide(const struct teg_gpu *gpu, const struct teg_block_asks *a,
                   struct teg_occupancy *o)
{
    uint32_t left;

    o->carveout_bytes = 0;
    o->l1_bytes = gpu->l1.bytes;
    if (!divides(gpu))
        return;
    o->carveout_bytes = set_carveout(gpu, a);
    if (o->carveout_bytes == 0)
        o->carveout_bytes = least_carveout(
            gpu, o->blocks_per_sm * shared_of_block(gpu, a->shared_bytes));
    left = gpu->l1.unified_bytes - o->carveout_bytes;
    if (left < o->l1_bytes)
        o->l1_bytes = left;
}

teg_status teg_occupancy(const struct teg_gpu *gpu,
                         const struct teg_block_asks *a,
                         struct teg_occupancy *o, struct teg_diag *d)
{
    uint32_t threads = a->threads, registers = a->registers;
    uint32_t warps = (threads + WARP - 1) / WARP;
    uint64_t blocks[TEG_OCCUPANCY_LIMITS];

    if (threads == 0 || threads > gpu->sm.threads_per_block_max)
        return teg_fail(d, TEG_LIMIT, "",
                        "expected a block of 1 to %u threads on %s, found %u",
                        gpu->sm.threads_per_block_max, gpu->name, threads);
    if (registers > gpu->sm.registers_per_thread_max)
        return teg_fail(d, TEG_LIMIT, "",
                        "expected at most %u registers per thread on %s, found "
                        "%u",
                        gpu->sm.registers_per_thread_max, gpu->name, registers);
    blocks[OCCUPANCY_BLOCKS] = gpu->sm.blocks_max;
    blocks[OCCUPANCY_WARPS] = gpu->sm.warps_max / warps;
    if (gpu->sm.threads_max / (warps * WARP) < blocks[OCCUPANCY_WARPS])
        blocks[OCCUPANCY_WARPS] = gpu->sm.threads_max / (warps * WARP);
    blocks[OCCUPANCY_REGISTERS] = blocks_by_registers(gpu, warps, registers);
    blocks[OCCUPANCY_SHARED] = blocks_by_shared(gpu, a);

    o->limit = OCCUPANCY_BLOCKS;
    for (enum teg_occupancy_limit l = 0; l < OCCUPANCY_GRID; l++) {
        if (blocks[l] < blocks[o->limit])
            o->limit = l;
    }
    if (blocks[o->limit] == 0)
        return teg_fail(d, TEG_LIMIT, "",
                        "a block of %u threads, %u registers each and %u bytes "
                        "of shared memory fits no SM of %s: too little %s",
                        threads, registers, a->shared_bytes, gpu->name,
                        names[o->limit]);
    o->blocks_per_sm = o->places = (uint32_t)blocks[o->limit];
    o->warps_per_sm = o->blocks_per_sm * warps;
    divide(gpu, a, o);
    return TEG_OK;
}

void teg_block_needs(const struct teg_gpu *gpu, uint32_t threads,
                     uint32_t registers, uint32_t shared_bytes,
                     struct teg_block_needs *needs)
{
    uint64_t warps = round_up(threads, WARP) / WARP;
    uint64_t rounded = round_up(warps, gpu->sm.warp_unit);
    uint64_t all =
        gpu->sm.register_scope == REGISTER_SCOPE_BLOCK
            ? round_up(rounded * WARP * registers, gpu->sm.register_unit)
            : rounded *
                  round_up((uint64_t)WARP * registers, gpu->sm.register_unit);

    *needs = (struct teg_block_needs){
        .warps = (uint32_t)warps,
        .registers = registers != 0 ? (uint32_t)all : 0,
        .shared_bytes = (uint32_t)shared_of_block(gpu, shared_bytes),
    };
}

static void lower(uint32_t *need, uint32_t most)
{
    if (*need > most)
        *need = most;
}

void teg_block_needs_fit(const struct teg_gpu *gpu, uint32_t places,
                         struct teg_block_needs *needs)
{
    uint32_t warps = gpu->sm.threads_max / WARP;

    lower(&warps, gpu->sm.warps_max);
    lower(&needs->warps, warps / places);
    lower(&needs->registers, gpu->sm.registers / places);
    lower(&needs->shared_bytes, gpu->sm.shared_bytes / places);
}
