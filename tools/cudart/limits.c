#include "tools/cudart/limits.h"

#include "config/occupancy.h"

enum {
    /* bytes of a block that does not ask for more */
    SHARED_DEFAULT = 48 * 1024,
    CLUSTER_PORTABLE = 8, /* blocks a cluster may have on every GPU */
    CLUSTER_LARGE = 16,
};

uint32_t shared_most(const struct teg_gpu *g)
{
    return g->sm.shared_bytes - g->sm.shared_reserved;
}

uint32_t shared_default(const struct teg_gpu *g)
{
    return shared_most(g) < SHARED_DEFAULT ? shared_most(g) : SHARED_DEFAULT;
}

int has_clusters(const struct teg_gpu *g)
{
    return g->chip.compute_capability >= 90;
}

uint32_t blocks_per_sm(const struct runtime *r, const struct function *f,
                       uint32_t threads, size_t dynamic)
{
    uint64_t shared = f->kernel->shared_bytes + dynamic;
    struct teg_occupancy o;

    if (dynamic > UINT32_MAX || shared > UINT32_MAX ||
        teg_occupancy(r->gpu, threads, f->kernel->registers, (uint32_t)shared,
                      &o, NULL) != TEG_OK)
        return 0;
    return o.blocks_per_sm;
}

uint32_t threads_most(const struct runtime *r, const struct function *f)
{
    const struct teg_cubin_kernel *k = f->kernel;
    uint32_t threads = r->gpu->sm.threads_per_block_max;
    struct teg_occupancy o;

    if (k->max_threads[0] != 0)
        threads = k->max_threads[0] * k->max_threads[1] * k->max_threads[2];
    while (threads > TEG_LANES &&
           teg_occupancy(r->gpu, threads, k->registers, 0, &o, NULL) != TEG_OK)
        threads = (threads - 1) / TEG_LANES * TEG_LANES;
    return threads;
}

uint32_t cluster_most(const struct runtime *r, const struct function *f)
{
    if (!has_clusters(r->gpu))
        return 0;
    return f->large_clusters ? CLUSTER_LARGE : CLUSTER_PORTABLE;
}
