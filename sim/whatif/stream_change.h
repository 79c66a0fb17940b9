/*
 * What-ifs that change the instruction stream: a launch that reads another
 * one and hands out its blocks with a changed program or rewritten.
 *
 * INVARIANT: the changed program has the same instructions at the same
 * indices, and the same ones carry addresses: blocks of the original are
 * decoded by its own program and refer to instructions by index alone.
 */
#ifndef TEG_SIM_WHATIF_STREAM_CHANGE_H
#define TEG_SIM_WHATIF_STREAM_CHANGE_H

#include "sim/whatif/line_change.h"

typedef void inst_change(struct teg_inst *inst);
/* Writes the warps of `from` into `b`, which has begun the block. */
typedef void block_change(struct teg_block *from,
                          const struct teg_program *program,
                          struct teg_block_builder *b);

struct stream_change {
    inst_change *inst;       /* NULL: the program stays */
    block_change *block;     /* NULL: blocks are handed on */
    line_change *line;       /* in place of `block`; NULL: none */
    struct line_place place; /* what `inst` and `line` are limited to */
};

/* Barriers become idle instructions. */
inst_change stream_change_no_barriers;
/* No register is read or written, no control code known. */
inst_change stream_change_no_dependences;
/* Nobody waits for what it writes. */
inst_change stream_change_forget_result;
/* No control code known. */
inst_change stream_change_no_control;
/* sim/whatif/drop.c: without accesses to local memory. */
block_change stream_change_no_spills;
/* sim/whatif/compact.c */
block_change stream_change_no_divergence;

/* Replaces `launch` by one that changes what it hands out; its close closes
 * the original too.  On failure `launch` is as before. */
teg_status stream_change_wrap(const struct stream_change *change,
                              struct teg_launch *launch, struct teg_diag *d);

#endif
