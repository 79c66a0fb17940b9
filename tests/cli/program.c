/*
 * A CUDA program without nvcc: what nvcc 13 makes of a host file, written out,
 * around tests/fixtures/exec.fatbin.  Wrapper and calls are those of a compiled
 * program (checked with nm -D and a logging library); the kernels are in
 * tests/fixtures/exec.cu.
 *
 *   program WHAT   runs one of the tests below; 0: its results are right
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the runtime, as a program declares it ---------------------------------- */

struct dim3 {
    uint32_t x, y, z;
};

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *name,
                            const char *name2, int limit, void *a, void *b,
                            void *c, void *d, int *e);
void __cudaRegisterVar(void **handle, char *host, char *address,
                       const char *name, int external, size_t bytes,
                       int constant, int global);
unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block,
                                     size_t shared, void *stream);
int __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block,
                               size_t *shared, void *stream);
int __cudaGetKernel(void **kernel, const void *host);
int __cudaLaunchKernel(void *kernel, struct dim3 grid, struct dim3 block,
                       void **args, size_t shared, void *stream);
int cudaLaunchKernel(const void *host, struct dim3 grid, struct dim3 block,
                     void **args, size_t shared, void *stream);
int cudaMalloc(void **address, size_t bytes);
int cudaMallocManaged(void **address, size_t bytes, unsigned flags);
int cudaMallocHost(void **address, size_t bytes);
int cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height);
int cudaFree(void *address);
int cudaFreeHost(void *address);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                 size_t width, size_t height, int kind);
int cudaMemset(void *to, int value, size_t bytes);
int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                       size_t offset, int kind);
int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                         size_t offset, int kind);
int cudaMemGetInfo(size_t *left, size_t *total);
int cudaDeviceSynchronize(void);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
const char *cudaGetErrorString(int error);
const char *cudaGetErrorName(int error);
int cudaStreamCreate(void **stream);
int cudaStreamSynchronize(void *stream);
int cudaStreamDestroy(void *stream);
int cudaEventCreate(void **event);
int cudaEventDestroy(void *event);
int cudaEventRecord(void *event, void *stream);
int cudaEventSynchronize(void *event);
int cudaEventElapsedTime(float *ms, void *from, void *to);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaGetDeviceCount(int *count);
int cudaSetDevice(int device);
int cudaFuncSetAttribute(const void *host, int attribute, int value);
int cudaFuncGetAttributes(void *attributes, const void *host);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host,
                                                  int threads, size_t dynamic);
int cudaLaunchCooperativeKernel(const void *host, struct dim3 grid,
                                struct dim3 block, void **args, size_t shared,
                                void *stream);

struct launch_attribute {
    int id, pad;
    union {
        int number;
        struct dim3 shape;
        char bytes[64];
    } value;
};

struct launch_config {
    struct dim3 grid, block;
    size_t shared;
    void *stream;
    struct launch_attribute *attribute;
    unsigned attributes;
};

struct driver_launch_config {
    struct dim3 grid, block;
    unsigned shared;
    void *stream;
    struct launch_attribute *attribute;
    unsigned attributes;
};

int cudaLaunchKernelExC(const struct launch_config *config, const void *host,
                        void **args);
int cudaOccupancyMaxActiveClusters(int *clusters, const void *host,
                                   const struct launch_config *config);
int cudaOccupancyMaxPotentialClusterSize(int *blocks, const void *host,
                                         const struct launch_config *config);
int cuLaunchKernelEx(const struct driver_launch_config *config, void *function,
                     void **args, void **extra);
struct channel {
    int x, y, z, w, kind;
};

struct extent {
    size_t width, height, depth;
};

struct resource {
    int type;
    union {
        void *array;
        struct {
            void *data;
            struct channel channel;
            size_t bytes;
        } linear;
        struct {
            void *data;
            struct channel channel;
            size_t width, height, pitch;
        } pitched;
        int reserved[32];
    } of;
    unsigned flags;
};

struct texture {
    int mode[3], filter, fractions, srgb;
    float border[4];
    int relative, rest[7];
};

struct copy3d {
    void *from_array;
    size_t from_at[3];
    struct {
        const void *data;
        size_t pitch, width, height;
    } from;
    void *to_array;
    size_t to_at[3];
    struct {
        void *data;
        size_t pitch, width, height;
    } to;
    struct extent extent;
    int kind;
};

struct channel cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
int cudaMallocArray(void **array, const struct channel *channel, size_t width,
                    size_t height, unsigned flags);
int cudaMalloc3DArray(void **array, const struct channel *channel,
                      struct extent extent, unsigned flags);
int cudaFreeArray(void *array);
int cudaArrayGetInfo(struct channel *channel, struct extent *extent,
                     unsigned *flags, void *array);
int cudaMemcpy2DToArray(void *to, size_t x, size_t y, const void *from,
                        size_t pitch, size_t width, size_t height, int kind);
int cudaMemcpy2DFromArray(void *to, size_t pitch, const void *from, size_t x,
                          size_t y, size_t width, size_t height, int kind);
int cudaMemcpyToArray(void *to, size_t x, size_t y, const void *from,
                      size_t bytes, int kind);
int cudaMemcpy3D(const struct copy3d *copy);
int cudaCreateTextureObject(uint64_t *handle, const struct resource *resource,
                            const struct texture *how, const void *view);
int cudaDestroyTextureObject(uint64_t handle);
int cudaCreateSurfaceObject(uint64_t *handle, const struct resource *resource);
int cudaDestroySurfaceObject(uint64_t handle);
int cudaIpcGetMemHandle(void *handle, void *address);
int cudaGetDriverEntryPoint(const char *symbol, void **function,
                            unsigned long long flags, int *status);

int cuInit(unsigned flags);
int cuDeviceGet(int *device, int number);
int cuDeviceGetUuid_v2(char uuid[16], int device);
int cuLogsRegisterCallback(void *function, void *user, void **handle);
int cuLogsUnregisterCallback(void *handle);
int cuLogsDumpToMemory(uint32_t *entry, char *to, size_t *bytes,
                       unsigned flags);
int cuGetErrorName(int error, const char **name);
int cuGetErrorString(int error, const char **text);
int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuModuleLoad(void **module, const char *path);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, void *module,
                         const char *name);
int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuMemFree_v2(uint64_t address);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuMemsetD32_v2(uint64_t to, unsigned value, size_t count);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **args, void **extra);

enum {
    TO_DEVICE = 1,
    TO_HOST = 2,
    NOT_SUPPORTED = 801,
    ILLEGAL_ADDRESS = 700,
};

/* ---- device code and its registration ------------------------------------------ */

__asm__(".pushsection .nv_fatbin, \"a\"\n"
        ".balign 8\n"
        "program_fatbin: .incbin \"tests/fixtures/exec.fatbin\"\n"
        ".popsection\n");
extern const char program_fatbin[] __attribute__((visibility("hidden")));

static struct {
    uint32_t magic, version;
    const void *fatbin;
    void *rest;
} wrapper __attribute__((section(".nvFatBinSegment"))) = {0x466243B1, 1,
                                                          program_fatbin, NULL};

/* A kernel's host side: its address is the kernel's name to the runtime. */
#define KERNEL(name) static const char name[] = #name;
KERNEL(scale)
KERNEL(variables)
KERNEL(mixed)
KERNEL(greet)
KERNEL(heap)
KERNEL(claim)
KERNEL(beyond)
KERNEL(reverse)
KERNEL(absent)

static int counter, start;
static float factor[2];
static void **handle;

static void unregister(void)
{
    __cudaUnregisterFatBinary(handle);
}

static void add_variable(void *host, const char *name, size_t bytes,
                         int constant)
{
    char copy[16];

    snprintf(copy, sizeof copy, "%s", name);
    __cudaRegisterVar(handle, host, copy, name, 0, bytes, constant, 0);
}

__attribute__((constructor)) static void register_all(void)
{
    static const char *const kernels[] = {
        scale, variables, mixed, greet, heap, claim, beyond, reverse, absent};
    char name[16];

    handle = __cudaRegisterFatBinary(&wrapper);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        snprintf(name, sizeof name, "%s", kernels[i]);
        __cudaRegisterFunction(handle, kernels[i], name, kernels[i], -1, NULL,
                               NULL, NULL, NULL, NULL);
    }
    add_variable(&counter, "counter", sizeof counter, 0);
    add_variable(&start, "start", sizeof start, 0);
    add_variable(factor, "factor", sizeof factor, 1);
    __cudaRegisterFatBinaryEnd(handle);
    atexit(unregister);
}

/* k<<<grid, block, shared>>>(args...), as the compiler writes it. */
static int launch(const char *kernel, uint32_t grid, uint32_t block,
                  size_t shared, void **args)
{
    struct dim3 g = {grid, 1, 1}, b = {block, 1, 1};
    void *made, *stream;

    if (__cudaPushCallConfiguration(g, b, shared, NULL) != 0)
        return 1;
    if (__cudaGetKernel(&made, kernel) != 0)
        return cudaPeekAtLastError();
    if (__cudaPopCallConfiguration(&g, &b, &shared, (void *)&stream) != 0)
        return 1;
    return __cudaLaunchKernel(made, g, b, args, shared, stream);
}

/* ---- tests -------------------------------------------------------------------------- */

static int failures;

#define CHECK(condition)                                   \
    do {                                                   \
        if (!(condition)) {                                \
            printf("line %d: %s\n", __LINE__, #condition); \
            failures++;                                    \
        }                                                  \
    } while (0)

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
    printf("after\n");
}

/* A fault stays. */
static void test_fault(void)
{
    int *out, n = 100;
    void *args[] = {&out, &n}, *more;

    CHECK(cudaMalloc((void **)&out, 400) == 0);
    CHECK(launch(beyond, 1, 32, 0, args) == ILLEGAL_ADDRESS);
    CHECK(cudaDeviceSynchronize() == ILLEGAL_ADDRESS);
    CHECK(cudaMalloc(&more, 4) == ILLEGAL_ADDRESS);
    CHECK(cudaGetLastError() == ILLEGAL_ADDRESS);
    CHECK(cudaGetLastError() == ILLEGAL_ADDRESS);
}

static void test_assert(void)
{
    int n = 3;
    void *args[] = {&n};

    CHECK(launch(claim, 1, 4, 0, args) == 710);
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

/* The driver's own calls: a cubin and a fatbin loaded by name and by address. */
static void test_driver(void)
{
    int device, host[64], status = 9;
    char uuid[16];
    const char *text = NULL;
    void *context, *module, *function, *asked = NULL;
    uint64_t data, variable;
    size_t bytes;
    void *args[] = {&data};
    struct {
        uint64_t data;
    } packed;
    size_t packed_size = sizeof packed;
    void *extra[] = {(void *)1, &packed, (void *)2, &packed_size, NULL};

    CHECK(cuInit(0) == 0);
    CHECK(cuDeviceGet(&device, 1) == 101);
    CHECK(cuDeviceGet(&device, 0) == 0);
    CHECK(cuDeviceGetUuid_v2(uuid, device) == 0);
    CHECK(memchr(uuid, 0, sizeof uuid) == NULL);
    CHECK(cuGetErrorName(700, &text) == 0);
    CHECK(strcmp(text, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0);
    CHECK(cuGetErrorString(700, &text) == 0);
    CHECK(strcmp(text, "an illegal memory access was encountered") == 0);
    CHECK(cuLogsRegisterCallback(uuid, NULL, &context) == 0);
    CHECK(cuLogsUnregisterCallback(context) == 0);
    bytes = sizeof uuid;
    CHECK(cuLogsDumpToMemory(NULL, uuid, &bytes, 0) == 0 && bytes == 0);
    CHECK(cuLogsDumpToMemory(NULL, uuid, &bytes, 0) == 1);
    /* A number of the runtime's alone. */
    CHECK(cuGetErrorName(9, &text) == 1 && text == NULL);
    CHECK(cuCtxCreate_v2(&context, 0, device) == 0);
    CHECK(cuModuleLoad(&module, "tests/fixtures/exec.sm_80.cubin") == 0);
    CHECK(cuModuleGetFunction(&function, module, "nothing") == 500);
    CHECK(cuModuleGetFunction(&function, module, "reverse") == 0);
    CHECK(cuModuleGetGlobal_v2(&variable, &bytes, module, "start") == 0);
    CHECK(bytes == 4);
    CHECK(cuMemcpyDtoH_v2(host, variable, 4) == 0 && host[0] == 40);
    CHECK(cuMemAlloc_v2(&data, sizeof host) == 0);
    CHECK(cuMemsetD32_v2(data, 7, 64) == 0);
    CHECK(cuMemcpyDtoH_v2(host, data, sizeof host) == 0 && host[63] == 7);
    for (int i = 0; i < 64; i++)
        host[i] = i;
    CHECK(cuMemcpyHtoD_v2(data, host, sizeof host) == 0);
    CHECK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 256, NULL, args, NULL) ==
          0);
    CHECK(cuMemcpyDtoH_v2(host, data, sizeof host) == 0);
    CHECK(host[0] == 63 && host[63] == 0);
    CHECK(cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, NULL, args, NULL) ==
          1);
    CHECK(cuModuleLoadData(&module, program_fatbin) == 0);
    CHECK(cuModuleGetFunction(&function, module, "reverse") == 0);
    packed.data = data;
    CHECK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 256, NULL, NULL, extra) ==
          0);
    CHECK(cuMemcpyDtoH_v2(host, data, sizeof host) == 0);
    CHECK(host[0] == 0 && host[63] == 63);
    CHECK(cuMemFree_v2(data) == 0);
    CHECK(cuModuleLoad(&module, "nosuch.cubin") == 301);
    CHECK(cudaGetDriverEntryPoint("cuMemAlloc", &asked, 0, &status) == 0);
    CHECK(asked != NULL && status == 0);
    CHECK(cudaGetDriverEntryPoint("cuNoSuchCall", &asked, 0, &status) == 0);
    CHECK(asked == NULL && status == 1);
}

static void *load(const char *file, const char *kernel)
{
    void *module, *function = NULL;

    CHECK(cuModuleLoad(&module, file) == 0);
    CHECK(cuModuleGetFunction(&function, module, kernel) == 0);
    return function;
}

/* Blocks that wait for each other: all of the grid. */
static void test_cooperative(void)
{
    void *shares = load("tests/fixtures/kernels/k33_grid.fatbin", "shares");
    struct launch_attribute cooperative = {.id = 2, .value.number = 1};
    struct driver_launch_config config = {.grid = {5, 1, 1},
                                          .block = {64, 1, 1},
                                          .attribute = &cooperative,
                                          .attributes = 1};
    struct dim3 grid = {5, 1, 1}, block = {64, 1, 1};
    int *in, *partial, *out, host[320], value, sum = 0, blocks;
    void *args[] = {&in, &partial, &out};

    CHECK(cudaDeviceGetAttribute(&value, 95, 0) == 0 && value == 1);
    CHECK(cudaDeviceGetAttribute(&value, 16, 0) == 0);
    CHECK(cudaMalloc((void **)&in, sizeof host) == 0);
    CHECK(cudaMalloc((void **)&out, sizeof host) == 0);
    CHECK(cudaMalloc((void **)&partial, 20) == 0);
    for (int i = 0; i < 320; i++)
        sum += host[i] = 3 * i % 50;
    CHECK(cudaMemcpy(in, host, sizeof host, TO_DEVICE) == 0);
    CHECK(cudaLaunchCooperativeKernel(shares, grid, block, args, 0, NULL) == 0);
    CHECK(cudaMemcpy(host, out, sizeof host, TO_HOST) == 0);
    for (int i = 0; i < 320; i++)
        CHECK(host[i] == 3 * i % 50 * 1000 / sum);
    CHECK(cuLaunchKernelEx(&config, shares, args, NULL) == 0);
    /* as many as the occupancy query says, and one more */
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shares, 64,
                                                        0) == 0);
    grid.x = (unsigned)(value * blocks + 1);
    CHECK(cudaLaunchCooperativeKernel(shares, grid, block, args, 0, NULL) ==
          720);
}

/* Blocks of a cluster, where the GPU has them. */
static void test_clusters(void)
{
    void *ring;
    struct launch_attribute cluster = {.id = 4, .value.shape = {4, 1, 1}};
    struct launch_config config = {.grid = {8, 1, 1},
                                   .block = {64, 1, 1},
                                   .attribute = &cluster,
                                   .attributes = 1};
    int *in, *out, host[512], result[3], rounds = 3, value;
    void *args[] = {&in, &out, &rounds};

    CHECK(cudaDeviceGetAttribute(&value, 120, 0) == 0);
    if (value == 0) {
        void *shares = load("tests/fixtures/kernels/k33_grid.fatbin", "shares");

        CHECK(cudaLaunchKernelExC(&config, shares, args) == NOT_SUPPORTED);
        CHECK(cudaOccupancyMaxActiveClusters(&value, shares, &config) == 912);
        printf("no clusters\n");
        return;
    }
    ring = load("tests/fixtures/kernels/k32_cluster.fatbin", "ring");
    CHECK(cudaMalloc((void **)&in, sizeof host) == 0);
    CHECK(cudaMalloc((void **)&out, 3 * sizeof host) == 0);
    for (int i = 0; i < 512; i++)
        host[i] = 7 * i;
    CHECK(cudaMemcpy(in, host, sizeof host, TO_DEVICE) == 0);
    CHECK(cudaLaunchKernelExC(&config, ring, args) == 0);
    CHECK(cudaMemcpy(result, out, sizeof result, TO_HOST) == 0);
    CHECK(result[0] == 7 * 64 + 3 && result[1] == 13 && result[2] == 3);
    CHECK(cudaOccupancyMaxPotentialClusterSize(&value, ring, &config) == 0);
    CHECK(value == 8);
    CHECK(cudaOccupancyMaxActiveClusters(&value, ring, &config) == 0);
    printf("clusters at once %d\n", value);
    config.grid.x = 16;
    cluster.value.shape.x = 16;
    CHECK(cudaLaunchKernelExC(&config, ring, args) == 912);
    CHECK(cudaFuncSetAttribute(ring, 14, 1) == 0);
    config.grid.x = 8;
    CHECK(cudaLaunchKernelExC(&config, ring, args) == 912);
    cluster.value.shape.x = 3;
    CHECK(cudaLaunchKernelExC(&config, ring, args) == 912);
}

enum {
    IN_ARRAY = 0,
    IN_LINEAR = 2,
    IN_PITCHED = 3,
    LAYERED = 1,
    SURFACES = 2,
};

static const char *const texture_kernels =
    "tests/fixtures/kernels/k34_texture.fatbin";

/* Runs a sampling kernel at places {x, y, z, w}. */
static void sample(const char *kernel, uint64_t object, const float (*at)[4],
                   unsigned count, void *out, size_t bytes)
{
    void *places, *found, *function = load(texture_kernels, kernel);
    void *args[] = {&object, &places, &found};

    CHECK(cudaMalloc(&places, count * sizeof *at) == 0);
    CHECK(cudaMalloc(&found, count * bytes) == 0);
    CHECK(cudaMemcpy(places, at, count * sizeof *at, TO_DEVICE) == 0);
    CHECK(launch(function, 1, count, 0, args) == 0);
    CHECK(cudaMemcpy(out, found, count * bytes, TO_HOST) == 0);
    CHECK(cudaFree(places) == 0 && cudaFree(found) == 0);
}

/* Arrays, linear and pitched memory, seen as textures. */
static void test_textures(void)
{
    struct channel one = cudaCreateChannelDesc(32, 0, 0, 0, 2), asked;
    struct channel bad = {32, 8, 0, 0, 2}, whole = {32, 0, 0, 0, 0};
    struct texture how = {.mode = {1, 1, 1}};
    struct resource in = {.type = IN_ARRAY};
    static const float at[3][4] = {
        {1.5f, 2.5f, 1.5f, 1}, {9, 0.5f, 0.5f, 0}, {2, 2, 1, 7}};
    float host[3][4][5], pair[6], got[3];
    uint64_t object, other;
    void *array;
    size_t pitch;
    struct extent extent = {5, 4, 3};
    unsigned flags;
    struct copy3d copy = {.from = {host, 5 * sizeof(float), 5, 4},
                          .extent = {5, 4, 3},
                          .kind = TO_DEVICE};

    for (int i = 0; i < 60; i++)
        host[i / 20][i / 5 % 4][i % 5] = (float)(100 * (i / 20) + i % 20);
    /* a plane, in an array and in pitched memory */
    CHECK(cudaMallocArray(&array, &bad, 5, 4, 0) == 20);
    CHECK(cudaMallocArray(&array, &one, 5, 4, 0) == 0);
    CHECK(cudaMemcpy2DToArray(array, 0, 0, host, 20, 24, 4, TO_DEVICE) == 1);
    CHECK(cudaMemcpy2DToArray(array, 0, 0, host, 20, 20, 4, TO_DEVICE) == 0);
    in.of.array = array;
    CHECK(cudaCreateTextureObject(&object, &in, &how, NULL) == 0);
    sample("picture", object, at, 3, got, 4);
    CHECK(got[0] == 11 && got[1] == 4 && got[2] == 12);
    how.filter = 1;
    CHECK(cudaCreateTextureObject(&other, &in, &how, NULL) == 0);
    sample("picture", other, at, 3, got, 4);
    CHECK(got[0] == 11 && got[1] == 4 && got[2] == (6 + 7 + 11 + 12) / 4.0f);
    CHECK(cudaDestroyTextureObject(other) == 0);
    CHECK(cudaDestroyTextureObject(other) == 1);
    CHECK(cudaMemcpyToArray(array, 8, 1, pair, 4, TO_DEVICE) == 0);
    pair[0] = -1;
    CHECK(cudaMemcpyToArray(array, 4, 2, pair, 4, TO_DEVICE) == 0);
    CHECK(cudaMemcpy2DFromArray(pair, 8, array, 4, 2, 8, 2, TO_HOST) == 0);
    CHECK(pair[0] == -1 && pair[1] == 12 && pair[2] == 16 && pair[3] == 17);
    CHECK(cudaFreeArray(array) == 0 && cudaFreeArray(array) == 400);
    CHECK(cudaMallocPitch(&in.of.pitched.data, &pitch, 20, 4) == 0);
    CHECK(cudaMemcpy2D(in.of.pitched.data, pitch, host, 20, 20, 4, TO_DEVICE) ==
          0);
    in.type = IN_PITCHED;
    in.of.pitched.channel = one;
    in.of.pitched.width = 5;
    in.of.pitched.height = 4;
    in.of.pitched.pitch = pitch;
    CHECK(cudaCreateTextureObject(&object, &in, &how, NULL) == 0);
    sample("picture", object, at, 3, got, 4);
    CHECK(got[0] == 11 && got[1] == 4 && got[2] == (6 + 7 + 11 + 12) / 4.0f);
    in.of.pitched.channel = whole;
    CHECK(cudaCreateTextureObject(&object, &in, &how, NULL) == 1);
    /* linear memory by index */
    how.filter = 0;
    in.type = IN_LINEAR;
    CHECK(cudaMalloc(&in.of.linear.data, sizeof host) == 0);
    CHECK(cudaMemcpy(in.of.linear.data, host, sizeof host, TO_DEVICE) == 0);
    in.of.linear.channel = (struct channel){32, 32, 0, 0, 2};
    in.of.linear.bytes = sizeof host + 8;
    CHECK(cudaCreateTextureObject(&object, &in, &how, NULL) == 1);
    in.of.linear.bytes = sizeof host;
    CHECK(cudaCreateTextureObject(&object, &in, &how, NULL) == 0);
    sample("fetched", object, at, 3, pair, 8);
    CHECK(pair[0] == 2 && pair[1] == 3 && pair[2] == 18 && pair[3] == 19);
    /* space and layers */
    for (unsigned layered = 0; layered < 2; layered++) {
        CHECK(cudaMalloc3DArray(&array, &one, extent, layered ? LAYERED : 0) ==
              0);
        CHECK(cudaArrayGetInfo(&asked, &extent, &flags, array) == 0);
        CHECK(asked.x == 32 && extent.depth == 3 && flags == layered);
        copy.to_array = array;
        CHECK(cudaMemcpy3D(&copy) == 0);
        in.type = IN_ARRAY;
        in.of.array = array;
        CHECK(cudaCreateTextureObject(&object, &in, &how, NULL) == 0);
        sample(layered ? "picture_layers" : "space", object, at, 3, got, 4);
        CHECK(got[0] == 111 && got[1] == 4 && got[2] == (layered ? 212 : 112));
        CHECK(cudaDestroyTextureObject(object) == 0);
        CHECK(cudaFreeArray(array) == 0);
    }
    /* a object that is gone */
    {
        void *places, *picture = load(texture_kernels, "picture");
        void *args[] = {&object, &places, &places};

        CHECK(cudaMalloc(&places, 64) == 0);
        CHECK(launch(picture, 1, 1, 0, args) == 18);
    }
}

/* An array that kernels write. */
static void test_surfaces(void)
{
    struct channel one = {32, 0, 0, 0, 2};
    struct resource in = {.type = IN_ARRAY};
    uint64_t from, to;
    int zero = 0, how = 2;
    void *arrays[2], *function = load(texture_kernels, "surface2");
    void *args[] = {&from, &to, &zero, &zero, &how};
    float host[6][8];

    for (int i = 0; i < 2; i++)
        CHECK(cudaMallocArray(&arrays[i], &one, 8, 6, i ? SURFACES : 0) == 0);
    in.of.array = arrays[0];
    CHECK(cudaCreateSurfaceObject(&from, &in) == 1);
    CHECK(cudaMallocArray(&arrays[0], &one, 8, 6, SURFACES) == 0);
    in.of.array = arrays[0];
    CHECK(cudaCreateSurfaceObject(&from, &in) == 0);
    in.of.array = arrays[1];
    CHECK(cudaCreateSurfaceObject(&to, &in) == 0);
    for (int i = 0; i < 48; i++)
        host[i / 8][i % 8] = (float)i;
    CHECK(cudaMemcpy2DToArray(arrays[0], 0, 0, host, 32, 32, 6, TO_DEVICE) ==
          0);
    CHECK(launch(function, 6, 8, 0, args) == 0);
    CHECK(cudaMemcpy2DFromArray(host, 32, arrays[1], 0, 0, 32, 6, TO_HOST) ==
          0);
    for (int i = 0; i < 48; i++)
        CHECK(host[i / 8][i % 8] == (float)i + 1);
    CHECK(cudaDestroySurfaceObject(from) == 0);
    CHECK(launch(function, 6, 9, 0, args) == 37);
}

/* What a program that dies has launched is there all the same. */
static void test_die(void)
{
    test_print();
    fflush(stdout);
    abort();
}

static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
    {"scale", test_scale},
    {"managed", test_managed},
    {"variables", test_variables},
    {"parameters", test_parameters},
    {"repeats", test_repeats},
    {"tune", test_tune},
    {"device", test_device},
    {"print", test_print},
    {"fault", test_fault},
    {"assert", test_assert},
    {"unsupported", test_unsupported},
    {"driver", test_driver},
    {"threads", test_threads},
    {"cooperative", test_cooperative},
    {"clusters", test_clusters},
    {"textures", test_textures},
    {"surfaces", test_surfaces},
    {"die", test_die},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof tests / sizeof tests[0]; i++) {
        if (strcmp(tests[i].name, argv[1]) == 0) {
            tests[i].run();
            return argc > 2 ? atoi(argv[2]) : failures != 0;
        }
    }
    return 99;
}
