/*
 * A program in several streams that times itself by events: launches, copies
 * and waits beside each other, and a graph.
 */
#include "tests/cli/program.h"

#include <string.h>

int cudaHostAlloc(void **host, size_t bytes, unsigned flags);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                    void *stream);
int cudaStreamCreateWithPriority(void **stream, unsigned flags, int priority);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaStreamQuery(void *stream);
int cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *exec, void *stream);

enum {
    EVENTS = 8
};

/* Launches, copies, waits and a graph in two streams beside each other; says
 * how long after the first event the others were recorded. */
void test_beside(void)
{
    int n = 1 << 17;
    void *module, *function, *a, *b, *c, *d, *host, *s[2], *e[EVENTS];
    void *first[] = {&a, &b, &c, &n}, *second[] = {&a, &b, &d, &n};
    void *graph, *exec;
    size_t bytes = (size_t)4 * n;

    CHECK(cudaMalloc(&a, bytes) == 0 && cudaMalloc(&b, bytes) == 0);
    CHECK(cudaMalloc(&c, bytes) == 0 && cudaMalloc(&d, bytes) == 0);
    CHECK(cudaHostAlloc(&host, bytes, 0) == 0);
    memset(host, 0, bytes);
    CHECK(cuModuleLoad(&module, "tests/fixtures/kernels/k01_vecadd.fatbin") ==
          0);
    CHECK(cuModuleGetFunction(&function, module, "vecadd") == 0);
    for (int i = 0; i < EVENTS; i++)
        CHECK(cudaEventCreate(&e[i]) == 0);
    CHECK(cudaStreamCreateWithFlags(&s[0], 1) == 0);
    CHECK(cudaStreamCreateWithPriority(&s[1], 0, -1) == 0);
#define ADD(stream, args)                                                 \
    CHECK(cuLaunchKernel(function, (unsigned)n / 256, 1, 1, 256, 1, 1, 0, \
                         stream, args, NULL) == 0)
    CHECK(cudaStreamBeginCapture(s[0], 0) == 0);
    CHECK(cudaEventRecord(e[7], s[0]) == 0);
    CHECK(cudaStreamWaitEvent(s[1], e[7], 0) == 0);
    ADD(s[0], first);
    ADD(s[1], second);
    CHECK(cudaEventRecord(e[7], s[1]) == 0);
    CHECK(cudaStreamWaitEvent(s[0], e[7], 0) == 0);
    CHECK(cudaStreamEndCapture(s[0], &graph) == 0);
    CHECK(cudaGraphInstantiate(&exec, graph, 0) == 0);

    CHECK(cudaEventRecord(e[0], s[0]) == 0);
    for (int i = 0; i < 3; i++) {
        ADD(s[0], first);
        ADD(s[1], second);
    }
    CHECK(cudaEventRecord(e[1], s[0]) == 0);
    CHECK(cudaEventRecord(e[2], s[1]) == 0);
    CHECK(cudaMemcpyAsync(a, host, bytes, TO_DEVICE, s[0]) == 0);
    CHECK(cudaEventRecord(e[3], s[0]) == 0);
    CHECK(cudaStreamWaitEvent(s[1], e[3], 0) == 0);
    ADD(s[0], first);
    ADD(s[1], second);
    CHECK(cudaEventRecord(e[4], s[1]) == 0);
    CHECK(cudaGraphLaunch(exec, s[0]) == 0);
    CHECK(cudaMemcpyAsync(host, c, bytes, TO_HOST, s[0]) == 0);
    CHECK(cudaEventRecord(e[5], s[0]) == 0);
    CHECK(cudaMemcpy(host, d, bytes, TO_HOST) == 0);
    CHECK(cudaEventRecord(e[6], NULL) == 0);
    CHECK(cudaStreamQuery(s[1]) == 0);
    for (int i = 1; i < 7; i++) {
        float ms = -1;

        CHECK(cudaEventElapsedTime(&ms, e[0], e[i]) == 0);
        printf("event %d at %.4f us\n", i + 1, (double)ms * 1000);
    }
#undef ADD
}
