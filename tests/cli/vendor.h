/*
 * What the programs that call a vendor's library share (tests/cli/cublas.c and
 * so on).  They are compiled where there is no CUDA: of its API each declares
 * what it needs.
 */
#ifndef TEG_TESTS_CLI_VENDOR_H
#define TEG_TESTS_CLI_VENDOR_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int cudaMalloc(void **p, size_t bytes);
int cudaFree(void *p);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaDeviceSynchronize(void);
int cudaStreamCreate(void **stream);
int cudaStreamDestroy(void *stream);
int cudaStreamSynchronize(void *stream);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *exec, void *stream);
int cudaGraphExecDestroy(void *exec);
int cudaGraphDestroy(void *graph);

enum { /* cudaMemcpyKind */
    TO_DEVICE = 1,
    TO_HOST = 2,
};

static inline int failed(const char *what, double got, double want)
{
    fprintf(stderr, "%s: expected %.9g, found %.9g\n", what, want, got);
    return 1;
}

/* The same 31 bits, one after the other, in every run. */
static inline uint32_t bits_drawn(void)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

/* A number from -most to most. */
static inline double drawn(double most)
{
    return bits_drawn() / (double)(1u << 30) * most - most;
}

#endif
