/* The device as the GPU description has it, functions' attributes, and how many
 * blocks fit an SM. */
#include "tools/cudart/runtime.h"

#include <stdio.h>
#include <string.h>

#include "config/occupancy.h"

enum {
    SHARED_DEFAULT =
        48 * 1024, /* bytes of a block that does not ask for more */
    LIMITS = 16,
    ATTRIBUTE_DYNAMIC_SHARED = 8,
    ATTRIBUTE_LARGE_CLUSTERS = 14,
    CLUSTER_PORTABLE = 8, /* blocks a cluster may have on every GPU */
    CLUSTER_LARGE = 16,
    VERSION = 13000,
};

uint32_t shared_most(const struct teg_gpu *g)
{
    return g->sm.shared_bytes - g->sm.shared_reserved;
}

uint32_t shared_default(const struct teg_gpu *g)
{
    return shared_most(g) < SHARED_DEFAULT ? shared_most(g) : SHARED_DEFAULT;
}

/* ---- the device ----------------------------------------------------------------- */

static int has_clusters(const struct teg_gpu *g)
{
    return g->chip.compute_capability >= 90;
}

static void fill(struct runtime *r, struct cuda_properties *p)
{
    const struct teg_gpu *g = r->gpu;
    size_t left, total;

    memory_left(r, &left, &total);
    *p = (struct cuda_properties){
        .total_global = total,
        .shared_per_block = shared_default(g),
        .registers_per_block = (int)g->sm.registers,
        .warp_size = 32,
        .pitch_max = INT32_MAX,
        .threads_per_block = (int)g->sm.threads_per_block_max,
        .block_max = {1024, 1024, 64},
        .grid_max = {INT32_MAX, 65535, 65535},
        .total_constant = 65536,
        .major = (int)g->chip.compute_capability / 10,
        .minor = (int)g->chip.compute_capability % 10,
        .texture_alignment = 512,
        .texture_pitch_alignment = 32,
        .sms = (int)g->chip.sms,
        .maps_host = 1,
        .concurrent_kernels = 1,
        .async_engines = 1,
        .unified_addressing = 1,
        .l2_bytes = (int)g->l2.bytes,
        .threads_per_sm = (int)g->sm.threads_max,
        .stream_priorities = 1,
        .global_l1 = 1,
        .local_l1 = 1,
        .shared_per_sm = g->sm.shared_bytes,
        .registers_per_sm = (int)g->sm.registers,
        .managed = 1,
        .concurrent_managed = 1,
        .host_pointer_registered = 1,
        .cooperative = 1,
        .shared_per_block_optin = shared_most(g),
        .blocks_per_sm = (int)g->sm.blocks_max,
        .shared_reserved = g->sm.shared_reserved,
        .host_register = 1,
        .clusters = has_clusters(g),
    };
    snprintf(p->name, sizeof p->name, "%s (teg)", g->title);
}

static int check_device(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

CALL(cudaGetDeviceProperties, struct cuda_properties *p, int device)
{
    BEGIN(r);
    if (p == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    if (device == 0)
        fill(r, p);
    return runtime_end(r, check_device(device));
}

int device_attribute(struct runtime *r, int number, int *value)
{
    const struct teg_gpu *g = r->gpu;

    switch (number) {
#define ATTRIBUTE(n, v)    \
    case n:                \
        *value = (int)(v); \
        return 1;
#include "tools/cudart/attributes.def"
#undef ATTRIBUTE
    default:
        *value = 0;
        return 0;
    }
}

CALL(cudaDeviceGetAttribute, int *value, int number, int device)
{
    BEGIN(r);
    if (value == NULL || number <= 0)
        return runtime_end(r, cudaErrorInvalidValue);
    device_attribute(r, number, value);
    return runtime_end(r, check_device(device));
}

CALL(cudaGetDeviceCount, int *count)
{
    BEGIN(r);
    if (count == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *count = 1;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaGetDevice, int *device)
{
    BEGIN(r);
    if (device == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *device = 0;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaSetDevice, int device)
{
    BEGIN(r);
    return runtime_end(r, check_device(device));
}

CALL(cudaInitDevice, int device, unsigned flags, unsigned more)
{
    (void)flags, (void)more;
    return cudaSetDevice(device);
}

CALL(cudaChooseDevice, int *device, const struct cuda_properties *p)
{
    (void)p;
    return cudaGetDevice(device);
}

CALL(cudaSetValidDevices, int *devices, int count)
{
    BEGIN(r);
    (void)devices, (void)count;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaSetDeviceFlags, unsigned flags)
{
    BEGIN(r);
    (void)flags;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaGetDeviceFlags, unsigned *flags)
{
    BEGIN(r);
    if (flags != NULL)
        *flags = 0;
    return runtime_end(r, flags != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

/* Nothing is ever under way. */
CALL(cudaDeviceSynchronize, void)
{
    BEGIN(r);
    return runtime_end(r, cudaSuccess);
}

/* Memory stays: a program that resets is about to end. */
CALL(cudaDeviceReset, void)
{
    BEGIN(r);
    return runtime_end(r, cudaSuccess);
}

CALL(cudaDriverGetVersion, int *version)
{
    if (version == NULL)
        return cudaErrorInvalidValue;
    *version = VERSION;
    return cudaSuccess;
}

CALL(cudaRuntimeGetVersion, int *version)
{
    return cudaDriverGetVersion(version);
}

/* ---- settings that change nothing ---------------------------------------------------- */

/* What a program asks back is what it set. */
static size_t limits[LIMITS] = {1024, 1 << 20, EMU_HEAP_BYTES};

CALL(cudaDeviceSetLimit, int limit, size_t value)
{
    BEGIN(r);
    if (limit < 0 || limit >= LIMITS)
        return runtime_end(r, cudaErrorUnsupportedLimit);
    limits[limit] = value;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaDeviceGetLimit, size_t *value, int limit)
{
    BEGIN(r);
    if (limit < 0 || limit >= LIMITS || value == NULL)
        return runtime_end(r, cudaErrorUnsupportedLimit);
    *value = limits[limit];
    return runtime_end(r, cudaSuccess);
}

CALL(cudaDeviceSetCacheConfig, int config)
{
    BEGIN(r);
    (void)config;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaDeviceGetCacheConfig, int *config)
{
    BEGIN(r);
    if (config != NULL)
        *config = 0;
    return runtime_end(r, config != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

CALL(cudaDeviceSetSharedMemConfig, int config)
{
    return cudaDeviceSetCacheConfig(config);
}

CALL(cudaDeviceGetSharedMemConfig, int *config)
{
    return cudaDeviceGetCacheConfig(config);
}

CALL(cudaFuncSetCacheConfig, const void *what, int config)
{
    (void)what;
    return cudaDeviceSetCacheConfig(config);
}

CALL(cudaFuncSetSharedMemConfig, const void *what, int config)
{
    (void)what;
    return cudaDeviceSetCacheConfig(config);
}

CALL(cudaCtxResetPersistingL2Cache, void)
{
    return cudaDeviceSynchronize();
}

CALL(cudaProfilerStart, void)
{
    return cudaDeviceSynchronize();
}

CALL(cudaProfilerStop, void)
{
    return cudaDeviceSynchronize();
}

/* ---- one device has no peers ------------------------------------------------------------ */

CALL(cudaDeviceCanAccessPeer, int *can, int device, int peer)
{
    BEGIN(r);
    (void)peer;
    if (can == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *can = 0;
    return runtime_end(r, check_device(device));
}

CALL(cudaDeviceEnablePeerAccess, int peer, unsigned flags)
{
    BEGIN(r);
    (void)peer, (void)flags;
    return runtime_end(r, cudaErrorInvalidDevice);
}

CALL(cudaDeviceDisablePeerAccess, int peer)
{
    return cudaDeviceEnablePeerAccess(peer, 0);
}

CALL(cudaDeviceGetPCIBusId, char *text, int length, int device)
{
    BEGIN(r);
    if (text == NULL || length < 13)
        return runtime_end(r, cudaErrorInvalidValue);
    snprintf(text, (size_t)length, "0000:00:00.0");
    return runtime_end(r, check_device(device));
}

CALL(cudaDeviceGetStreamPriorityRange, int *least, int *greatest)
{
    BEGIN(r);
    if (least != NULL)
        *least = 0;
    if (greatest != NULL)
        *greatest = 0;
    return runtime_end(r, cudaSuccess);
}

/* ---- functions ------------------------------------------------------------------------------ */

CALL(cudaFuncGetAttributes, struct cuda_function_attributes *a,
     const void *what)
{
    BEGIN(r);
    int error = cudaSuccess;
    const struct function *f = function_find(r, what, &error);
    const struct teg_cubin_kernel *k;
    uint32_t threads;

    if (f == NULL || a == NULL)
        return runtime_end(r, f == NULL ? error : cudaErrorInvalidValue);
    k = f->kernel;
    threads = r->gpu->sm.threads_per_block_max;
    if (k->max_threads[0] != 0)
        threads = k->max_threads[0] * k->max_threads[1] * k->max_threads[2];
    *a = (struct cuda_function_attributes){
        .shared_bytes = k->shared_bytes,
        .const_bytes = f->module->cubin.constant3.size,
        .local_bytes = k->local_bytes,
        .max_threads = (int)threads,
        .registers = (int)k->registers,
        .ptx_version = (int)f->module->cubin.sm,
        .binary_version = (int)f->module->cubin.sm,
        .max_dynamic_shared =
            (int)(f->dynamic_shared != 0
                      ? f->dynamic_shared
                      : shared_default(r->gpu) - k->shared_bytes),
        .shared_carveout = -1,
        .cluster = {0, (int)k->cluster[0], (int)k->cluster[1],
                    (int)k->cluster[2]},
        .cluster_free = f->large_clusters,
    };
    return runtime_end(r, cudaSuccess);
}

CALL(cudaFuncSetAttribute, const void *what, int attribute, int value)
{
    BEGIN(r);
    int error = cudaSuccess;
    struct function *f = function_find(r, what, &error);

    if (f == NULL)
        return runtime_end(r, error);
    if (attribute == ATTRIBUTE_DYNAMIC_SHARED) {
        if (value < 0 ||
            (uint64_t)value + f->kernel->shared_bytes > shared_most(r->gpu))
            return runtime_end(r, cudaErrorInvalidValue);
        f->dynamic_shared = (uint32_t)value;
    }
    if (attribute == ATTRIBUTE_LARGE_CLUSTERS)
        f->large_clusters = value != 0;
    return runtime_end(r, cudaSuccess);
}

CALL(cudaFuncGetName, const char **name, const void *what)
{
    BEGIN(r);
    int error = cudaSuccess;
    const struct function *f = function_find(r, what, &error);

    if (f != NULL && name != NULL)
        *name = f->name;
    return runtime_end(r, error);
}

CALL(cudaFuncGetParamInfo, const void *what, size_t i, size_t *offset,
     size_t *bytes)
{
    BEGIN(r);
    int error = cudaSuccess;
    const struct function *f = function_find(r, what, &error);

    if (f == NULL)
        return runtime_end(r, error);
    if (i >= f->kernel->param_count || offset == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *offset = f->kernel->param[i].offset;
    if (bytes != NULL)
        *bytes = f->kernel->param[i].size;
    return runtime_end(r, cudaSuccess);
}

/* ---- occupancy ------------------------------------------------------------------------------- */

uint32_t blocks_per_sm(const struct runtime *r, const struct function *f,
                       uint32_t threads, size_t dynamic)
{
    uint64_t shared =
        f->kernel->shared_bytes + f->kernel->shared_reserved + dynamic;
    struct teg_occupancy o;

    if (dynamic > UINT32_MAX || shared > UINT32_MAX ||
        teg_occupancy(r->gpu, threads, f->kernel->registers, (uint32_t)shared,
                      &o, NULL) != TEG_OK)
        return 0;
    return o.blocks_per_sm;
}

uint32_t cluster_most(const struct runtime *r, const struct function *f)
{
    if (!has_clusters(r->gpu))
        return 0;
    return f->large_clusters ? CLUSTER_LARGE : CLUSTER_PORTABLE;
}

CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks,
     const void *what, int threads, size_t dynamic, unsigned flags)
{
    BEGIN(r);
    int error = cudaSuccess;
    const struct function *f = function_find(r, what, &error);

    (void)flags;
    if (f == NULL || blocks == NULL || threads <= 0)
        return runtime_end(r, f == NULL ? error : cudaErrorInvalidValue);
    *blocks = (int)blocks_per_sm(r, f, (uint32_t)threads, dynamic);
    return runtime_end(r, cudaSuccess);
}

CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks,
     const void *what, int threads, size_t dynamic)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, what, threads, dynamic, 0);
}

CALL(cudaOccupancyAvailableDynamicSMemPerBlock, size_t *bytes, const void *what,
     int blocks, int threads)
{
    BEGIN(r);
    int error = cudaSuccess;
    const struct function *f = function_find(r, what, &error);
    uint64_t each, used;

    (void)threads;
    if (f == NULL || bytes == NULL || blocks <= 0)
        return runtime_end(r, f == NULL ? error : cudaErrorInvalidValue);
    each = r->gpu->sm.shared_bytes / (uint32_t)blocks;
    each -= each % r->gpu->sm.shared_unit;
    used = f->kernel->shared_bytes + r->gpu->sm.shared_reserved;
    *bytes = each > used ? each - used : 0;
    if (*bytes > shared_most(r->gpu))
        *bytes = shared_most(r->gpu);
    return runtime_end(r, cudaSuccess);
}

/* Blocks of the whole chip by such a launch; 0 if none fits. */
static uint64_t blocks_at_once(const struct runtime *r,
                               const struct function *f,
                               const struct cuda_launch_config *c)
{
    uint64_t threads = (uint64_t)c->block.x * c->block.y * c->block.z;

    if (threads == 0 || threads > r->gpu->sm.threads_per_block_max)
        return 0;
    return (uint64_t)r->gpu->chip.sms *
           blocks_per_sm(r, f, (uint32_t)threads, c->shared);
}

/* A description has no groups of SMs, so the bound is the chip's. */
CALL(cudaOccupancyMaxActiveClusters, int *clusters, const void *what,
     const struct cuda_launch_config *c)
{
    BEGIN(r);
    int error = cudaSuccess;
    const struct function *f = function_find(r, what, &error);
    struct launch_shape shape = {.cluster = {1, 1, 1}};
    uint64_t each;

    if (f == NULL || clusters == NULL || c == NULL)
        return runtime_end(r, f == NULL ? error : cudaErrorInvalidValue);
    if (f->kernel->cluster[0] != 0)
        memcpy(&shape.cluster, f->kernel->cluster, sizeof shape.cluster);
    launch_read_attributes(&shape, c->attribute, c->attributes);
    each = (uint64_t)shape.cluster.x * shape.cluster.y * shape.cluster.z;
    if (each == 0 || each > cluster_most(r, f))
        return runtime_end(r, cudaErrorInvalidClusterSize);
    *clusters = (int)(blocks_at_once(r, f, c) / each);
    return runtime_end(r, cudaSuccess);
}

CALL(cudaOccupancyMaxPotentialClusterSize, int *blocks, const void *what,
     const struct cuda_launch_config *c)
{
    BEGIN(r);
    int error = cudaSuccess;
    const struct function *f = function_find(r, what, &error);

    if (f == NULL || blocks == NULL || c == NULL)
        return runtime_end(r, f == NULL ? error : cudaErrorInvalidValue);
    *blocks = (int)cluster_most(r, f);
    while (*blocks > 1 && (uint64_t)*blocks > blocks_at_once(r, f, c))
        *blocks /= 2;
    return runtime_end(r, *blocks != 0 ? cudaSuccess : cudaErrorNotSupported);
}
