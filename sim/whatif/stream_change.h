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

/* `inst`: a copy of one of `program`, the original. */
typedef void inst_change(struct teg_inst *inst,
                         const struct teg_program *program);
/* Whether instruction `index` of the original is not executed. */
typedef int inst_drop(const struct teg_program *program, uint32_t index);
/* Writes the warps of `from` into `b`, which has begun the block. */
typedef teg_status block_change(struct teg_block *from,
                                const struct teg_program *program,
                                struct teg_block_builder *b,
                                struct teg_diag *d);

/* Whether what the change leaves of a block goes by what its warps execute, whatever
 * their addresses (traces/block/walks.h); and whether it leaves what has records as
 * it is, besides. */
int block_change_goes_by_walks(block_change *change);
int block_change_keeps_records(block_change *change);

struct stream_change {
    inst_change *inst;       /* NULL: the program stays */
    inst_drop *drop;         /* NULL: all are executed */
    block_change *block;     /* NULL: blocks are handed on; not with `drop` */
    line_change *line;       /* in place of `block`; NULL: none */
    struct line_place place; /* what `inst` and `line` are limited to */
};

/* Barriers become idle instructions, unless the program has mbarriers. */
inst_change stream_change_no_barriers;
/* No register is read or written, no control code known. */
inst_change stream_change_no_dependences;
/* Nobody waits for what it writes. */
inst_change stream_change_forget_result;
/* No control code known. */
inst_change stream_change_no_control;
/* sim/whatif/compact.c */
block_change stream_change_no_divergence;
/* sim/whatif/regroup.c: threads in warps by what they execute. */
block_change stream_change_regrouped;
/* sim/whatif/deal.c: what a warp executes more than the others, for them. */
block_change stream_change_even_warps;
/* sim/whatif/block_atomics.c: a word once for all of a block. */
block_change stream_change_block_atomics;

/* sim/whatif/work.c: what a program that does less would not execute... */
block_change stream_change_half_instructions;
/* ... and would execute instead. */
inst_change stream_change_local_in_shared;
inst_change stream_change_floats;
inst_change stream_change_cheap_functions;
inst_change stream_change_cheap_conversions;
inst_change stream_change_a_in_registers;

/* sim/whatif/drop.c */
inst_drop stream_drop_spills;
inst_drop stream_drop_fences;
inst_drop stream_drop_sleep;
inst_drop stream_drop_conversions; /* between floats and doubles */
inst_drop stream_drop_functions;   /* but for one instruction of each */

/* Replaces `launch` by one that changes what it hands out; its close closes
 * the original too.  On failure `launch` is as before. */
teg_status stream_change_wrap(const struct stream_change *change,
                              struct teg_launch *launch, struct teg_diag *d);

#endif
