/*
 * A program of streams, graphs and virtual memory without nvcc: the driver
 * loads tests/fixtures/exec.fatbin, and the runtime's calls take its kernels.
 *
 *   streams WHAT   runs one of the tests below; 0: its results are right
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dim3 {
    uint32_t x, y, z;
};

struct kernel_node {
    void *function;
    struct dim3 grid, block;
    unsigned shared;
    void **args, **extra;
};

struct set_node {
    void *to;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height;
};

struct launch_attribute {
    int id, pad;
    union {
        int number;
        char bytes[64];
    };
};

struct driver_launch_config {
    struct dim3 grid, block;
    unsigned shared;
    void *stream;
    struct launch_attribute *attribute;
    unsigned attributes;
};

struct edge {
    uint8_t from_port, to_port, type, rest[5];
};

struct host_node {
    void (*call)(void *data);
    void *data;
};

int cudaGraphCreate(void **graph, unsigned flags);
int cudaGraphDestroy(void *graph);
int cudaGraphAddKernelNode(void **node, void *graph, void **from, size_t froms,
                           const struct kernel_node *p);
int cudaGraphAddMemsetNode(void **node, void *graph, void **from, size_t froms,
                           const struct set_node *p);
int cudaGraphAddMemcpyNode1D(void **node, void *graph, void **from,
                             size_t froms, void *to, const void *source,
                             size_t bytes, int kind);
int cudaGraphAddHostNode(void **node, void *graph, void **from, size_t froms,
                         const struct host_node *p);
int cudaGraphAddDependencies(void *graph, void **from, void **to,
                             const void *edges, size_t count);
int cuLaunchKernelEx(const struct driver_launch_config *config, void *function,
                     void **args, void **extra);
int cudaGraphGetNodes(void *graph, void **nodes, size_t *count);
int cudaGraphGetRootNodes(void *graph, void **nodes, size_t *count);
int cudaGraphGetEdges(void *graph, void **from, void **to, void *edges,
                      size_t *count);
int cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags);
int cudaGraphExecKernelNodeSetParams(void *exec, void *node,
                                     const struct kernel_node *p);
int cudaGraphExecUpdate(void *exec, void *graph, void *result);
int cudaGraphNodeSetEnabled(void *exec, void *node, unsigned enabled);
int cudaGraphLaunch(void *exec, void *stream);
int cudaGraphExecDestroy(void *exec);
int cudaStreamCreate(void **stream);
int cudaStreamDestroy(void *stream);
int cudaEventDestroy(void *event);
int cudaStreamSynchronize(void *stream);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaStreamIsCapturing(void *stream, int *status);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaEventCreate(void **event);
int cudaEventRecord(void *event, void *stream);
int cudaLaunchHostFunc(void *stream, void (*call)(void *data), void *data);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                    void *stream);
int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream);
int cudaMalloc(void **address, size_t bytes);
int cudaFree(void *address);
int cudaMallocManaged(void **address, size_t bytes, unsigned flags);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemset(void *to, int value, size_t bytes);
int cudaMallocAsync(void **address, size_t bytes, void *stream);
int cudaFreeAsync(void *address, void *stream);
int cudaDeviceGetDefaultMemPool(void **pool, int device);
int cudaMemPoolGetAttribute(void *pool, int attribute, void *value);

struct location {
    int type, id;
};

struct properties {
    int type, handles;
    struct location location;
    void *windows;
    uint8_t flags[8];
};

struct access {
    struct location location;
    int flags;
};

struct array_descriptor {
    size_t width, height;
    int format;
    unsigned channels;
};

struct place {
    size_t x, y;
    int type;
    void *host, *device, *array;
    size_t pitch;
};

struct copy {
    struct place from, to;
    size_t width, height;
};

int cuInit(unsigned flags);
int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuCtxDestroy_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuCtxPushCurrent_v2(void *context);
int cuCtxGetCurrent(void **context);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active);
int cuModuleLoad(void **module, const char *path);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuLibraryLoadFromFile(void **library, const char *path, int *a, void **b,
                          unsigned c, int *d, void **e, unsigned f);
int cuLibraryGetKernel(void **kernel, void *library, const char *name);
int cuLibraryGetKernelCount(unsigned *count, void *library);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **args, void **extra);
int cuMemGetAllocationGranularity(size_t *bytes, const struct properties *p,
                                  int option);
int cuMemAddressReserve(uint64_t *address, size_t bytes, size_t alignment,
                        uint64_t wanted, unsigned long long flags);
int cuMemAddressFree(uint64_t address, size_t bytes);
int cuMemCreate(void **memory, size_t bytes, const struct properties *p,
                unsigned long long flags);
int cuMemRelease(void *memory);
int cuMemMap(uint64_t address, size_t bytes, size_t offset, void *memory,
             unsigned long long flags);
int cuMemUnmap(uint64_t address, size_t bytes);
int cuMemSetAccess(uint64_t address, size_t bytes, const struct access *who,
                   size_t count);
int cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t address);
int cuPointerGetAttribute(void *out, int attribute, uint64_t address);
int cuArrayCreate_v2(void **array, const struct array_descriptor *d);
int cuArrayDestroy(void *array);
int cuMemcpy2D_v2(const struct copy *c);
int cuGetProcAddress_v2(const char *name, void **entry, int version,
                        uint64_t flags, int *status);
int cuGetExportTable(const void **table, const void *id);

enum {
    TO_DEVICE = 1,
    TO_HOST = 2,
    N = 1000,
    PAGE = 2 << 20,
};

static int failures;

#define CHECK(condition)                                   \
    do {                                                   \
        if (!(condition)) {                                \
            printf("line %d: %s\n", __LINE__, #condition); \
            failures++;                                    \
        }                                                  \
    } while (0)

static void *scale; /* y = 1 x + 2 for n elements */

static void open_kernels(void)
{
    void *module;

    CHECK(cuInit(0) == 0);
    CHECK(cuModuleLoad(&module, "tests/fixtures/exec.fatbin") == 0);
    CHECK(cuModuleGetFunction(&scale, module, "scale") == 0);
}

static void add_one(void *number)
{
    ++*(int *)number;
}

/* ---- graphs ------------------------------------------------------------------- */

/* x = 0 -> y = x + 2 -> host; made in another order than it can run in. */
static void test_graph(void)
{
    float *x, *y, host[N] = {0};
    int n = N, calls = 0;
    void *args[] = {&x, &y, &n}, *graph, *exec, *node[4], *roots[4];
    struct host_node count = {add_one, &calls};
    struct kernel_node kernel = {NULL, {4, 1, 1}, {256, 1, 1}, 0, args, NULL};
    struct set_node set = {NULL, 0, 0, 4, N, 1};
    size_t nodes = 0, edges = 0, found = 4;

    open_kernels();
    CHECK(cudaMalloc((void **)&x, N * 4) == 0);
    CHECK(cudaMalloc((void **)&y, N * 4) == 0);
    CHECK(cudaMemset(x, 0x7f, N * 4) == 0);
    kernel.function = scale;
    set.to = x;
    CHECK(cudaGraphCreate(&graph, 0) == 0);
    CHECK(cudaGraphAddMemcpyNode1D(&node[3], graph, NULL, 0, host, y, N * 4,
                                   TO_HOST) == 0);
    CHECK(cudaGraphAddKernelNode(&node[1], graph, NULL, 0, &kernel) == 0);
    CHECK(cudaGraphAddHostNode(&node[2], graph, &node[1], 1, &count) == 0);
    CHECK(cudaGraphAddMemsetNode(&node[0], graph, NULL, 0, &set) == 0);
    CHECK(cudaGraphAddDependencies(graph, &node[0], &node[1], NULL, 1) == 0);
    CHECK(cudaGraphAddDependencies(graph, &node[2], &node[3], NULL, 1) == 0);
    CHECK(cudaGraphGetNodes(graph, NULL, &nodes) == 0 && nodes == 4);
    CHECK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges) == 0);
    CHECK(edges == 3);
    CHECK(cudaGraphGetRootNodes(graph, roots, &found) == 0 && found == 1);
    CHECK(roots[0] == node[0]);
    CHECK(cudaGraphInstantiate(&exec, graph, 0) == 0);
    CHECK(calls == 0);
    n = 0; /* the graph has the arguments as they were */
    CHECK(cudaGraphLaunch(exec, NULL) == 0);
    CHECK(calls == 1 && host[0] == 2 && host[N - 1] == 2);
    /* other arguments, by the program's node */
    n = 10;
    memset(host, 0, sizeof host);
    CHECK(cudaMemset(y, 0, N * 4) == 0);
    CHECK(cudaGraphExecKernelNodeSetParams(exec, node[1], &kernel) == 0);
    CHECK(cudaGraphLaunch(exec, NULL) == 0);
    CHECK(calls == 2 && host[9] == 2 && host[10] == 0);
    /* the graph itself still has the first ones */
    CHECK(cudaGraphExecUpdate(exec, graph, NULL) == 0);
    CHECK(cudaGraphNodeSetEnabled(exec, node[2], 0) == 0);
    CHECK(cudaGraphLaunch(exec, NULL) == 0);
    CHECK(calls == 2 && host[N - 1] == 2);
    CHECK(cudaGraphExecDestroy(exec) == 0);
    /* what runs in a circle does not run */
    CHECK(cudaGraphAddDependencies(graph, &node[3], &node[0], NULL, 1) == 0);
    CHECK(cudaGraphInstantiate(&exec, graph, 0) != 0);
    CHECK(cudaGraphDestroy(graph) == 0);
}

/* Two streams, the second between two events of the first. */
static void test_capture(void)
{
    float *x, *y, in[N], out[N] = {0};
    int n = N, status = 0, calls = 0;
    void *args[] = {&x, &y, &n}, *first = NULL, *second = NULL;
    void *before = NULL, *after = NULL, *graph, *exec;
    size_t nodes = 0, edges = 0;

    open_kernels();
    for (int i = 0; i < N; i++)
        in[i] = (float)i;
    CHECK(cudaStreamCreate(&first) == 0 && cudaStreamCreate(&second) == 0);
    CHECK(cudaEventCreate(&before) == 0 && cudaEventCreate(&after) == 0);
    CHECK(cudaMalloc((void **)&x, N * 4) == 0);
    CHECK(cudaMalloc((void **)&y, N * 4) == 0);
    CHECK(cudaStreamBeginCapture(NULL, 0) != 0); /* not the default stream */
    CHECK(cudaStreamBeginCapture(first, 0) == 0);
    CHECK(cudaStreamIsCapturing(first, &status) == 0 && status == 1);
    CHECK(cudaMemcpyAsync(x, in, N * 4, TO_DEVICE, first) == 0);
    CHECK(cudaEventRecord(before, first) == 0);
    CHECK(cudaStreamWaitEvent(second, before, 0) == 0);
    CHECK(cudaStreamIsCapturing(second, &status) == 0 && status == 1);
    CHECK(cuLaunchKernel(scale, 4, 1, 1, 256, 1, 1, 0, second, args, NULL) ==
          0);
    CHECK(cudaEventRecord(after, second) == 0);
    CHECK(cudaLaunchHostFunc(first, add_one, &calls) == 0);
    CHECK(cudaStreamWaitEvent(first, after, 0) == 0);
    CHECK(cudaMemcpyAsync(out, y, N * 4, TO_HOST, first) == 0);
    CHECK(cudaStreamSynchronize(first) == 900);
    CHECK(cudaStreamEndCapture(second, &graph) != 0); /* began elsewhere */
    CHECK(cudaStreamEndCapture(first, &graph) == 0);
    CHECK(cudaStreamIsCapturing(second, &status) == 0 && status == 0);
    CHECK(calls == 0 && out[1] == 0);
    CHECK(cudaGraphGetNodes(graph, NULL, &nodes) == 0 && nodes == 4);
    CHECK(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges) == 0);
    CHECK(edges == 4);
    CHECK(cudaGraphInstantiate(&exec, graph, 0) == 0);
    CHECK(cudaGraphDestroy(graph) == 0);
    n = 0;
    for (int i = 1; i < 4; i++) {
        in[5] = (float)i;
        CHECK(cudaGraphLaunch(exec, first) == 0);
        CHECK(calls == i && out[5] == (float)i + 2 && out[N - 1] == N + 1);
    }
    /* the streams are as before */
    CHECK(cudaMemsetAsync(y, 0, N * 4, second) == 0);
    CHECK(cudaMemcpyAsync(out, y, N * 4, TO_HOST, first) == 0);
    CHECK(out[5] == 0);
    CHECK(cudaGraphExecDestroy(exec) == 0 && cudaStreamDestroy(second) == 0);
    CHECK(cudaStreamDestroy(first) == 0);
    CHECK(cudaEventDestroy(before) == 0 && cudaEventDestroy(after) == 0);
}

/* Kernels that may come before the one before has ended: captured, and by an
 * edge that says so; the last one's edge is as others are. */
static void test_dependent(void)
{
    enum {
        LOSSY_QUERY = 402,
        DEPENDENT = 6,
        EVENT = 7
    };
    float *x, *y;
    int n = N;
    void *args[] = {&x, &y, &n}, *stream = NULL, *event = NULL;
    void *other = NULL, *graph = NULL, *exec = NULL;
    void *node = NULL, *from[4], *to[4], *last;
    struct launch_attribute early[2] = {{.id = DEPENDENT, .number = 1},
                                        {.id = EVENT}};
    struct driver_launch_config launch = {
        .grid = {4, 1, 1}, .block = {256, 1, 1}, .attribute = early};
    struct edge how[4], programmatic = {1, 0, 1, {0}}, wrong = {0, 0, 1, {0}};
    struct kernel_node kernel = {NULL, {4, 1, 1}, {256, 1, 1}, 0, args, NULL};
    size_t edges = 4;

    open_kernels();
    kernel.function = scale;
    CHECK(cudaMalloc((void **)&x, N * 4) == 0);
    CHECK(cudaMalloc((void **)&y, N * 4) == 0);
    CHECK(cudaStreamCreate(&stream) == 0 && cudaStreamCreate(&other) == 0);
    CHECK(cudaEventCreate(&event) == 0);
    launch.stream = stream;
    CHECK(cudaStreamBeginCapture(stream, 0) == 0);
    CHECK(cuLaunchKernelEx(&launch, scale, args, NULL) == 0);
    launch.attributes = 1;
    CHECK(cuLaunchKernelEx(&launch, scale, args, NULL) == 0);
    CHECK(cudaStreamEndCapture(stream, &graph) == 0);
    CHECK(cudaGraphGetEdges(graph, from, to, how, &edges) == 0 && edges == 1);
    CHECK(how[0].type == 1 && how[0].from_port == 1);
    last = to[0];
    CHECK(cudaGraphGetEdges(graph, from, to, NULL, &edges) == LOSSY_QUERY);
    CHECK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &kernel) == 0);
    CHECK(cudaGraphAddDependencies(graph, &last, &node, &wrong, 1) == 1);
    CHECK(cudaGraphAddDependencies(graph, &last, &node, &programmatic, 1) == 0);
    last = node;
    CHECK(cudaGraphAddKernelNode(&node, graph, &last, 1, &kernel) == 0);
    CHECK(cudaGraphInstantiate(&exec, graph, 0) == 0);
    CHECK(cudaGraphLaunch(exec, stream) == 0);
    /* outside of a graph; and an event that comes with the launch */
    memcpy(&early[1].number, &event, sizeof event);
    launch.attributes = 2;
    CHECK(cuLaunchKernelEx(&launch, scale, args, NULL) == 0);
    CHECK(cudaStreamWaitEvent(other, event, 0) == 0);
    CHECK(cudaGraphExecDestroy(exec) == 0 && cudaGraphDestroy(graph) == 0);
    CHECK(cudaEventDestroy(event) == 0);
    CHECK(cudaStreamDestroy(stream) == 0 && cudaStreamDestroy(other) == 0);
}

/* ---- memory ------------------------------------------------------------------- */

static void test_pool(void)
{
    enum {
        USED = 7,
        USED_HIGH = 8
    };
    void *pool, *a, *b;
    uint64_t used = 1, most = 0;

    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0) == 0);
    CHECK(cudaMallocAsync(&a, 1000, NULL) == 0);
    CHECK(cudaMallocAsync(&b, 500, NULL) == 0);
    CHECK(cudaMemset(a, 1, 1000) == 0);
    CHECK(cudaMemPoolGetAttribute(pool, USED, &used) == 0 && used == 1500);
    CHECK(cudaFreeAsync(a, NULL) == 0);
    CHECK(cudaFree(b) == 0); /* the usual call may, too */
    CHECK(cudaMemset(a, 1, 1000) != 0);
    CHECK(cudaMemPoolGetAttribute(pool, USED, &used) == 0 && used == 0);
    CHECK(cudaMemPoolGetAttribute(pool, USED_HIGH, &most) == 0);
    CHECK(most == 1500);
}

static void test_virtual(void)
{
    struct properties p = {.type = 1, .location = {1, 0}};
    struct access both = {{1, 0}, 3};
    uint64_t at = 0, alias = 0;
    void *memory[2];
    size_t granularity = 0;
    char back[8] = {0};

    CHECK(cuInit(0) == 0);
    CHECK(cuMemGetAllocationGranularity(&granularity, &p, 0) == 0);
    CHECK(granularity == PAGE);
    CHECK(cuMemAddressReserve(&at, 2 * PAGE, 0, 0, 0) == 0);
    CHECK(cuMemAddressReserve(&alias, PAGE, 0, 0, 0) == 0);
    CHECK(cuMemCreate(&memory[0], PAGE, &p, 0) == 0);
    CHECK(cuMemCreate(&memory[1], PAGE, &p, 0) == 0);
    CHECK(cuMemCreate(&memory[1], PAGE + 1, &p, 0) != 0);
    CHECK(cuMemMap(at, PAGE, 0, memory[0], 0) == 0);
    CHECK(cuMemMap(at, PAGE, 0, memory[1], 0) != 0); /* something is there */
    CHECK(cuMemMap(at + PAGE, PAGE, 0, memory[1], 0) == 0);
    CHECK(cudaMemset((void *)at, 1, 8) != 0); /* no access yet */
    CHECK(cuMemSetAccess(at, 2 * PAGE, &both, 1) == 0);
    /* across the border of the two, which is none */
    CHECK(cudaMemset((void *)(at + PAGE - 4), 5, 8) == 0);
    CHECK(cudaMemcpy(back, (void *)(at + PAGE - 4), 8, TO_HOST) == 0);
    CHECK(back[0] == 5 && back[7] == 5);
    /* the same memory at another address */
    CHECK(cuMemMap(alias, PAGE, 0, memory[1], 0) == 0);
    CHECK(cuMemSetAccess(alias, PAGE, &both, 1) == 0);
    CHECK(cudaMemset((void *)alias, 9, 2) == 0);
    CHECK(cudaMemcpy(back, (void *)(at + PAGE), 4, TO_HOST) == 0);
    CHECK(back[0] == 9 && back[1] == 9 && back[2] == 5);
    CHECK(cuMemRelease(memory[1]) == 0); /* stays while it is mapped */
    CHECK(cuMemUnmap(at, PAGE) == 0);
    CHECK(cudaMemset((void *)at, 1, 8) != 0);
    CHECK(cudaMemcpy(back, (void *)(at + PAGE), 4, TO_HOST) == 0);
    CHECK(back[0] == 9);
    CHECK(cuMemAddressFree(at, 2 * PAGE) != 0); /* half of it is mapped */
    CHECK(cuMemUnmap(at + PAGE, PAGE) == 0);
    CHECK(cuMemAddressFree(at, 2 * PAGE) == 0);
    CHECK(cuMemUnmap(alias, PAGE) == 0 && cuMemRelease(memory[0]) == 0);
}

static void test_pointers(void)
{
    enum {
        TYPE = 2,
        MANAGED = 8,
        START = 11,
        BYTES = 12
    };
    uint64_t device, managed, base = 0;
    unsigned type = 0;
    size_t bytes = 0;
    uint8_t is_managed = 2;

    CHECK(cudaMalloc((void **)&device, 1000) == 0);
    CHECK(cudaMallocManaged((void **)&managed, 100, 1) == 0);
    CHECK(cuMemGetAddressRange_v2(&base, &bytes, device + 999) == 0);
    CHECK(base == device && bytes == 1000);
    CHECK(cuPointerGetAttribute(&type, TYPE, device) == 0 && type == 2);
    CHECK(cuPointerGetAttribute(&is_managed, MANAGED, device) == 0);
    CHECK(is_managed == 0);
    CHECK(cuPointerGetAttribute(&is_managed, MANAGED, managed) == 0);
    CHECK(is_managed == 1);
    CHECK(cuPointerGetAttribute(&base, START, managed + 50) == 0);
    CHECK(base == managed);
    CHECK(cuPointerGetAttribute(&bytes, BYTES, managed) == 0 && bytes == 100);
    CHECK(cuPointerGetAttribute(&type, TYPE, (uint64_t)&type) != 0);
}

/* A window of an array, in bytes and rows. */
static void test_array(void)
{
    enum {
        HOST = 1,
        ARRAY = 3,
        FLOATS = 0x20
    };
    struct array_descriptor d = {8, 4, FLOATS, 2};
    float in[4][16], out[2][6] = {{0}};
    void *array = NULL;
    struct copy c = {.width = sizeof in[0], .height = 4};

    for (int i = 0; i < 64; i++)
        in[i / 16][i % 16] = (float)i;
    CHECK(cuInit(0) == 0 && cuArrayCreate_v2(&array, &d) == 0);
    c.from = (struct place){.type = HOST, .host = in, .pitch = sizeof in[0]};
    c.to = (struct place){.type = ARRAY, .array = array};
    CHECK(cuMemcpy2D_v2(&c) == 0);
    c.from = (struct place){.x = 16, .y = 1, .type = ARRAY, .array = array};
    c.to = (struct place){.type = HOST, .host = out, .pitch = sizeof out[0]};
    c.width = 24;
    c.height = 2;
    CHECK(cuMemcpy2D_v2(&c) == 0);
    CHECK(out[0][0] == 20 && out[0][5] == 25 && out[1][0] == 36);
    c.from.x = 4; /* half an element */
    CHECK(cuMemcpy2D_v2(&c) == 1);
    CHECK(cuArrayDestroy(array) == 0 && cuMemcpy2D_v2(&c) != 0);
}

/* ---- the rest of the driver ------------------------------------------------------- */

static void test_contexts(void)
{
    void *a = NULL, *b = NULL, *now = NULL, *bytes;
    size_t total = 0;
    unsigned flags;
    int active = -1;

    CHECK(cuInit(0) == 0);
    /* the first call that needs the primary one makes it */
    CHECK(cuDevicePrimaryCtxGetState(0, &flags, &active) == 0 && active == 0);
    CHECK(cudaMalloc(&bytes, 4) == 0);
    CHECK(cuDevicePrimaryCtxGetState(0, &flags, &active) == 0 && active == 1);
    CHECK(cudaFree(bytes) == 0);
    /* an A100's, all of which may be had, though nobody touches it */
    CHECK(cuDeviceTotalMem_v2(&total, 0) == 0 && total == (size_t)40 << 30);
    CHECK(cudaMalloc(&bytes, total + 1) == 2);
    CHECK(cudaMalloc(&bytes, total) == 0 && cudaFree(bytes) == 0);
    CHECK(cuCtxCreate_v2(&a, 0, 0) == 0 && cuCtxCreate_v2(&b, 0, 0) == 0);
    CHECK(cuCtxGetCurrent(&now) == 0 && now == b);
    CHECK(cuCtxPopCurrent_v2(&now) == 0 && now == b);
    CHECK(cuCtxGetCurrent(&now) == 0 && now == a);
    CHECK(cuCtxPopCurrent_v2(NULL) == 0);
    CHECK(cuCtxGetCurrent(&now) == 0 && now == NULL);
    CHECK(cuCtxPopCurrent_v2(&now) == 201);
    CHECK(cuCtxPushCurrent_v2(b) == 0 && cuCtxDestroy_v2(b) == 0);
    CHECK(cuCtxGetCurrent(&now) == 0 && now == NULL);
    CHECK(cuCtxDestroy_v2(a) == 0);
    CHECK(cuCtxCreate_v2(&a, 0, 1) == 101);
}

static void test_lookup(void)
{
    void *old, *new, *entry = &entry, *library, *kernel;
    const void *table = &entry;
    unsigned kernels = 0;
    int status = 0;

    CHECK(cuGetProcAddress_v2("cuCtxCreate", &old, 4000, 0, NULL) == 0);
    CHECK(cuGetProcAddress_v2("cuCtxCreate", &new, 13000, 0, NULL) == 0);
    CHECK(old == (void *)(intptr_t)cuCtxCreate_v2 && new != NULL &&new != old);
    CHECK(cuGetProcAddress_v2("cuNoSuch", &entry, 13000, 0, &status) == 0);
    CHECK(entry == NULL && status == 1);
    CHECK(cuGetProcAddress_v2("", &entry, 13000, 0, NULL) == 500);
    CHECK(cuGetExportTable(&table, "unknown") != 0 && table == NULL);
    CHECK(cuLibraryLoadFromFile(&library, "tests/fixtures/exec.fatbin", NULL,
                                NULL, 0, NULL, NULL, 0) == 0);
    CHECK(cuLibraryGetKernelCount(&kernels, library) == 0 && kernels == 10);
    CHECK(cuLibraryGetKernel(&kernel, library, "scale") == 0);
    CHECK(cuLibraryGetKernel(&kernel, library, "nosuch") == 500);
}

/* What the script's ptxas makes of it. */
static void test_ptx(void)
{
    void *module, *function;

    CHECK(cuInit(0) == 0);
    CHECK(cuModuleLoadData(
              &module,
              ".version 8.0\n.target sm_75\nscale, as the test has it\n") == 0);
    CHECK(cuModuleGetFunction(&function, module, "scale") == 0);
}

static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
    {"graph", test_graph},         {"capture", test_capture},
    {"dependent", test_dependent}, {"pool", test_pool},
    {"virtual", test_virtual},     {"pointers", test_pointers},
    {"array", test_array},         {"contexts", test_contexts},
    {"lookup", test_lookup},       {"ptx", test_ptx},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof tests / sizeof tests[0]; i++) {
        if (strcmp(tests[i].name, argv[1]) == 0) {
            tests[i].run();
            return failures != 0;
        }
    }
    return 99;
}
