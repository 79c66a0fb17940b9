/*
 * A CUDA program without nvcc: what nvcc 13 makes of a host file, written out,
 * around tests/fixtures/exec.fatbin.  Wrapper and calls are those of a compiled
 * program (checked with nm -D and a logging library); the kernels are in
 * tests/fixtures/exec.cu.
 *
 *   program WHAT   runs one of the tests below; 0: its results are right
 *   program fault-heard N   by which call: program_faults.c
 */
#define _GNU_SOURCE /* syscall */
#include "tests/cli/program.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int failures;

enum {
    N = 1000
};

/* y = 3 x + 4: variables set by the host, counted on the device. */
static void run_scale(float *x, float *y, const float *host_x, float *host_y,
                      int launches)
{
    float set[2] = {3, 4};
    int n = N, count = 7;
    void *args[] = {&x, &y, &n};

    CHECK(cudaMemcpyToSymbol(factor, set, sizeof set, 0, TO_DEVICE) == 0);
    CHECK(cudaMemcpyToSymbol(factor, set, 4, 8, TO_DEVICE) == 1);
    CHECK(cudaGetLastError() == 1);
    CHECK(cudaMemcpyToSymbol(&n, set, 4, 0, TO_DEVICE) == 13);
    CHECK(cudaMemcpy(x, host_x, N * 4, TO_DEVICE) == 0);
    for (int i = 0; i < launches; i++)
        CHECK(launch(scale, 4, 256, 0, args) == 0);
    CHECK(cudaDeviceSynchronize() == 0);
    CHECK(cudaMemcpy(host_y, y, N * 4, TO_HOST) == 0);
    for (int i = 0; i < N; i++)
        CHECK(host_y[i] == 3 * host_x[i] + 4);
    CHECK(cudaMemcpyFromSymbol(&count, &counter, 4, 0, TO_HOST) == 0);
    CHECK(count == launches * N);
}

static void test_scale(void)
{
    float *x, *y, *host = malloc(2 * N * sizeof *host);
    size_t before, after, total;

    for (int i = 0; i < N; i++)
        host[i] = (float)i / 8;
    CHECK(cudaMemGetInfo(&before, &total) == 0);
    CHECK(cudaMalloc((void **)&x, N * 4) == 0);
    CHECK(cudaMalloc((void **)&y, N * 4) == 0);
    CHECK(cudaMemGetInfo(&after, &total) == 0);
    CHECK(before - after == 8 * N);
    run_scale(x, y, host, host + N, 3);
    CHECK(cudaMemset(y, 0x3f, 8) == 0);
    CHECK(cudaMemcpy(host, y, 8, TO_HOST) == 0);
    CHECK(memcmp(host, "\x3f\x3f\x3f\x3f\x3f\x3f\x3f\x3f", 8) == 0);
    /* beyond the end, from the wrong side, of nothing */
    CHECK(cudaMemcpy(y, host, 4 * N + 1, TO_DEVICE) == 1);
    CHECK(cudaMemcpy(host, host + N, 8, TO_DEVICE) == 1);
    CHECK(cudaMemcpy(y, host, 8, 9) == 21);
    CHECK(cudaFree(x) == 0);
    CHECK(cudaFree(x) == 1);
    CHECK(cudaFree(NULL) == 0);
    CHECK(cudaMemGetInfo(&after, &total) == 0);
    CHECK(before - after == 4 * N);
    CHECK(cudaMemcpy(x, host, 4, TO_DEVICE) == 1);
    CHECK(cudaGetLastError() == 1);
    CHECK(cudaGetLastError() == 0);
    free(host);
}

static void test_managed(void)
{
    float *x, *y;
    size_t pitch;
    char *rows, block[30];

    CHECK(cudaMallocManaged((void **)&x, N * 4, 1) == 0);
    CHECK(cudaMallocHost((void **)&y, N * 4) == 0);
    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    run_scale(x, y, x, y, 1);
    CHECK(cudaFree(x) == 0);
    CHECK(cudaFreeHost(y) == 0);
    CHECK(cudaMallocPitch((void **)&rows, &pitch, 10, 3) == 0);
    CHECK(pitch >= 10);
    for (int i = 0; i < 30; i++)
        block[i] = (char)i;
    CHECK(cudaMemcpy2D(rows, pitch, block, 10, 10, 3, TO_DEVICE) == 0);
    memset(block, 0, sizeof block);
    CHECK(cudaMemcpy2D(block, 10, rows, pitch, 10, 3, TO_HOST) == 0);
    for (int i = 0; i < 30; i++)
        CHECK(block[i] == i);
    CHECK(cudaMemcpy2D(rows, pitch, block, 5, 10, 3, TO_DEVICE) == 12);
}

static void test_variables(void)
{
    int *out, host[4], set = 50;
    void *args[] = {&out};

    CHECK(cudaMalloc((void **)&out, sizeof host) == 0);
    CHECK(launch(variables, 1, 1, 0, args) == 0);
    CHECK(cudaMemcpy(host, out, sizeof host, TO_HOST) == 0);
    CHECK(host[0] == 0 && host[1] == 40 && host[2] == 40 && host[3] == 0);
    CHECK(launch(variables, 1, 1, 0, args) == 0);
    CHECK(cudaMemcpy(host, out, sizeof host, TO_HOST) == 0);
    CHECK(host[1] == 41);
    CHECK(cudaMemcpyToSymbol(&start, &set, 4, 0, TO_DEVICE) == 0);
    CHECK(launch(variables, 1, 1, 0, args) == 0);
    CHECK(cudaMemcpy(host, out, sizeof host, TO_HOST) == 0);
    CHECK(host[1] == 50 && host[2] == 50);
}

static void test_parameters(void)
{
    struct {
        char tag;
        double value;
    } pair = {3, 0.25};
    char a = -1;
    short b = 100;
    long long c = 1LL << 40;
    double *out, host[2];
    void *args[] = {&a, &pair, &b, &c, &out};
    int *data, numbers[64];
    void *reversed[] = {&data};

    CHECK(cudaMalloc((void **)&out, sizeof host) == 0);
    CHECK(launch(mixed, 1, 2, 0, args) == 0);
    CHECK(cudaMemcpy(host, out, sizeof host, TO_HOST) == 0);
    CHECK(host[1] == -1 + 3 + 0.25 + 100 + (double)(1LL << 40));
    for (int i = 0; i < 64; i++)
        numbers[i] = i;
    CHECK(cudaMalloc((void **)&data, sizeof numbers) == 0);
    CHECK(cudaMemcpy(data, numbers, sizeof numbers, TO_DEVICE) == 0);
    CHECK(launch(reverse, 1, 64, 256, reversed) == 0);
    CHECK(cudaMemcpy(numbers, data, sizeof numbers, TO_HOST) == 0);
    for (int i = 0; i < 64; i++)
        CHECK(numbers[i] == 63 - i);
    /* more dynamic shared memory than a block gets unasked */
    CHECK(launch(reverse, 1, 64, 60000, reversed) == 1);
    CHECK(cudaFuncSetAttribute(reverse, 8, 60000) == 0);
    CHECK(launch(reverse, 1, 64, 60000, reversed) == 0);
    CHECK(cudaFuncSetAttribute(reverse, 8, 1 << 20) == 1);
}

/* Where L1 and shared memory are one, a kernel that prefers some of it has no more
 * blocks on an SM than that holds, but one at least. */
static void test_carveout(void)
{
    int all, some, one, preferred, *data;
    void *args[] = {&data};

    CHECK(cudaMalloc((void **)&data, 64 * sizeof *data) == 0);
    CHECK(cudaFuncSetAttribute(reverse, 8, 60000) == 0);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&all, reverse, 64,
                                                        20000) == 0);
    CHECK(all > 1);
    CHECK(cudaFuncSetAttribute(reverse, 9, 101) == 1);
    CHECK(cudaFuncSetAttribute(reverse, 9, 0) == 0);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&one, reverse, 64,
                                                        20000) == 0);
    CHECK(one == 1);
    CHECK(launch(reverse, 1, 64, 256, args) == 0);
    CHECK(cudaFuncSetAttribute(reverse, 9, 40) == 0);
    CHECK(launch(reverse, 1, 64, 256, args) == 0);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&some, reverse, 64,
                                                        20000) == 0);
    CHECK(some >= one && some <= all);
    CHECK(cudaFuncSetAttribute(reverse, 9, -1) == 0);
    CHECK(cudaFuncSetCacheConfig(reverse, 4) == 1);
    CHECK(cudaFuncSetCacheConfig(reverse, 2) == 0);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&some, reverse, 64,
                                                        20000) == 0);
    CHECK(some == one);
    CHECK(cudaFuncSetCacheConfig(reverse, 0) == 0);
    CHECK(cudaDeviceSetCacheConfig(2) == 0);
    CHECK(cudaDeviceGetCacheConfig(&preferred) == 0 && preferred == 2);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&some, reverse, 64,
                                                        20000) == 0);
    CHECK(some == one);
    CHECK(cudaDeviceSetCacheConfig(0) == 0);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&some, reverse, 64,
                                                        20000) == 0);
    CHECK(some == all);
    /* what no launch may have */
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&some, reverse, 64,
                                                        60001) == 0);
    CHECK(some == 0);
}

/* The same launch again and again, with changes between that it must see. */
static void test_repeats(void)
{
    struct {
        char tag;
        double value;
    } pair = {3, 0.25};
    char a = -1;
    short b = 100;
    long long c = 1LL << 40;
    double *out, host[2], want = -1 + 3 + 0.25 + 100 + (double)(1LL << 40);
    void *args[] = {&a, &pair, &b, &c, &out};

    CHECK(cudaMalloc((void **)&out, sizeof host) == 0);
    for (int round = 0; round < 6; round++) {
        for (int i = 0; i < 3; i++)
            CHECK(launch(mixed, 1, 2, 0, args) == 0);
        CHECK(cudaMemcpy(host, out, sizeof host, TO_HOST) == 0);
        CHECK(host[0] == want && host[1] == want);
        if (round < 2)
            CHECK(cudaMemset(out, 0, sizeof host) == 0);
        if (round == 3) {
            pair.value += 1;
            want += 1;
        }
        if (round == 4) {
            CHECK(cudaFree(out) == 0);
            CHECK(cudaMalloc((void **)&out, sizeof host) == 0);
        }
    }
}

/* Microseconds of a launch with blocks of that many threads, by events. */
static float time_blocks(void *function, int threads, int n, void **args)
{
    void *from = NULL, *to = NULL;
    float ms = -1;

    CHECK(cudaEventCreate(&from) == 0 && cudaEventCreate(&to) == 0);
    for (int i = 0; i < 2; i++) { /* the second one counts */
        CHECK(cudaEventRecord(from, NULL) == 0);
        CHECK(cuLaunchKernel(function, (unsigned)(n / threads), 1, 1,
                             (unsigned)threads, 1, 1, 0, NULL, args,
                             NULL) == 0);
        CHECK(cudaEventRecord(to, NULL) == 0);
        CHECK(cudaEventElapsedTime(&ms, from, to) == 0);
    }
    CHECK(cudaEventDestroy(from) == 0 && cudaEventDestroy(to) == 0);
    return ms * 1000;
}

/* A program that times itself: which size of blocks is the fastest? */
static void test_tune(void)
{
    static const int threads[] = {32, 256, 64};
    int n = 1 << 17, best = 0, bytes = 4 * n;
    void *module, *function, *a, *b, *c;
    void *args[] = {&a, &b, &c, &n};
    float least = 0;

    CHECK(cudaMalloc(&a, (size_t)bytes) == 0);
    CHECK(cudaMalloc(&b, (size_t)bytes) == 0);
    CHECK(cudaMalloc(&c, (size_t)bytes) == 0);
    CHECK(cuModuleLoad(&module, "tests/fixtures/kernels/k01_vecadd.fatbin") ==
          0);
    CHECK(cuModuleGetFunction(&function, module, "vecadd") == 0);
    for (int i = 0; i < 3; i++) {
        float us = time_blocks(function, threads[i], n, args);

        printf("%d threads: %.3f us\n", threads[i], (double)us);
        if (i == 0 || us < least) {
            least = us;
            best = threads[i];
        }
    }
    printf("best %d\n", best);
}

/* Like the layers of a network: the same launch on other buffers, again and again.
 * Events tell what each takes. */
static void test_layers(void)
{
    enum {
        LAYERS = 8,
        SIZE = 1 << 16
    };
    int n = SIZE;
    void *module, *function, *weights, *state[2], *event[LAYERS + 1];
    char *w;

    CHECK(cudaMalloc(&weights, LAYERS * SIZE * 4) == 0);
    CHECK(cudaMalloc(&state[0], SIZE * 4) == 0);
    CHECK(cudaMalloc(&state[1], SIZE * 4) == 0);
    CHECK(cuModuleLoad(&module, "tests/fixtures/kernels/k01_vecadd.fatbin") ==
          0);
    CHECK(cuModuleGetFunction(&function, module, "vecadd") == 0);
    w = weights;
    for (int i = 0; i <= LAYERS; i++)
        CHECK(cudaEventCreate(&event[i]) == 0);
    CHECK(cudaEventRecord(event[0], NULL) == 0);
    for (int i = 0; i < LAYERS; i++, w += SIZE * 4) {
        void *args[] = {&w, &state[i % 2], &state[1 - i % 2], &n};

        CHECK(cuLaunchKernel(function, SIZE / 256, 1, 1, 256, 1, 1, 0, NULL,
                             args, NULL) == 0);
        CHECK(cudaEventRecord(event[i + 1], NULL) == 0);
    }
    for (int i = 0; i < LAYERS; i++) {
        float ms;

        CHECK(cudaEventElapsedTime(&ms, event[i], event[i + 1]) == 0);
        printf("event %d to %d: %.4f us\n", i + 1, i + 2, (double)ms * 1000);
    }
    for (int i = 0; i <= LAYERS; i++)
        CHECK(cudaEventDestroy(event[i]) == 0);
}

/* A launch by itself, and behind one that fills L2; at last one like it on another
 * buffer.  Events tell what each takes. */
static void test_flushed(void)
{
    enum {
        LARGE = 1 << 19,
        SMALL = 1 << 16
    };
    static const char order[] = "kkkfkfkfkfl"; /* f fills */
    int large = LARGE, small = SMALL;
    void *module, *function, *a, *b, *c, *x, *other, *begin, *end;

    CHECK(cudaMalloc(&a, LARGE * 4) == 0 && cudaMalloc(&b, LARGE * 4) == 0);
    CHECK(cudaMalloc(&c, LARGE * 4) == 0 && cudaMalloc(&x, SMALL * 4) == 0);
    CHECK(cudaMalloc(&other, SMALL * 4) == 0);
    CHECK(cudaEventCreate(&begin) == 0 && cudaEventCreate(&end) == 0);
    CHECK(cuModuleLoad(&module, "tests/fixtures/kernels/k01_vecadd.fatbin") ==
          0);
    CHECK(cuModuleGetFunction(&function, module, "vecadd") == 0);
    for (const char *o = order; *o != '\0'; o++) {
        void *filling[] = {&a, &b, &c, &large};
        void *asked[] = {&x, &x, *o == 'l' ? &other : &x, &small};
        unsigned n = *o == 'f' ? LARGE : SMALL;
        float ms;

        CHECK(cudaEventRecord(begin, NULL) == 0);
        CHECK(cuLaunchKernel(function, n / 256, 1, 1, 256, 1, 1, 0, NULL,
                             *o == 'f' ? filling : asked, NULL) == 0);
        CHECK(cudaEventRecord(end, NULL) == 0);
        CHECK(cudaEventSynchronize(end) == 0);
        CHECK(cudaEventElapsedTime(&ms, begin, end) == 0);
        printf("%c %.4f\n", *o, (double)ms * 1000);
    }
    CHECK(cudaEventDestroy(begin) == 0 && cudaEventDestroy(end) == 0);
}

/* Of the machine's own clock and of those that a program reads. */
static double machine_us(void)
{
    struct timespec t;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double program_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double day_us(void)
{
    struct timeval t;

    gettimeofday(&t, NULL);
    return (double)t.tv_sec * 1e6 + (double)t.tv_usec;
}

/* Microseconds by events of launches, in turn in two streams. */
static float time_launches(void *const stream[2], int launches, void **args)
{
    void *from, *to;
    float ms = -1;

    CHECK(cudaEventCreate(&from) == 0 && cudaEventCreate(&to) == 0);
    CHECK(cudaEventRecord(from, stream[0]) == 0);
    for (int i = 0; i < launches; i++)
        CHECK(cudaLaunchKernel(scale, (struct dim3){4, 1, 1},
                               (struct dim3){256, 1, 1}, args, 0,
                               stream[i % 2]) == 0);
    CHECK(cudaEventRecord(to, stream[(launches - 1) % 2]) == 0);
    CHECK(cudaEventSynchronize(to) == 0);
    CHECK(cudaEventElapsedTime(&ms, from, to) == 0);
    CHECK(cudaEventDestroy(from) == 0 && cudaEventDestroy(to) == 0);
    return ms * 1000;
}

/* Clocks that a program times itself with: emulation is no time on them, what
 * the device and the link take is. */
static void test_clocks(void)
{
    enum {
        BYTES = 4 << 20
    };
    int n = N;
    float *x, *y, *host = calloc(1, BYTES);
    void *args[] = {&x, &y, &n}, *same[2] = {NULL, NULL}, *two[2];
    double machine, program, day;
    void *from = NULL, *to = NULL;
    clock_t spent;
    float one, many, copy = -1;

    CHECK(cudaMalloc((void **)&x, BYTES) == 0);
    CHECK(cudaMalloc((void **)&y, BYTES) == 0);
    CHECK(cudaStreamCreateWithFlags(&two[0], 1) == 0);
    CHECK(cudaStreamCreateWithFlags(&two[1], 1) == 0);
    time_launches(same, 3, args);
    machine = machine_us(), program = program_us(), day = day_us();
    spent = clock();
    one = time_launches(same, 1, args);
    many = time_launches(same, 21, args);
    machine = machine_us() - machine, program = program_us() - program;
    day = day_us() - day, spent = clock() - spent;
    CHECK(program >= (double)(one + many) && day >= (double)(one + many) - 1);
    CHECK(spent >= (clock_t)(one + many) - 1);
    CHECK(program < machine);
    printf("one %.3f us, another %.3f us\n", (double)one,
           (double)(many - one) / 20);
    CHECK(time_launches(two, 2, args) < time_launches(same, 2, args));

    /* events tell what the link took; the program's clock, the host's part, too */
    CHECK(cudaEventCreate(&from) == 0 && cudaEventCreate(&to) == 0);
    program = program_us();
    CHECK(cudaEventRecord(from, NULL) == 0);
    CHECK(cudaMemcpy(x, host, BYTES, TO_DEVICE) == 0);
    program = program_us() - program;
    CHECK(cudaEventRecord(to, NULL) == 0);
    CHECK(cudaEventElapsedTime(&copy, from, to) == 0);
    printf("copy %.0f us,\n", (double)copy * 1e3);
    CHECK(program >= (double)copy * 1e3 - 1);
    CHECK(cudaEventDestroy(from) == 0 && cudaEventDestroy(to) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(cudaStreamDestroy(two[i]) == 0);
    CHECK(cudaFree(x) == 0 && cudaFree(y) == 0);
    free(host);
}

static void test_device(void)
{
    int value, count, blocks, attributes[64];
    void *stream, *from = NULL, *to = NULL;
    float ms = -1, x = 1;
    int n = 0;
    void *args[] = {&n, &x};

    CHECK(cudaGetDeviceCount(&count) == 0 && count == 1);
    CHECK(cudaSetDevice(1) == 101);
    CHECK(cudaDeviceGetAttribute(&value, 16, 0) == 0);
    printf("SMs %d\n", value);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256,
                                                        0) == 0);
    printf("blocks per SM %d\n", blocks);
    CHECK(cudaFuncGetAttributes(attributes, scale) == 0);
    printf("threads of a block %d\n", attributes[6]);
    CHECK(cudaStreamCreate(&stream) == 0);
    CHECK(cudaEventCreate(&from) == 0 && cudaEventCreate(&to) == 0);
    CHECK(cudaEventElapsedTime(&ms, from, to) == 400);
    CHECK(cudaEventRecord(from, stream) == 0);
    CHECK(launch(greet, 1, 32, 0, args) == 0);
    CHECK(cudaEventRecord(to, stream) == 0);
    CHECK(cudaEventSynchronize(to) == 0);
    CHECK(cudaEventElapsedTime(&ms, from, to) == 0);
    CHECK(ms >= 0.001f && ms < 0.002f);
    CHECK(cudaEventDestroy(from) == 0 && cudaEventDestroy(to) == 0);
    CHECK(cudaStreamSynchronize(stream) == 0);
    CHECK(cudaStreamDestroy(stream) == 0);
    CHECK(strcmp(cudaGetErrorName(700), "cudaErrorIllegalAddress") == 0);
    CHECK(strcmp(cudaGetErrorString(2), "out of memory") == 0);
    CHECK(launch(greet, 1, 1025, 0, args) == 9);
    CHECK(launch(absent, 1, 1, 0, args) == 98);
    CHECK(cudaLaunchKernel(&ms, (struct dim3){1, 1, 1}, (struct dim3){1, 1, 1},
                           args, 0, NULL) == 98);
}

static void test_print(void)
{
    int n = 2;
    float x = 2.5f;
    void *args[] = {&n, &x};

    printf("before\n");
    CHECK(launch(greet, 1, 4, 0, args) == 0);
    CHECK(cudaDeviceSynchronize() == 0);
    printf("after\n");
}

static void test_unsupported(void)
{
    char handle_bytes[64];

    CHECK(cudaIpcGetMemHandle(handle_bytes, NULL) == NOT_SUPPORTED);
    CHECK(cudaDeviceSynchronize() == 0);
}

/* Host threads, each with memory of its own, launch at once. */
static void *reverse_often(void *wrong)
{
    int *data, numbers[64];
    void *args[] = {&data};
    intptr_t bad = 0;

    (void)wrong;
    bad += cudaMalloc((void **)&data, sizeof numbers) != 0;
    for (int i = 0; i < 64; i++)
        numbers[i] = i;
    bad += cudaMemcpy(data, numbers, sizeof numbers, TO_DEVICE) != 0;
    for (int i = 0; i < 11; i++)
        bad += launch(reverse, 1, 64, 256, args) != 0;
    bad += cudaMemcpy(numbers, data, sizeof numbers, TO_HOST) != 0;
    for (int i = 0; i < 64; i++)
        bad += numbers[i] != 63 - i;
    bad += cudaFree(data) != 0;
    return (void *)bad;
}

static void test_threads(void)
{
    pthread_t thread[4];
    void *bad;

    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&thread[i], NULL, reverse_often, NULL) == 0);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_join(thread[i], &bad) == 0 && bad == NULL);
}

/* What a program that dies has launched is there all the same. */
static void test_die(void)
{
    test_print();
    fflush(stdout);
    abort();
}

/* Two billion blocks that do nothing: longer than anybody waits. */
static void test_endless(void)
{
    const float *x = NULL;
    int n = 0;
    void *args[] = {&x, &x, &n};

    CHECK(cudaLaunchKernel(scale, (struct dim3){INT32_MAX, 1, 1},
                           (struct dim3){32, 1, 1}, args, 0, NULL) == 0);
    CHECK(cudaDeviceSynchronize() == 0);
}

static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
    {"scale", test_scale},
    {"managed", test_managed},
    {"variables", test_variables},
    {"parameters", test_parameters},
    {"carveout", test_carveout},
    {"repeats", test_repeats},
    {"tune", test_tune},
    {"layers", test_layers},
    {"flushed", test_flushed},
    {"clocks", test_clocks},
    {"beside", test_beside},
    {"pages", test_pages},
    {"host_memory", test_host_memory},
    {"device", test_device},
    {"print", test_print},
    {"fault", test_fault},
    {"fault-blocking", test_fault_blocking},
    {"host-stack", test_host_stack},
    {"host-heap", test_host_heap},
    {"host-static", test_host_static},
    {"assert", test_assert},
    {"forever", test_forever},
    {"unsupported", test_unsupported},
    {"driver", test_driver},
    {"threads", test_threads},
    {"cooperative", test_cooperative},
    {"clusters", test_clusters},
    {"textures", test_textures},
    {"surfaces", test_surfaces},
    {"die", test_die},
    {"endless", test_endless},
};

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "fault-heard") == 0) {
        test_fault_heard(atoi(argv[2]));
        return failures != 0;
    }
    for (size_t i = 0; argc > 1 && i < sizeof tests / sizeof tests[0]; i++) {
        if (strcmp(tests[i].name, argv[1]) == 0) {
            tests[i].run();
            return argc > 2 ? atoi(argv[2]) : failures != 0;
        }
    }
    return 99;
}
