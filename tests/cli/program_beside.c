/*
 * A program in several streams that times itself by events: launches, copies
 * and waits beside each other, and a graph.  And one with managed memory.
 */
#include "tests/cli/program.h"

#include <string.h>

struct location {
    int type, id;
};

int cudaMemPrefetchAsync(const void *address, size_t bytes,
                         struct location where, unsigned flags, void *stream);
int cudaMemAdvise(const void *address, size_t bytes, int advice,
                  struct location where);
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
int cudaGraphExecDestroy(void *exec);
int cudaGraphDestroy(void *graph);

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
    for (int i = 0; i < EVENTS; i++)
        CHECK(cudaEventDestroy(e[i]) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(cudaStreamDestroy(s[i]) == 0);
    CHECK(cudaGraphExecDestroy(exec) == 0 && cudaGraphDestroy(graph) == 0);
    CHECK(cudaFreeHost(host) == 0);
}

/* A kernel that reads and writes memory of the host's. */
void test_host_memory(void)
{
    int n = 256;
    float *x, *y;
    void *args[] = {&x, &y, &n};

    CHECK(cudaHostAlloc((void **)&x, 1024, 0) == 0);
    CHECK(cudaHostAlloc((void **)&y, 1024, 0) == 0);
    for (int i = 0; i < n; i++)
        x[i] = 1;
    CHECK(launch(scale, 1, 256, 0, args) == 0);
    CHECK(cudaDeviceSynchronize() == 0);
    CHECK(y[255] == 3);
    CHECK(cudaFreeHost(x) == 0 && cudaFreeHost(y) == 0);
}

/* Managed memory of four pages of 64 KB: which move with a launch, which by a
 * prefetch. */
void test_pages(void)
{
    enum {
        ON_DEVICE = 1,
        ON_HOST = 2,
        READ_MOSTLY = 1,
        PREFER = 3,
        PAGES = 4,
        FLOATS = 16384 /* of a page */
    };
    static const struct location device = {ON_DEVICE, 0}, host = {ON_HOST, 0};
    float *x, *y;
    int n = 2 * FLOATS;
    size_t bytes = (size_t)4 * PAGES * FLOATS;
    void *args[] = {&x, &y, &n};

    CHECK(cudaMallocManaged((void **)&x, bytes, 1) == 0);
    CHECK(cudaMallocManaged((void **)&y, bytes, 1) == 0);
    for (int i = 0; i < PAGES * FLOATS; i++)
        x[i] = 1;
    /* two pages of x; those of y nobody has touched */
    CHECK(launch(scale, 2 * FLOATS / 256, 256, 0, args) == 0);
    /* none */
    CHECK(launch(scale, 2 * FLOATS / 256, 256, 0, args) == 0);
    CHECK(cudaDeviceSynchronize() == 0);
    /* the one that the host has written */
    y[FLOATS] = 7;
    CHECK(launch(scale, 2 * FLOATS / 256, 256, 0, args) == 0);
    CHECK(y[FLOATS] == 3);
    /* the two of x that are not there yet; the two of y that are */
    CHECK(cudaMemPrefetchAsync(x, bytes, device, 0, NULL) == 0);
    CHECK(cudaMemPrefetchAsync(y, bytes, host, 0, NULL) == 0);
    /* three: x's first, and of y, where they were */
    CHECK(cudaMemAdvise(x, bytes, READ_MOSTLY, device) == 0);
    x[0] = 5;
    CHECK(launch(scale, 2 * FLOATS / 256, 256, 0, args) == 0);
    /* y stays with the host, x's first has to come again */
    CHECK(cudaMemAdvise(y, bytes, PREFER, host) == 0);
    CHECK(cudaMemPrefetchAsync(y, bytes, host, 0, NULL) == 0);
    x[1] = 5;
    CHECK(launch(scale, 2 * FLOATS / 256, 256, 0, args) == 0);
    CHECK(y[0] == 7 && y[1] == 7 && y[2] == 3);
    CHECK(cudaFree(x) == 0 && cudaFree(y) == 0);
}
