/* Entry points of the driver: launches, functions' attributes, occupancy. */
#include "tools/cudart/launch.h"
#include "tools/cudart/limits.h"
#include "tools/cudart/stream.h"

#include <string.h>

enum {
    ARGUMENTS_MAX = 4096, /* of a kernel: 32764 bytes of 8 */
    PARAM_END = 0,        /* of `extra` in cuLaunchKernel */
    PARAM_BUFFER = 1,
    PARAM_SIZE = 2,
};

/* Arguments in one buffer become pointers to each. */
static int unpack(const struct teg_cubin_kernel *k, void **extra,
                  void *args[ARGUMENTS_MAX])
{
    uint8_t *buffer = NULL;
    size_t bytes = 0;

    for (; (uintptr_t)extra[0] != PARAM_END; extra += 2) {
        if ((uintptr_t)extra[0] == PARAM_BUFFER)
            buffer = extra[1];
        else if ((uintptr_t)extra[0] == PARAM_SIZE)
            bytes = *(size_t *)extra[1];
        else
            return cudaErrorInvalidValue;
    }
    for (uint32_t i = 0; i < k->param_count; i++) {
        const struct teg_cubin_param *p = &k->param[i];

        if (buffer == NULL || p->ordinal >= ARGUMENTS_MAX ||
            p->offset > bytes || bytes - p->offset < p->size)
            return cudaErrorInvalidValue;
        args[p->ordinal] = buffer + p->offset;
    }
    return cudaSuccess;
}

static int launch(struct runtime *r, struct function *f,
                  const struct launch_shape *shape, void **args, void **extra,
                  void *stream)
{
    void *unpacked[ARGUMENTS_MAX];
    int error = cudaSuccess;

    if (f == NULL)
        return cudaErrorInvalidResourceHandle;
    if (args == NULL && extra != NULL) {
        error = unpack(f->kernel, extra, unpacked);
        args = unpacked;
    }
    if (error == cudaSuccess)
        error = launch_submit(r, f, shape, args, stream);
    /* Which the driver has no number of its own for. */
    return error == cudaErrorInvalidConfiguration ? cudaErrorInvalidValue
                                                  : error;
}

CALL(cuLaunchKernel, struct function *f, unsigned gx, unsigned gy, unsigned gz,
     unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
     void **args, void **extra)
{
    BEGIN(r);
    struct launch_shape shape = {
        .grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared};

    return runtime_end(r, launch(r, f, &shape, args, extra, stream));
}

CALL(cuLaunchCooperativeKernel, struct function *f, unsigned gx, unsigned gy,
     unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
     void *stream, void **args)
{
    BEGIN(r);
    struct launch_shape shape = {.grid = {gx, gy, gz},
                                 .block = {bx, by, bz},
                                 .shared = shared,
                                 .cooperative = 1};

    return runtime_end(r, launch(r, f, &shape, args, NULL, stream));
}

CALL(cuLaunchKernelEx, const struct cu_launch_config *c, struct function *f,
     void **args, void **extra)
{
    BEGIN(r);
    struct launch_shape shape;

    if (c == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    shape = (struct launch_shape){
        .grid = c->grid, .block = c->block, .shared = c->shared};
    launch_read_attributes(&shape, c->attribute, c->attributes);
    return runtime_end(r, launch(r, f, &shape, args, extra, c->stream));
}

int cudaFuncGetAttributes(struct cuda_function_attributes *a, const void *what);
int cudaFuncSetAttribute(const void *what, int attribute, int value);
int cudaFuncSetCacheConfig(const void *what, int config);

/* Numbers of enum CUfunction_attribute. */
CALL(cuFuncGetAttribute, int *value, int number, const void *function)
{
    struct cuda_function_attributes a = {0};
    int error = cudaFuncGetAttributes(&a, function);
    const size_t known[] = {(size_t)a.max_threads,
                            a.shared_bytes,
                            a.const_bytes,
                            a.local_bytes,
                            (size_t)a.registers,
                            (size_t)a.ptx_version,
                            (size_t)a.binary_version,
                            0,
                            (size_t)a.max_dynamic_shared,
                            (size_t)a.shared_carveout,
                            (size_t)a.cluster[0],
                            (size_t)a.cluster[1],
                            (size_t)a.cluster[2],
                            (size_t)a.cluster[3],
                            (size_t)a.cluster_free,
                            0};

    if (error != cudaSuccess)
        return error;
    if (value == NULL || number < 0 ||
        (size_t)number >= sizeof known / sizeof known[0])
        return cudaErrorInvalidValue;
    *value = (int)known[number];
    return cudaSuccess;
}

CALL(cuKernelGetAttribute, int *value, int number, const void *kernel,
     int device)
{
    return device == 0 ? cuFuncGetAttribute(value, number, kernel)
                       : cudaErrorInvalidDevice;
}

CALL(cuKernelSetAttribute, int number, int value, const void *kernel,
     int device)
{
    return device == 0 ? cudaFuncSetAttribute(kernel, number, value)
                       : cudaErrorInvalidDevice;
}

CALL(cudaKernelSetAttributeForDevice, const void *kernel, int number, int value,
     int device)
{
    return cuKernelSetAttribute(number, value, kernel, device);
}

CALL(cuKernelSetCacheConfig, const void *kernel, int config, int device)
{
    (void)device;
    return cudaFuncSetCacheConfig(kernel, config);
}

/* ---- occupancy ---------------------------------------------------------------- */

/* The largest block of those with which most threads fit an SM; `limit` 0: as
 * large as the kernel may have. */
static int best_block(struct runtime *r, const struct function *f,
                      size_t (*dynamic)(int threads), size_t shared, int limit,
                      int *best)
{
    uint32_t most = r->gpu->sm.threads_per_block_max;
    const uint32_t *own = f->kernel->max_threads;
    uint64_t threads = 0;

    if (own[0] != 0 && own[0] * own[1] * own[2] < most)
        most = own[0] * own[1] * own[2];
    if (limit > 0 && (uint32_t)limit < most)
        most = (uint32_t)limit;
    *best = 0;
    for (uint32_t n = most; n > 0; n = n > 32 ? (n - 1) / 32 * 32 : 0) {
        size_t bytes = dynamic != NULL ? dynamic((int)n) : shared;
        uint64_t fit = (uint64_t)n * blocks_per_sm(r, f, n, bytes, 0);

        if (fit > threads) {
            threads = fit;
            *best = (int)n;
        }
    }
    return *best > 0 ? (int)(threads / (uint64_t)*best) : 0;
}

CALL(cuOccupancyMaxPotentialBlockSizeWithFlags, int *grid, int *block,
     const struct function *f, size_t (*dynamic)(int threads), size_t shared,
     int limit, unsigned flags)
{
    BEGIN(r);
    int error = cudaSuccess;

    (void)flags;
    f = function_find(r, f, &error);
    if (f == NULL || grid == NULL || block == NULL)
        return runtime_end(r, f == NULL ? error : cudaErrorInvalidValue);
    *grid =
        best_block(r, f, dynamic, shared, limit, block) * (int)r->gpu->chip.sms;
    return runtime_end(r, *block > 0 ? cudaSuccess : cudaErrorInvalidValue);
}

CALL(cuOccupancyMaxPotentialBlockSize, int *grid, int *block,
     const struct function *f, size_t (*dynamic)(int threads), size_t shared,
     int limit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, f, dynamic,
                                                     shared, limit, 0);
}

/* ---- a graph's kernel ----------------------------------------------------------- */

int cudaGraphKernelNodeGetParams(struct node *n, struct cuda_kernel_node *out);

/* The driver's ends in a kernel and a context, which may be left out. */
struct driver_kernel_node {
    struct cuda_kernel_node node;
    void *kernel, *context;
};

CALL(cuGraphKernelNodeGetParams_v2, struct node *n,
     struct driver_kernel_node *out)
{
    int error = out != NULL ? cudaGraphKernelNodeGetParams(n, &out->node)
                            : cudaErrorInvalidValue;

    if (error == cudaSuccess)
        out->kernel = out->context = NULL;
    return error;
}
