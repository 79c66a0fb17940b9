/*
 * The runtime of CUDA 12 (libcudart.so.12): entry points whose arguments or
 * structures are not those of 13.  All others lead to the runtime of 13, which
 * holds the state of both: the build lists them (Makefile, forward_12.S).
 */
#include "tools/cudart/driver/forward.h"

#include "tools/cudart/abi.h"

#include <string.h>

/* The same name's entry point in the runtime of 13, as `next_NAME`. */
#define NEXT(name) __asm__(".symver next_" #name ", " #name "@libcudart.so.13");
/* A name of 12 for what 13 calls by another. */
#define RENAMED(name, now) NEXT(now) FORWARD(name, next_##now)

enum {
    VERSION = 12090,
    ATTRIBUTE_CLOCK = 13, /* enum cudaDeviceAttr */
    LOCATION_DEVICE = 1,
};

RENAMED(cudaEventElapsedTime_v2, cudaEventElapsedTime)
RENAMED(cudaGraphAddDependencies_v2, cudaGraphAddDependencies)
RENAMED(cudaGraphAddNode_v2, cudaGraphAddNode)
RENAMED(cudaGraphGetEdges_v2, cudaGraphGetEdges)
RENAMED(cudaGraphNodeGetDependencies_v2, cudaGraphNodeGetDependencies)
RENAMED(cudaGraphNodeGetDependentNodes_v2, cudaGraphNodeGetDependentNodes)
RENAMED(cudaGraphRemoveDependencies_v2, cudaGraphRemoveDependencies)
RENAMED(cudaMemAdvise_v2, cudaMemAdvise)
RENAMED(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync)
RENAMED(cudaMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync_ptsz)
RENAMED(cudaSignalExternalSemaphoresAsync_v2, cudaSignalExternalSemaphoresAsync)
RENAMED(cudaSignalExternalSemaphoresAsync_v2_ptsz,
        cudaSignalExternalSemaphoresAsync_ptsz)
RENAMED(cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo)
RENAMED(cudaStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo_ptsz)
RENAMED(cudaStreamUpdateCaptureDependencies_v2,
        cudaStreamUpdateCaptureDependencies)
RENAMED(cudaStreamUpdateCaptureDependencies_v2_ptsz,
        cudaStreamUpdateCaptureDependencies_ptsz)
RENAMED(cudaThreadExit, cudaDeviceReset)
RENAMED(cudaThreadGetCacheConfig, cudaDeviceGetCacheConfig)
RENAMED(cudaThreadGetLimit, cudaDeviceGetLimit)
RENAMED(cudaThreadSetCacheConfig, cudaDeviceSetCacheConfig)
RENAMED(cudaThreadSetLimit, cudaDeviceSetLimit)
RENAMED(cudaThreadSynchronize, cudaDeviceSynchronize)
RENAMED(cudaWaitExternalSemaphoresAsync_v2, cudaWaitExternalSemaphoresAsync)
RENAMED(cudaWaitExternalSemaphoresAsync_v2_ptsz,
        cudaWaitExternalSemaphoresAsync_ptsz)

/* ---- structures --------------------------------------------------------------- */

struct properties_12 {
    char name[256];
    uint8_t uuid[16], luid[8];
    uint32_t luid_mask;
    size_t total_global;
    size_t shared_per_block;
    int registers_per_block, warp_size;
    size_t pitch_max;
    int threads_per_block, block_max[3], grid_max[3];
    int clock_khz;
    size_t total_constant;
    int major, minor;
    size_t texture_alignment, texture_pitch_alignment;
    int overlap, sms, timeout, integrated, maps_host, compute_mode;
    int texture[40];
    size_t surface_alignment;
    int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc;
    int async_engines, unified_addressing;
    int memory_clock_khz, bus_width, l2_bytes;
    int l2_persisting, threads_per_sm, stream_priorities;
    int global_l1, local_l1;
    size_t shared_per_sm;
    int registers_per_sm, managed, is_board, board_group;
    int host_atomics, double_ratio, pageable, concurrent_managed, preemption;
    int host_pointer_registered, cooperative, cooperative_multi;
    size_t shared_per_block_optin;
    int pageable_host_tables, direct_managed, blocks_per_sm, window_max;
    size_t shared_reserved;
    int host_register, sparse, host_register_readonly, semaphores;
    int memory_pools, direct_rdma, rest[5], clusters, rest2[64];
};

_Static_assert(sizeof(struct properties_12) == 1032, "CUDA 12 layout");
_Static_assert(offsetof(struct properties_12, sms) == 388, "layout");
_Static_assert(offsetof(struct properties_12, concurrent_kernels) == 576,
               "layout");
_Static_assert(offsetof(struct properties_12, l2_bytes) == 616, "layout");
_Static_assert(offsetof(struct properties_12, shared_per_sm) == 640, "layout");
_Static_assert(offsetof(struct properties_12, cooperative) == 688, "layout");
_Static_assert(offsetof(struct properties_12, shared_reserved) == 720,
               "layout");
_Static_assert(offsetof(struct properties_12, clusters) == 772, "layout");

NEXT(cudaDeviceGetAttribute)
int next_cudaDeviceGetAttribute(int *value, int number, int device);
NEXT(cudaGetDeviceProperties)
int next_cudaGetDeviceProperties(struct cuda_properties *p, int device);

/* What both have, in three runs of the same fields and some apart. */
static void translate(struct properties_12 *to, const struct cuda_properties *p)
{
    *to = (struct properties_12){
        .total_constant = p->total_constant,
        .major = p->major,
        .minor = p->minor,
        .texture_alignment = p->texture_alignment,
        .texture_pitch_alignment = p->texture_pitch_alignment,
        .overlap = p->async_engines > 0,
        .sms = p->sms,
        .integrated = p->integrated,
        .maps_host = p->maps_host,
        .concurrent_kernels = p->concurrent_kernels,
        .ecc = p->ecc,
        .async_engines = p->async_engines,
        .unified_addressing = p->unified_addressing,
        .bus_width = p->bus_width,
        .l2_bytes = p->l2_bytes,
        .threads_per_sm = p->threads_per_sm,
        .stream_priorities = p->stream_priorities,
        .global_l1 = p->global_l1,
        .local_l1 = p->local_l1,
        .shared_per_sm = p->shared_per_sm,
        .registers_per_sm = p->registers_per_sm,
        .managed = p->managed,
        .concurrent_managed = p->concurrent_managed,
        .host_pointer_registered = p->host_pointer_registered,
        .cooperative = p->cooperative,
        .shared_per_block_optin = p->shared_per_block_optin,
        .blocks_per_sm = p->blocks_per_sm,
        .shared_reserved = p->shared_reserved,
        .host_register = p->host_register,
        .memory_pools = p->memory_pools,
        .clusters = p->clusters,
    };
    memcpy(to, p, offsetof(struct properties_12, clock_khz));
}

CALL(cudaGetDeviceProperties_v2, struct properties_12 *p, int device)
{
    struct cuda_properties now;
    int error = p != NULL ? next_cudaGetDeviceProperties(&now, device)
                          : cudaErrorInvalidValue;

    if (error != cudaSuccess)
        return error;
    translate(p, &now);
    return next_cudaDeviceGetAttribute(&p->clock_khz, ATTRIBUTE_CLOCK, device);
}

/* A struct of CUDA 11. */
NEXT(cudaLaunchCooperativeKernelMultiDevice)
FORWARD(cudaGetDeviceProperties, next_cudaLaunchCooperativeKernelMultiDevice)

struct pointer_attributes_12 {
    int type, device;
    void *device_pointer, *host_pointer;
};

NEXT(cudaPointerGetAttributes)
int next_cudaPointerGetAttributes(struct cuda_pointer_attributes *a,
                                  const void *address);

CALL(cudaPointerGetAttributes, struct pointer_attributes_12 *a,
     const void *address)
{
    struct cuda_pointer_attributes now;
    int error = a != NULL ? next_cudaPointerGetAttributes(&now, address)
                          : cudaErrorInvalidValue;

    if (error == cudaSuccess)
        memcpy(a, &now, sizeof *a);
    return error;
}

/* ---- where memory is wanted ----------------------------------------------------- */

struct location {
    int type, id;
};

int next_cudaMemPrefetchAsync(const void *address, size_t bytes,
                              struct location where, unsigned flags,
                              void *stream);
int next_cudaMemAdvise(const void *address, size_t bytes, int advice,
                       struct location where);

CALL(cudaMemPrefetchAsync, const void *address, size_t bytes, int device,
     void *stream)
{
    return next_cudaMemPrefetchAsync(
        address, bytes, (struct location){LOCATION_DEVICE, device}, 0, stream);
}
ALSO(cudaMemPrefetchAsync, cudaMemPrefetchAsync_ptsz);

CALL(cudaMemAdvise, const void *address, size_t bytes, int advice, int device)
{
    return next_cudaMemAdvise(address, bytes, advice,
                              (struct location){LOCATION_DEVICE, device});
}

/* ---- graphs: edges without data -------------------------------------------------- */

int next_cudaGraphAddDependencies(void *graph, void *from, void *to,
                                  const void *edges, size_t count);
int next_cudaGraphRemoveDependencies(void *graph, void *from, void *to,
                                     const void *edges, size_t count);
int next_cudaGraphGetEdges(void *graph, void *from, void *to, void *edges,
                           size_t *count);
int next_cudaGraphNodeGetDependencies(void *node, void *out, void *edges,
                                      size_t *count);
int next_cudaGraphNodeGetDependentNodes(void *node, void *out, void *edges,
                                        size_t *count);
int next_cudaGraphAddNode(void *made, void *graph, const void *from,
                          const void *edges, size_t froms, void *params);
int next_cudaStreamGetCaptureInfo(void *stream, int *status, uint64_t *id,
                                  void *graph, void *from, void *edges,
                                  size_t *froms);
int next_cudaStreamUpdateCaptureDependencies(void *stream, void *from,
                                             const void *edges, size_t froms,
                                             unsigned flags);
NEXT(cudaGraphKernelNodeCopyAttributes)
int next_cudaGraphKernelNodeCopyAttributes(void *to, void *from);

CALL(cudaGraphAddDependencies, void *graph, void *from, void *to, size_t count)
{
    return next_cudaGraphAddDependencies(graph, from, to, NULL, count);
}

CALL(cudaGraphRemoveDependencies, void *graph, void *from, void *to,
     size_t count)
{
    return next_cudaGraphRemoveDependencies(graph, from, to, NULL, count);
}

CALL(cudaGraphGetEdges, void *graph, void *from, void *to, size_t *count)
{
    return next_cudaGraphGetEdges(graph, from, to, NULL, count);
}

CALL(cudaGraphNodeGetDependencies, void *node, void *out, size_t *count)
{
    return next_cudaGraphNodeGetDependencies(node, out, NULL, count);
}

CALL(cudaGraphNodeGetDependentNodes, void *node, void *out, size_t *count)
{
    return next_cudaGraphNodeGetDependentNodes(node, out, NULL, count);
}

CALL(cudaGraphAddNode, void *made, void *graph, const void *from, size_t froms,
     void *params)
{
    return next_cudaGraphAddNode(made, graph, from, NULL, froms, params);
}

/* The other way round. */
CALL(cudaGraphKernelNodeCopyAttributes, void *from, void *to)
{
    return next_cudaGraphKernelNodeCopyAttributes(to, from);
}

CALL(cudaStreamGetCaptureInfo_v2, void *stream, int *status, uint64_t *id,
     void *graph, void *from, size_t *froms)
{
    return next_cudaStreamGetCaptureInfo(stream, status, id, graph, from, NULL,
                                         froms);
}
ALSO(cudaStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo_v2_ptsz);

CALL(cudaStreamGetCaptureInfo, void *stream, int *status, uint64_t *id)
{
    return next_cudaStreamGetCaptureInfo(stream, status, id, NULL, NULL, NULL,
                                         NULL);
}
ALSO(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_ptsz);

CALL(cudaStreamUpdateCaptureDependencies, void *stream, void *from,
     size_t froms, unsigned flags)
{
    return next_cudaStreamUpdateCaptureDependencies(stream, from, NULL, froms,
                                                    flags);
}
ALSO(cudaStreamUpdateCaptureDependencies,
     cudaStreamUpdateCaptureDependencies_ptsz);

/* ---- the rest ----------------------------------------------------------------- */

NEXT(cudaGetDriverEntryPointByVersion)
int next_cudaGetDriverEntryPointByVersion(const char *name, void **entry,
                                          unsigned version, uint64_t flags,
                                          int *status);

CALL(cudaGetDriverEntryPoint, const char *name, void **entry, uint64_t flags,
     int *status)
{
    return next_cudaGetDriverEntryPointByVersion(name, entry, VERSION, flags,
                                                 status);
}
ALSO(cudaGetDriverEntryPoint, cudaGetDriverEntryPoint_ptsz);

CALL(cudaRuntimeGetVersion, int *version)
{
    if (version == NULL)
        return cudaErrorInvalidValue;
    *version = VERSION;
    return cudaSuccess;
}

/* Of GPUs without double precision; nothing to do. */
CALL(cudaSetDoubleForDevice, double *value)
{
    return value != NULL ? cudaSuccess : cudaErrorInvalidValue;
}

CALL(cudaSetDoubleForHost, double *value)
{
    return cudaSetDoubleForDevice(value);
}
