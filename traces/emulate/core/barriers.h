/*
 * Who waits for whom in the emulator: convergence barriers of a warp, the
 * barriers of a block, and that of a cluster.
 */
#ifndef TEG_TRACES_EMULATE_CORE_BARRIERS_H
#define TEG_TRACES_EMULATE_CORE_BARRIERS_H

#include "traces/emulate/core/warp.h"

/* The warp has ended a phase of the mbarrier.  Whoever asked for it looks before
 * the warp can end the next one, as on a GPU, where both run: its turn ends
 * behind the instruction. */
void emu_tell_who_awaits(struct emu_warp *w, const uint64_t *barrier);

/* The lanes are to meet at convergence barrier `number`, or no longer to: nobody
 * waits for them there. */
void emu_meet(struct emu_warp *w, unsigned number, uint32_t lanes);
void emu_part(struct emu_warp *w, unsigned number, uint32_t lanes);
/* Lets go on who waits in the warp for nobody any more. */
void emu_release_converged(struct emu_warp *w);
/* Nobody runs: lets the first lanes go on that came to WARPSYNC.EXCLUSIVE with
 * the same mask and are all there.  Those of .COLLECTIVE do what follows
 * together, where the lowest stands, and part at ENDCOLLECTIVE: each goes to its
 * own WARPSYNC's target.  (ptxas has the same instructions with the same
 * registers behind each of them)  Returns them. */
uint32_t emu_release_exclusive(struct emu_warp *w);
/* Lets all go on that wait at a convergence barrier, each alone. */
void emu_release_bsync(struct emu_warp *w);
/* All lanes wait within the warp, some at a WARPSYNC.COLLECTIVE that names
 * lanes which wait at a BSYNC that is neither .RELIABLE nor .RECONVERGENT: lets
 * these go on.  (sm_100 on.  That they do is inferred from ptxas's code for
 * votes in an unrolled loop, which would not end otherwise)  Returns them. */
uint32_t emu_release_unbound(struct emu_warp *w);
/* All lanes wait within the warp, some at a WARPSYNC that names lanes which
 * wait for these where the branch ends: lets them go on without those, as
 * hardware does.  Returns them. */
uint32_t emu_release_lone(struct emu_warp *w);

/* The lanes of `mask` come to BAR, or to the cluster's barrier; or they wait
 * there. */
void emu_barrier_arrive(struct emu_warp *w, const struct emu_op *op,
                        uint32_t mask);
void emu_cluster_arrive(struct emu_warp *w, const struct emu_op *op,
                        uint32_t mask);
void emu_cluster_wait(struct emu_warp *w, const struct emu_op *op,
                      uint32_t mask);

/* The threads are gone: barriers wait for them no longer. */
void emu_leave(struct emu_warp *w, uint32_t mask);

#endif
