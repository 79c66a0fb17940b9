#include "sim/memory/lrc.h"

#include <stdlib.h>

#include "sim/memory/line.h"
#include "sim/memory/queue.h"

enum {
    SPARE = 4 /* places in the map for each read, before it is made anew */
};

int sim_lrc_init(struct sim_lrc *lrc, const struct teg_gpu *gpu)
{
    size_t groups = gpu->chip.gpcs;

    *lrc = (struct sim_lrc){.gpu = gpu};
    if (gpu->l2.join_lines == 0)
        return 1;
    lrc->read = calloc(groups * gpu->l2.join_lines, sizeof *lrc->read);
    lrc->next = calloc(groups, sizeof *lrc->next);
    return lrc->read != NULL && lrc->next != NULL;
}

void sim_lrc_release(struct sim_lrc *lrc)
{
    free(lrc->read);
    free(lrc->next);
    teg_number_map_release(&lrc->place);
    *lrc = (struct sim_lrc){0};
}

static uint64_t key_of(const struct sim_lrc *lrc, uint32_t group, uint64_t line)
{
    return line * lrc->gpu->chip.gpcs + group + 1;
}

int sim_lrc_join(const struct sim_lrc *lrc, uint32_t group, uint64_t line,
                 uint32_t sectors, uint64_t at, uint64_t *ready)
{
    uint64_t key = key_of(lrc, group, line);
    const uint64_t *place = teg_number_map_find(&lrc->place, key);
    const struct sim_lrc_read *read;

    if (place == NULL)
        return 0;
    read = &lrc->read[*place];
    *ready = read->ready;
    return read->key == key && (sectors & ~read->sectors) == 0 &&
           read->ready * SIM_TICKS > at;
}

/* Forgets the places of what is no longer known. */
static void sweep(struct sim_lrc *lrc)
{
    struct teg_number_map all = lrc->place;

    lrc->place = (struct teg_number_map){0};
    for (size_t i = 0; i < all.room; i++)
        if (all.entry[i].key != 0 &&
            lrc->read[all.entry[i].value].key == all.entry[i].key)
            teg_number_map_put(&lrc->place, all.entry[i].key,
                               all.entry[i].value);
    teg_number_map_release(&all);
}

void sim_lrc_enter(struct sim_lrc *lrc, uint32_t group, uint64_t line,
                   uint32_t sectors, uint64_t ready)
{
    uint32_t lines = lrc->gpu->l2.join_lines;
    uint32_t *next = &lrc->next[group];
    size_t place = (size_t)group * lines + *next;

    if (lrc->place.count >= (size_t)SPARE * lines * lrc->gpu->chip.gpcs)
        sweep(lrc);
    *next = *next + 1 == lines ? 0 : *next + 1;
    lrc->read[place] = (struct sim_lrc_read){key_of(lrc, group, line), ready,
                                             sectors & SIM_ALL_SECTORS};
    teg_number_map_put(&lrc->place, lrc->read[place].key, place);
}
