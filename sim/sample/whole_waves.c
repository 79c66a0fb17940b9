#include "sim/sample/whole_waves.h"

#include "sim/sample/kinds.h"
#include "sim/sample/scale.h"

uint64_t whole_waves_blocks(uint64_t blocks, uint32_t sms,
                            uint32_t blocks_per_sm, uint32_t cluster)
{
    uint64_t places = (uint64_t)sms * blocks_per_sm;
    uint64_t wave = blocks >= places ? places : sms;

    if (wave == 0 || blocks < wave)
        return blocks;
    blocks -= blocks % wave;
    return blocks - blocks % (cluster != 0 ? cluster : 1);
}

static teg_status next(void *self, struct teg_block **block, struct teg_diag *d)
{
    struct whole_waves *w = self;

    *block = NULL;
    if (w->done == w->blocks)
        return TEG_OK;
    TRY(w->from->next(w->from->self, block, d));
    if (*block == NULL)
        return TEG_OK;
    w->done++;
    w->work += sample_block_work(*block);
    return TEG_OK;
}

void whole_waves_init(struct whole_waves *w, struct teg_launch *from,
                      uint64_t blocks, struct teg_launch *part)
{
    *w = (struct whole_waves){.from = from, .blocks = blocks};
    *part =
        (struct teg_launch){.kernel = from->kernel, .self = w, .next = next};
}

static teg_status count(void *self, struct teg_block *block, struct teg_diag *d)
{
    struct whole_waves *w = self;

    (void)d;
    w->rest++;
    w->rest_warps += teg_block_warps(block);
    w->rest_work += sample_block_work(block);
    return TEG_OK;
}

teg_status whole_waves_finish(struct whole_waves *w, struct teg_statistics *s,
                              struct teg_diag *d)
{
    double factor;

    TRY(teg_launch_walk(w->from, count, w, d));
    if (w->work == 0 || w->rest_work == 0)
        return TEG_OK;
    factor = (double)(w->work + w->rest_work) / (double)w->work;
    s->cycles = (uint64_t)((double)s->cycles * factor + 0.5);
    s->sm_busy_cycles = (uint64_t)((double)s->sm_busy_cycles * factor + 0.5);
    s->blocks += w->rest;
    s->warps += w->rest_warps;
    sample_scale(s, factor, s->warp_instructions + w->rest_work);
    return TEG_OK;
}
