#include "sim/sample/kinds.h"

uint64_t sample_block_work(const struct teg_block *block)
{
    uint64_t work = 0;

    for (uint32_t i = 0; i < teg_block_warps(block); i++)
        work += teg_block_warp_insts(block, i);
    return work;
}

/* FNV-1a over what the warps execute. */
static uint64_t signature(const struct teg_block *block)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (uint32_t i = 0; i < teg_block_warps(block); i++)
        hash = (hash ^ teg_block_warp_insts(block, i)) * 0x100000001b3u;
    return hash;
}

uint16_t sample_kind_of(struct sample_kinds *k, const struct teg_block *block,
                        uint64_t *work)
{
    uint64_t hash = signature(block);
    uint32_t i = 0;

    while (i < k->count && k->kind[i].signature != hash)
        i++;
    if (i == k->count && k->count < SAMPLE_KINDS)
        k->kind[k->count++].signature = hash;
    if (i == SAMPLE_KINDS)
        i--;
    *work = sample_block_work(block);
    k->kind[i].instructions += *work;
    k->instructions += *work;
    return (uint16_t)i;
}

int sample_kinds_alike(const struct sample_kinds *k)
{
    for (uint32_t i = 0; i < k->count; i++) {
        if ((double)k->kind[i].instructions >= 0.9 * (double)k->instructions)
            return 1;
    }
    return 0;
}
