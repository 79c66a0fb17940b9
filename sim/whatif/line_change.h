/*
 * What-ifs that are limited to the instructions of a source line: each
 * execution of one is changed or dropped, all others are copied.
 */
#ifndef TEG_SIM_WHATIF_LINE_CHANGE_H
#define TEG_SIM_WHATIF_LINE_CHANGE_H

#include "traces/block/block.h"

/* A source line; line 0: all there are. */
struct line_place {
    char file[128]; /* its name or the end of its path */
    uint32_t line;
};

/* Whether the instruction is of that line, or inlined for a call in it. */
int line_place_has(const struct line_place *p,
                   const struct teg_program *program,
                   const struct teg_inst *inst);

/* Changes the active lanes and their addresses.  Returns 0 if the instruction
 * is not to be executed.  Of one without addresses `mask` is 0. */
typedef int line_change(const struct teg_kernel *k, const struct teg_inst *inst,
                        uint32_t *mask, uint64_t lane[TEG_LANES]);

/* Barriers and ends stay: others wait for them. */
line_change line_change_without;
/* Where the bytes of the lanes, side by side, fill fewer sectors. */
line_change line_change_coalesced;
line_change line_change_no_bank_conflicts;
line_change line_change_no_atomic_conflicts;

/* Writes the warps of `from` into `b`, which has begun the block. */
void line_change_block(line_change *change, const struct line_place *place,
                       const struct teg_kernel *k, struct teg_block *from,
                       struct teg_block_builder *b);

#endif
