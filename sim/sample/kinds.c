#include "sim/sample/kinds.h"

#include "isa/base/hash.h"
#include "isa/base/minmax.h"

uint64_t sample_block_work(const struct teg_block *block)
{
    uint64_t work = 0;

    for (uint32_t i = 0; i < teg_block_warps(block); i++)
        work += teg_block_warp_insts(block, i);
    return work;
}

/* Of what the warps execute. */
static uint64_t signature(const struct teg_block *block)
{
    uint64_t hash = TEG_HASH_START;

    for (uint32_t i = 0; i < teg_block_warps(block); i++)
        teg_hash_mix(&hash, teg_block_warp_insts(block, i));
    return hash;
}

static uint64_t longest_warp(const struct teg_block *block)
{
    uint64_t longest = 0;

    for (uint32_t i = 0; i < teg_block_warps(block); i++)
        longest = teg_max(longest, teg_block_warp_insts(block, i));
    return longest;
}

uint16_t sample_kind_of(struct sample_kinds *k, const struct teg_block *block,
                        uint64_t *work)
{
    uint64_t hash = signature(block), longest = longest_warp(block);
    uint32_t i = 0;

    while (i < k->count && k->kind[i].signature != hash)
        i++;
    if (i == k->count && k->count < SAMPLE_KINDS)
        k->kind[k->count++].signature = hash;
    if (i == SAMPLE_KINDS)
        i--;
    *work = sample_block_work(block);
    k->kind[i].instructions += *work;
    k->kind[i].longest = teg_max(k->kind[i].longest, longest);
    k->instructions += *work;
    k->longest = teg_max(k->longest, longest);
    return (uint16_t)i;
}

/* The kind that nearly all work is of, or their count: none is. */
static uint32_t main_kind(const struct sample_kinds *k)
{
    uint32_t i = 0;

    while (i < k->count &&
           (double)k->kind[i].instructions < 0.9 * (double)k->instructions)
        i++;
    return i;
}

int sample_kinds_alike(const struct sample_kinds *k)
{
    return main_kind(k) < k->count;
}

double sample_kinds_lonely(const struct sample_kinds *k)
{
    uint32_t i = main_kind(k);

    if (i == k->count || k->kind[i].longest == 0)
        return 0;
    return (double)k->longest / (double)k->kind[i].longest - 1;
}
