#include "tools/cudart/managed.h"
#include "tools/cudart/memory.h"

#include <stdlib.h>
#include <string.h>

enum where {
    NOWHERE, /* nobody has touched it */
    ON_HOST,
    ON_DEVICE,
    ON_BOTH,
};

/* enum cudaMemoryAdvise */
enum {
    ADVISE_READ_MOSTLY = 1,
    ADVISE_READ_ANYHOW = 2,
    ADVISE_PREFER = 3,
    ADVISE_PREFER_NOTHING = 4,
    ADVISES = 6
};

struct page {
    uint64_t content; /* a number of what the device left there */
    uint8_t where;
    uint8_t read_mostly, stays; /* on the host */
};

struct managed {
    struct page *page; /* owned, [pages] */
    size_t pages;
    uint8_t *did; /* borrowed from the device, [pages] */
};

void managed_free(struct managed *m)
{
    if (m != NULL)
        free(m->page);
    free(m);
}

/* NULL: not managed, or no memory, and then it moves nothing. */
static struct managed *managed_of(struct runtime *r, struct shared_memory *s)
{
    struct managed *m;

    if (s == NULL || s->kind != MEMORY_MANAGED || s->managed != NULL)
        return s != NULL ? s->managed : NULL;
    m = calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    m->did = emu_device_pages(r->device, (uint64_t)s->data, &m->pages);
    m->page = m->did != NULL ? calloc(m->pages, sizeof *m->page) : NULL;
    if (m->page == NULL) {
        managed_free(m);
        return NULL;
    }
    s->managed = m;
    return m;
}

static size_t bytes_of(const struct shared_memory *s, size_t page)
{
    size_t left = s->bytes - page * EMU_PAGE;

    return left < EMU_PAGE ? left : EMU_PAGE;
}

/* Of zeros it is 0. */
static uint64_t content_of(const struct shared_memory *s, size_t page)
{
    const char *data = (const char *)s->data + page * EMU_PAGE;
    size_t bytes = bytes_of(s, page), i = 0;
    uint64_t sum[4] = {0}, word;

    for (; i + 32 <= bytes; i += 32) {
        for (int k = 0; k < 4; k++) {
            memcpy(&word, data + i + 8 * k, sizeof word);
            sum[k] = (sum[k] ^ word) * 0x9e3779b97f4a7c15u;
            sum[k] ^= sum[k] >> 29;
        }
    }
    for (; i < bytes; i++)
        sum[0] = (sum[0] ^ (uint8_t)data[i]) * 0x9e3779b97f4a7c15u;
    return sum[0] ^ sum[1] * 3 ^ sum[2] * 5 ^ sum[3] * 7;
}

/* What differs from what the device left, the host has written. */
static void look(const struct shared_memory *s, struct managed *m, size_t page)
{
    struct page *p = &m->page[page];

    if (p->where != ON_HOST && content_of(s, page) != p->content)
        p->where = ON_HOST;
}

void managed_before_launch(struct runtime *r)
{
    for (struct shared_memory *s = r->shared; s != NULL; s = s->next) {
        struct managed *m = managed_of(r, s);

        if (m == NULL)
            continue;
        memset(m->did, 0, m->pages);
        for (size_t i = 0; i < m->pages; i++)
            look(s, m, i);
    }
}

/* The page is on the device from here on; whether it had to move there. */
static int move(struct page *p, int written)
{
    int moves = p->where == ON_HOST;

    p->where = p->read_mostly && !written && p->where != ON_DEVICE ? ON_BOTH
                                                                   : ON_DEVICE;
    return moves;
}

void managed_after_launch(struct runtime *r)
{
    const char *first = NULL;
    size_t bytes = 0;

    for (struct shared_memory *s = r->shared; s != NULL; s = s->next) {
        struct managed *m = s->managed;

        for (size_t i = 0; m != NULL && i < m->pages; i++) {
            struct page *p = &m->page[i];

            if (m->did[i] == 0 || p->stays)
                continue;
            if (move(p, m->did[i] & EMU_PAGE_WRITTEN)) {
                first = bytes == 0 ? (char *)s->data + i * EMU_PAGE : first;
                bytes += bytes_of(s, i);
            }
            p->content = content_of(s, i);
        }
    }
    if (r->tracer.graph.depth == 0)
        tracer_event(&r->tracer, "pages-to-device", first, bytes, 0);
}

/* The pages that the range has part of; 0: it is none of managed memory. */
static int find_pages(struct runtime *r, const void *address, size_t bytes,
                      struct shared_memory **s, size_t *from, size_t *to)
{
    size_t offset;

    *s = shared_find(r, address);
    if (managed_of(r, *s) == NULL)
        return 0;
    offset = (size_t)((const char *)address - (const char *)(*s)->data);
    if (bytes > (*s)->bytes - offset)
        return 0;
    *from = offset / EMU_PAGE;
    *to = (offset + bytes + EMU_PAGE - 1) / EMU_PAGE;
    return 1;
}

int managed_prefetch(struct runtime *r, const void *address, size_t bytes,
                     int to_device)
{
    struct shared_memory *s;
    size_t from, to, moved = 0;

    if (!find_pages(r, address, bytes, &s, &from, &to))
        return 0;
    for (size_t i = from; i < to; i++) {
        struct page *p = &s->managed->page[i];

        look(s, s->managed, i);
        if (to_device) {
            moved += move(p, 0) ? bytes_of(s, i) : 0;
            p->content = content_of(s, i);
        } else {
            moved += p->where == ON_DEVICE ? bytes_of(s, i) : 0;
            p->where = ON_HOST;
        }
    }
    if (r->tracer.graph.depth == 0)
        tracer_event(&r->tracer,
                     to_device ? "prefetch-to-device" : "prefetch-to-host",
                     (char *)s->data + from * EMU_PAGE, moved, 0);
    return 1;
}

int managed_advise(struct runtime *r, const void *address, size_t bytes,
                   int advice, int of_host)
{
    struct shared_memory *s;
    size_t from, to;

    if (advice < ADVISE_READ_MOSTLY || advice > ADVISES ||
        !find_pages(r, address, bytes, &s, &from, &to))
        return 0;
    for (size_t i = from; i < to; i++) {
        struct page *p = &s->managed->page[i];

        if (advice == ADVISE_READ_MOSTLY || advice == ADVISE_READ_ANYHOW)
            p->read_mostly = advice == ADVISE_READ_MOSTLY;
        else if (advice == ADVISE_PREFER || advice == ADVISE_PREFER_NOTHING)
            p->stays = advice == ADVISE_PREFER && of_host;
    }
    return 1;
}
