/*
 * Running timed kernels: buffers, launches, and the difference of two lengths.
 */
#pragma once
#include "ops.cuh"
#include "report.cuh"

enum {
    LAUNCHES = 3, /* of each kernel; ROUNDS - 1 samples each */
};

struct bench {
    op_input *in;   /* device */
    op_output *out; /* device */
    op_output host;
};

static bool bench_init(kit *k, bench *b)
{
    const op_input in = {{0x3c003c01, 0x01020304, 7, 0}, {1.0f, 0.5f}, {1, .5}};
    uint32_t words[64];

    for (uint32_t i = 0; i < 64; i++)
        words[i] = 4 * i;
    CALL(k, cudaMalloc(&b->in, sizeof in));
    CALL(k, cudaMalloc(&b->out, sizeof *b->out));
    CALL(k, cudaMemcpy(b->in, &in, sizeof in, cudaMemcpyHostToDevice));
    CALL(k, cudaMemcpyToSymbol(constant_words, words, sizeof words));
    return true;
}

template <typename... A>
static cudaError_t launch(const void *kernel, unsigned blocks, unsigned threads,
                          A... argument)
{
    void *arguments[] = {(void *)&argument..., nullptr};

    return cudaLaunchKernel(kernel, dim3(blocks), dim3(threads), arguments, 0,
                            nullptr);
}

/* Cycles of each round but the first: from the first warp's begin to the last
 * warp's end. */
template <typename... A>
static bool run_rounds(kit *k, bench *b, const void *kernel, int warps,
                       samples *spans, A... argument)
{
    CALL(k, launch(kernel, 1, 32 * warps, (const op_input *)b->in, b->out,
                   argument...));
    CALL(k, cudaMemcpy(&b->host, b->out, offsetof(op_output, sink),
                       cudaMemcpyDeviceToHost));
    for (int r = 1; r < ROUNDS; r++) {
        uint32_t origin = b->host.begin[r][0];
        int32_t first = 0, last = 0;

        /* The clock is 32 bits wide and may turn over. */
        for (int w = 0; w < warps; w++) {
            first = std::min(first, (int32_t)(b->host.begin[r][w] - origin));
            last = std::max(last, (int32_t)(b->host.end[r][w] - origin));
        }
        spans->push_back((double)last - first);
    }
    return true;
}

/* Cycles per instruction of the steps that `longer` has more than `shorter`,
 * `more` of them. */
template <typename... A>
static bool run_difference(kit *k, bench *b, const void *shorter,
                           const void *longer, int warps, int more,
                           samples *cycles, A... argument)
{
    for (int i = 0; i < LAUNCHES; i++) {
        samples s, l;

        if (!run_rounds(k, b, shorter, warps, &s, argument...) ||
            !run_rounds(k, b, longer, warps, &l, argument...))
            return false;
        for (size_t r = 0; r < s.size(); r++)
            cycles->push_back((l[r] - s[r]) / more);
    }
    return true;
}

/* Milliseconds of each of `times` launches after one that warms up. */
template <typename... A>
static bool run_events(kit *k, const void *kernel, unsigned blocks,
                       unsigned threads, int times, samples *ms, A... argument)
{
    cudaEvent_t begin, end;

    CALL(k, cudaEventCreate(&begin));
    CALL(k, cudaEventCreate(&end));
    for (int i = 0; i <= times; i++) {
        float t = 0;

        CALL(k, cudaEventRecord(begin));
        CALL(k, launch(kernel, blocks, threads, argument...));
        CALL(k, cudaEventRecord(end));
        CALL(k, cudaEventSynchronize(end));
        CALL(k, cudaEventElapsedTime(&t, begin, end));
        if (i > 0)
            ms->push_back(t);
    }
    CALL(k, cudaEventDestroy(begin));
    CALL(k, cudaEventDestroy(end));
    return true;
}

/* rate = amount / time, for each time */
static samples rates(double amount, const samples &times)
{
    samples out;

    for (double t : times)
        out.push_back(t > 0 ? amount / t : 0);
    return out;
}
