/*
 * When nothing can happen any more: who waits for whom.
 */
#ifndef TEG_SIM_ENGINE_DEADLOCK_H
#define TEG_SIM_ENGINE_DEADLOCK_H

#include "sim/engine/sm.h"

/* Names a block that can go on no more, why, and where: of all SMs the first one
 * that waits for nobody but itself, or for an mbarrier; else one that waits at
 * its cluster's barrier. */
teg_status sim_deadlock(const struct sim_sm *sm, uint32_t sms,
                        struct teg_diag *d);

#endif
