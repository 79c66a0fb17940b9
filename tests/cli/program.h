/*
 * The CUDA runtime and driver as a compiled program declares them, and what the
 * files of tests/cli/program share: kernels of tests/fixtures/exec.cu, how one
 * is launched, how a result is checked.
 */
#ifndef TEG_TESTS_CLI_PROGRAM_H
#define TEG_TESTS_CLI_PROGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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
int cudaStreamCreateWithFlags(void **stream, unsigned flags);
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
int cudaFuncSetCacheConfig(const void *host, int config);
int cudaDeviceSetCacheConfig(int config);
int cudaDeviceGetCacheConfig(int *config);
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

/* ---- the program's own ------------------------------------------------------- */

extern const char program_fatbin[] __attribute__((visibility("hidden")));

/* A kernel's host side: its address is the kernel's name to the runtime. */
extern const char scale[], variables[], mixed[], greet[], heap[], claim[],
    beyond[], reverse[], ballots[], absent[];

/* Variables of the device code. */
extern int counter, start;
extern float factor[2];

/* k<<<grid, block, shared>>>(args...), as the compiler writes it. */
int launch(const char *kernel, uint32_t grid, uint32_t block, size_t shared,
           void **args);

/* What was wrong so far. */
extern int failures;

#define CHECK(condition)                                   \
    do {                                                   \
        if (!(condition)) {                                \
            printf("line %d: %s\n", __LINE__, #condition); \
            failures++;                                    \
        }                                                  \
    } while (0)

/* Of program_beside.c. */
void test_beside(void);
void test_pages(void);
void test_host_memory(void);

/* Of program_faults.c. */
void test_fault(void);
void test_fault_heard(int by);
void test_fault_blocking(void);
void test_assert(void);
void test_forever(void);
void test_host_stack(void);
void test_host_heap(void);
void test_host_static(void);

/* Tests of program_driver.c. */
void test_driver(void);
void test_cooperative(void);
void test_clusters(void);
void test_textures(void);
void test_surfaces(void);

#endif
