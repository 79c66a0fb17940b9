/* Section "tma": bulk and tensor copies between global and shared memory. */
#pragma once
#include "hopper.cuh"

#if HOPPER_HOST
#include <cuda.h>

enum {
    TENSOR_WIDTH = 1024,      /* halves */
    TENSOR_ROWS_PER_SM = 256, /* of a block that has its own */
    TENSOR_COLUMNS = 256,     /* that a ring of copies uses, by turns */
    BULK_BYTES = 65536,       /* the same of copies without a tensor */
    STAGES_MAX = 8,
    MULTICASTS = 4, /* that a barrier waits for */
    RING_BYTES = 192 << 10,
};

/* ---- the copies --------------------------------------------------------- */

#if HOPPER_CODE
static __device__ __forceinline__ void load_2d(uint32_t to,
                                               const CUtensorMap *map,
                                               uint32_t column, uint32_t row,
                                               uint32_t bar)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile."
                 "mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
                 "[%4];" ::"r"(to),
                 "l"(map), "r"(column), "r"(row), "r"(bar)
                 : "memory");
}

static __device__ __forceinline__ void load_1d(uint32_t to, const char *from,
                                               uint32_t bytes, uint32_t bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(bar)
                 : "memory");
}

#if SM90A_CODE
static __device__ __forceinline__ void load_multicast(
    uint32_t to, const CUtensorMap *map, uint32_t column, uint32_t row,
    uint32_t bar, uint16_t blocks)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile."
                 "mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                 "[%1, {%2, %3}], [%4], %5;" ::"r"(to),
                 "l"(map), "r"(column), "r"(row), "r"(bar), "h"(blocks)
                 : "memory");
}
#endif

static __device__ __forceinline__ void store_2d(uint32_t from,
                                                const CUtensorMap *map,
                                                uint32_t column, uint32_t row)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
                 "[%1, {%2, %3}], [%0];" ::"r"(from),
                 "l"(map), "r"(column), "r"(row)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
#endif

/* ---- latency ------------------------------------------------------------ */

/* One thread copies a box and waits for it. */
extern "C" __global__ void tma_latency(stamps *out,
                                       const __grid_constant__ CUtensorMap map,
                                       uint32_t bytes)
{
#if HOPPER_CODE
    __shared__ __align__(8) uint64_t barrier;
    uint32_t to = tile_memory(), bar = shared_address(&barrier);

    if (!elected())
        return;
    barrier_init(bar, 1);
    barrier_init_done();
#pragma unroll 1
    for (uint32_t r = 0; r < ROUNDS; r++) {
        uint32_t t0 = read_clock(), t1;
        bool done;

        barrier_expect(bar, bytes);
        load_2d(to, &map, 0, 0, bar);
        done = barrier_wait(bar, r & 1);
        t1 = read_clock();
        stamp(&out[r], t0, t1, t1, done);
        if (!done)
            return;
    }
#endif
}

/* ---- issue -------------------------------------------------------------- */

/* One thread issues COUNT copies before it waits for any. */
template <int COUNT, bool TENSOR>
static __device__ __forceinline__ void time_issue(stamps *out,
                                                  const CUtensorMap *map,
                                                  const char *from,
                                                  uint32_t bytes)
{
#if HOPPER_CODE
    __shared__ __align__(8) uint64_t barrier;
    uint32_t to = tile_memory(), bar = shared_address(&barrier);

    if (!elected())
        return;
    barrier_init(bar, 1);
    barrier_init_done();
#pragma unroll 1
    for (uint32_t r = 0; r < ROUNDS; r++) {
        uint32_t t0, t1, t2;
        bool done;

        barrier_expect(bar, COUNT * bytes);
        t0 = read_clock();
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            /* All to the same place, of which nothing is read. */
            if (TENSOR)
                load_2d(to, map, 0, 0, bar);
            else
                load_1d(to, from, bytes, bar);
        }
        t1 = read_clock();
        done = barrier_wait(bar, r & 1);
        t2 = read_clock();
        stamp(&out[r], t0, t1, t2, done);
        if (!done)
            return;
    }
#endif
}

#define ISSUE_KERNEL(count)                                                   \
    extern "C" __global__ void tma_issue##count(                              \
        stamps *out, const __grid_constant__ CUtensorMap map, uint32_t bytes) \
    {                                                                         \
        time_issue<count, true>(out, &map, nullptr, bytes);                   \
    }                                                                         \
    extern "C" __global__ void bulk_issue##count(                             \
        stamps *out, const char *from, uint32_t bytes)                        \
    {                                                                         \
        time_issue<count, false>(out, nullptr, from, bytes);                  \
    }
ISSUE_KERNEL(2)
ISSUE_KERNEL(8)
ISSUE_KERNEL(32)

/* ---- rate --------------------------------------------------------------- */

/* One thread keeps `stages` groups of GROUP copies in flight, a barrier for
 * each group; `groups` is a multiple of `stages`.  Copy after copy moves on by
 * `step` columns, or bytes, modulo `mask` + 1. */
template <int GROUP, bool TENSOR>
static __device__ __forceinline__ void time_ring(
    stamps *out, uint32_t groups, const CUtensorMap *map, const char *from,
    uint32_t row, uint32_t bytes, uint32_t stages, uint32_t step, uint32_t mask)
{
#if HOPPER_CODE
    __shared__ __align__(8) uint64_t barriers[STAGES_MAX];
    uint32_t to = tile_memory(), bar = shared_address(barriers);
    uint32_t stage = 0, parity = 0, column = 0;
    bool done = true;

    if (!elected())
        return;
    for (uint32_t i = 0; i < STAGES_MAX; i++)
        barrier_init(bar + 8 * i, 1);
    barrier_init_done();
    out += blockIdx.x * ROUNDS;
#pragma unroll 1
    for (uint32_t r = 0; r < ROUNDS && done; r++) {
        uint32_t t0 = read_clock(), t1;

        /* `stages` turns more, which only wait for the last groups. */
#pragma unroll 1
        for (uint32_t g = 0; g < groups + stages && done; g++) {
            if (g >= stages)
                done = barrier_wait(bar + 8 * stage, parity ^ 1);
            if (g < groups) {
                uint32_t at = to + stage * GROUP * bytes;

                barrier_expect(bar + 8 * stage, GROUP * bytes);
#pragma unroll
                for (int i = 0; i < GROUP; i++) {
                    if (TENSOR)
                        load_2d(at + i * bytes, map, (column + i * step) & mask,
                                row, bar + 8 * stage);
                    else
                        load_1d(at + i * bytes,
                                from + ((column + i * step) & mask), bytes,
                                bar + 8 * stage);
                }
                column = (column + GROUP * step) & mask;
            }
            if (++stage == stages)
                stage = 0, parity ^= 1;
        }
        t1 = read_clock();
        stamp(&out[r], t0, t1, t1, done);
        parity ^= 1; /* the last turns have begun no phase */
    }
#endif
}

#define RING_KERNEL(group)                                                     \
    extern "C" __global__ void tma_ring##group(                                \
        stamps *out, uint32_t groups, const __grid_constant__ CUtensorMap map, \
        uint32_t rows_apart, uint32_t bytes, uint32_t stages, uint32_t step)   \
    {                                                                          \
        time_ring<group, true>(out, groups, &map, nullptr,                     \
                               blockIdx.x * rows_apart, bytes, stages, step,   \
                               TENSOR_COLUMNS - 1);                            \
    }                                                                          \
    extern "C" __global__ void bulk_ring##group(                               \
        stamps *out, uint32_t groups, const char *from, uint32_t bytes_apart,  \
        uint32_t bytes, uint32_t stages)                                       \
    {                                                                          \
        time_ring<group, false>(out, groups, nullptr,                          \
                                from + (uint64_t)blockIdx.x * bytes_apart, 0,  \
                                bytes, stages, bytes, BULK_BYTES - 1);         \
    }
RING_KERNEL(1)
RING_KERNEL(4)

/* ---- stores ------------------------------------------------------------- */

/* One thread stores a box; stamp 1: shared memory may be used again, stamp 2:
 * the box is written. */
extern "C" __global__ void tma_store(stamps *out,
                                     const __grid_constant__ CUtensorMap map)
{
#if HOPPER_CODE
    uint32_t from = tile_memory();

    if (!elected())
        return;
    asm volatile("fence.proxy.async;" ::: "memory");
#pragma unroll 1
    for (uint32_t r = 0; r < ROUNDS; r++) {
        uint32_t t0 = read_clock(), t1, t2;

        store_2d(from, &map, 0, 0);
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        t1 = read_clock();
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        t2 = read_clock();
        stamp(&out[r], t0, t1, t2, true);
    }
#endif
}

/* Store after store, of which four may still be reading shared memory. */
extern "C" __global__ void tma_store_ring(
    stamps *out, uint32_t stores, const __grid_constant__ CUtensorMap map,
    uint32_t rows_apart, uint32_t step)
{
#if HOPPER_CODE
    uint32_t from = tile_memory(), row = blockIdx.x * rows_apart, column = 0;

    if (!elected())
        return;
    asm volatile("fence.proxy.async;" ::: "memory");
    out += blockIdx.x * ROUNDS;
#pragma unroll 1
    for (uint32_t r = 0; r < ROUNDS; r++) {
        uint32_t t0 = read_clock(), t1;

#pragma unroll 1
        for (uint32_t i = 0; i < stores; i++) {
            store_2d(from, &map, column, row);
            asm volatile("cp.async.bulk.wait_group.read 4;" ::: "memory");
            column = (column + step) & (TENSOR_COLUMNS - 1);
        }
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        t1 = read_clock();
        stamp(&out[r], t0, t1, t1, true);
    }
#endif
}

/* ---- multicast ---------------------------------------------------------- */

/* Block 0 of a cluster, of one thread each, copies boxes to all its blocks,
 * `stages` groups of MULTICASTS in flight.  The others say in `ready` when they
 * expect the next boxes of a stage: what came earlier would be counted in the
 * phase before.  Block 0 waits for its own copies. */
extern "C" __global__ void tma_multicast(
    stamps *out, uint32_t groups, const __grid_constant__ CUtensorMap map,
    uint32_t rows_apart, uint32_t bytes, uint32_t stages)
{
#if SM90A_CODE
    __shared__ __align__(8) uint64_t barriers[2 * STAGES_MAX];
    uint32_t to = tile_memory(), full = shared_address(barriers);
    uint32_t ready = full + 8 * STAGES_MAX;
    uint32_t rank = cluster_rank(), size = cluster_size();
    uint32_t stage = 0, parity = 0, row = blockIdx.x * rows_apart;
    bool done = true;

    for (uint32_t i = 0; i < STAGES_MAX; i++) {
        barrier_init(full + 8 * i, 1);
        barrier_init(ready + 8 * i, size - 1);
    }
    barrier_init_done();
    out += blockIdx.x * ROUNDS;
#pragma unroll 1
    for (uint32_t r = 0; r < ROUNDS && done; r++) {
        uint32_t t0, t1;

        cluster_sync();
        t0 = read_clock();
#pragma unroll 1
        for (uint32_t g = 0; g < groups + stages && done; g++) {
            uint32_t at = full + 8 * stage, go = ready + 8 * stage;

            if (g >= stages)
                done = barrier_wait(at, parity ^ 1);
            if (g < groups && done) {
                barrier_expect(at, MULTICASTS * bytes);
                if (rank != 0)
                    barrier_arrive_remote(cluster_address(go, 0));
                else
                    done = barrier_wait(go, parity);
                if (rank == 0 && done) {
#pragma unroll
                    for (int i = 0; i < MULTICASTS; i++)
                        load_multicast(to + (stage * MULTICASTS + i) * bytes,
                                       &map, 64 * i, row, at,
                                       (uint16_t)((1 << size) - 1));
                }
            }
            if (++stage == stages)
                stage = 0, parity ^= 1;
        }
        t1 = read_clock();
        if (rank == 0 || !done)
            stamp(&out[r], t0, t1, t1, done);
        parity ^= 1;
    }
    /* A block that gave up is still waited for, here or in its next round. */
    cluster_sync();
#endif
}

/* Block 0 copies one box to all blocks of the cluster, which expect it. */
extern "C" __global__ void tma_multicast_latency(
    stamps *out, const __grid_constant__ CUtensorMap map, uint32_t bytes)
{
#if SM90A_CODE
    __shared__ __align__(8) uint64_t barrier;
    uint32_t to = tile_memory(), bar = shared_address(&barrier);
    uint32_t rank = cluster_rank(), size = cluster_size();
    bool done = true;

    barrier_init(bar, 1);
    barrier_init_done();
#pragma unroll 1
    for (uint32_t r = 0; r < ROUNDS && done; r++) {
        uint32_t t0, t1;

        barrier_expect(bar, bytes);
        cluster_sync();
        t0 = read_clock();
        if (rank == 0)
            load_multicast(to, &map, 0, 0, bar, (uint16_t)((1 << size) - 1));
        done = barrier_wait(bar, r & 1);
        t1 = read_clock();
        if (rank == 0 || !done)
            stamp(&out[r], t0, t1, t1, done);
    }
    cluster_sync();
#endif
}

/* ---- the host's side ---------------------------------------------------- */

struct box {
    unsigned inner, rows, swizzle; /* halves, rows, bytes or 0 */
};

static unsigned box_bytes(const box &b)
{
    return 2 * b.inner * b.rows;
}

static conditions box_at(const box &b, const conditions &more = {})
{
    conditions at = {{"inner_bytes", 2.0 * b.inner},
                     {"rows", (double)b.rows},
                     {"swizzle", (double)b.swizzle}};

    at.insert(at.end(), more.begin(), more.end());
    return at;
}

/* A map of the whole buffer as rows of TENSOR_WIDTH halves. */
static bool make_map(kit *k, const hopper *h, const box &b, CUtensorMap *map)
{
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    cuuint64_t dims[2] = {TENSOR_WIDTH, h->bytes / (2 * TENSOR_WIDTH)};
    cuuint64_t strides[1] = {2 * TENSOR_WIDTH};
    cuuint32_t boxes[2] = {b.inner, b.rows}, steps[2] = {1, 1};
    CUresult result;

    CALL(k, cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry,
                                             12000, cudaEnableDefault, &found));
    if (found != cudaDriverEntryPointSuccess || entry == nullptr) {
        kit_note(k, "the driver has no cuTensorMapEncodeTiled");
        return false;
    }
    result = ((decltype(&cuTensorMapEncodeTiled))entry)(
        map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, h->base, dims, strides, boxes,
        steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        b.swizzle == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
        : b.swizzle == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
        : b.swizzle == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                          : CU_TENSOR_MAP_SWIZZLE_NONE,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) {
        kit_note(k, "no tensor map of boxes %u x %u, swizzle %u: error %d",
                 b.inner, b.rows, b.swizzle, (int)result);
        return false;
    }
    return true;
}

static const box boxes[] = {
    {64, 1, 128}, {64, 8, 128}, {64, 64, 128}, {64, 128, 128}, {64, 256, 128},
    {64, 64, 0},  {32, 64, 64}, {32, 64, 0},   {16, 64, 32},   {16, 64, 0},
    {8, 64, 0},   {128, 64, 0}, {256, 64, 0},
};

/* How many groups of copies fit the ring; they may be fewer. */
static unsigned ring_stages(unsigned group_bytes)
{
    return std::min<unsigned>(STAGES_MAX, RING_BYTES / group_bytes);
}

static bool measure_box_latency(kit *k, hopper *h, const box &b)
{
    shape s = {(const void *)tma_latency, 1, 32, 0, box_bytes(b) + TILE_SLACK};
    CUtensorMap map;
    samples cycles;

    if (!make_map(k, h, b, &map))
        return true;
    if (!run_stamps_often(k, h, s, 1, &cycles, map, (uint32_t)box_bytes(b)))
        return false;
    kit_add(k, "load_2d", "latency", "cycles", cycles, box_at(b), "",
            "tma_latency");
    return true;
}

static void add_rate(kit *k, const char *name, const samples &cycles,
                     double bytes, const conditions &at)
{
    kit_add(k, name, "interval", "cycles/copy", cycles, at);
    kit_add(k, name, "bandwidth", "bytes/cycle/SM", rates(bytes, cycles), at);
}

/* Copies of one box by one SM, by all at the same boxes, and by all at
 * their own. */
static bool measure_box_rate(kit *k, hopper *h, const box &b)
{
    unsigned bytes = box_bytes(b), group = bytes <= 8192 ? 4 : 1;
    unsigned most = ring_stages(group * bytes);
    unsigned sms = (unsigned)k->device.multiProcessorCount;
    shape s = {group == 4 ? (const void *)tma_ring4 : (const void *)tma_ring1,
               1, 32, 0, most * group * bytes + TILE_SLACK};
    CUtensorMap map;

    if (!make_map(k, h, b, &map))
        return true;
    for (unsigned stages : {1u, 2u, most}) {
        for (unsigned own = 0; own < 3; own++) {
            samples cycles;

            if (kit_late(k) || (own > 0 && stages != most))
                continue;
            s.blocks = own > 0 ? sms : 1;
            if (!run_slope(k, h, s, 8 * stages, 40 * stages, &cycles, map,
                           (uint32_t)(own > 1 ? TENSOR_ROWS_PER_SM : 0),
                           (uint32_t)bytes, (uint32_t)stages,
                           (uint32_t)b.inner))
                return false;
            for (double &v : cycles)
                v /= group;
            add_rate(k, "load_2d", cycles, bytes,
                     box_at(b, {{"in_flight", (double)(stages * group)},
                                {"sms", (double)s.blocks},
                                {"own", own > 1 ? 1.0 : 0.0}}));
        }
    }
    return true;
}

static bool measure_bulk_rate(kit *k, hopper *h, unsigned bytes)
{
    unsigned group = bytes <= 8192 ? 4 : 1;
    unsigned most = ring_stages(group * bytes);
    unsigned sms = (unsigned)k->device.multiProcessorCount;
    shape s = {group == 4 ? (const void *)bulk_ring4 : (const void *)bulk_ring1,
               1, 32, 0, most * group * bytes + TILE_SLACK};

    for (unsigned own = 0; own < 3; own++) {
        samples cycles;

        s.blocks = own > 0 ? sms : 1;
        if (!run_slope(k, h, s, 8 * most, 40 * most, &cycles,
                       (const char *)h->base,
                       (uint32_t)(own > 1 ? BULK_BYTES : 0), (uint32_t)bytes,
                       (uint32_t)most))
            return false;
        for (double &v : cycles)
            v /= group;
        add_rate(k, "load_1d", cycles, bytes,
                 {{"bytes", (double)bytes},
                  {"in_flight", (double)(most * group)},
                  {"sms", (double)s.blocks},
                  {"own", own > 1 ? 1.0 : 0.0}});
    }
    return true;
}

/* Cycles per copy of the copies that `more` issues beyond `fewer`, until they
 * are issued (stamp 1) and until all have arrived (stamp 2). */
template <typename... A>
static bool run_issue(kit *k, hopper *h, shape s, const void *fewer,
                      const void *more, double copies, int to, samples *cycles,
                      A... argument)
{
    samples f, m;

    s.kernel = fewer;
    if (!run_stamps_often(k, h, s, to, &f, argument...))
        return false;
    s.kernel = more;
    if (!run_stamps_often(k, h, s, to, &m, argument...))
        return false;
    for (size_t i = 0; i < std::min(f.size(), m.size()); i++)
        cycles->push_back((m[i] - f[i]) / copies);
    return true;
}

static bool measure_issue(kit *k, hopper *h)
{
    static const box issued[] = {{64, 1, 128}, {64, 8, 128}, {64, 64, 128}};
    static const struct {
        const void *tensor_few, *tensor_many, *bulk_few, *bulk_many;
        const char *tensor, *bulk;
        double few, many;
    } rows[] = {{(const void *)tma_issue2, (const void *)tma_issue8,
                 (const void *)bulk_issue2, (const void *)bulk_issue8,
                 "tma_issue8", "bulk_issue8", 2, 8},
                {(const void *)tma_issue8, (const void *)tma_issue32,
                 (const void *)bulk_issue8, (const void *)bulk_issue32,
                 "tma_issue32", "bulk_issue32", 8, 32}};
    static const char *const quantities[] = {"", "issue", "drain"};

    for (const auto &row : rows) {
        for (int to = 1; to < STAMPS; to++) {
            for (const box &b : issued) {
                uint32_t bytes = box_bytes(b);
                shape s = {nullptr, 1, 32, 0, bytes + TILE_SLACK};
                samples tensor, bulk;
                CUtensorMap map;

                if (!make_map(k, h, b, &map))
                    return true;
                if (!run_issue(k, h, s, row.tensor_few, row.tensor_many,
                               row.many - row.few, to, &tensor, map, bytes) ||
                    !run_issue(k, h, s, row.bulk_few, row.bulk_many,
                               row.many - row.few, to, &bulk,
                               (const char *)h->base, bytes))
                    return false;
                kit_add(k, "load_2d", quantities[to], "cycles/copy", tensor,
                        box_at(b, {{"copies", row.many}}), "", row.tensor);
                kit_add(k, "load_1d", quantities[to], "cycles/copy", bulk,
                        {{"bytes", (double)bytes}, {"copies", row.many}}, "",
                        row.bulk);
            }
        }
    }
    return true;
}

static bool measure_stores(kit *k, hopper *h)
{
    unsigned sms = (unsigned)k->device.multiProcessorCount;

    for (const box &b :
         {box{64, 8, 128}, box{64, 64, 128}, box{64, 128, 128}}) {
        shape s = {(const void *)tma_store, 1, 32, 0,
                   box_bytes(b) + TILE_SLACK};
        samples read, all;
        CUtensorMap map;

        if (!make_map(k, h, b, &map))
            return true;
        if (!run_stamps_often(k, h, s, 1, &read, map) ||
            !run_stamps_often(k, h, s, 2, &all, map))
            return false;
        kit_add(k, "store_2d", "read", "cycles", read, box_at(b), "",
                "tma_store");
        kit_add(k, "store_2d", "latency", "cycles", all, box_at(b), "",
                "tma_store");
        s.kernel = (const void *)tma_store_ring;
        for (unsigned blocks : {1u, sms}) {
            samples cycles;

            s.blocks = blocks;
            if (!run_slope(k, h, s, 32, 160, &cycles, map,
                           (uint32_t)TENSOR_ROWS_PER_SM, (uint32_t)b.inner))
                return false;
            add_rate(k, "store_2d", cycles, box_bytes(b),
                     box_at(b, {{"sms", (double)blocks}, {"own", 1}}));
        }
    }
    return true;
}

/* Of the copies of one block, that is bytes that each of `cluster` gets. */
static bool measure_multicast(kit *k, hopper *h, unsigned cluster)
{
    const box b = {64, 64, 128};
    unsigned bytes = box_bytes(b), stages = ring_stages(MULTICASTS * bytes);
    shape s = {nullptr, cluster, 1, cluster,
               stages * MULTICASTS * bytes + TILE_SLACK};
    samples latency;
    CUtensorMap map;

    if (!make_map(k, h, b, &map))
        return true;
    s.kernel = (const void *)tma_multicast_latency;
    if (!run_stamps_often(k, h, s, 1, &latency, map, (uint32_t)bytes))
        return false;
    kit_add(k, "multicast_2d", "latency", "cycles", latency,
            box_at(b, {{"cluster", (double)cluster}}));
    s.kernel = (const void *)tma_multicast;
    for (int all = 0; all < 2; all++) {
        samples cycles;

        if (all && !resident_blocks(k, &s))
            return false;
        if (!run_slope(k, h, s, 8 * stages, 40 * stages, &cycles, map,
                       (uint32_t)TENSOR_ROWS_PER_SM, (uint32_t)bytes,
                       (uint32_t)stages))
            return false;
        for (double &v : cycles)
            v /= MULTICASTS;
        add_rate(k, "multicast_2d", cycles, bytes,
                 box_at(b, {{"cluster", (double)cluster},
                            {"in_flight", (double)(stages * MULTICASTS)},
                            {"sms", (double)s.blocks}}));
    }
    return true;
}

static bool measure_copies(kit *k, bench *b, hopper *h)
{
    for (const box &copied : boxes) {
        if (!kit_late(k) && !measure_box_latency(k, h, copied))
            return false;
    }
    for (const box &copied : boxes) {
        if (!kit_late(k) && !measure_box_rate(k, h, copied))
            return false;
    }
    if (!measure_issue(k, h))
        return false;
    for (unsigned bytes : {128u, 512u, 2048u, 8192u, 16384u}) {
        if (!kit_late(k) && !measure_bulk_rate(k, h, bytes))
            return false;
    }
    if (!measure_stores(k, h))
        return false;
    if (!sm90a_there(k, b)) /* multicast */
        return !k->broken;
    return measure_multicast(k, h, 2) && measure_multicast(k, h, 4);
}

static bool section_tma(kit *k, bench *b)
{
    uint64_t rows =
        (uint64_t)k->device.multiProcessorCount * TENSOR_ROWS_PER_SM;
    hopper h;
    bool done;

    if (!hopper_there(k))
        return true;
    done =
        hopper_init(k, &h, rows * 2 * TENSOR_WIDTH) && measure_copies(k, b, &h);
    hopper_release(&h);
    return done;
}

static void expect_tma(std::vector<expectation> *all)
{
    all->push_back({"tma_latency", "UTMALDG", 90, 1, false});
    all->push_back({"tma_issue8", "UTMALDG", 90, 8, false});
    all->push_back({"tma_issue32", "UTMALDG", 90, 32, false});
    all->push_back({"bulk_issue8", "UBLKCP", 90, 8, false});
    all->push_back({"bulk_issue32", "UBLKCP", 90, 32, false});
    all->push_back({"tma_store", "UTMASTG", 90, 1, false});
}
#else
static bool section_tma(kit *k, bench *)
{
    hopper_there(k);
    return true;
}

static void expect_tma(std::vector<expectation> *)
{
}
#endif
