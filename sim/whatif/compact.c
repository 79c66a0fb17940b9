/*
 * no-divergence: the arithmetic of a diverged warp packed as if its lanes
 * could be filled from other warps at will.
 *
 * A warp is full when every lane is active that is ever active in its stream.
 * Walking the stream, active lanes are added up; an instruction is issued,
 * with all lanes, each time the sum holds a full warp.  So a warp whose
 * instructions are half filled issues half of them, one that never diverges
 * issues all, and the lanes' work is conserved to less than one warp
 * instruction per warp.
 *
 * Instructions with an effect beyond their registers stay as they are: memory
 * accesses (they need their addresses), barriers (all warps must arrive) and
 * exits.  Their lanes are not added up.
 */
#include "sim/whatif/stream_change.h"

static uint32_t lanes_of(uint32_t mask)
{
    return (uint32_t)__builtin_popcount(mask);
}

/* Lanes that are active anywhere in the stream. */
static uint32_t full_mask(struct teg_block *from, uint32_t stream)
{
    struct teg_cursor cursor;
    uint32_t mask = 0;

    teg_cursor_init(&cursor, from, stream);
    while (mask != UINT32_MAX && teg_cursor_next(&cursor))
        mask |= cursor.mask;
    return mask;
}

static int must_stay(const struct teg_inst *inst)
{
    return inst->space != SPACE_NONE || inst->records != 0 ||
           teg_inst_meets_others(inst) || (inst->flags & INST_EXIT) != 0;
}

static void compact_warp(struct teg_block *from, uint32_t stream,
                         const struct teg_program *program,
                         struct teg_block_builder *b)
{
    uint32_t full = full_mask(from, stream), filled = 0;
    struct teg_cursor cursor;

    teg_block_builder_warp(b, teg_block_warp_id(from, stream));
    teg_cursor_init(&cursor, from, stream);
    while (teg_cursor_next(&cursor)) {
        if (must_stay(&program->inst[cursor.inst])) {
            teg_block_builder_copy(b, cursor.inst, &cursor);
            continue;
        }
        filled += lanes_of(cursor.mask);
        if (cursor.mask == 0 || filled < lanes_of(full))
            continue;
        filled -= lanes_of(full);
        teg_block_builder_inst(b, cursor.inst, full, NULL);
    }
}

teg_status stream_change_no_divergence(struct teg_block *from,
                                       const struct teg_program *program,
                                       struct teg_block_builder *b,
                                       struct teg_diag *d)
{
    (void)d;
    for (uint32_t i = 0; i < teg_block_warps(from); i++)
        compact_warp(from, i, program, b);
    return TEG_OK;
}
