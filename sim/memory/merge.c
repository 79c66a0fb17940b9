#include "sim/memory/merge.h"

#include "isa/base/minmax.h"
#include "sim/memory/line.h"

static int joins(struct sim_stored *s, uint32_t room, uint64_t number)
{
    uint32_t kept = (uint32_t)teg_min(s->count, room);

    for (uint32_t back = 1; back <= kept; back++)
        if (s->sector[(s->count - back) % room] == number)
            return 1;
    s->sector[s->count++ % room] = number;
    return 0;
}

uint32_t sim_merge_joined(struct sim_stored *stored, uint32_t room,
                          uint64_t address, uint32_t parts)
{
    uint32_t joined = 0;

    for (uint32_t s = 0; room != 0 && parts >> s != 0; s++)
        if ((parts >> s & 1) &&
            joins(stored, room, address / TEG_SECTOR_BYTES + s))
            joined |= 1u << s;
    return joined;
}
