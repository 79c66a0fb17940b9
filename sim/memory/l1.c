#include "sim/memory/l1.h"

#include <stdlib.h>

#include "sim/memory/queue.h"

enum {
    LAUNCH_BIT = 42, /* of a line's number: addresses have 49 bits */
};

static int init_textures(struct sim_l1 *l1)
{
    const struct teg_gpu *gpu = l1->gpu;

    if (gpu->texture.l1_bytes == 0 || gpu->l1.always_hits)
        return 1;
    l1->texture_sets =
        gpu->texture.l1_bytes / TEG_LINE_BYTES / gpu->texture.l1_ways;
    l1->by_texture_sets = sim_divisor_of(l1->texture_sets);
    l1->texture = sim_caches_new(l1->sms, (uint32_t)l1->texture_sets,
                                 gpu->texture.l1_ways);
    return l1->texture != NULL;
}

int sim_l1_init(struct sim_l1 *l1, const struct teg_gpu *gpu, uint32_t sms,
                uint32_t bytes)
{
    *l1 = (struct sim_l1){.gpu = gpu, .sms = sms};
    if (!init_textures(l1))
        return 0;
    if (gpu->l1.bytes == 0 || gpu->l1.always_hits)
        return 1;
    l1->sets =
        (bytes != 0 ? bytes : gpu->l1.bytes) / TEG_LINE_BYTES / gpu->l1.ways;
    l1->sets = teg_max(l1->sets, 1);
    l1->by_sets = sim_divisor_of(l1->sets);
    l1->cache = sim_caches_new(sms, (uint32_t)l1->sets, gpu->l1.ways);
    return l1->cache != NULL;
}

void sim_l1_release(struct sim_l1 *l1)
{
    sim_caches_free(l1->cache);
    sim_caches_free(l1->texture);
    *l1 = (struct sim_l1){0};
}

/* Stores are written through: they find lines, but neither enter any nor are
 * spared the way. */
int sim_l1_look_up(struct sim_l1 *l1, uint32_t sm, uint32_t launch,
                   uint32_t set, struct sim_request *r, struct sim_miss *miss)
{
    uint64_t line = miss->address / TEG_LINE_BYTES;
    int loads = !r->is_store, texels = r->space == SPACE_TEXTURE;
    struct sim_cache *cache = sim_l1_caches(l1, texels)[sm];
    uint32_t missing = miss->sectors;
    struct sim_cache_result found =
        sim_cache_access(cache, set, line ^ (uint64_t)launch << LAUNCH_BIT,
                         miss->sectors, loads, 0);

    if (loads) {
        missing &= ~found.hits;
        r->l1_sectors += sim_count_sectors(miss->sectors);
        r->l1_hits += sim_count_sectors(found.hits);
    }
    miss->ready = found.ready;
    if (missing == 0 && !found.awaited)
        return 1;
    miss->sectors = (uint8_t)missing;
    miss->bytes = sim_sectors_bytes(missing);
    if (!loads)
        return 0;
    miss->frame = found.frame;
    miss->flags = (uint16_t)(SIM_MISS_L1 | (texels ? SIM_MISS_TEXELS : 0) |
                             (found.hits != 0 ? SIM_MISS_HIT : 0) |
                             (found.awaited ? SIM_MISS_AWAITED : 0) |
                             (found.entered ? SIM_MISS_ENTERED : 0));
    if (missing != 0)
        sim_cache_await(cache, found.frame);
    return 0;
}
