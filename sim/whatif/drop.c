/*
 * no-spills: streams without some of their instructions.  Who reads what one
 * of these would have written waits for the writer before it.
 */
#include "sim/whatif/stream_change.h"

typedef int is_dropped(const struct teg_inst *inst);

static void copy_warp(struct teg_block *from, uint32_t stream,
                      const struct teg_program *program, is_dropped *dropped,
                      struct teg_block_builder *b)
{
    struct teg_cursor cursor;

    teg_block_builder_warp(b, teg_block_warp_id(from, stream));
    teg_cursor_init(&cursor, from, stream);
    while (teg_cursor_next(&cursor)) {
        if (!dropped(&program->inst[cursor.inst]))
            teg_block_builder_copy(b, cursor.inst, &cursor);
    }
}

static int is_spill(const struct teg_inst *inst)
{
    return inst->space == SPACE_LOCAL;
}

void stream_change_no_spills(struct teg_block *from,
                             const struct teg_program *program,
                             struct teg_block_builder *b)
{
    for (uint32_t i = 0; i < teg_block_warps(from); i++)
        copy_warp(from, i, program, is_spill, b);
}
