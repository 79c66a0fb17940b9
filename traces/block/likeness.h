/*
 * Whether launches of a kernel differ in nothing but where their buffers are.
 *
 * A digest of all blocks.  Of an address in global memory it has how far it lies
 * from the first one of the same record of the same instruction.  Of the firsts it has
 * how far they lie from each other where the records' ranges overlap, so that what
 * reads the buffer that it writes is not like what reads another one, and where
 * in a line a range begins.  Everything else counts as it is: instructions, lanes,
 * offsets in shared memory, values (isa/inst/values.def).
 *
 * A range is from the lowest to the highest address that a block's warps begin
 * with: what a loop reaches beyond it is not seen.
 */
#ifndef TEG_TRACES_BLOCK_LIKENESS_H
#define TEG_TRACES_BLOCK_LIKENESS_H

#include "traces/block/block.h"

struct teg_likeness;

/* `kernel` is borrowed; its program may grow.  NULL: no memory. */
struct teg_likeness *teg_likeness_new(const struct teg_kernel *kernel);
void teg_likeness_free(struct teg_likeness *l);
/* Takes in the launch's next block. */
teg_status teg_likeness_add(struct teg_likeness *l,
                            const struct teg_block *block, struct teg_diag *d);
/* Of the blocks until now; what is in no block (names, code) is not in
 * it. */
uint64_t teg_likeness_digest(struct teg_likeness *l);

#endif
