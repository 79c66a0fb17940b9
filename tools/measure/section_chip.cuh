/* Sections "clock", "dispatch", "barrier" and "scheduler". */
#pragma once
#include "bench.cuh"
#include "sass.cuh"

/* ---- clock -------------------------------------------------------------- */

struct clock_result {
    long long cycles;
    unsigned long long ns, tick_ns; /* by the global timer; its step */
};

static __device__ __forceinline__ unsigned long long read_timer()
{
    unsigned long long t;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return t;
}

/* Keeps every SM busy for `cycles` cycles and compares its clock with the
 * global timer's, from one step of the timer to another. */
extern "C" __global__ void clock_against_timer(long long cycles, float x,
                                               clock_result *out, float *sink)
{
    unsigned long long n0 = read_timer(), n1, tick;
    long long c0, c1;

    while ((n1 = read_timer()) == n0)
        ;
    n0 = n1;
    c0 = clock64();
    while ((n1 = read_timer()) == n0)
        ;
    tick = n1 - n0;
    do {
#pragma unroll
        for (int i = 0; i < 64; i++)
            x = x * 1.0001f + 0.5f;
        c1 = clock64();
    } while (c1 - c0 < cycles);
    n1 = read_timer();
    while (read_timer() == n1)
        ;
    n1 = read_timer();
    c1 = clock64();
    if (threadIdx.x == 0)
        out[blockIdx.x] = {c1 - c0, n1 - n0, tick};
    if (x == 0.12345f)
        *sink = x;
}

static bool section_clock(kit *k, bench *b)
{
    int sms = k->device.multiProcessorCount;
    std::vector<clock_result> host(sms);
    samples mhz, tick;
    clock_result *out;

    CALL(k, cudaMalloc(&out, sms * sizeof *out));
    /* The first runs bring the clock up. */
    for (int i = 0; i < 5; i++) {
        CALL(k, launch((const void *)clock_against_timer, sms, 256,
                       i < 2 ? 200000000ll : 40000000ll, 1.0f, out,
                       (float *)b->out));
        CALL(k, cudaMemcpy(host.data(), out, sms * sizeof *out,
                           cudaMemcpyDeviceToHost));
        for (int s = 0; i >= 2 && s < sms; s++) {
            mhz.push_back(host[s].ns > 0 ? (double)host[s].cycles * 1e3 /
                                               (double)host[s].ns
                                         : 0);
            tick.push_back((double)host[s].tick_ns);
        }
    }
    CALL(k, cudaFree(out));
    kit_add(k, "sm", "clock", "MHz", mhz);
    kit_add(k, "global_timer", "step", "ns", tick);
    if (median_of(mhz) > 0)
        k->clock_mhz = median_of(mhz);
    return true;
}

/* ---- handing out blocks ------------------------------------------------- */

extern "C" __global__ void empty_kernel()
{
}

static bool section_dispatch(kit *k, bench *)
{
    unsigned sms = (unsigned)k->device.multiProcessorCount;
    const unsigned few = 256 * sms, many = 8192 * sms;

    for (unsigned threads : {32u, 64u, 128u, 256u, 512u, 1024u}) {
        samples few_ms, many_ms, ns;

        if (kit_late(k))
            return true;
        if (!run_events(k, (const void *)empty_kernel, few, threads, 9,
                        &few_ms) ||
            !run_events(k, (const void *)empty_kernel, many, threads, 9,
                        &many_ms))
            return false;
        for (size_t i = 0; i < many_ms.size(); i++)
            ns.push_back((many_ms[i] - few_ms[i]) * 1e6 / (many - few));
        kit_add(k, "empty_block", "interval", "ns", ns,
                {{"threads", (double)threads}});
        if (k->clock_mhz > 0) {
            for (double &v : ns)
                v *= k->clock_mhz / 1e3;
            kit_add(k, "empty_block", "interval", "cycles", ns,
                    {{"threads", (double)threads}});
        }
    }
    samples one_ms;
    if (!run_events(k, (const void *)empty_kernel, 1, 32, 20, &one_ms))
        return false;
    for (double &v : one_ms)
        v *= 1e3;
    kit_add(k, "empty_kernel", "time", "us", one_ms);
    return true;
}

/* ---- barriers ----------------------------------------------------------- */

template <int LENGTH>
static __device__ __forceinline__ void time_barrier(op_output *out)
{
#pragma unroll 1
    for (int r = 0; r < ROUNDS; r++) {
        uint32_t t0, t1;

        __syncthreads();
        t0 = read_clock();
#pragma unroll
        for (int i = 0; i < LENGTH; i++)
            asm volatile("bar.sync 0;" ::: "memory");
        t1 = read_clock();
        out->begin[r][threadIdx.x / 32] = t0;
        out->end[r][threadIdx.x / 32] = t1;
    }
}

extern "C" __global__ void __launch_bounds__(1024)
    barrier32(const op_input *, op_output *out)
{
    time_barrier<32>(out);
}

extern "C" __global__ void __launch_bounds__(1024)
    barrier160(const op_input *, op_output *out)
{
    time_barrier<160>(out);
}

static bool section_barrier(kit *k, bench *b)
{
    for (int warps = 1; warps <= WARPS_MAX && !kit_late(k); warps++) {
        samples cycles;

        if (!run_difference(k, b, (const void *)barrier32,
                            (const void *)barrier160, warps, 128, &cycles))
            return false;
        kit_add(k, "bar_sync", "interval", "cycles", cycles,
                {{"warps", (double)warps}}, warps == 4 ? "barrier" : "",
                "barrier160");
    }
    return true;
}

/* ---- which warp issues after which -------------------------------------- */

enum {
    SCHEDULER_WARPS = 16,
    PIECES = 32, /* between two stamps of a warp */
    PIECE = 16,  /* independent instructions of a piece, then a wait */
};

struct scheduler_result {
    uint32_t stamp[SCHEDULER_WARPS][PIECES + 1];
    uint32_t sink[SCHEDULER_WARPS * 32];
};

/* Every warp has as much to do as the others, always ready within a piece;
 * between pieces it waits for a special function. */
extern "C" __global__ void scheduler_order(const op_input *in,
                                           scheduler_result *out)
{
    uint32_t warp = threadIdx.x / 32, stamp[PIECES + 1];
    float v[PIECE], fa = in->single[0], fb = in->single[1], w = fa;

#pragma unroll
    for (int i = 0; i < PIECE; i++)
        v[i] = fa + (float)i;
    __syncthreads();
    stamp[0] = read_clock();
#pragma unroll
    for (int p = 0; p < PIECES; p++) {
#pragma unroll
        for (int i = 0; i < PIECE; i++)
            asm volatile("fma.rn.f32 %0, %0, %1, %2;"
                         : "+f"(v[i])
                         : "f"(fa), "f"(w));
        stamp[p + 1] = read_clock();
        asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(w));
    }
#pragma unroll
    for (int i = 1; i < PIECE; i++)
        v[0] += v[i];
    if (threadIdx.x % 32 == 0) {
#pragma unroll
        for (int p = 0; p <= PIECES; p++)
            out->stamp[warp][p] = stamp[p];
    }
    out->sink[threadIdx.x] = __float_as_uint(v[0] + w + fb);
}

/* Mean position in time of a warp's stamps, in cycles since `origin`. */
static double mean_stamp(const scheduler_result &r, int warp, uint32_t origin)
{
    double sum = 0;

    for (int p = 1; p <= PIECES; p++)
        sum += (double)(int32_t)(r.stamp[warp][p] - origin);
    return sum / PIECES;
}

/* Records each warp's mean and last stamp and a reading of them: do old or
 * young warps come first, and does a warp keep issuing once it has begun? */
static void judge_order(kit *k, const scheduler_result &r, int schedulers)
{
    int per = SCHEDULER_WARPS / schedulers, kept = 0, pieces = 0;
    double slope = 0, spread = 0, total = 0, first;
    uint32_t origin = r.stamp[0][0];

    for (int w = 0; w < SCHEDULER_WARPS; w++) {
        double last = (double)(int32_t)(r.stamp[w][PIECES] - origin);

        total = std::max(total, last);
        kit_add(k, "warp", "last_issue", "cycles", {last},
                {{"warp", (double)w}});
    }
    for (int s = 0; s < schedulers; s++) {
        double low = 1e30, high = 0;

        for (int i = 0; i < per; i++) {
            double m = mean_stamp(r, s + i * schedulers, origin);

            low = std::min(low, m);
            high = std::max(high, m);
            slope += m * (i - (per - 1) / 2.0);
        }
        spread += (high - low) / schedulers;
    }
    /* A piece that no other warp of its scheduler interrupted. */
    for (int w = 0; w < SCHEDULER_WARPS; w++) {
        for (int p = 1; p < PIECES; p++, pieces++) {
            bool alone = true;

            for (int o = w % schedulers; o < SCHEDULER_WARPS; o += schedulers) {
                for (int q = 1; q <= PIECES && o != w; q++)
                    alone &= (int32_t)(r.stamp[o][q] - r.stamp[w][p]) <= 0 ||
                             (int32_t)(r.stamp[o][q] - r.stamp[w][p + 1]) >= 0;
            }
            kept += alone;
        }
    }
    kit_add(k, "order", "spread", "part of the time",
            {total > 0 ? spread / total : 0});
    kit_add(k, "order", "uninterrupted", "part of the pieces",
            {(double)kept / pieces});
    first = total <= 0 || spread / total < 0.05 ? 3 : slope > 0 ? 1 : 2;
    kit_add(k, "order", "first", "1: old, 2: young, 3: together", {first});
}

static bool section_scheduler(kit *k, bench *b)
{
    int schedulers = k->arch == 60 ? 2 : 4;
    scheduler_result host, *out;

    CALL(k, cudaMalloc(&out, sizeof host));
    for (int i = 0; i < 3; i++) {
        CALL(k, launch((const void *)scheduler_order, 1, 32 * SCHEDULER_WARPS,
                       (const op_input *)b->in, out));
        CALL(k, cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
    }
    CALL(k, cudaFree(out));
    judge_order(k, host, schedulers);
    return true;
}

static void expect_chip(std::vector<expectation> *all)
{
    all->push_back({"barrier32", "BAR", 30, 32, false});
    all->push_back({"barrier160", "BAR", 30, 160, false});
    all->push_back({"scheduler_order", "FFMA", 30, PIECES * PIECE, false});
}
