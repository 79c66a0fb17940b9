/* Sections "chase", "tlb", "bandwidth", "atomics" and "async". */
#pragma once
#include "bench.cuh"
#include "sass.cuh"

enum {
    CHASE_UNROLL = 16,
    LINE = 128
};

/* What a chase leaves: clock cycles of its timed part, and where it stopped. */
struct chase_result {
    long long cycles;
    uint64_t last;
};

/* Entry i, at i * stride (+ i lines if `skew`, modulo the stride), holds the
 * address of entry (a i + c) mod n: one cycle through all n entries if c is
 * odd and no multiple of 3 and a - 1 a multiple of 12, for n = 2^k or 3 2^k
 * (Knuth, TAOCP 2, 3.2.1.2, theorem A). */
extern "C" __global__ void chase_build(char *base, uint64_t n, uint64_t stride,
                                       uint64_t a, uint64_t c, uint32_t skew)
{
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;

    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += step) {
        uint64_t next = (a * i + c) % n;
        uint64_t from = i * stride + (skew ? i * LINE % stride : 0);
        uint64_t to = next * stride + (skew ? next * LINE % stride : 0);

        *(uint64_t *)(base + from) = (uint64_t)(base + to);
    }
}

#define CHASE_KERNEL(kernel, load)                                             \
    extern "C" __global__ void kernel(uint64_t p, uint64_t warm,               \
                                      uint64_t steps, chase_result *out)       \
    {                                                                          \
        long long t0, t1;                                                      \
                                                                               \
        _Pragma("unroll 1") for (uint64_t i = 0; i < warm;                     \
                                 i++) asm volatile(load : "+l"(p)::"memory");  \
        t0 = clock64();                                                        \
        _Pragma("unroll 1") for (uint64_t i = 0; i < steps; i += CHASE_UNROLL) \
        {                                                                      \
            _Pragma("unroll") for (int j = 0; j < CHASE_UNROLL;                \
                                   j++) asm volatile(load :                    \
                                                     "+l"(p)::"memory");       \
        }                                                                      \
        t1 = clock64();                                                        \
        out->cycles = t1 - t0;                                                 \
        out->last = p;                                                         \
    }
CHASE_KERNEL(chase_ca, "ld.global.u64 %0, [%0];")
CHASE_KERNEL(chase_cg, "ld.global.cg.u64 %0, [%0];")
/* Memory holds its own address; adding nothing returns it. */
CHASE_KERNEL(chase_atom, "atom.global.add.u64 %0, [%0], 0;")
CHASE_KERNEL(chase_cas, "atom.global.cas.b64 %0, [%0], 0, 0;")

/* Brings `bytes` into L2. */
extern "C" __global__ void touch(const uint4 *p, uint64_t count, uint32_t *sink)
{
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    uint32_t sum = 0;

    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
         i < count; i += step)
        sum ^= __ldcg(&p[i]).x;
    if (sum == 0x12345)
        *sink = sum;
}

struct memory {
    char *base = nullptr; /* device */
    uint64_t bytes = 0;
    chase_result *result = nullptr; /* device */
};

/* Takes the largest power of two that is there, up to `limit`, and leaves a
 * good part to others on the device. */
static bool memory_init(kit *k, memory *m, uint64_t limit)
{
    size_t free_bytes = 0, total = 0;

    CALL(k, cudaMemGetInfo(&free_bytes, &total));
    for (m->bytes = limit; m->bytes > free_bytes / 4 * 3; m->bytes /= 2)
        ;
    if (m->bytes < 1 << 20) {
        kit_note(k, "less than 1 MiB of memory is free");
        return false;
    }
    CALL(k, cudaMalloc(&m->base, m->bytes));
    CALL(k, cudaMalloc(&m->result, sizeof *m->result));
    CALL(k, cudaMemset(m->base, 0, m->bytes));
    return true;
}

static void memory_release(memory *m)
{
    cudaFree(m->base);
    cudaFree(m->result);
    *m = memory();
}

/* Leaves a ring of n entries, of which neighbours in time are far apart. */
static bool chase_ring(kit *k, memory *m, uint64_t n, uint64_t stride,
                       uint32_t skew)
{
    uint64_t a = 12 * (n / 31) + 1, c = n / 12 * 6 + 1;

    c += c % 3 == 0 ? 4 : 0;
    CALL(k, launch((const void *)chase_build, 1024, 256, m->base, n, stride, a,
                   c, skew));
    return true;
}

static bool chase_once(kit *k, memory *m, const void *kernel, uint64_t n,
                       uint64_t stride, uint32_t skew, samples *cycles)
{
    const uint64_t steps = 4096;
    /* Every kernel begins with an empty L1, perhaps on another SM; L2 is
     * filled by all SMs. */
    uint64_t warm = std::min<uint64_t>(n, 16384);
    chase_result host;

    if (!chase_ring(k, m, n, stride, skew))
        return false;
    CALL(k, launch((const void *)touch, 1024, 256, (const uint4 *)m->base,
                   (skew ? 0 : n * stride) / sizeof(uint4),
                   (uint32_t *)m->result));
    for (int i = 0; i < 5; i++) {
        uint64_t start = (uint64_t)m->base;

        if (i > 0)
            start = host.last;
        CALL(k, launch(kernel, 1, 1, start, warm, steps, m->result));
        CALL(k,
             cudaMemcpy(&host, m->result, sizeof host, cudaMemcpyDeviceToHost));
        if (i > 0)
            cycles->push_back((double)host.cycles / (double)steps);
    }
    return true;
}

static bool section_chase(kit *k, bench *)
{
    static const struct {
        const char *name;
        const void *kernel;
        uint64_t from;
    } rows[] = {{"load_ca", (const void *)chase_ca, 1 << 10},
                {"load_cg", (const void *)chase_cg, 1 << 14}};
    memory m;

    if (!memory_init(k, &m, (uint64_t)2 << 30))
        return false;
    for (const auto &row : rows) {
        for (uint64_t bytes = row.from; bytes <= m.bytes; bytes *= 2) {
            for (uint64_t part : {bytes, bytes + bytes / 2}) {
                samples cycles;

                if (part > m.bytes || kit_late(k))
                    continue;
                if (!chase_once(k, &m, row.kernel, part / LINE, LINE, 0,
                                &cycles)) {
                    memory_release(&m);
                    return false;
                }
                kit_add(k, row.name, "latency", "cycles", cycles,
                        {{"bytes", (double)part}}, "",
                        row.kernel == (const void *)chase_ca ? "chase_ca"
                                                             : "chase_cg");
            }
        }
    }
    memory_release(&m);
    return true;
}

/* One line in each of n pages: whatever the lines' cache, the pages'
 * translations are more and more.  Strides show the page size. */
static bool section_tlb(kit *k, bench *)
{
    memory m;

    if (!memory_init(k, &m, (uint64_t)32 << 30))
        return false;
    for (uint64_t stride :
         {(uint64_t)64 << 10, (uint64_t)2 << 20, (uint64_t)32 << 20}) {
        for (uint64_t n = 12; n * stride <= m.bytes && n <= 16384; n *= 2) {
            samples cycles;

            if (kit_late(k))
                break;
            if (!chase_once(k, &m, (const void *)chase_cg, n, stride, 1,
                            &cycles)) {
                memory_release(&m);
                return false;
            }
            kit_add(k, "load_cg", "latency", "cycles", cycles,
                    {{"stride", (double)stride}, {"pages", (double)n}}, "",
                    "chase_cg");
        }
    }
    memory_release(&m);
    return true;
}

/* ---- bandwidth ---------------------------------------------------------- */

enum {
    BURST = 8
}; /* 16-byte loads in flight per thread */

/* Every thread reads `each` words, a multiple of BURST, its block sweeping its
 * own `count` (a power of two) words again and again. */
static __device__ __forceinline__ uint32_t sweep_l1(const uint4 *p,
                                                    uint32_t count,
                                                    uint32_t each)
{
    uint32_t mask = count * sizeof *p - 1, step = blockDim.x * sizeof *p;
    uint32_t at = threadIdx.x * sizeof *p & mask, sum = 0;

#pragma unroll 1
    for (uint32_t i = 0; i < each; i += BURST) {
#pragma unroll
        for (int j = 0; j < BURST; j++) {
            uint4 v;

            asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                         : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                         : "l"((const char *)p + at)
                         : "memory");
            sum ^= v.x ^ v.y ^ v.z ^ v.w; /* all, or the load is narrowed */
            at = (at + step) & mask;
        }
    }
    return sum;
}

/* The first of two rounds brings the words into L1; out: cycles of each
 * block's second. */
extern "C" __global__ void __launch_bounds__(1024)
    read_l1(const uint4 *p, uint32_t count, uint32_t each, long long *out,
            uint32_t *sink)
{
    long long t0 = 0, t1;
    uint32_t sum = 0;

    p += (uint64_t)blockIdx.x * count;
#pragma unroll 1
    for (int r = 0; r < 2; r++) {
        __syncthreads();
        t0 = clock64();
        sum ^= sweep_l1(p, count, each);
        __syncthreads();
    }
    t1 = clock64();
    if (threadIdx.x == 0)
        out[blockIdx.x] = t1 - t0;
    if (sum == 0x12345)
        *sink = sum;
}

/* Every thread reads `each` words, a multiple of BURST, all threads together
 * sweeping the `count` (a power of two) words again and again, past L1. */
extern "C" __global__ void __launch_bounds__(1024)
    read_l2(const uint4 *p, uint64_t count, uint32_t each, uint32_t *sink)
{
    uint64_t step = (uint64_t)gridDim.x * blockDim.x, mask = count - 1;
    uint64_t at = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t sum = 0;

#pragma unroll 1
    for (uint32_t i = 0; i < each; i += BURST) {
#pragma unroll
        for (int j = 0; j < BURST; j++) {
            uint4 v;

            asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                         : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                         : "l"(p + (at & mask))
                         : "memory");
            sum ^= v.x ^ v.y ^ v.z ^ v.w; /* all, or the load is narrowed */
            at += step;
        }
    }
    if (sum == 0x12345)
        *sink = sum;
}

extern "C" __global__ void __launch_bounds__(1024)
    write_all(uint4 *p, uint64_t count, uint32_t value)
{
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;

#pragma unroll 1
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
         i < count; i += step)
        p[i] = make_uint4(value, value, value, value);
}

extern "C" __global__ void __launch_bounds__(1024)
    copy_all(uint4 *to, const uint4 *from, uint64_t count)
{
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;

#pragma unroll 1
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
         i < count; i += step)
        to[i] = __ldcg(&from[i]);
}

static bool measure_l1(kit *k, memory *m, uint32_t bytes)
{
    const uint32_t each = 1024; /* 16 MiB by 1024 threads */
    uint32_t count = bytes / sizeof(uint4);
    int sms = k->device.multiProcessorCount;
    std::vector<long long> host(sms);
    long long *cycles;
    samples rate;

    CALL(k, cudaMalloc(&cycles, sms * sizeof *cycles));
    for (int i = 0; i < 3; i++) {
        CALL(k, launch((const void *)read_l1, sms, 1024, (const uint4 *)m->base,
                       count, each, cycles, (uint32_t *)m->result));
        CALL(k, cudaMemcpy(host.data(), cycles, sms * sizeof *cycles,
                           cudaMemcpyDeviceToHost));
        for (long long c : host)
            rate.push_back(c > 0 ? 1024.0 * each * sizeof(uint4) / (double)c
                                 : 0);
    }
    CALL(k, cudaFree(cycles));
    kit_add(k, "read_l1", "bandwidth", "bytes/cycle/SM", rate,
            {{"bytes", (double)bytes}}, "", "read_l1");
    return true;
}

/* GB/s and, where the clock is known, bytes per cycle of the whole chip. */
static void add_bandwidth(kit *k, const char *name, double bytes,
                          const samples &ms, double footprint,
                          const char *kernel)
{
    conditions at = {{"bytes", footprint}};

    kit_add(k, name, "bandwidth", "GB/s", rates(bytes / 1e6, ms), at, "",
            kernel);
    if (k->clock_mhz > 0)
        kit_add(k, name, "bandwidth", "bytes/cycle",
                rates(bytes / 1e3 / k->clock_mhz, ms), at, "", kernel);
}

static bool measure_read(kit *k, memory *m, uint64_t bytes)
{
    unsigned blocks = 2 * (unsigned)k->device.multiProcessorCount;
    uint64_t threads = (uint64_t)blocks * 1024, count = bytes / sizeof(uint4);
    /* at least 1 GiB altogether, and all of a larger footprint */
    uint64_t wanted = std::max<uint64_t>((uint64_t)1 << 30, bytes);
    uint32_t each =
        (uint32_t)(wanted / sizeof(uint4) / threads / BURST + 1) * BURST;
    samples ms;

    if (!run_events(k, (const void *)read_l2, blocks, 1024, 5, &ms,
                    (const uint4 *)m->base, count, each, (uint32_t *)m->result))
        return false;
    add_bandwidth(k, "read", (double)(threads * each * sizeof(uint4)), ms,
                  (double)bytes, "read_l2");
    return true;
}

static bool measure_writes(kit *k, memory *m)
{
    unsigned blocks = 8 * (unsigned)k->device.multiProcessorCount;
    uint64_t half = m->bytes / 2, count = half / sizeof(uint4);
    samples write_ms, copy_ms;

    if (!run_events(k, (const void *)write_all, blocks, 1024, 5, &write_ms,
                    (uint4 *)m->base, count, (uint32_t)1) ||
        !run_events(k, (const void *)copy_all, blocks, 1024, 5, &copy_ms,
                    (uint4 *)(m->base + half), (const uint4 *)m->base, count))
        return false;
    add_bandwidth(k, "write", (double)half, write_ms, (double)half,
                  "write_all");
    add_bandwidth(k, "copy", 2.0 * (double)half, copy_ms, (double)m->bytes,
                  "copy_all");
    return true;
}

static bool measure_bandwidths(kit *k, memory *m)
{
    for (uint32_t bytes = 16 << 10; bytes <= 256 << 10; bytes *= 2) {
        if (!kit_late(k) &&
            (uint64_t)bytes * k->device.multiProcessorCount <= m->bytes &&
            !measure_l1(k, m, bytes))
            return false;
    }
    for (uint64_t bytes = 512 << 10; bytes <= m->bytes; bytes *= 2) {
        if (!kit_late(k) && !measure_read(k, m, bytes))
            return false;
    }
    return kit_late(k) || measure_writes(k, m);
}

static bool section_bandwidth(kit *k, bench *)
{
    memory m;
    bool done;

    if (!memory_init(k, &m, (uint64_t)2 << 30))
        return false;
    done = measure_bandwidths(k, &m);
    memory_release(&m);
    return done;
}

/* ---- atomics ------------------------------------------------------------ */

enum {
    ATOMIC_STEPS = 32
};

/* spread 0: all of the chip at one word; 1: a word per warp, a line apart;
 * 2: a word per lane, neighbours */
static __device__ __forceinline__ uint32_t *atomic_word(uint32_t *p,
                                                        uint32_t spread)
{
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;

    if (spread == 0)
        return p;
    return spread == 1 ? p + thread / 32 * (LINE / 4) : p + thread;
}

extern "C" __global__ void rate_red(uint32_t *p, uint32_t spread)
{
    uint32_t *word = atomic_word(p, spread);

#pragma unroll
    for (int i = 0; i < ATOMIC_STEPS; i++)
        asm volatile("red.global.add.u32 [%0], 1;" ::"l"(word) : "memory");
}

extern "C" __global__ void rate_atom(uint32_t *p, uint32_t spread)
{
    uint32_t *word = atomic_word(p, spread), sum = 0;

#pragma unroll
    for (int i = 0; i < ATOMIC_STEPS; i++) {
        uint32_t old;

        asm volatile("atom.global.add.u32 %0, [%1], 1;"
                     : "=r"(old)
                     : "l"(word)
                     : "memory");
        sum += old;
    }
    if (sum == 0x12345)
        p[0] = sum;
}

static bool measure_atomic_rates(kit *k, memory *m)
{
    static const struct {
        const char *name;
        const void *kernel;
        const char *symbol;
    } rows[] = {{"red", (const void *)rate_red, "rate_red"},
                {"atomg", (const void *)rate_atom, "rate_atom"}};
    static const char *const spreads[] = {"one_address", "address_per_warp",
                                          "address_per_lane"};
    unsigned blocks = 4 * (unsigned)k->device.multiProcessorCount;

    for (const auto &row : rows) {
        for (uint32_t spread = 0; spread < 3; spread++) {
            double requests = (double)blocks * 8 * ATOMIC_STEPS;
            std::string name = std::string(row.name) + "_" + spreads[spread];
            samples ms;

            if (kit_late(k))
                return true;
            if (!run_events(k, row.kernel, blocks, 256, 5, &ms,
                            (uint32_t *)m->base, spread))
                return false;
            kit_add(k, name.c_str(), "rate", "warp requests/us",
                    rates(requests / 1e3, ms), {}, "", row.symbol);
            if (k->clock_mhz > 0)
                kit_add(k, name.c_str(), "throughput", "warp requests/cycle",
                        rates(requests / 1e3 / k->clock_mhz, ms), {}, "",
                        row.symbol);
        }
    }
    return true;
}

static bool measure_atomic_latency(kit *k, memory *m)
{
    static const struct {
        const char *name, *op_class;
        const void *kernel;
        const char *symbol;
    } rows[] = {
        {"atomg_add", "atomg", (const void *)chase_atom, "chase_atom"},
        {"atomg_cas", "", (const void *)chase_cas, "chase_cas"},
    };

    for (const auto &row : rows) {
        samples cycles;

        if (!chase_once(k, m, row.kernel, 12, LINE, 0, &cycles))
            return false;
        kit_add(k, row.name, "latency", "cycles", cycles, {}, row.op_class,
                row.symbol);
    }
    return true;
}

static bool section_atomics(kit *k, bench *)
{
    memory m;
    bool done;

    if (!memory_init(k, &m, (uint64_t)64 << 20))
        return false;
    done = measure_atomic_latency(k, &m) && measure_atomic_rates(k, &m);
    memory_release(&m);
    return done;
}

/* ---- asynchronous copies ------------------------------------------------ */

enum {
    COPIES = 8
};

/* out: cycles from a copy to the end of waiting for it, COPIES in turn */
template <int BYTES>
static __device__ __forceinline__ void time_ldgsts(const char *from,
                                                   op_output *out)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    __shared__ __align__(128) char to[32 * BYTES];
    uint32_t at = shared_address(to + threadIdx.x * BYTES);

    from += threadIdx.x * BYTES;
#pragma unroll 1
    for (int r = 0; r < ROUNDS; r++) {
        uint32_t t0 = read_clock(), t1;

#pragma unroll
        for (int i = 0; i < COPIES; i++) {
            if (BYTES == 16)
                asm volatile(
                    "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at),
                    "l"(from)
                    : "memory");
            else
                asm volatile(
                    "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at),
                    "l"(from)
                    : "memory");
            asm volatile("cp.async.wait_all;" ::: "memory");
        }
        t1 = read_clock();
        out->begin[r][0] = t0;
        out->end[r][0] = t1;
    }
#endif
}

extern "C" __global__ void async_4(const op_input *, op_output *out,
                                   const char *from)
{
    time_ldgsts<4>(from, out);
}

extern "C" __global__ void async_16(const op_input *, op_output *out,
                                    const char *from)
{
    time_ldgsts<16>(from, out);
}

/* One thread copies `bytes` and waits. */
extern "C" __global__ void async_bulk(const op_input *, op_output *out,
                                      const char *from, uint32_t bytes)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    __shared__ __align__(128) char to[16384];
    __shared__ __align__(8) uint64_t barrier;
    uint32_t at = shared_address(to), bar = shared_address(&barrier);

    if (threadIdx.x != 0)
        return;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar)
                 : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#pragma unroll 1
    for (uint32_t r = 0; r < ROUNDS; r++) {
        uint32_t t0 = read_clock(), t1, done = 0;

        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar),
            "r"(bytes)
            : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_"
                     "tx::bytes [%0], [%1], %2, [%3];" ::"r"(at),
                     "l"(from), "r"(bytes), "r"(bar)
                     : "memory");
        while (!done)
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta."
                         "b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                         : "=r"(done)
                         : "r"(bar), "r"(r & 1)
                         : "memory");
        t1 = read_clock();
        out->begin[r][0] = t0;
        out->end[r][0] = t1;
    }
#endif
}

static bool measure_ldgsts(kit *k, bench *b, memory *m)
{
    static const struct {
        const char *name, *op_class, *symbol;
        const void *kernel;
    } rows[] = {{"ldgsts_4", "", "async_4", (const void *)async_4},
                {"ldgsts_16", "ldgsts", "async_16", (const void *)async_16}};

    for (const auto &row : rows) {
        samples cycles;

        for (int i = 0; i < LAUNCHES; i++) {
            if (!run_rounds(k, b, row.kernel, 1, &cycles,
                            (const char *)m->base))
                return false;
        }
        for (double &v : cycles)
            v /= COPIES;
        kit_add(k, row.name, "latency", "cycles", cycles, {}, row.op_class,
                row.symbol);
    }
    return true;
}

static bool measure_bulk(kit *k, bench *b, memory *m)
{
    for (uint32_t bytes : {16u, 128u, 1024u, 4096u, 16384u}) {
        samples cycles;

        for (int i = 0; i < LAUNCHES; i++) {
            if (!run_rounds(k, b, (const void *)async_bulk, 1, &cycles,
                            (const char *)m->base, bytes))
                return false;
        }
        kit_add(k, "bulk", "latency", "cycles", cycles,
                {{"bytes", (double)bytes}}, bytes == 128 ? "bulk" : "",
                "async_bulk");
    }
    return true;
}

static bool section_async(kit *k, bench *b)
{
    memory m;
    bool done = true;

    if (k->code < 80) {
        kit_note(k, "asynchronous copies: not on this chip");
        return true;
    }
    if (!memory_init(k, &m, (uint64_t)64 << 20))
        return false;
    done = measure_ldgsts(k, b, &m);
    if (done && k->code >= 90)
        done = measure_bulk(k, b, &m);
    memory_release(&m);
    return done;
}

static void expect_memory(std::vector<expectation> *all)
{
    all->push_back({"chase_ca", "LDG", 30, CHASE_UNROLL, false});
    all->push_back({"chase_cg", "LDG", 30, CHASE_UNROLL, false});
    all->push_back(
        {"chase_atom", "ATOMG.E.ADD|ATOM.E.ADD", 30, CHASE_UNROLL, false});
    all->push_back(
        {"chase_cas", "ATOMG.E.CAS|ATOM.E.CAS", 30, CHASE_UNROLL, false});
    all->push_back({"read_l1", "LDG.E.128", 30, BURST, true});
    all->push_back({"write_all", "STG.E.128", 30, 1, true});
    all->push_back({"copy_all", "STG.E.128", 30, 1, true});
    all->push_back({"read_l2", "LDG.E.128", 30, BURST, true});
    all->push_back({"rate_red", "RED|REDG", 30, ATOMIC_STEPS, true});
    all->push_back({"rate_atom", "ATOMG|ATOM", 30, ATOMIC_STEPS, true});
    all->push_back({"async_4", "LDGSTS", 80, COPIES, false});
    all->push_back({"async_16", "LDGSTS", 80, COPIES, false});
    all->push_back({"async_bulk", "UBLKCP", 90, 1, false});
}
