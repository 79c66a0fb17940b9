/*
 * Section "sms": what each SM sees of L2, and when it ends work that is the same
 * for all.  The last SM's end is a launch's; how far it is behind the mean, and
 * which SMs are the late ones, no counter of a profiler says.
 */
#pragma once
#include "section_chip.cuh"
#include "section_memory.cuh"

enum {
    SMS_LAUNCHES = 4,      /* the first is dropped */
    SMS_CHASE = 1024,      /* loads of each SM */
    SMS_RING = 4 << 20,    /* bytes that they go round in */
    SMS_THREADS = 1024,    /* of each SM's one block */
    SMS_BURST = 4,         /* words of a thread in a row */
    SMS_PART = 4 << 20,    /* bytes of each SM, in DRAM */
    SMS_L2_PART = 1 << 16, /* bytes of each SM, in L2, over and over */
};

/* What a block leaves: where it ran, and when by the timer of all SMs. */
struct sm_span {
    unsigned long long begin, end; /* ns */
    long long cycles;
    uint32_t sm;
};

static __device__ __forceinline__ uint32_t read_sm()
{
    uint32_t sm;

    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

/* One thread of each SM goes round a ring of lines (chase_build), each from
 * where it hangs on its block: cycles of all its loads, past L1. */
extern "C" __global__ void sm_chase(const char *base, uint64_t lines,
                                    sm_span *out)
{
    uint64_t p = (uint64_t)(base + blockIdx.x * lines / gridDim.x * LINE);
    long long t0 = clock64(), t1;

#pragma unroll 1
    for (int i = 0; i < SMS_CHASE; i += CHASE_UNROLL) {
#pragma unroll
        for (int j = 0; j < CHASE_UNROLL; j++)
            asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
    }
    t1 = clock64();
    out[blockIdx.x] = {0, 0, t1 - t0, read_sm()};
    if (p == 0x12345)
        out->cycles = 0;
}

/* The block has begun; returns when. */
static __device__ __forceinline__ unsigned long long sm_begins()
{
    unsigned long long begin = read_timer();

    __syncthreads();
    return begin;
}

/* All of its threads have ended. */
static __device__ __forceinline__ void sm_ends(unsigned long long begin,
                                               sm_span *out)
{
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = {begin, read_timer(), 0, read_sm()};
}

/* Reads `count` words of its own, a multiple of a burst of the block's, `rounds`
 * times. */
extern "C" __global__ void __launch_bounds__(SMS_THREADS)
    sm_read(const uint4 *p, uint32_t count, uint32_t rounds, sm_span *out,
            uint32_t *sink)
{
    unsigned long long begin = sm_begins();
    uint32_t sum = 0;

    p += (uint64_t)blockIdx.x * count;
#pragma unroll 1
    for (uint32_t r = 0; r < rounds; r++) {
#pragma unroll 1
        for (uint32_t i = threadIdx.x; i < count;
             i += SMS_BURST * SMS_THREADS) {
#pragma unroll
            for (int j = 0; j < SMS_BURST; j++) {
                uint4 v = __ldcg(p + i + j * SMS_THREADS);

                sum ^= v.x ^ v.y ^ v.z ^ v.w; /* all, or it is narrowed */
            }
        }
    }
    sm_ends(begin, out);
    if (sum == 0x12345)
        *sink = sum;
}

extern "C" __global__ void __launch_bounds__(SMS_THREADS)
    sm_write(uint4 *p, uint32_t count, uint32_t rounds, sm_span *out,
             uint32_t *)
{
    unsigned long long begin = sm_begins();

    p += (uint64_t)blockIdx.x * count;
#pragma unroll 1
    for (uint32_t r = 0; r < rounds; r++) {
#pragma unroll 1
        for (uint32_t i = threadIdx.x; i < count;
             i += SMS_BURST * SMS_THREADS) {
#pragma unroll
            for (int j = 0; j < SMS_BURST; j++)
                p[i + j * SMS_THREADS] = make_uint4(r, i, r, i);
        }
    }
    sm_ends(begin, out);
}

/* What needs no memory: how far apart blocks begin. */
extern "C" __global__ void __launch_bounds__(SMS_THREADS)
    sm_compute(const uint4 *, uint32_t count, uint32_t rounds, sm_span *out,
               uint32_t *sink)
{
    unsigned long long begin = sm_begins();
    float x = (float)threadIdx.x;

#pragma unroll 1
    for (uint32_t i = 0; i < count / SMS_THREADS * rounds; i++) {
#pragma unroll
        for (int j = 0; j < 16; j++)
            x = x * 1.0001f + 0.5f;
    }
    sm_ends(begin, out);
    if (x == 0.12345f)
        *sink = 1;
}

/* By SM, in the order of their numbers. */
typedef std::map<uint32_t, samples> by_sm;

static void add_by_sm(kit *k, const char *name, const char *quantity,
                      const char *unit, const by_sm &of, const char *kernel)
{
    samples all;

    for (const auto &s : of) {
        kit_add(k, name, quantity, unit, s.second, {{"sm", (double)s.first}},
                "", kernel);
        all.push_back(median_of(s.second));
    }
    kit_add(k, name, (std::string(quantity) + "_of_sms").c_str(), unit, all, {},
            "", kernel);
}

static bool measure_sm_latency(kit *k, memory *m, sm_span *out)
{
    const uint64_t lines = SMS_RING / LINE;
    const unsigned sms = (unsigned)k->device.multiProcessorCount;
    std::vector<sm_span> span(sms);
    by_sm cycles;

    if (!chase_ring(k, m, lines, LINE, 0))
        return false;
    for (int i = 0; i < SMS_LAUNCHES; i++) {
        CALL(k, launch((const void *)sm_chase, sms, 1, (const char *)m->base,
                       lines, out));
        CALL(k, cudaMemcpy(span.data(), out, sms * sizeof *out,
                           cudaMemcpyDeviceToHost));
        for (const sm_span &s : span) {
            if (i > 0)
                cycles[s.sm].push_back((double)s.cycles / SMS_CHASE);
        }
    }
    add_by_sm(k, "l2_load", "latency", "cycles", cycles, "sm_chase");
    return true;
}

static bool measure_sm_ends(kit *k, memory *m, sm_span *out, const char *name,
                            const void *kernel, const char *kernel_name,
                            uint64_t part, uint32_t rounds)
{
    const unsigned sms = (unsigned)k->device.multiProcessorCount;
    std::vector<sm_span> span(sms);
    by_sm time, end;

    for (int i = 0; i < SMS_LAUNCHES; i++) {
        unsigned long long first = ~0ull;

        CALL(k, launch(kernel, sms, SMS_THREADS, (uint4 *)m->base,
                       (uint32_t)(part / sizeof(uint4)), rounds, out,
                       (uint32_t *)m->result));
        CALL(k, cudaMemcpy(span.data(), out, sms * sizeof *out,
                           cudaMemcpyDeviceToHost));
        for (const sm_span &s : span)
            first = std::min(first, s.begin);
        for (const sm_span &s : span) {
            if (i == 0)
                continue;
            time[s.sm].push_back((double)(s.end - s.begin));
            end[s.sm].push_back((double)(s.end - first));
        }
    }
    add_by_sm(k, name, "time", "ns", time, kernel_name);
    add_by_sm(k, name, "end", "ns", end, kernel_name);
    return true;
}

static bool measure_sms(kit *k, memory *m, sm_span *out)
{
    const unsigned sms = (unsigned)k->device.multiProcessorCount;
    const uint64_t part = std::min<uint64_t>(
        SMS_PART, m->bytes / sms / SMS_L2_PART * SMS_L2_PART);

    return measure_sm_latency(k, m, out) &&
           measure_sm_ends(k, m, out, "compute", (const void *)sm_compute,
                           "sm_compute", SMS_L2_PART, 64) &&
           measure_sm_ends(k, m, out, "l2_read", (const void *)sm_read,
                           "sm_read", SMS_L2_PART, 64) &&
           measure_sm_ends(k, m, out, "l2_write", (const void *)sm_write,
                           "sm_write", SMS_L2_PART, 64) &&
           measure_sm_ends(k, m, out, "dram_read", (const void *)sm_read,
                           "sm_read", part, 1) &&
           measure_sm_ends(k, m, out, "dram_write", (const void *)sm_write,
                           "sm_write", part, 1);
}

static bool section_sms(kit *k, bench *)
{
    const uint64_t least =
        (uint64_t)k->device.multiProcessorCount * SMS_L2_PART;
    memory m;
    sm_span *out;
    bool done;

    if (!memory_init(k, &m, (uint64_t)1 << 30))
        return false;
    if (m.bytes < std::max<uint64_t>(SMS_RING, least)) {
        kit_note(k, "too little memory is free");
        memory_release(&m);
        return false;
    }
    CALL(k, cudaMalloc(&out, k->device.multiProcessorCount * sizeof *out));
    done = measure_sms(k, &m, out);
    cudaFree(out);
    memory_release(&m);
    return done;
}

static void expect_sms(std::vector<expectation> *all)
{
    all->push_back({"sm_chase", "LDG", 30, CHASE_UNROLL, false});
    all->push_back({"sm_read", "LDG.E.128", 30, SMS_BURST, true});
    all->push_back({"sm_write", "STG.E.128", 30, SMS_BURST, true});
}
