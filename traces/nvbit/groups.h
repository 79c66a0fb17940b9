/*
 * What an NVBit trace does not say of groups of asynchronous work
 * (isa/inst/group.h), worked out from the order in which a warp executes.
 *
 *   - How many groups may stay open is an immediate, which older tracers do
 *     not write.  Then a DEPBAR waits for the oldest group that no other has
 *     waited for, or if nothing was committed since the last one, for all: what
 *     software pipelines do in front of, in and behind their loop.
 *   - No tracer writes the gsb by which a product of warp groups commits.  The
 *     last product before WARPGROUP.ARRIVE or WARPGROUP.DEPBAR is taken to.
 *
 * What is found where an instruction is first executed holds for it always, as
 * both are part of the instruction; it becomes part of its text.
 */
#ifndef TEG_TRACES_NVBIT_GROUPS_H
#define TEG_TRACES_NVBIT_GROUPS_H

#include "traces/base/kernel.h"

struct nvbit_groups {
    uint32_t committed; /* groups of copies, by this warp */
    uint32_t waited;    /* of them, the oldest */
    uint32_t fresh;     /* committed since it last waited */
    uint32_t product;   /* 1 + its last product, if no commit was seen since */
};

/* Instruction `index` of the kernel's program is executed next by the warp,
 * whose state begins zeroed.  `path` and `line` are for notes. */
teg_status nvbit_groups_inst(struct nvbit_groups *g, struct teg_kernel *kernel,
                             uint32_t index, const char *path, uint64_t line,
                             struct teg_diag *d);

#endif
