/*
 * What-ifs that need no simulation: a launch took so long as it is, and what one
 * of them would take away was not there.  Exact, not a guess: each says why the
 * changed launch runs cycle by cycle as the other did.
 */
#ifndef TEG_SIM_WHATIF_IDLE_H
#define TEG_SIM_WHATIF_IDLE_H

#include "sim/teg.h"

/* A launch, and what was found when all of it was simulated. */
struct idle_run {
    const struct teg_gpu *gpu;
    const struct teg_kernel *kernel; /* with the whole program */
    const struct teg_statistics *s;
};

typedef int idle_rule(const struct idle_run *run);

/* Every conflict group of shared memory took one pass. */
idle_rule idle_no_bank_conflicts;
/* Nothing reads and writes memory at once. */
idle_rule idle_no_atomics;
/* No constant was loaded by index. */
idle_rule idle_no_constant_conflicts;
/* Every bank of registers was done within its slot. */
idle_rule idle_no_register_conflicts;
idle_rule idle_no_fences;
/* The compiler says nothing of any instruction, so that hardware tracks registers in
 * any case, and a warp may issue in the next cycle after each. */
idle_rule idle_no_same_warp_gap;
/* As many blocks fit, and L1 is as large; or all blocks have fitted. */
idle_rule idle_full_occupancy;
/* The blocks fill the SMs a whole number of times, or not once. */
idle_rule idle_no_tail;
/* No warp waited for an instruction longer than for what comes before that in
 * sim/stalls.def, which it waits for in any case. */
idle_rule idle_no_instruction_misses;
/* No constant was looked up. */
idle_rule idle_no_constant_misses;
/* All lanes of every instruction were active: warps are full, and of any
 * instruction as many execute it for the k-th time as have to. */
idle_rule idle_no_divergence;
/* All warps execute as many instructions, and do not meet in between. */
idle_rule idle_even_warps;
/* The blocks fill the chip, or cannot be cut. */
idle_rule idle_more_blocks;

/* No instruction went to unit number `unit`, or it was free whenever one was to. */
int idle_double_unit(const struct idle_run *run, uint32_t unit);

#endif
