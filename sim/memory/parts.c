#include "sim/memory/parts.h"

#include <stdlib.h>

#include "sim/memory/recent.h"

int sim_parts_init(struct sim_parts *parts, const struct teg_gpu *gpu,
                   uint32_t sms)
{
    uint32_t room = gpu->l2.partial_joined;

    *parts = (struct sim_parts){0};
    if (room == 0)
        return 1;
    parts->room = room;
    parts->count = calloc(sms, sizeof *parts->count);
    parts->sector = calloc((size_t)sms * room, sizeof *parts->sector);
    return parts->count != NULL && parts->sector != NULL;
}

void sim_parts_release(struct sim_parts *parts)
{
    free(parts->count);
    free(parts->sector);
    *parts = (struct sim_parts){0};
}

uint32_t sim_parts_alone(struct sim_parts *parts, uint32_t sm, uint64_t address,
                         uint32_t partial)
{
    if (parts->room == 0)
        return partial;
    return partial & ~sim_recent_sectors(
                         &parts->sector[(size_t)sm * parts->room], parts->room,
                         &parts->count[sm], address, partial);
}
