/*
 * What the sections of sm_90 share: mbarriers, clusters, and running kernels
 * that stamp their own rounds.
 *
 * Such a kernel is given `stamps` [blocks][ROUNDS].  It must end whatever
 * happens: a wait that takes too long is given up and said in the stamps.
 */
#pragma once
#include "bench.cuh"
#include "sass.cuh"

/* Clusters can be launched from CUDA 11.8 on, tensor maps found by the
 * version of their interface from 12.5 on. */
#define HOPPER_HOST (CUDART_VERSION >= 12050)
#if HOPPER_HOST && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define HOPPER_CODE 1
#else
#define HOPPER_CODE 0
#endif
#if HOPPER_CODE && defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define SM90A_CODE 1
#else
#define SM90A_CODE 0
#endif

enum {
    STAMPS = 3,
    WAIT_TRIES = 1000, /* before a wait is given up; each may take a while */
    UNSTAMPED = 0,     /* a block that another one stamps for */
    STAMPED = 1,
    GAVE_UP = 2,
};

struct stamps {
    uint32_t t[STAMPS];
    uint32_t state;
};

#if HOPPER_CODE
static __device__ __forceinline__ void stamp(stamps *out, uint32_t t0,
                                             uint32_t t1, uint32_t t2,
                                             bool done)
{
    out->t[0] = t0;
    out->t[1] = t1;
    out->t[2] = t2;
    out->state = done ? STAMPED : GAVE_UP;
}

/* One thread of the only warp.  The assembler knows that it is one, and does
 * not put a loop over the active threads around each copy. */
static __device__ __forceinline__ bool elected()
{
    uint32_t is;

    asm volatile("{.reg .pred p; elect.sync _|p, 0xffffffff; "
                 "selp.u32 %0, 1, 0, p;}"
                 : "=r"(is));
    return is;
}

static __device__ __forceinline__ void barrier_init(uint32_t bar,
                                                    uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar),
                 "r"(count)
                 : "memory");
}

/* The barriers are there for the other blocks and for asynchronous copies. */
static __device__ __forceinline__ void barrier_init_done()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
}

static __device__ __forceinline__ void barrier_expect(uint32_t bar,
                                                      uint32_t bytes)
{
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar),
        "r"(bytes)
        : "memory");
}

static __device__ __forceinline__ void barrier_arrive(uint32_t bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar)
                 : "memory");
}

/* Of another block.  Orders nothing beyond this block. */
static __device__ __forceinline__ void barrier_arrive_remote(uint32_t bar)
{
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(bar)
                 : "memory");
}

static __device__ __forceinline__ uint32_t barrier_try(uint32_t bar,
                                                       uint32_t parity)
{
    uint32_t done;

    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, "
                 "[%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(bar), "r"(parity)
                 : "memory");
    return done;
}

static __device__ __forceinline__ bool barrier_wait(uint32_t bar,
                                                    uint32_t parity)
{
    uint32_t done = 0;

#pragma unroll 1
    for (int i = 0; i < WAIT_TRIES && !done; i++)
        done = barrier_try(bar, parity);
    return done;
}

static __device__ __forceinline__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::
                     : "memory");
}

static __device__ __forceinline__ uint32_t cluster_rank()
{
    uint32_t rank;

    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

static __device__ __forceinline__ uint32_t cluster_size()
{
    uint32_t size;

    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    return size;
}

/* The address of `at`, of this block's shared memory, in block `rank`'s. */
static __device__ __forceinline__ uint32_t cluster_address(uint32_t at,
                                                           uint32_t rank)
{
    uint32_t there;

    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(there)
                 : "r"(at), "r"(rank));
    return there;
}

/* Dynamic shared memory from where swizzled tiles may lie. */
static __device__ __forceinline__ uint32_t tile_memory()
{
    extern __shared__ __align__(1024) char raw[];

    return (shared_address(raw) + 1023) & ~1023u;
}
#endif

enum {
    TILE_SLACK = 1024
}; /* that tile_memory() may lose */

/* ---- the host's side ---------------------------------------------------- */

struct shape {
    const void *kernel;
    unsigned blocks, threads, cluster, shared;
};

struct hopper {
    stamps *out = nullptr; /* device: [SMs][ROUNDS] */
    std::vector<stamps> host;
    char *base = nullptr; /* device: what copies read and write */
    uint64_t bytes = 0;
    bool gave_up = false;
};

#if HOPPER_HOST
static bool hopper_init(kit *k, hopper *h, uint64_t bytes)
{
    h->host.resize((size_t)k->device.multiProcessorCount * ROUNDS);
    h->bytes = bytes;
    CALL(k, cudaMalloc(&h->out, h->host.size() * sizeof *h->out));
    CALL(k, cudaMalloc(&h->base, bytes));
    CALL(k, cudaMemset(h->base, 0, bytes));
    return true;
}

static void hopper_release(hopper *h)
{
    cudaFree(h->out);
    cudaFree(h->base);
}

template <typename... A>
static bool launch_shape(kit *k, const shape &s, A... argument)
{
    void *arguments[] = {(void *)&argument..., nullptr};
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = {};

    if (s.shared > 0)
        CALL(k, cudaFuncSetAttribute(
                    s.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                    (int)s.shared));
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = s.cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(s.blocks);
    config.blockDim = dim3(s.threads);
    config.dynamicSmemBytes = s.shared;
    config.attrs = &attribute;
    config.numAttrs = s.cluster > 0;
    CALL(k, cudaLaunchKernelExC(&config, s.kernel, arguments));
    return true;
}

/* Blocks that are on the chip at once, in clusters of `s.cluster`; at most
 * one for each SM. */
static bool resident_blocks(kit *k, shape *s)
{
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = {};
    int clusters = 0;

    CALL(k, cudaFuncSetAttribute(s->kernel,
                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)s->shared));
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = s->cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(s->cluster);
    config.blockDim = dim3(s->threads);
    config.dynamicSmemBytes = s->shared;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CALL(k, cudaOccupancyMaxActiveClusters(&clusters, s->kernel, &config));
    s->blocks = std::min((unsigned)clusters * s->cluster,
                         (unsigned)k->device.multiProcessorCount);
    s->blocks = std::max(s->blocks / s->cluster, 1u) * s->cluster;
    return true;
}

/* Cycles from stamp 0 to stamp `to` of every round but the first, of every
 * block that stamps. */
template <typename... A>
static bool run_stamps(kit *k, hopper *h, const shape &s, int to,
                       samples *cycles, A... argument)
{
    size_t count = (size_t)s.blocks * ROUNDS;

    CALL(k, cudaMemset(h->out, 0, count * sizeof *h->out));
    if (!launch_shape(k, s, h->out, argument...))
        return false;
    CALL(k, cudaMemcpy(h->host.data(), h->out, count * sizeof *h->out,
                       cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++) {
        const stamps &r = h->host[i];

        h->gave_up |= r.state == GAVE_UP;
        if (i % ROUNDS > 0 && r.state == STAMPED)
            cycles->push_back((double)(int32_t)(r.t[to] - r.t[0]));
    }
    if (h->gave_up) {
        kit_note(k, "a kernel gave up waiting; its numbers are left out");
        cycles->clear();
        h->gave_up = false;
    }
    return true;
}

/* Cycles per step: of `many` and `few` steps, the kernel's second argument. */
template <typename... A>
static bool run_slope(kit *k, hopper *h, const shape &s, uint32_t few,
                      uint32_t many, samples *cycles, A... argument)
{
    for (int i = 0; i < LAUNCHES; i++) {
        samples f, m;

        if (!run_stamps(k, h, s, 1, &f, few, argument...) ||
            !run_stamps(k, h, s, 1, &m, many, argument...))
            return false;
        for (size_t j = 0; j < std::min(f.size(), m.size()); j++)
            cycles->push_back((m[j] - f[j]) / (many - few));
    }
    return true;
}

template <typename... A>
static bool run_stamps_often(kit *k, hopper *h, const shape &s, int to,
                             samples *cycles, A... argument)
{
    for (int i = 0; i < LAUNCHES; i++) {
        if (!run_stamps(k, h, s, to, cycles, argument...))
            return false;
    }
    return true;
}
#endif

static bool hopper_there(kit *k)
{
    if (HOPPER_HOST && k->code >= 90)
        return true;
    kit_note(k, HOPPER_HOST ? "not on this chip, or not compiled for sm_90"
                            : "compiled with a CUDA toolkit before 12.5");
    return false;
}

/* Leaves 1 if the program was compiled for sm_90a, which has what no other
 * chip's code has. */
extern "C" __global__ void sm90a_known(uint32_t *known)
{
    *known = SM90A_CODE;
}

static bool sm90a_there(kit *k, bench *b)
{
    uint32_t known = 0;

    CALL(k, launch((const void *)sm90a_known, 1, 1, (uint32_t *)b->out));
    CALL(k, cudaMemcpy(&known, b->out, sizeof known, cudaMemcpyDeviceToHost));
    if (!known)
        kit_note(k, "not on this chip, or not compiled for sm_90a");
    return known;
}
