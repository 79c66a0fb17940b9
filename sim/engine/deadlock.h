/*
 * When nothing can happen any more: who waits for whom.
 */
#ifndef TEG_SIM_ENGINE_DEADLOCK_H
#define TEG_SIM_ENGINE_DEADLOCK_H

#include "sim/engine/sm.h"

/* Names a block that can go on no more, why, and where. */
teg_status sim_sm_deadlock(const struct sim_sm *sm, struct teg_diag *d);

#endif
