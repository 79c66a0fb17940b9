#include "traces/store.h"

#include <stdlib.h>

#include "traces/block/block.h"

struct teg_cache {
    struct teg_trace *trace; /* borrowed */
    uint32_t number;         /* of the launch in the trace */
    /* Owned.  Open as long as its blocks are kept, which use its program;
     * else during a replay. */
    struct teg_launch from;
    struct teg_kernel kernel; /* what users see; all but the numbers is
                                 borrowed from `from` */
    struct teg_block **block; /* owned, and so are the blocks, [count] */
    size_t count, capacity;
    size_t next;
    int holds;
};

static void close_from(struct teg_cache *c)
{
    if (c->from.close != NULL)
        c->from.close(c->from.self);
    c->from = (struct teg_launch){0};
}

static void drop_blocks(struct teg_cache *c)
{
    for (size_t i = 0; i < c->count; i++)
        teg_block_drop(c->block[i]);
    free(c->block);
    c->block = NULL;
    c->count = c->capacity = 0;
}

static teg_status append(struct teg_cache *c, struct teg_block *block,
                         struct teg_diag *d)
{
    if (c->count == c->capacity) {
        size_t capacity = c->capacity != 0 ? 2 * c->capacity : 64;
        struct teg_block **more =
            realloc(c->block, capacity * sizeof(struct teg_block *));

        if (more == NULL) {
            teg_block_free(block);
            return teg_fail_memory(d);
        }
        c->block = more;
        c->capacity = capacity;
    }
    teg_block_keep(block);
    c->block[c->count++] = block;
    return TEG_OK;
}

/* Reads all blocks unless they are too many; `holds` says which. */
static teg_status read_blocks(struct teg_cache *c, uint64_t budget,
                              struct teg_diag *d)
{
    uint64_t used = 0;

    for (;;) {
        struct teg_block *block;

        TRY(c->from.next(c->from.self, &block, d));
        if (block == NULL) {
            c->holds = 1;
            return TEG_OK;
        }
        used += teg_block_memory(block) + sizeof(struct teg_block *);
        TRY(append(c, block, d));
        if (used > budget) {
            drop_blocks(c);
            return TEG_OK;
        }
    }
}

teg_status teg_cache_new(struct teg_trace *trace, uint32_t kernel,
                         uint64_t budget, struct teg_cache **cache,
                         struct teg_diag *d)
{
    struct teg_cache *c = calloc(1, sizeof *c);
    teg_status status;

    *cache = NULL;
    if (c == NULL)
        return teg_fail_memory(d);
    c->trace = trace;
    c->number = kernel;
    status = teg_trace_launch(trace, kernel, &c->from, d);
    if (status == TEG_OK)
        status = read_blocks(c, budget, d);
    if (status != TEG_OK) {
        teg_cache_free(c);
        return status;
    }
    if (!c->holds)
        close_from(c);
    *cache = c;
    return TEG_OK;
}

void teg_cache_free(struct teg_cache *c)
{
    if (c == NULL)
        return;
    drop_blocks(c);
    close_from(c);
    free(c);
}

int teg_cache_holds(const struct teg_cache *c)
{
    return c->holds;
}

static teg_status next_kept(void *self, struct teg_block **block,
                            struct teg_diag *d)
{
    struct teg_cache *c = self;

    (void)d;
    *block = c->next < c->count ? c->block[c->next++] : NULL;
    return TEG_OK;
}

/* The program and the remarks grow while the trace is read. */
static teg_status next_read(void *self, struct teg_block **block,
                            struct teg_diag *d)
{
    struct teg_cache *c = self;

    TRY(c->from.next(c->from.self, block, d));
    c->kernel.program = c->from.kernel->program;
    c->kernel.notes = c->from.kernel->notes;
    return TEG_OK;
}

static void close_read(void *self)
{
    close_from(self);
}

teg_status teg_cache_launch(struct teg_cache *c, struct teg_launch *launch,
                            struct teg_diag *d)
{
    if (!c->holds)
        TRY(teg_trace_launch(c->trace, c->number, &c->from, d));
    c->kernel = *c->from.kernel;
    c->next = 0;
    *launch = (struct teg_launch){
        .kernel = &c->kernel,
        .self = c,
        .next = c->holds ? next_kept : next_read,
        .close = c->holds ? NULL : close_read,
    };
    return TEG_OK;
}
