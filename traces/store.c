#include "traces/store.h"

#include <stdlib.h>

#include "traces/block/block.h"

struct teg_store {
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

static void close_from(struct teg_store *s)
{
    if (s->from.close != NULL)
        s->from.close(s->from.self);
    s->from = (struct teg_launch){0};
}

static void drop_blocks(struct teg_store *s)
{
    for (size_t i = 0; i < s->count; i++)
        teg_block_drop(s->block[i]);
    free(s->block);
    s->block = NULL;
    s->count = s->capacity = 0;
}

static teg_status append(struct teg_store *s, struct teg_block *block,
                         struct teg_diag *d)
{
    if (s->count == s->capacity) {
        size_t capacity = s->capacity != 0 ? 2 * s->capacity : 64;
        struct teg_block **more =
            realloc(s->block, capacity * sizeof(struct teg_block *));

        if (more == NULL) {
            teg_block_free(block);
            return teg_fail_memory(d);
        }
        s->block = more;
        s->capacity = capacity;
    }
    teg_block_keep(block);
    s->block[s->count++] = block;
    return TEG_OK;
}

/* Reads all blocks unless they are too many; `holds` says which. */
static teg_status read_blocks(struct teg_store *s, uint64_t budget,
                              struct teg_diag *d)
{
    uint64_t used = 0;

    for (;;) {
        struct teg_block *block;

        TRY(s->from.next(s->from.self, &block, d));
        if (block == NULL) {
            s->holds = 1;
            return TEG_OK;
        }
        used += teg_block_memory(block) + sizeof(struct teg_block *);
        TRY(append(s, block, d));
        if (used > budget) {
            drop_blocks(s);
            return TEG_OK;
        }
    }
}

teg_status teg_store_new(struct teg_trace *trace, uint32_t kernel,
                         uint64_t budget, struct teg_store **store,
                         struct teg_diag *d)
{
    struct teg_store *s = calloc(1, sizeof *s);
    teg_status status;

    *store = NULL;
    if (s == NULL)
        return teg_fail_memory(d);
    s->trace = trace;
    s->number = kernel;
    status = teg_trace_launch(trace, kernel, &s->from, d);
    if (status == TEG_OK)
        status = read_blocks(s, budget, d);
    if (status != TEG_OK) {
        teg_store_free(s);
        return status;
    }
    if (!s->holds)
        close_from(s);
    *store = s;
    return TEG_OK;
}

void teg_store_free(struct teg_store *s)
{
    if (s == NULL)
        return;
    drop_blocks(s);
    close_from(s);
    free(s);
}

int teg_store_holds(const struct teg_store *s)
{
    return s->holds;
}

static teg_status next_kept(void *self, struct teg_block **block,
                            struct teg_diag *d)
{
    struct teg_store *s = self;

    (void)d;
    *block = s->next < s->count ? s->block[s->next++] : NULL;
    return TEG_OK;
}

/* The program and the remarks grow while the trace is read. */
static teg_status next_read(void *self, struct teg_block **block,
                            struct teg_diag *d)
{
    struct teg_store *s = self;

    TRY(s->from.next(s->from.self, block, d));
    s->kernel.program = s->from.kernel->program;
    s->kernel.notes = s->from.kernel->notes;
    return TEG_OK;
}

static void close_read(void *self)
{
    close_from(self);
}

teg_status teg_store_launch(struct teg_store *s, struct teg_launch *launch,
                            struct teg_diag *d)
{
    if (!s->holds)
        TRY(teg_trace_launch(s->trace, s->number, &s->from, d));
    s->kernel = *s->from.kernel;
    s->next = 0;
    *launch = (struct teg_launch){
        .kernel = &s->kernel,
        .self = s,
        .next = s->holds ? next_kept : next_read,
        .close = s->holds ? NULL : close_read,
    };
    return TEG_OK;
}
