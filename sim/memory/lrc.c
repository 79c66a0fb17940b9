#include "sim/memory/lrc.h"

#include "isa/base/minmax.h"
#include "sim/memory/line.h"
#include "sim/memory/queue.h"

enum {
    FEW = 4096, /* entries that are not worth looking through */
    /* Cycles by which a read may leave before one that was asked for earlier:
     * the lines of a large copy leave one after the other. */
    APART = 16384,
};

void sim_lrc_init(struct sim_lrc *lrc, const struct teg_gpu *gpu)
{
    *lrc = (struct sim_lrc){.gpu = gpu, .most = FEW};
}

void sim_lrc_release(struct sim_lrc *lrc)
{
    teg_number_map_release(&lrc->coming);
    *lrc = (struct sim_lrc){0};
}

static uint64_t key_of(const struct sim_lrc *lrc, uint32_t sm, uint64_t line)
{
    return line * lrc->gpu->chip.gpcs + teg_gpu_group_of(lrc->gpu, sm) + 1;
}

int sim_lrc_join(const struct sim_lrc *lrc, uint32_t sm, uint64_t line,
                 uint32_t sectors, uint64_t at, uint64_t *ready)
{
    const uint64_t *coming =
        teg_number_map_find(&lrc->coming, key_of(lrc, sm, line));

    if (coming == NULL || (sectors & ~*coming & SIM_ALL_SECTORS) != 0)
        return 0;
    *ready = *coming >> SIM_SECTORS;
    return *ready * SIM_TICKS > at;
}

/* Drops what nobody can join any more. */
static void sweep(struct sim_lrc *lrc, uint64_t from)
{
    struct teg_number_map all = lrc->coming;

    lrc->coming = (struct teg_number_map){0};
    for (size_t i = 0; i < all.room; i++)
        if (all.entry[i].key != 0 &&
            ((all.entry[i].value >> SIM_SECTORS) + APART) * SIM_TICKS > from)
            teg_number_map_put(&lrc->coming, all.entry[i].key,
                               all.entry[i].value);
    teg_number_map_release(&all);
    lrc->most = teg_max(2 * lrc->coming.count, (size_t)FEW);
}

void sim_lrc_enter(struct sim_lrc *lrc, uint32_t sm, uint64_t line,
                   uint32_t sectors, uint64_t ready, uint64_t from)
{
    if (lrc->coming.count >= lrc->most)
        sweep(lrc, from);
    teg_number_map_put(&lrc->coming, key_of(lrc, sm, line),
                       ready << SIM_SECTORS | (sectors & SIM_ALL_SECTORS));
}
