/*
 * Waits of a warp for asynchronous work that cannot be what was meant: what it
 * has started is in no group yet, or it has started nothing.  (isa/inst/group.h)
 *
 * Models: the order of the warp's own instructions.  A DEPBAR that waits for a
 * dependence barrier which some instruction has set waits for that.
 * Leaves out: what was committed and is waited for too late or too early.
 */
#ifndef TEG_TRACES_STUDY_WAITS_H
#define TEG_TRACES_STUDY_WAITS_H

#include "isa/inst/inst.h"

enum teg_wait_fault {
    WAIT_FAULT_NONE,
    WAIT_FAULT_UNCOMMITTED, /* copies or products wait to be committed */
    WAIT_FAULT_NOTHING,     /* none has been committed, or started */
};

/* What a warp has done so far; zeroed, nothing. */
struct teg_waits {
    uint8_t joined, committed; /* bit k: kind k of a group */
    uint8_t barriers;          /* bit i: some instruction has set it */
};

/* Takes in the warp's next instruction; returns what is wrong with its wait. */
enum teg_wait_fault teg_waits_step(struct teg_waits *w,
                                   const struct teg_inst *inst);

#endif
