/*
 * Issuing one instruction of a warp: what it takes, what it leaves, and what
 * the warp does next.
 */
#ifndef TEG_SIM_ENGINE_ISSUE_H
#define TEG_SIM_ENGINE_ISSUE_H

#include <stdint.h>

struct sim_sm;

/* The warp in `slot` issues its next instruction in cycle `now`, in which its
 * unit and memory take it. */
void sim_issue(struct sim_sm *sm, uint32_t slot, uint64_t now);

#endif
