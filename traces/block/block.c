/* What is asked of an opened block, and how long it lives. */
#include "traces/block/opened.h"

#include <stdlib.h>

static void release_block(struct teg_block *block)
{
    free(block->bytes);
    free(block->path);
    free(block->stream);
    free(block->slot);
    free(block->slot_of);
    free(block->predictor);
    free(block);
}

void teg_block_free(struct teg_block *block)
{
    if (block != NULL && !block->kept)
        release_block(block);
}

teg_status teg_launch_walk(struct teg_launch *launch,
                           teg_status (*visit)(void *self,
                                               struct teg_block *block,
                                               struct teg_diag *d),
                           void *self, struct teg_diag *d)
{
    for (;;) {
        struct teg_block *block;
        teg_status status = TEG_OK;

        TRY(launch->next(launch->self, &block, d));
        if (block == NULL)
            return TEG_OK;
        if (visit != NULL)
            status = visit(self, block, d);
        teg_block_free(block);
        TRY(status);
    }
}

void teg_block_keep(struct teg_block *block)
{
    block->kept = 1;
}

void teg_block_drop(struct teg_block *block)
{
    if (block != NULL)
        release_block(block);
}

size_t teg_block_memory(const struct teg_block *block)
{
    return sizeof *block + block->size + block->paths * sizeof *block->path +
           block->streams * sizeof *block->stream +
           block->slots * sizeof *block->slot +
           block->program->record_count * sizeof *block->slot_of +
           (size_t)block->streams * ((size_t)block->slots + 1) *
               sizeof *block->predictor;
}

const uint32_t *teg_block_position(const struct teg_block *block)
{
    return block->position;
}

uint32_t teg_block_warps(const struct teg_block *block)
{
    return block->streams;
}

uint32_t teg_block_warp_id(const struct teg_block *block, uint32_t stream)
{
    return block->stream[stream].warp_id;
}

uint64_t teg_block_warp_insts(const struct teg_block *block, uint32_t stream)
{
    return block->path[block->stream[stream].path].insts;
}

const uint8_t *teg_block_built(const struct teg_block *block,
                               const struct teg_program *program, size_t *size)
{
    *size = block->size;
    return block->built && block->program == program ? block->bytes : NULL;
}
