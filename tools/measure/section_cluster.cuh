/* Sections "cluster": the other blocks' shared memory, barriers between
 * blocks, launches; and "mbarrier": barriers in shared memory, fences. */
#pragma once
#include "hopper.cuh"
#include "section_chip.cuh"

/* ---- distributed shared memory ------------------------------------------ */

enum {
    CLUSTER_UNROLL = 16,
    CLUSTER_BURST = 8, /* 16-byte accesses in flight per thread */
    CLUSTER_THREADS = 512,
    /* That a block reads of another one, and so much that an SM holds one
     * block; in one step it reads half of them, so that no load is the same
     * as the last step's. */
    CLUSTER_BYTES = 128 << 10,
    BARRIER_UNROLL = 8,
};

/* Block 0 of a cluster, of one thread each, follows a pointer in block
 * `distance` that points to itself. */
#define CLUSTER_CHASE(kernel, instruction)                         \
    extern "C" __global__ void kernel(stamps *out, uint32_t steps, \
                                      uint32_t distance)           \
    {                                                              \
        CLUSTER_CHASE_BODY(instruction)                            \
    }
#if HOPPER_CODE
#define CLUSTER_CHASE_BODY(instruction)                                    \
    __shared__ uint32_t word;                                              \
    uint32_t at = shared_address(&word), rank = cluster_rank();            \
    uint32_t p = cluster_address(at, distance % cluster_size());           \
                                                                           \
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(at),                      \
                 "r"(cluster_address(at, rank))                            \
                 : "memory");                                              \
    cluster_sync();                                                        \
    _Pragma("unroll 1") for (uint32_t r = 0; r < ROUNDS && rank == 0; r++) \
    {                                                                      \
        uint32_t t0 = read_clock(), t1;                                    \
                                                                           \
        _Pragma("unroll 1") for (uint32_t i = 0; i < steps;                \
                                 i += CLUSTER_UNROLL)                      \
        {                                                                  \
            _Pragma("unroll") for (int j = 0; j < CLUSTER_UNROLL;          \
                                   j++) asm volatile(instruction :         \
                                                     "+r"(p)::"memory");   \
        }                                                                  \
        t1 = read_clock();                                                 \
        stamp(&out[r], t0, t1, t1, p != 0);                                \
    }                                                                      \
    cluster_sync();
#else
#define CLUSTER_CHASE_BODY(instruction)
#endif
CLUSTER_CHASE(cluster_load, "ld.shared::cluster.u32 %0, [%0];")
/* Adding nothing returns the pointer. */
CLUSTER_CHASE(cluster_atom, "atom.shared::cluster.add.u32 %0, [%0], 0;")

/* Every block reads, or writes, the memory of the one `distance` further. */
template <bool STORE>
static __device__ __forceinline__ void time_cluster_access(stamps *out,
                                                           uint32_t steps,
                                                           uint32_t distance)
{
#if HOPPER_CODE
    uint32_t there = cluster_address(
        tile_memory(), (cluster_rank() + distance) % cluster_size());
    uint32_t sum = 0, word = threadIdx.x;

    out += blockIdx.x * ROUNDS;
#pragma unroll 1
    for (uint32_t r = 0; r < ROUNDS; r++) {
        uint32_t at = threadIdx.x * 16, t0, t1;

        cluster_sync();
        t0 = read_clock();
#pragma unroll 1
        for (uint32_t i = 0; i < steps; i++) {
#pragma unroll
            for (int j = 0; j < CLUSTER_BURST; j++) {
                uint32_t x, y, z, w;

                if (STORE) {
                    asm volatile("st.shared::cluster.v4.u32 [%0], "
                                 "{%1,%1,%1,%1};" ::"r"(there + at),
                                 "r"(word)
                                 : "memory");
                } else {
                    asm volatile(
                        "ld.shared::cluster.v4.u32 {%0,%1,%2,%3}, [%4];"
                        : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                        : "r"(there + at)
                        : "memory");
                    sum ^= x ^ y ^ z ^ w; /* all, or the load is narrowed */
                }
                at = (at + CLUSTER_THREADS * 16) & (CLUSTER_BYTES - 1);
            }
        }
        if (STORE)
            cluster_sync(); /* the words are there */
        else
            __syncthreads();
        t1 = read_clock();
        /* The digest keeps the loads alive; it may be anything. */
        if (threadIdx.x == 0)
            stamp(&out[r], t0, t1, sum, true);
    }
    cluster_sync();
#endif
}

extern "C" __global__ void __launch_bounds__(CLUSTER_THREADS)
    cluster_read(stamps *out, uint32_t steps, uint32_t distance)
{
    time_cluster_access<false>(out, steps, distance);
}

extern "C" __global__ void __launch_bounds__(CLUSTER_THREADS)
    cluster_write(stamps *out, uint32_t steps, uint32_t distance)
{
    time_cluster_access<true>(out, steps, distance);
}

/* ---- barriers of a cluster ---------------------------------------------- */

template <bool RELAXED>
static __device__ __forceinline__ void time_cluster_barrier(stamps *out,
                                                            uint32_t steps)
{
#if HOPPER_CODE
    out += blockIdx.x * ROUNDS;
#pragma unroll 1
    for (uint32_t r = 0; r < ROUNDS; r++) {
        uint32_t t0 = read_clock(), t1;

#pragma unroll 1
        for (uint32_t i = 0; i < steps; i += BARRIER_UNROLL) {
#pragma unroll
            for (int j = 0; j < BARRIER_UNROLL; j++) {
                if (RELAXED)
                    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::
                                     : "memory");
                else
                    asm volatile("barrier.cluster.arrive.aligned;" ::
                                     : "memory");
                asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
            }
        }
        t1 = read_clock();
        if (threadIdx.x == 0)
            stamp(&out[r], t0, t1, t1, true);
        __syncwarp();
    }
#endif
}

/* The size is part of the kernel: else each barrier begins with a question
 * whether there is a cluster at all. */
#if HOPPER_HOST && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)
#define CLUSTER_OF(blocks) __cluster_dims__(blocks, 1, 1)
#else
#define CLUSTER_OF(blocks)
#endif
#define CLUSTER_BARRIER(blocks)                                      \
    extern "C" __global__ void CLUSTER_OF(blocks)                    \
        cluster_barrier##blocks(stamps *out, uint32_t steps)         \
    {                                                                \
        time_cluster_barrier<false>(out, steps);                     \
    }                                                                \
    extern "C" __global__ void CLUSTER_OF(blocks)                    \
        cluster_barrier_relaxed##blocks(stamps *out, uint32_t steps) \
    {                                                                \
        time_cluster_barrier<true>(out, steps);                      \
    }
CLUSTER_BARRIER(2)
CLUSTER_BARRIER(4)
CLUSTER_BARRIER(8)

#if HOPPER_CODE
/* RELEASE: what was written before can be read by who waits. */
template <bool RELEASE>
static __device__ __forceinline__ void arrive_other(uint32_t bar)
{
    if (RELEASE)
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
                     "[%0];" ::"r"(bar)
                     : "memory");
    else
        barrier_arrive_remote(bar);
}

/* Numbers 0 and 1 arrive at each other's barrier by turns, 0 first: `arrive` at
 * the other's, `own` is waited at. */
template <typename Arrive>
static __device__ __forceinline__ void ping(stamps *out, uint32_t steps,
                                            uint32_t number, uint32_t own,
                                            Arrive arrive)
{
    uint32_t phase = 0;
    bool done = true;

#pragma unroll 1
    for (uint32_t r = 0; r < ROUNDS && done; r++) {
        uint32_t t0 = read_clock(), t1;

#pragma unroll 1
        for (uint32_t i = 0; i < steps && done; i++, phase ^= 1) {
            if (number == 0)
                arrive();
            done = barrier_wait(own, phase);
            if (number == 1)
                arrive();
        }
        t1 = read_clock();
        if (number == 0)
            stamp(&out[r], t0, t1, t1, done);
    }
}
#endif

/* Blocks 0 and 1 of a cluster, of one thread each, arrive at each other's
 * barrier by turns. */
template <bool RELEASE>
static __device__ __forceinline__ void time_cluster_ping(stamps *out,
                                                         uint32_t steps)
{
#if HOPPER_CODE
    __shared__ __align__(8) uint64_t barrier;
    uint32_t bar = shared_address(&barrier), rank = cluster_rank();
    uint32_t other = cluster_address(bar, rank ^ 1);

    barrier_init(bar, 1);
    barrier_init_done();
    cluster_sync();
    ping(out, steps, rank, bar, [=] { arrive_other<RELEASE>(other); });
    cluster_sync();
#endif
}

extern "C" __global__ void cluster_ping(stamps *out, uint32_t steps)
{
    time_cluster_ping<false>(out, steps);
}

extern "C" __global__ void cluster_ping_release(stamps *out, uint32_t steps)
{
    time_cluster_ping<true>(out, steps);
}

/* ---- barriers in shared memory ------------------------------------------ */

/* Two warps of a block arrive at each other's barrier by turns. */
extern "C" __global__ void mbarrier_ping(stamps *out, uint32_t steps)
{
#if HOPPER_CODE
    __shared__ __align__(8) uint64_t barriers[2];
    uint32_t warp = threadIdx.x / 32;
    uint32_t own = shared_address(&barriers[warp]);
    uint32_t other = shared_address(&barriers[warp ^ 1]);

    if (threadIdx.x % 32 == 0)
        barrier_init(own, 1);
    __syncthreads();
    if (!elected())
        return;
    ping(out, steps, warp, own, [=] { barrier_arrive(other); });
#endif
}

/* Name, opcode ("" where too many others stand around it), lanes (1 or 32),
 * instructions of a step, which may use `bar`, a barrier that is never
 * complete, `fresh`, whose phase 0 has begun, `word` and `far`, words in
 * shared and global memory, and `done`, which is 1. */
#define SYNC_OPS(OP)                                                       \
    OP(arrive, "SYNCS", 1, barrier_arrive(bar))                            \
    OP(arrive_warp, "SYNCS", 32, barrier_arrive(bar))                      \
    OP(expect_tx, "SYNCS", 1, barrier_expect(bar, 0))                      \
    OP(try_wait, "SYNCS", 1, done = barrier_try(fresh, done))              \
    OP(test_wait, "SYNCS", 1, done = sync_test(fresh, done))               \
    OP(fence_async, "FENCE", 1,                                            \
       asm volatile("fence.proxy.async;" ::                                \
                        : "memory"))                                       \
    OP(fence_async_shared, "FENCE", 1,                                     \
       asm volatile("fence.proxy.async.shared::cta;" ::                    \
                        : "memory"))                                       \
    OP(fence_async_after_sts, "FENCE", 1,                                  \
       asm volatile(                                                       \
           "st.shared.u32 [%0], %1; fence.proxy.async.shared::cta;" ::"r"( \
               word),                                                      \
           "r"(done)                                                       \
           : "memory"))                                                    \
    OP(fence_block, "MEMBAR", 1, __threadfence_block())                    \
    OP(fence_gpu, "", 1, __threadfence())                                  \
    OP(fence_system, "", 1, __threadfence_system())                        \
    OP(fence_block_after_stg, "MEMBAR", 1,                                 \
       (sync_store(far, done), __threadfence_block()))                     \
    OP(fence_gpu_after_stg, "", 1, (sync_store(far, done), __threadfence()))

#if HOPPER_CODE
static __device__ __forceinline__ uint32_t sync_test(uint32_t bar,
                                                     uint32_t parity)
{
    uint32_t done;

    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, "
                 "[%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(bar), "r"(parity)
                 : "memory");
    return done;
}

static __device__ __forceinline__ void sync_store(uint32_t *far, uint32_t word)
{
    asm volatile("st.global.u32 [%0], %1;" ::"l"(far), "r"(word) : "memory");
}

#define SYNC_BODY(length, lanes, step)                     \
    __shared__ __align__(8) uint64_t barriers[2];          \
    __shared__ uint32_t words[32];                         \
    uint32_t bar = shared_address(&barriers[0]);           \
    uint32_t fresh = shared_address(&barriers[1]);         \
    uint32_t word = shared_address(words), done = 1;       \
    uint32_t *far = &out->sink[64];                        \
                                                           \
    if (threadIdx.x == 0) {                                \
        barrier_init(bar, 0xfffff);                        \
        barrier_init(fresh, 1);                            \
        words[0] = 0;                                      \
    }                                                      \
    __syncthreads();                                       \
    if (lanes == 1 && !elected())                          \
        return;                                            \
    _Pragma("unroll 1") for (int r = 0; r < ROUNDS; r++)   \
    {                                                      \
        uint32_t t0 = read_clock(), t1;                    \
                                                           \
        _Pragma("unroll") for (int i = 0; i < length; i++) \
        {                                                  \
            step;                                          \
        }                                                  \
        t1 = read_clock();                                 \
        out->begin[r][0] = t0;                             \
        out->end[r][0] = t1;                               \
    }                                                      \
    out->sink[0] = done + bar + fresh + word + (far != nullptr);
#else
#define SYNC_BODY(length, lanes, step)
#endif
#define SYNC_KERNELS(name, opcode, lanes, step)                                \
    extern "C" __global__ void sync32_##name(const op_input *, op_output *out) \
    {                                                                          \
        SYNC_BODY(32, lanes, step)                                             \
    }                                                                          \
    extern "C" __global__ void sync160_##name(const op_input *,                \
                                              op_output *out)                  \
    {                                                                          \
        SYNC_BODY(160, lanes, step)                                            \
    }
SYNC_OPS(SYNC_KERNELS)

static const struct sync_row {
    const char *name, *opcode;
    int lanes;
    const void *sync32, *sync160;
} sync_rows[] = {
#define SYNC_ROW(name, opcode, lanes, step)             \
    {#name, opcode, lanes, (const void *)sync32_##name, \
     (const void *)sync160_##name},
    SYNC_OPS(SYNC_ROW)};

/* ---- the host's side ---------------------------------------------------- */

#if HOPPER_HOST
static bool measure_mbarriers(kit *k, bench *b, hopper *h)
{
    shape s = {(const void *)mbarrier_ping, 1, 64, 0, 0};
    samples cycles;

    for (const sync_row &row : sync_rows) {
        samples each;

        if (kit_late(k))
            return true;
        if (!run_difference(k, b, row.sync32, row.sync160, 1, 128, &each))
            return false;
        kit_add(k, row.name, "interval", "cycles", each,
                {{"lanes", (double)row.lanes}}, "",
                std::string("sync160_") + row.name);
    }
    if (!run_slope(k, h, s, 16, 80, &cycles))
        return false;
    for (double &v : cycles)
        v /= 2;
    kit_add(k, "arrive_to_wait", "latency", "cycles", cycles);
    return true;
}

static bool section_mbarrier(kit *k, bench *b)
{
    hopper h;
    bool done;

    if (!hopper_there(k))
        return true;
    done = hopper_init(k, &h, 1 << 20) && measure_mbarriers(k, b, &h);
    hopper_release(&h);
    return done;
}

static bool measure_remote_latency(kit *k, hopper *h, unsigned cluster)
{
    static const struct {
        const char *name;
        const void *kernel;
    } rows[] = {{"load", (const void *)cluster_load},
                {"atom_add", (const void *)cluster_atom}};

    for (const auto &row : rows) {
        for (unsigned distance = 0; distance < cluster; distance++) {
            shape s = {row.kernel, cluster, 1, cluster, 0};
            samples cycles;

            if (!run_slope(k, h, s, 64, 192, &cycles, (uint32_t)distance))
                return false;
            kit_add(
                k, row.name, "latency", "cycles", cycles,
                {{"cluster", (double)cluster}, {"distance", (double)distance}},
                "",
                distance == 0        ? ""
                : row.name[0] == 'l' ? "cluster_load"
                                     : "cluster_atom");
        }
    }
    return true;
}

static bool measure_remote_bandwidth(kit *k, hopper *h, unsigned cluster)
{
    static const struct {
        const char *name;
        const void *kernel;
        const char *symbol;
    } rows[] = {{"read", (const void *)cluster_read, "cluster_read"},
                {"write", (const void *)cluster_write, "cluster_write"}};
    const double bytes = 16.0 * CLUSTER_BURST * CLUSTER_THREADS;

    for (const auto &row : rows) {
        for (unsigned distance = 0; distance < 2; distance++) {
            for (int all = 0; all < 2; all++) {
                shape s = {row.kernel, cluster, CLUSTER_THREADS, cluster,
                           CLUSTER_BYTES + TILE_SLACK};
                samples cycles;

                if (all && !resident_blocks(k, &s))
                    return false;
                if (!run_slope(k, h, s, 8, 40, &cycles, (uint32_t)distance))
                    return false;
                kit_add(k, row.name, "bandwidth", "bytes/cycle/SM",
                        rates(bytes, cycles),
                        {{"cluster", (double)cluster},
                         {"distance", (double)distance},
                         {"sms", (double)s.blocks}},
                        "", row.symbol);
            }
        }
    }
    return true;
}

static bool measure_cluster_barriers(kit *k, hopper *h)
{
    static const struct {
        const char *name, *symbol;
        unsigned cluster;
        const void *kernel;
    } rows[] = {
        {"barrier", "cluster_barrier2", 2, (const void *)cluster_barrier2},
        {"barrier", "cluster_barrier4", 4, (const void *)cluster_barrier4},
        {"barrier", "cluster_barrier8", 8, (const void *)cluster_barrier8},
        {"barrier_relaxed", "cluster_barrier_relaxed2", 2,
         (const void *)cluster_barrier_relaxed2},
        {"barrier_relaxed", "cluster_barrier_relaxed4", 4,
         (const void *)cluster_barrier_relaxed4},
        {"barrier_relaxed", "cluster_barrier_relaxed8", 8,
         (const void *)cluster_barrier_relaxed8},
    };

    for (const auto &row : rows) {
        for (unsigned threads : {32u, 128u, 1024u}) {
            shape s = {row.kernel, row.cluster, threads, 0, 0};
            samples cycles;

            if (!run_slope(k, h, s, 32, 160, &cycles))
                return false;
            kit_add(k, row.name, "interval", "cycles", cycles,
                    {{"cluster", (double)row.cluster},
                     {"threads", (double)threads}},
                    "", row.symbol);
        }
    }
    return true;
}

/* Microseconds from event to event of `times` launches, one after another. */
static bool time_launches(kit *k, const shape &s, int times, double *us)
{
    cudaEvent_t begin, end;
    float ms = 0;

    CALL(k, cudaEventCreate(&begin));
    CALL(k, cudaEventCreate(&end));
    CALL(k, cudaEventRecord(begin));
    for (int i = 0; i < times; i++) {
        if (!launch_shape(k, s))
            return false;
    }
    CALL(k, cudaEventRecord(end));
    CALL(k, cudaEventSynchronize(end));
    CALL(k, cudaEventElapsedTime(&ms, begin, end));
    CALL(k, cudaEventDestroy(begin));
    CALL(k, cudaEventDestroy(end));
    *us = ms * 1e3;
    return true;
}

static bool measure_cluster_launch(kit *k, unsigned cluster, unsigned per_sm)
{
    const int few = 20, many = 120;
    unsigned sms = (unsigned)k->device.multiProcessorCount;
    shape s = {(const void *)empty_kernel, per_sm * sms / 8 * 8, 256, cluster,
               0};
    samples us;
    double f, m;

    for (int i = 0; i <= 5; i++) {
        if (!time_launches(k, s, few, &f) || !time_launches(k, s, many, &m))
            return false;
        if (i > 0)
            us.push_back((m - f) / (many - few));
    }
    kit_add(k, "launch", "interval", "us", us,
            {{"cluster", (double)cluster},
             {"blocks", (double)s.blocks},
             {"threads", 256}});
    return true;
}

static bool measure_clusters(kit *k, hopper *h)
{
    static const struct {
        const char *name;
        const void *kernel;
    } pings[] = {{"mbarrier", (const void *)cluster_ping},
                 {"mbarrier_release", (const void *)cluster_ping_release}};

    for (unsigned cluster : {2u, 4u, 8u}) {
        if (!kit_late(k) && (!measure_remote_latency(k, h, cluster) ||
                             !measure_remote_bandwidth(k, h, cluster)))
            return false;
    }
    if (!measure_cluster_barriers(k, h))
        return false;
    for (const auto &ping : pings) {
        shape s = {ping.kernel, 2, 1, 2, 0};
        samples cycles;

        if (!run_slope(k, h, s, 16, 80, &cycles))
            return false;
        kit_add(k, ping.name, "round_trip", "cycles", cycles, {{"cluster", 2}});
    }
    /* 0: not launched as clusters */
    for (unsigned cluster : {0u, 1u, 2u, 4u, 8u}) {
        for (unsigned per_sm : {8u, 64u}) {
            if (!kit_late(k) && !measure_cluster_launch(k, cluster, per_sm))
                return false;
        }
    }
    return true;
}

static bool section_cluster(kit *k, bench *)
{
    hopper h;
    bool done;

    if (!hopper_there(k))
        return true;
    done = hopper_init(k, &h, 1 << 20) && measure_clusters(k, &h);
    hopper_release(&h);
    return done;
}

static void expect_cluster(std::vector<expectation> *all)
{
    all->push_back({"cluster_load", "LD|LDS", 90, CLUSTER_UNROLL, false});
    all->push_back({"cluster_atom", "ATOM|ATOMS", 90, CLUSTER_UNROLL, false});
    all->push_back({"cluster_read", "LD.E.128", 90, CLUSTER_BURST, true});
    all->push_back({"cluster_write", "ST.E.128", 90, CLUSTER_BURST, true});
    for (const char *size : {"2", "4", "8"}) {
        for (const char *name : {"cluster_barrier", "cluster_barrier_relaxed"})
            all->push_back({std::string(name) + size, "UCGABAR_ARV", 90,
                            BARRIER_UNROLL, false});
    }
    for (const sync_row &row : sync_rows) {
        std::string name = row.name;

        if (row.opcode[0] == '\0')
            continue;
        all->push_back({"sync32_" + name, row.opcode, 90, 32, false});
        all->push_back({"sync160_" + name, row.opcode, 90, 160, false});
    }
}
#else
static bool section_mbarrier(kit *k, bench *)
{
    hopper_there(k);
    return true;
}

static bool section_cluster(kit *k, bench *)
{
    hopper_there(k);
    return true;
}

static void expect_cluster(std::vector<expectation> *)
{
}
#endif
