#include "sim/memory/parts.h"

#include <stdlib.h>

int sim_parts_init(struct sim_parts *parts, const struct teg_gpu *gpu,
                   uint32_t sms)
{
    uint32_t room = gpu->l2.partial_joined;

    *parts = (struct sim_parts){0};
    if (room == 0)
        return 1;
    parts->room = room;
    parts->next = calloc(sms, sizeof *parts->next);
    parts->sector = calloc((size_t)sms * room, sizeof *parts->sector);
    return parts->next != NULL && parts->sector != NULL;
}

void sim_parts_release(struct sim_parts *parts)
{
    free(parts->next);
    free(parts->sector);
    *parts = (struct sim_parts){0};
}

/* Is it one of the last?  From now on it is. */
static int joins(struct sim_parts *parts, uint32_t sm, uint64_t number)
{
    uint64_t *sector = &parts->sector[(size_t)sm * parts->room];
    uint32_t *next = &parts->next[sm];

    for (uint32_t i = 0; i < parts->room; i++)
        if (sector[i] == number + 1)
            return 1;
    sector[*next] = number + 1;
    *next = *next + 1 < parts->room ? *next + 1 : 0;
    return 0;
}

uint32_t sim_parts_alone(struct sim_parts *parts, uint32_t sm, uint64_t address,
                         uint32_t partial)
{
    uint32_t alone = partial;

    for (uint32_t s = 0; parts->room != 0 && partial >> s != 0; s++)
        if ((partial >> s & 1) &&
            joins(parts, sm, address / TEG_SECTOR_BYTES + s))
            alone &= ~(1u << s);
    return alone;
}
