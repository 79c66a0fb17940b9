#include "sim/engine/pending.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_BYTES = 16384,
    ALIGNMENT = 16,
};

void sim_pending_clear(struct sim_pending_list *o)
{
    o->used = 0;
    o->opened = 0;
    o->first_open = o->last_open = SIM_NO_PENDING;
}

void sim_pending_release(struct sim_pending_list *o)
{
    free(o->data);
    *o = (struct sim_pending_list){0};
}

static int reserve(struct sim_pending_list *o, size_t bytes)
{
    size_t capacity = o->capacity != 0 ? o->capacity : FIRST_BYTES;
    unsigned char *data;

    while (capacity < o->used + bytes)
        capacity *= 2;
    if (capacity == o->capacity)
        return 1;
    data = capacity < SIM_NO_PENDING ? realloc(o->data, capacity) : NULL;
    if (data == NULL)
        return 0;
    o->data = data;
    o->capacity = (uint32_t)capacity;
    return 1;
}

static void link_open(struct sim_pending_list *o, uint32_t offset)
{
    if (o->opened++ == 0)
        o->first_open = offset;
    else
        sim_pending_at(o, o->last_open)->next_open = offset;
    o->last_open = offset;
}

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

struct sim_brief *sim_pending_begin_brief(struct sim_pending_list *o)
{
    if (reserve(o, aligned(sizeof(struct sim_brief))))
        return (struct sim_brief *)(void *)(o->data + o->used);
    o->failed = 1;
    return NULL;
}

void sim_pending_end_brief(struct sim_pending_list *o, struct sim_brief *b,
                           const struct sim_stalled *end)
{
    size_t bytes = aligned((size_t)((const char *)end - (const char *)b));

    b->stalls = (uint16_t)(end - b->stall);
    b->head =
        (struct sim_pending_head){.bytes = (uint32_t)bytes, .is_brief = 1};
    o->used += (uint32_t)bytes;
}

struct sim_pending *sim_pending_add(struct sim_pending_list *o,
                                    const struct sim_issue *issue,
                                    const struct sim_misses *misses)
{
    size_t bytes = issue->request != NULL
                       ? offsetof(struct sim_pending, floor)
                       : offsetof(struct sim_pending, request);
    uint32_t offset = o->used;
    struct sim_pending *p;

    if (misses != NULL)
        bytes = offsetof(struct sim_pending, misses) + sim_misses_bytes(misses);
    bytes = aligned(bytes);
    if (!reserve(o, bytes)) {
        o->failed = 1;
        return NULL;
    }
    o->used += (uint32_t)bytes;
    p = sim_pending_at(o, offset);
    p->issue = *issue;
    p->head = (struct sim_pending_head){.bytes = (uint32_t)bytes,
                                        .open = misses != NULL,
                                        .has_request = issue->request != NULL};
    if (p->head.has_request)
        p->request = *issue->request;
    if (misses == NULL)
        return p;
    p->next_open = p->joined = SIM_NO_PENDING;
    for (int i = 0; i < SIM_HOLDS_MAX; i++)
        p->held[i] = (struct sim_held){0, SIM_NO_PENDING};
    p->note.mbarrier = SIM_NO_MBARRIER;
    memcpy(&p->misses, misses, sim_misses_bytes(misses));
    link_open(o, offset);
    return p;
}
