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

uint32_t dynamic_shared_most(const struct runtime *r, const struct function *f)
{
    uint32_t all = shared_default(r->gpu);
    uint64_t own = f->kernel->shared_bytes;

    if (f->dynamic_shared != 0)
        return f->dynamic_shared;
    return all > own ? (uint32_t)(all - own) : 0;
}

uint32_t carveout_of(const struct runtime *r, const struct function *f)
{
    /* In percent and one more, as the header of the toolkit's occupancy
     * calculator has them. */
    static const uint32_t of[CACHE_PREFERENCES] = {
        [CACHE_SHARED] = 100 + 1, [CACHE_L1] = 0 + 1, [CACHE_EQUAL] = 50 + 1};

    if (f->carveout != 0)
        return f->carveout;
    return of[f->cache != CACHE_NONE ? f->cache : r->cache];
}

uint32_t blocks_per_sm(const struct runtime *r, const struct function *f,
                       uint32_t threads, size_t dynamic, uint32_t carveout)
{
    uint64_t shared = f->kernel->shared_bytes + dynamic;
    const struct teg_block_asks asks = {
        .threads = threads,
        .registers = f->kernel->registers,
        .shared_bytes = (uint32_t)shared,
        .carveout = carveout != 0 ? carveout : carveout_of(r, f),
    };
    struct teg_occupancy o;

    if (dynamic > dynamic_shared_most(r, f) ||
        teg_occupancy(r->gpu, &asks, &o, NULL) != TEG_OK)
        return 0;
    return o.blocks_per_sm;
}

uint32_t threads_most(const struct runtime *r, const struct function *f)
{
    const struct teg_cubin_kernel *k = f->kernel;
    uint32_t threads = r->gpu->sm.threads_per_block_max;
    struct teg_block_asks asks = {.registers = k->registers};
    struct teg_occupancy o;

    if (k->max_threads[0] != 0)
        threads = k->max_threads[0] * k->max_threads[1] * k->max_threads[2];
    for (; threads > TEG_LANES;
         threads = (threads - 1) / TEG_LANES * TEG_LANES) {
        asks.threads = threads;
        if (teg_occupancy(r->gpu, &asks, &o, NULL) == TEG_OK)
            break;
    }
    return threads;
}

uint32_t cluster_most(const struct runtime *r, const struct function *f)
{
    if (!has_clusters(r->gpu))
        return 0;
    return f->large_clusters ? CLUSTER_LARGE : CLUSTER_PORTABLE;
}
