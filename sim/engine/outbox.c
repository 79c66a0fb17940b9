#include "sim/engine/outbox.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_BYTES = 16384,
    ALIGNMENT = 16,
};

void sim_outbox_clear(struct sim_outbox *o)
{
    o->used = 0;
    o->opened = 0;
    o->first_open = o->last_open = SIM_NO_POST;
}

void sim_outbox_release(struct sim_outbox *o)
{
    free(o->room);
    *o = (struct sim_outbox){0};
}

static int reserve(struct sim_outbox *o, size_t bytes)
{
    size_t capacity = o->capacity != 0 ? o->capacity : FIRST_BYTES;
    unsigned char *room;

    while (capacity < o->used + bytes)
        capacity *= 2;
    if (capacity == o->capacity)
        return 1;
    room = capacity < SIM_NO_POST ? realloc(o->room, capacity) : NULL;
    if (room == NULL)
        return 0;
    o->room = room;
    o->capacity = (uint32_t)capacity;
    return 1;
}

static void link_open(struct sim_outbox *o, uint32_t place)
{
    if (o->opened++ == 0)
        o->first_open = place;
    else
        sim_outbox_at(o, o->last_open)->next_open = place;
    o->last_open = place;
}

struct sim_post *sim_outbox_add(struct sim_outbox *o,
                                const struct sim_issue *issue,
                                const struct sim_errand *errand)
{
    size_t bytes = offsetof(struct sim_post, floor);
    uint32_t place = o->used;
    struct sim_post *p;

    if (errand != NULL)
        bytes = offsetof(struct sim_post, errand) + sim_errand_bytes(errand);
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!reserve(o, bytes)) {
        o->failed = 1;
        return NULL;
    }
    o->used += (uint32_t)bytes;
    p = sim_outbox_at(o, place);
    p->issue = *issue;
    p->bytes = (uint32_t)bytes;
    p->open = errand != NULL;
    p->has_request = issue->request != NULL;
    if (p->has_request)
        p->request = *issue->request;
    if (errand == NULL)
        return p;
    p->held = 0;
    p->next_open = p->holder = SIM_NO_POST;
    memcpy(&p->errand, errand, sim_errand_bytes(errand));
    link_open(o, place);
    return p;
}
