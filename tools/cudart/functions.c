/* Functions' attributes, and how many blocks of them the GPU holds. */
#include "tools/cudart/launch.h"
#include "tools/cudart/limits.h"
#include "tools/cudart/registry.h"

#include <string.h>

enum {
    ATTRIBUTE_DYNAMIC_SHARED = 8,
    ATTRIBUTE_CARVEOUT = 9,
    ATTRIBUTE_LARGE_CLUSTERS = 14,
};

CALL(cudaFuncGetAttributes, struct cuda_function_attributes *a,
     const void *what)
{
    BEGIN(r);
    int error = cudaSuccess;
    const struct function *f = function_find(r, what, &error);
    const struct teg_cubin_kernel *k;

    if (f == NULL || a == NULL)
        return runtime_end(r, f == NULL ? error : cudaErrorInvalidValue);
    k = f->kernel;
    *a = (struct cuda_function_attributes){
        .shared_bytes = k->shared_bytes,
        .const_bytes = f->module->cubin.constant3.size,
        .local_bytes = k->local_bytes,
        .max_threads = (int)threads_most(r, f),
        .registers = (int)k->registers,
        .ptx_version = (int)f->module->cubin.sm,
        .binary_version = (int)f->module->cubin.sm,
        .max_dynamic_shared = (int)dynamic_shared_most(r, f),
        .shared_carveout = (int)f->carveout - 1,
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
    if (attribute == ATTRIBUTE_CARVEOUT) {
        if (value < -1 || value > 100)
            return runtime_end(r, cudaErrorInvalidValue);
        f->carveout = (uint32_t)(value + 1);
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

CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks,
     const void *what, int threads, size_t dynamic, unsigned flags)
{
    BEGIN(r);
    int error = cudaSuccess;
    const struct function *f = function_find(r, what, &error);

    (void)flags;
    if (f == NULL || blocks == NULL || threads <= 0)
        return runtime_end(r, f == NULL ? error : cudaErrorInvalidValue);
    *blocks = (int)blocks_per_sm(r, f, (uint32_t)threads, dynamic, 0);
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

/* Clusters of `each` blocks that have their places at once by such a launch, all
 * blocks of one in the same group of SMs; 0 if none fits. */
static uint64_t clusters_at_once(const struct runtime *r,
                                 const struct function *f,
                                 const struct cuda_launch_config *c,
                                 uint64_t each)
{
    uint64_t threads = (uint64_t)c->block.x * c->block.y * c->block.z;
    uint64_t of_sm, all = 0;

    if (threads == 0 || threads > r->gpu->sm.threads_per_block_max)
        return 0;
    of_sm = blocks_per_sm(r, f, (uint32_t)threads, c->shared, 0);
    for (uint32_t g = 0; g < r->gpu->chip.gpcs; g++)
        all += of_sm *
               (teg_gpu_group_begin(r->gpu, g + 1) -
                teg_gpu_group_begin(r->gpu, g)) /
               each;
    return all;
}

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
    *clusters = (int)clusters_at_once(r, f, c, each);
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
    while (*blocks > 1 && clusters_at_once(r, f, c, (uint64_t)*blocks) == 0)
        *blocks /= 2;
    return runtime_end(r, *blocks != 0 ? cudaSuccess : cudaErrorNotSupported);
}
