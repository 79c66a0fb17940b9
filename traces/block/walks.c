#include "traces/block/walks.h"

#include <stdlib.h>
#include <string.h>

#include "traces/block/opened.h"

/* All paths lie side by side. */
static const uint8_t *paths_at(const struct teg_block *b)
{
    return b->paths != 0 ? b->path[0].at : b->bytes;
}

static size_t paths_size(const struct teg_block *b)
{
    return b->paths != 0 ? (size_t)(b->path[b->paths - 1].end - b->path[0].at)
                         : 0;
}

int teg_block_walk_alike(const struct teg_block *a, const struct teg_block *b)
{
    size_t size = paths_size(a);

    if (a->paths != b->paths || a->streams != b->streams ||
        size != paths_size(b) || memcmp(paths_at(a), paths_at(b), size) != 0)
        return 0;
    for (uint32_t i = 0; i < a->streams; i++) {
        if (a->stream[i].path != b->stream[i].path)
            return 0;
    }
    return 1;
}

static void *copy_of(const void *from, size_t count, size_t size)
{
    void *copy = malloc((count + 1) * size);

    if (copy != NULL)
        memcpy(copy, from, count * size);
    return copy;
}

/* Its bytes are those of `from` and behind them the walker's paths. */
static int fill(struct teg_block *b, const struct teg_block *walker,
                const struct teg_block *from)
{
    const uint8_t *paths;

    b->size = from->size + paths_size(walker);
    b->bytes = malloc(b->size + 1);
    b->path = copy_of(walker->path, walker->paths, sizeof *b->path);
    b->stream = copy_of(from->stream, from->streams, sizeof *b->stream);
    b->slot = copy_of(from->slot, from->slots, sizeof *b->slot);
    b->slot_of = copy_of(from->slot_of, from->records, sizeof *b->slot_of);
    b->predictor = malloc(((size_t)from->streams + 1) *
                          ((size_t)from->slots + 1) * sizeof *b->predictor);
    if (b->bytes == NULL || b->path == NULL || b->stream == NULL ||
        b->slot == NULL || b->slot_of == NULL || b->predictor == NULL)
        return 0;
    memcpy(b->bytes, from->bytes, from->size);
    memcpy(b->bytes + from->size, paths_at(walker), paths_size(walker));
    paths = b->bytes + from->size;
    for (uint32_t i = 0; i < walker->paths; i++) {
        b->path[i].at = paths + (walker->path[i].at - paths_at(walker));
        b->path[i].end = paths + (walker->path[i].end - paths_at(walker));
    }
    for (uint32_t i = 0; i < from->streams; i++) {
        b->stream[i].address =
            b->bytes + (from->stream[i].address - from->bytes);
        b->stream[i].path = walker->stream[i].path;
    }
    return 1;
}

teg_status teg_block_walk_as(const struct teg_block *walker,
                             const struct teg_block *from,
                             const struct teg_program *program,
                             struct teg_block **block, struct teg_diag *d)
{
    struct teg_block *b = calloc(1, sizeof *b);

    *block = NULL;
    if (b == NULL)
        return teg_fail_memory(d);
    b->program = program;
    memcpy(b->position, from->position, sizeof b->position);
    b->paths = walker->paths;
    b->streams = from->streams;
    b->slots = from->slots;
    b->records = from->records;
    if (!fill(b, walker, from)) {
        teg_block_drop(b);
        return teg_fail_memory(d);
    }
    *block = b;
    return TEG_OK;
}
